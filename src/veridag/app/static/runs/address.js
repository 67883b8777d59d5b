// Which run is shown, as the address says: ?run=3. So two tabs, links and the back button do what people expect.

/** The number of the run in the address, or null. */
export function runInAddress() {
  const given = Number(new URLSearchParams(location.search).get("run"));
  return Number.isInteger(given) && given > 0 ? given : null;
}

/** Put a run into the address; `step` is where the page goes, and without it the page stays where it is. */
export function putInAddress(number, step, {replace = false} = {}) {
  const address = new URL(location.href);
  address.searchParams.set("run", number);
  if (step) address.hash = step;
  if (address.href === location.href) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
}
