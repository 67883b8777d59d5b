// The step "What if": the cards of the report, computed in the page or asked of the server, and effects.
/* global showWhatIf */
import {element} from "../dom.js";

export function start(context) {
  const view = document.getElementById("what-if-view");
  let asked = 0; // only the answer to the last question counts
  let questions = 0; // about effects
  let run = null;

  async function show(now) {
    const turn = ++asked;
    run = now;
    document.getElementById("what-if-empty").hidden = run !== null;
    if (run === null) { view.replaceChildren(); return; }
    const html = await context.api(`/project/${context.project}/runs/${run.number}/what-if`);
    if (turn !== asked) return;
    view.innerHTML = html; // from our own templates, which escape every text
    const own = document.getElementById("what-if-data"), served = document.getElementById("what-if-asked");
    if (own) showWhatIf(JSON.parse(own.textContent));
    else if (served) await ask(JSON.parse(served.textContent), turn);
    document.querySelector("#effect-form button").addEventListener("click", estimate);
    const cut = document.getElementById("what-if-cut");
    cut?.querySelector("button").addEventListener("click", event => cutAndLearn(cut.dataset, event.currentTarget));
  }

  /** Make classes of measurements in the first step, as its own choice does, and learn as before. */
  async function cutAndLearn({measurements, bins}, button) {
    button.disabled = true;
    try {
      const names = JSON.parse(measurements);
      await context.api("table", {json: {change: {discretize: Object.fromEntries(names.map(name => [name, bins]))}}});
      context.emit("table-changed", {from: "what-if"});
      context.announce(`${names.join(", ")}: cut into classes`);
      context.emit("learn-again", {run});
    } catch (error) {
      button.disabled = false;
      context.complain(error);
    }
  }

  /** A network that is too large for the page: the server computes. */
  async function ask(told, turn) {
    const value = (v, what) => (told.kind === "discrete" ? told.labels[v][what] : what);
    const question = async chosen => {
      const evidence = Object.fromEntries([...chosen].map(([v, what]) => [told.names[v], value(v, what)]));
      const {answer} = await context.api(`runs/${run.number}/marginals`, {json: {evidence}});
      return answer;
    };
    try {
      const before = await question(new Map());
      if (turn === asked) showWhatIf(told, question, before);
    } catch (error) {
      document.querySelector("#what-if-view .what-if").replaceWith(element("p", {className: "problem"}, error.message));
    }
  }

  async function estimate() {
    const [x, y] = document.querySelectorAll("#effect-form select"), place = document.getElementById("effect-answer");
    const turn = ++questions, address = `runs/${run.number}/effect`, question = {x: x.value, y: y.value};
    place.textContent = "Computing …";
    try {
      const {html, no_path: noPath} = await context.api(address, {json: question});
      if (turn !== questions) return;
      place.innerHTML = html; // made by the library, which escapes every text
      if (!noPath) return;
      const sure = place.appendChild(element("p", {className: "soft"}, "How sure is that? Learning again from other rows …"));
      const {sentence} = await context.api(address, {json: {...question, how_sure: true}});
      sure.replaceWith(element("p", {}, sentence));
    } catch (error) {
      if (turn === questions) place.replaceChildren(element("p", {className: "problem"}, error.message));
    }
  }

  context.on("run-shown", ({run: now}) => show(now ?? null).catch(context.complain));
}
