"use strict";
const boxes = Array.from(document.querySelectorAll("[data-figure]"));
for (const box of boxes) {
  const figure = JSON.parse(document.getElementById(box.dataset.figure).textContent);
  Plotly.newPlot(box, figure.data, figure.layout, {displayModeBar: false, responsive: true});
}
// Paper is narrower than the window, and a drawing does not flow: give each its printed width.
window.addEventListener("beforeprint", () => {
  for (const box of boxes) Plotly.relayout(box, {autosize: false, width: box.closest(".pairs") ? 320 : 660});
});
window.addEventListener("afterprint", () => {
  for (const box of boxes) Plotly.relayout(box, {autosize: true, width: null});
});
