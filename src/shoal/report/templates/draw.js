"use strict";
const boxes = Array.from(document.querySelectorAll("[data-figure]"));
const night = window.matchMedia("(prefers-color-scheme: dark)");
// The colours of figures on a dark page; only what stands at a colour's key is one, for a label may read like it.
const dark = {"white": "#141c23", "#1f2d3a": "#e6ebf0", "#5a6875": "#a3b0bc", "#e2e7eb": "#35424e", "#0072b2": "#6fb9ea",
  "#d55e00": "#ff9a5a", "#aab4bd": "#7b8894"};
const dressed = (thing, key) => {
  if (Array.isArray(thing)) return thing.map((inner) => dressed(inner, key));
  if (thing && typeof thing === "object") return Object.fromEntries(Object.entries(thing).map(([name, inner]) => [name, dressed(inner, name)]));
  if (typeof thing !== "string") return thing;
  if (/color$/i.test(key)) return dark[thing.toLowerCase()] || thing;
  return thing.replaceAll("<span style='color:#5a6875", "<span style='color:#a3b0bc");  // labels are escaped: this is ours
};
const draw = (box, on_dark) => {
  const figure = JSON.parse(document.getElementById(box.dataset.figure).textContent);
  const shown = on_dark ? dressed(figure, "") : figure;
  Plotly.react(box, shown.data, shown.layout, {displayModeBar: false, responsive: true});
};
// A page may have hundreds of figures: what is looked at is drawn first, the others one by one while nobody waits.
const drawn = new Set();
const once = (box) => {
  if (drawn.has(box)) return;
  drawn.add(box);
  draw(box, night.matches);
};
const near = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) once(one.target); }, {rootMargin: "300px"});
const rest = () => {
  const box = boxes.find((one) => !drawn.has(one));
  if (!box) return near.disconnect();
  once(box);
  setTimeout(rest, 10);
};
for (const box of boxes) near.observe(box);
setTimeout(rest, 10);
night.addEventListener("change", () => { for (const box of drawn) draw(box, night.matches); });
// Paper is white and narrower than the window, and a drawing does not flow: give each its printed colours and width, and
// make one that is taller than a page smaller, so that none is cut where a page ends.
const page_height = 860;
window.addEventListener("beforeprint", () => {
  for (const box of boxes) {
    if (night.matches || !drawn.has(box)) draw(box, false);
    drawn.add(box);
    Plotly.relayout(box, {autosize: false, width: box.closest(".pairs") ? 320 : 660});
    box.style.zoom = Math.min(1, page_height / box.offsetHeight);
  }
});
window.addEventListener("afterprint", () => {
  for (const box of boxes) {
    if (night.matches) draw(box, true);
    box.style.zoom = "";
    Plotly.relayout(box, {autosize: true, width: null});
  }
});
