// What the browser does itself: it sends files, tells of roles that were chosen, and sees whether the server is there.
(() => {
  // The ticket of this page is used up: the address is that of the screen.
  const place = new URL(location.href);
  place.searchParams.delete("ticket");
  history.replaceState(history.state, "", place);

  // What lets this page in. It is no cookie: those go to every port of this machine.
  const key = localStorage.getItem("shoal-key"), headers = { "X-Shoal-Key": key };

  const find = (id) => document.getElementById(id);
  const say = (text) => { const place = find("sending-said"); if (place) { place.hidden = !text; place.textContent = text; } };
  let under_way = null;

  const put = (file, name, before, all) => new Promise((done, fail) => {
    const request = under_way = new XMLHttpRequest();
    request.open("PUT", "/api/v1/uploads/" + encodeURIComponent(name));
    request.setRequestHeader("X-Shoal-Key", key);
    request.upload.onprogress = (event) => {
      const bar = find("sending-bar");
      if (bar && all) bar.value = (before + event.loaded) / all;
      const text = find("sending-what");
      if (text) text.textContent = `Sending ${name}: ${size(event.loaded)} of ${size(file.size)}`;
    };
    request.onload = () => {
      let said = {};
      try { said = JSON.parse(request.responseText); } catch { /* no sentence */ }
      if (request.status < 300) done(said.id);
      else fail(new Error(said.error ? said.error.sentence : `the server answered ${request.status}`));
    };
    request.onerror = () => fail(new Error("the connection was lost; try it again"));
    request.onabort = () => fail(new Error("sending was cancelled; nothing was kept"));
    request.send(file);
  });

  const size = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;

  const send = async (files, folder) => {
    if (!files.length || under_way) return;
    say("");
    find("sending").hidden = false;
    const all = files.reduce((sum, file) => sum + file.size, 0), ids = [];
    let before = 0;
    try {
      for (const file of files) {
        ids.push(await put(file, file.name, before, all));
        before += file.size;
      }
      emitEvent("shoal-sent", { ids, folder });
    } catch (error) {
      ids.forEach((id) => fetch("/api/v1/uploads/" + id, { method: "DELETE", headers }));
      find("sending").hidden = true;
      say(error.message.charAt(0).toUpperCase() + error.message.slice(1) + ".");
    }
    under_way = null;
  };

  const entries = async (item) => {
    if (!item.isDirectory) return [await new Promise((done, fail) => item.file(done, fail))];
    const reader = item.createReader(), found = [];
    for (;;) {
      const more = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!more.length) break;
      for (const one of more) if (one.isFile && !one.name.startsWith(".")) found.push(...await entries(one));
    }
    return found;
  };

  document.addEventListener("change", (event) => {
    const of = event.target.dataset || {};
    if (event.target.matches("input[data-send]")) {
      const folder = of.send === "folder";
      const files = [...event.target.files].filter((file) => !folder || !file.name.startsWith("."));
      if (!files.length) say("There is no file in this folder.");
      send(files, folder || files.length > 1);
      event.target.value = "";
    } else if (event.target.matches("select[data-role]")) {
      emitEvent("shoal-role", { column: Number(of.role), role: event.target.value });
    }
  });
  document.addEventListener("click", (event) => {
    if (event.target.matches("[data-stop-sending]") && under_way) under_way.abort();
  });
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(name, async (event) => {
      const zone = event.target.closest && event.target.closest(".drop");
      if (!event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      document.querySelectorAll(".drop").forEach((one) => one.classList.toggle("over", one === zone && name !== "drop" && name !== "dragleave"));
      if (name !== "drop" || !zone) return;
      const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
      const files = (await Promise.all(items.map(entries))).flat();
      send(files, items.some((item) => item.isDirectory) || files.length > 1);
    });
  }

  // A plot that is taken away while the page is drawn again has no size: plotly complains, and nothing is wrong.
  window.addEventListener("unhandledrejection", (event) => {
    if (String(event.reason && event.reason.message).startsWith("Resize must be passed")) event.preventDefault();
  });

  // On a narrow window the steps scroll sideways: show the present one.
  const steps = new MutationObserver(() => {
    const now = document.querySelector(".steps [aria-current]");
    if (!now) return;
    steps.disconnect();
    const list = now.closest("ol");
    const from = list.getBoundingClientRect().left + (list.clientWidth - now.offsetWidth) / 2;
    list.scrollLeft += now.getBoundingClientRect().left - from;
  });
  steps.observe(document, { childList: true, subtree: true });

  // A new screen begins at its heading: a screen reader reads it, and the next Tab goes to what is below.
  const opened = new MutationObserver(() => {
    const title = document.querySelector("#main h1");
    if (!title) return;
    opened.disconnect();
    title.tabIndex = -1;
    if (document.activeElement === document.body) title.focus({ preventScroll: true });
  });
  if (location.pathname.startsWith("/project/")) opened.observe(document, { childList: true, subtree: true });

  // After a server has ended, the page would wait for ever: its key means nothing to the next one.
  setInterval(async () => {
    const gone = find("server-gone");
    let there = false;
    try { there = (await fetch("/alive", { cache: "no-store", headers })).ok; } catch { /* it does not answer */ }
    if (!there && !gone) {
      const box = document.createElement("div");
      box.id = "server-gone";
      box.className = "said bad";
      box.setAttribute("role", "alert");
      box.textContent = "This session has ended: shoal was stopped or started again, and what was here is removed. Open the "
        + "address that shoal prints when it starts, open the project that you saved, and choose your file again; what you "
        + "downloaded is where you put it.";
      (find("main") || document.body).prepend(box);
    } else if (there && gone) gone.remove();
  }, 5000);
})();
