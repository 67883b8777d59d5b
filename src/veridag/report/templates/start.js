// The report as one page: what was made for it starts here, with the data that the page holds.
"use strict";
for (const [source, show] of [["network-data", showNetwork], ["what-if-data", showWhatIf]]) {
  const data = document.getElementById(source);
  if (data) show(JSON.parse(data.textContent));
}
// Paper shows what is folded up on the screen.
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details:not([open])")) { part.open = true; part.dataset.opened = ""; } });
addEventListener("afterprint", () => { for (const part of document.querySelectorAll("details[data-opened]")) { part.open = false; delete part.dataset.opened; } });
