// The step "Learn and assess": starts runs, follows them, and says which one the other steps show.
import {putInAddress, runInAddress} from "../runs/address.js";
import {runList} from "../runs/list.js";
import {isActive, state} from "../runs/words.js";

const ABOUT = {
  report: "Several learners are compared on your table, and the chance of each link is estimated. It ends as soon as all is done; a table that needs more time than it has gets less evidence, and the result says what is missing.",
  learn: "One learner, once: it takes seconds for most tables, and says nothing about how sure a link is.",
};
const SECOND = 1000;

export async function start(context) {
  const form = document.getElementById("learn-form");
  const mode = () => form.querySelector("[name=mode]:checked").value;
  let runs = null; // as they were last seen
  let shown = null;
  let following = null;
  let asking = Promise.resolve();
  const mine = new Set(); // runs that were started here: they are shown as soon as they are done
  const draw = runList(document.getElementById("runs"), act);

  function describe() {
    document.getElementById("learn-about").textContent = ABOUT[mode()];
    document.getElementById("learn-limit").hidden = mode() !== "report";
  }

  /** Ask for a run; one after the other, so that they are done in the order of the clicks. */
  function begin(wanted, minutes) {
    asking = asking.then(() => ask(wanted, minutes)).catch(context.complain);
  }

  async function ask(wanted, minutes) {
    const run = await context.api("runs", {json: {mode: wanted, minutes: wanted === "report" ? minutes : null}});
    mine.add(run.number);
    context.emit("run-started", {run});
    context.announce(`Run ${run.number} was started`);
    await look();
    document.querySelector(`[data-run="${run.number}"]`)?.scrollIntoView({block: "nearest"});
  }

  async function act(run, what) {
    try {
      if (what === "show") return show(run.number, "network");
      if (what === "remove" && !confirm(`Delete run ${run.number} and what it found?`)) return;
      const options = what === "remove" ? {method: "DELETE"} : {json: {}};
      if (what === "again") mine.add(run.number);
      await context.api(`runs/${run.number}${what === "remove" ? "" : `/${what}`}`, options);
      await look();
    } catch (error) {
      context.complain(error);
    }
  }

  /** See how the runs are, tell the other steps what ended, and look again as long as something is at work. */
  async function look() {
    clearTimeout(following);
    const before = new Map((runs ?? []).map(run => [run.number, run]));
    runs = (await context.api("runs")).runs;
    const ended = runs.filter(run => !isActive(run) && before.has(run.number) && isActive(before.get(run.number)));
    for (const run of ended) {
      context.announce(`Run ${run.number} ${state(run)}`);
      context.emit("run-finished", {run});
    }
    const newest = ended.find(run => run.status === "done" && run.kept && mine.has(run.number));
    if (newest) show(newest.number, null);
    else choose();
    draw(runs, shown);
    context.emit("runs-listed", {runs, shown});
    if (runs.some(isActive)) following = setTimeout(() => look().catch(retry), SECOND);
  }

  /** The server may be away for a while: what is learned goes on. */
  function retry(error) {
    context.complain(error);
    following = setTimeout(() => look().catch(retry), 5 * SECOND);
  }

  /** The run that the address names, or else the newest that is done; one that was stopped only if there is no other. */
  function choose() {
    const wanted = runInAddress() ?? shown;
    const kept = runs.filter(run => run.kept);
    const found = kept.find(run => run.number === wanted) ?? kept.find(run => run.status === "done") ?? kept[0] ?? null;
    if ((found?.number ?? null) === shown) return;
    shown = found?.number ?? null;
    context.emit("run-shown", {run: found});
  }

  /** Show a run; with a step, the page goes there, and the back button leads to the run that was shown before. */
  function show(number, step) {
    putInAddress(number, step, {replace: step === null});
    choose();
    draw(runs, shown);
    context.emit("runs-listed", {runs, shown});
    if (step) document.getElementById(step).scrollIntoView();
  }

  document.getElementById("learn-start").addEventListener("click", () => {
    const minutes = form.querySelector("[name=minutes]").value;
    begin(mode(), minutes === "" ? null : Number(minutes));
  });
  form.addEventListener("change", describe);
  addEventListener("popstate", () => { if (runs) { choose(); draw(runs, shown); context.emit("runs-listed", {runs, shown}); } });
  addEventListener("focus", () => look().catch(() => {}));
  for (const event of ["table-changed", "knowledge-changed"]) context.on(event, () => look().catch(context.complain));
  context.on("show-run", ({number}) => show(number, "network"));
  context.on("learn-again", ({run}) => begin(run.mode, run.minutes));
  describe();
  await look();
}
