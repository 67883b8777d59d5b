// The list of runs: one line a run, with what can be done about it. Lines stay in place while they change, so that the
// focus and the pointer stay where they are.
import {button, element} from "../dom.js";
import {about, changes, duration, isActive, moment, state} from "./words.js";

/** Shows runs in `place`; `act(run, what)` is called with "show", "cancel", "again" or "remove". */
export function runList(place, act) {
  const lines = new Map();

  function line(run) {
    const made = element("li", {className: "run", data: {run: run.number}});
    const parts = {
      made,
      head: element("p", {}),
      since: element("p", {className: "since"}),
      said: element("p", {className: "soft"}),
      bar: element("progress", {max: 1}),
      far: element("p", {className: "soft numbers"}),
      error: element("p", {className: "problem", hidden: true}),
      acts: element("div", {className: "acts"}),
      key: "",
    };
    made.append(element("strong", {}, `run ${run.number}`), element("div", {}, parts.head, parts.since, parts.said, parts.bar, parts.far), parts.acts, parts.error);
    return parts;
  }

  function fill(parts, run, shown) {
    const {made, head, since, said, bar, far, error, acts} = parts;
    made.classList.toggle("shown", run.number === shown);
    head.textContent = `${run.status === "running" ? "" : `${moment(run.made)}: `}${state(run)}`;
    since.textContent = changes(run);
    since.hidden = since.textContent === "";
    said.textContent = about(run);
    bar.hidden = far.hidden = run.status !== "running";
    if (run.status === "running") {
      const share = run.total ? Math.min(1, run.done / run.total) : null;
      if (share === null) bar.removeAttribute("value"); else bar.value = share;
      bar.setAttribute("aria-label", `run ${run.number}`);
      const left = run.time_left === null ? `${duration(run.elapsed ?? 0)} so far` : `about ${duration(run.time_left)} left`;
      far.textContent = [share === null ? "" : `${Math.floor(100 * share)} %`, left, run.label].filter(Boolean).join(", ");
    }
    error.hidden = !run.error;
    error.textContent = run.error ?? "";
    const possible = choices(run, shown);
    const key = possible.map(([what, text]) => `${what} ${text}`).join("\n");
    if (key === parts.key) return;
    parts.key = key;
    const focused = acts.contains(document.activeElement);
    acts.replaceChildren(...possible.map(([what, text]) => button(text, () => act(run, what), {aria: {label: `${text}: run ${run.number}`}})));
    if (focused) acts.querySelector("button")?.focus({preventScroll: true});
  }

  function choices(run, shown) {
    if (isActive(run)) return [["cancel", run.stopping ? "Stop at once" : "Cancel"]];
    return [
      run.kept && run.number !== shown && ["show", "Show"],
      run.status !== "done" && ["again", "Run again"],
      ["remove", "Delete"],
    ].filter(Boolean);
  }

  return (runs, shown) => {
    const there = new Set(runs.map(run => run.number));
    for (const [number, parts] of lines) if (!there.has(number)) { parts.made.remove(); lines.delete(number); }
    runs.forEach((run, i) => {
      if (!lines.has(run.number)) lines.set(run.number, line(run));
      const parts = lines.get(run.number);
      fill(parts, run, shown);
      if (place.children[i] !== parts.made) place.insertBefore(parts.made, place.children[i] ?? null);
    });
  };
}
