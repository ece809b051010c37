// A tree as lines of one height, of which only those in sight are drawn: 20,000 values are as quick as 20.
const HEIGHT = 40;
const SHOWN = 60; // lines that are open at first
const number = (value) => value.toLocaleString("en-US");

export default {
  template: `
    <div class="tree">
      <div class="tree-bar">
        <input type="search" class="entry" v-model="search" placeholder="Search" :aria-label="'Search in ' + column">
        <button type="button" class="small-button" @click="openAll">Open all</button>
        <button type="button" class="small-button" @click="closeAll">Close all</button>
        <span class="note" role="status">{{ search ? number(found) + ' found' : '' }}</span>
        <button v-if="search && found" type="button" class="small-button" @click="pickFound">Select what was found</button>
      </div>
      <div class="tree-chosen" role="group" aria-label="what to do with what is selected">
        <span class="note" role="status">{{ picked.size ? number(picked.size) + ' selected' : 'Select groups or values to move or group them' }}</span>
        <template v-if="picked.size">
          <form @submit.prevent="group">
            <input class="entry" v-model="name" placeholder="New group" aria-label="Name of the new group" maxlength="200">
            <button class="small-button strong" :disabled="!name.trim()">Group them</button>
          </form>
          <form @submit.prevent="move(ids(), Number(target))">
            <select class="entry" v-model="target" aria-label="Move to">
              <option value="" disabled>Move to ...</option>
              <option v-for="one in targets" :key="one.id" :value="one.id">{{ one.words }}</option>
            </select>
            <button class="small-button strong" :disabled="target === ''">Move</button>
          </form>
          <button v-if="allGroups" type="button" class="small-button" @click="ungroup">{{ picked.size > 1 ? 'Take the groups away' : 'Take the group away' }}</button>
          <button type="button" class="small-button" @click="clear">Select nothing</button>
        </template>
      </div>
      <div class="tree-list" ref="list" role="treegrid" tabindex="0" :aria-label="'hierarchy of ' + column"
           aria-multiselectable="true" :aria-rowcount="lines.length + 1" :aria-activedescendant="activeId"
           @scroll="scrolled" @keydown="key">
        <div class="tree-head" role="row" aria-rowindex="1">
          <div class="tree-name" role="columnheader">group or value</div>
          <div class="tree-number" role="columnheader">people</div>
          <div class="tree-number tree-leaves" role="columnheader">values</div>
        </div>
        <div class="tree-space" role="presentation" :style="{height: lines.length * ${HEIGHT} + 'px'}">
          <div v-for="row in rows" :key="row.id" :id="key_of(row.id)" class="tree-row" role="row"
               :class="{active: row.id === active, picked: row.picked, over: row.id === over}"
               :style="{top: row.at * ${HEIGHT} + 'px'}" :aria-rowindex="row.at + 2" :aria-level="row.depth + 1"
               :aria-expanded="row.inner ? String(row.open) : null" :aria-selected="String(row.picked)"
               :draggable="row.depth > 0 && editing !== row.id" @click="activate(row.id)" @dblclick="edit(row)"
               @dragstart="drag($event, row)" @dragend="dragged = null; over = null"
               @dragover="hover($event, row)" @dragleave="over === row.id && (over = null)" @drop="drop($event, row)">
            <div class="tree-name" role="gridcell" :style="{paddingLeft: 8 + row.depth * indent + 'px'}">
              <input v-if="row.depth" type="checkbox" tabindex="-1" :checked="row.picked" :aria-label="'Select ' + row.words"
                     @click.stop="pick(row, $event)" @dblclick.stop>
              <button v-if="row.inner" type="button" class="tree-twist" tabindex="-1" :class="{open: row.open}"
                      :aria-label="(row.open ? 'Close ' : 'Open ') + row.words" @click.stop="toggle(row.id)" @dblclick.stop></button>
              <span v-else class="tree-twist"></span>
              <input v-if="editing === row.id" ref="edit" class="entry tree-edit" v-model="draft" maxlength="200"
                     :aria-label="'New name of ' + row.words" @keydown.stop="typed($event, row)" @blur="renamed(row)" @click.stop @dblclick.stop>
              <span v-else class="tree-label" :class="{value: !row.level}" :title="row.words">{{ row.words }}</span>
              <span v-if="!row.depth" class="note tree-root">everything, which tells nothing</span>
              <button v-if="row.level && editing !== row.id" type="button" class="tree-rename" tabindex="-1"
                      :aria-label="'Rename ' + row.words" @click.stop="edit(row)">Rename</button>
            </div>
            <div class="tree-number" role="gridcell">{{ row.people }}</div>
            <div class="tree-number tree-leaves" role="gridcell">{{ row.leaves }}</div>
          </div>
        </div>
      </div>
    </div>`,
  props: { column: String, nodes: String },
  data: () => ({
    version: 0, turned: 0, top: 0, room: 600, indent: 22, search: "", picked: new Set(), active: null, editing: null,
    draft: "", name: "", target: "", dragged: null, over: null,
  }),
  created() {
    this.open = new Set(); // not watched, for that is slow: `turned` tells that it changed
    this.take(JSON.parse(this.nodes));
    this.fit();
  },
  mounted() {
    this.watcher = new ResizeObserver(() => {
      this.room = this.$refs.list.clientHeight;
      this.indent = this.$refs.list.clientWidth < 500 ? 12 : 22;
    });
    this.watcher.observe(this.$refs.list);
  },
  unmounted() {
    this.watcher.disconnect();
  },
  watch: {
    nodes(text) {
      const before = this.place;
      this.take(JSON.parse(text));
      this.picked = new Set();
      this.name = this.target = "";
      const fresh = this.all.id.filter((id) => !before.has(id));
      if (fresh.length && fresh.length < 3) this.reveal(fresh[0]);
      else if (!this.place.has(this.active)) this.active = null;
    },
  },
  computed: {
    hits() { // by place: 1 is found, 2 stands above something that was found, 3 is both
      this.version;
      const word = this.search.trim().toLowerCase();
      if (!word) return null;
      const hits = new Uint8Array(this.all.id.length), { label, depth } = this.all;
      for (let at = hits.length - 1, below = 0; at >= 0; at--) {
        if (depth[at] < below) hits[at] = 2, below = depth[at];
        if (label[at].toLowerCase().includes(word)) hits[at] |= 1, below = Math.max(below, depth[at]);
      }
      return hits;
    },
    found() {
      return this.hits ? this.hits.reduce((sum, hit) => sum + (hit & 1), 0) : 0;
    },
    lines() { // the places of the lines that are open
      this.version, this.turned;
      const { id, depth } = this.all, lines = [];
      let closed = Infinity;
      for (let at = 0; at < id.length; at++) {
        if (this.hits) { if (this.hits[at]) lines.push(at); continue; }
        if (depth[at] > closed) continue;
        lines.push(at);
        closed = this.open.has(id[at]) ? Infinity : depth[at];
      }
      return lines;
    },
    rows() {
      const first = Math.max(0, Math.floor(this.top / HEIGHT) - 8);
      const many = Math.ceil(this.room / HEIGHT) + 16;
      return this.lines.slice(first, first + many).map((at, place) => this.row(at, first + place));
    },
    activeId() {
      return this.rows.some((row) => row.id === this.active) ? this.key_of(this.active) : null;
    },
    highest() {
      return Math.max(-1, ...this.ids().map((id) => this.all.level[this.place.get(id)]));
    },
    allGroups() {
      return this.ids().every((id) => this.all.level[this.place.get(id)] > 0);
    },
    targets() {
      this.version;
      const { id, level, depth } = this.all, found = [];
      for (let at = 0; at < id.length; at++) {
        if (level[at] > this.highest) found.push({ id: id[at], words: "\u00a0".repeat(3 * depth[at]) + this.words(at) });
      }
      return found;
    },
  },
  methods: {
    number,
    key_of(id) { return `node-${this.$.uid}-${id}`; },
    words(at) { return this.all.label[at] || "(empty)"; },
    ids() { return [...this.picked].filter((id) => this.place.has(id)); },
    take(all) {
      this.all = all; // not watched: only `version` tells that it changed
      this.place = new Map(all.id.map((id, at) => [id, at]));
      this.version++;
    },
    fit() { // open as many whole depths as fit
      const counts = [];
      for (const depth of this.all.depth) counts[depth] = (counts[depth] || 0) + 1;
      let sum = counts[0], last = 0;
      while (last + 1 < counts.length && (last < 1 || sum + counts[last + 1] <= SHOWN)) sum += counts[++last];
      if (counts[1] > 1000) last = 1;
      this.turn(this.all.id.filter((_, at) => this.all.depth[at] < last));
    },
    row(at, place) {
      const { id, depth, level, leaves, people } = this.all;
      const inner = at + 1 < id.length && depth[at + 1] > depth[at];
      return {
        id: id[at], at: place, depth: depth[at], level: level[at], inner, words: this.words(at),
        open: inner && (this.hits ? this.hits[at] > 1 : this.open.has(id[at])), picked: this.picked.has(id[at]),
        people: people[at] < 0 ? `up to ${number(-people[at])}` : number(people[at]), leaves: level[at] ? number(leaves[at]) : "",
      };
    },
    scrolled() { this.top = this.$refs.list.scrollTop; },
    activate(id) {
      this.active = id;
      this.$refs.list.focus({ preventScroll: true });
    },
    toggle(id) {
      this.open.has(id) ? this.open.delete(id) : this.open.add(id);
      this.turned++;
    },
    turn(ids) { this.open = new Set(ids); this.turned++; },
    openAll() { this.search = ""; this.turn(this.all.id); },
    closeAll() { this.search = ""; this.turn([]); },
    pick(row, event) {
      const on = !this.picked.has(row.id), chosen = new Set(this.picked);
      const from = this.lines.findIndex((at) => this.all.id[at] === this.active);
      const some = event && event.shiftKey && from >= 0 ? this.lines.slice(Math.min(from, row.at), Math.max(from, row.at) + 1) : [];
      for (const id of [row.id, ...some.map((at) => this.all.id[at])]) {
        if (this.all.depth[this.place.get(id)]) on ? chosen.add(id) : chosen.delete(id);
      }
      this.picked = chosen;
      this.active = row.id;
    },
    pickFound() {
      this.picked = new Set(this.all.id.filter((_, at) => this.hits[at] & 1 && this.all.depth[at]));
    },
    clear() {
      this.picked = new Set();
      this.$refs.list.focus({ preventScroll: true });
    },
    reveal(id) { // open what is above a node, and go there
      const at = this.place.get(id);
      let depth = this.all.depth[at];
      for (let up = at; up >= 0; up--) if (this.all.depth[up] < depth) depth = this.all.depth[up], this.open.add(this.all.id[up]);
      this.turned++;
      this.search = "";
      this.go(id);
    },
    go(id) {
      this.active = id;
      this.$nextTick(() => {
        const list = this.$refs.list, place = this.lines.findIndex((at) => this.all.id[at] === id);
        if (!list || place < 0) return;
        const line = (place + 1) * HEIGHT; // below the head
        if (line < list.scrollTop + HEIGHT) list.scrollTop = line - HEIGHT;
        else if (line + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = line + HEIGHT - list.clientHeight;
      });
    },
    key(event) {
      if (event.target !== this.$refs.list) return;
      const place = this.lines.findIndex((at) => this.all.id[at] === this.active), page = Math.floor(this.room / HEIGHT) - 2;
      const row = place < 0 ? null : this.row(this.lines[place], place);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (event.key in steps) {
        const next = place < 0 ? 0 : Math.min(Math.max(place + steps[event.key], 0), this.lines.length - 1);
        if (this.lines.length) this.go(this.all.id[this.lines[next]]);
      } else if (!row) return;
      else if (event.key === "ArrowRight" && row.inner) row.open ? this.go(this.all.id[this.lines[place + 1]]) : this.toggle(row.id);
      else if (event.key === "ArrowLeft" && row.open) this.toggle(row.id);
      else if (event.key === "ArrowLeft") {
        const above = this.lines.slice(0, place).reverse().find((at) => this.all.depth[at] < row.depth);
        if (above !== undefined) this.go(this.all.id[above]);
      } else if (event.key === " ") row.depth && this.pick(row, event);
      else if (event.key === "Enter" || event.key === "F2") this.edit(row);
      else return;
      event.preventDefault();
    },
    edit(row) {
      if (!row.level) return;
      this.active = this.editing = row.id;
      this.draft = row.words;
      this.$nextTick(() => {
        const field = [this.$refs.edit].flat()[0];
        if (field) field.focus(), field.select();
      });
    },
    typed(event, row) {
      if (event.key === "Escape") this.editing = null;
      else if (event.key !== "Enter") return;
      else this.renamed(row);
      event.preventDefault();
      this.$refs.list.focus({ preventScroll: true });
    },
    renamed(row) {
      if (this.editing !== row.id) return;
      this.editing = null;
      const label = this.draft.trim();
      if (label && label !== row.words) this.$emit("act", { act: "rename", node: row.id, label });
    },
    group() {
      if (this.name.trim()) this.$emit("act", { act: "group", nodes: this.ids(), label: this.name.trim() });
      this.$refs.list.focus({ preventScroll: true });
    },
    ungroup() {
      this.$emit("act", { act: "ungroup", nodes: this.ids() });
      this.$refs.list.focus({ preventScroll: true });
    },
    move(nodes, under) {
      this.open.add(under);
      this.turned++;
      this.$emit("act", { act: "move", nodes, under });
      this.$refs.list.focus({ preventScroll: true });
    },
    drag(event, row) {
      this.dragged = this.picked.has(row.id) ? this.ids() : [row.id];
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", row.words);
    },
    takes(row) {
      return this.dragged && this.dragged.every((id) => this.all.level[this.place.get(id)] < row.level);
    },
    hover(event, row) {
      if (!this.takes(row)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      this.over = row.id;
    },
    drop(event, row) {
      if (!this.takes(row)) return;
      event.preventDefault();
      this.move(this.dragged, row.id);
      this.dragged = this.over = null;
    },
  },
};
