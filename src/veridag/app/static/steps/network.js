// The step "The network": the drawing of the report, what can be decided about a link, and two runs side by side.
/* global showNetwork */
import {button, choice, element} from "../dom.js";
import {title} from "../runs/words.js";

export function start(context) {
  const byId = name => document.getElementById(`network-${name}`);
  const view = byId("view"), compared = byId("compared"), changed = byId("changed");
  let run = null, runs = [], network = null, other = null;
  let asked = 0; // only the answer to the last question counts

  async function show(now) {
    const turn = ++asked;
    network?.stop();
    network = null;
    run = now;
    byId("empty").hidden = run !== null;
    compared.hidden = true;
    other = null;
    if (run === null) { view.replaceChildren(); return; }
    view.classList.add("loading");
    const html = await context.api(`/project/${context.project}/runs/${run.number}/network`);
    if (turn !== asked) return;
    view.innerHTML = html; // from our own templates, which escape every text
    view.classList.remove("loading");
    network = showNetwork(JSON.parse(document.getElementById("network-data").textContent), {link: decide});
  }

  /** What a reader who knows better can say of a link, at the end of its details. */
  function decide(link, panel) {
    const {from, to} = link;
    const place = element("div", {className: "decide"}, element("p", {className: "soft"}, "Do you know better?"),
      button(`It must be ${from} → ${to}`, () => know(place, {required: [[from, to]]})),
      button(`It must be ${to} → ${from}`, () => know(place, {required: [[to, from]]})),
      button("There is no such link", () => know(place, {forbidden: [[from, to], [to, from]]})));
    panel.append(place);
  }

  /** Add to what is known, in place of what was said of the same two variables before, and offer to learn again. */
  async function know(place, added) {
    try {
      const known = await context.api("knowledge");
      const pairs = [...(added.required ?? []), ...(added.forbidden ?? [])];
      const isAbout = ([u, v]) => pairs.some(([a, b]) => (u === a && v === b) || (u === b && v === a));
      const {tiers, version} = known;
      const parts = Object.fromEntries(["required", "forbidden"].map(part => [part, [...known[part].filter(arc => !isAbout(arc)), ...(added[part] ?? [])]]));
      await context.api("knowledge", {method: "PUT", json: {tiers, ...parts, version}});
      context.emit("knowledge-changed", {from: "network"});
      context.announce("That is known now");
      const again = button("Learn again", () => context.emit("learn-again", {run}), {className: "primary"});
      place.replaceChildren(element("p", {}, "Noted in “What you know”. "), again);
      again.focus({preventScroll: true});
    } catch (error) {
      context.complain(error);
    }
  }

  function list() {
    const kept = runs.filter(one => one.kept);
    byId("bar").hidden = kept.length === 0;
    fill(byId("run"), kept.map(one => [String(one.number), title(one)]), String(run?.number ?? ""));
    const others = kept.filter(one => one.number !== run?.number);
    byId("with").closest("label").hidden = others.length === 0;
    fill(byId("with"), [["", "no other run"], ...others.map(one => [String(one.number), title(one)])], other === null ? "" : String(other));
    const now = runs.find(one => one.number === run?.number);
    changed.hidden = !now?.changed;
    changed.firstElementChild.textContent = "The table is read otherwise, or other things are known, than when this was learned.";
  }

  /** Options that are the same stay, so that an open list is not closed. */
  function fill(select, options, chosen) {
    if (JSON.stringify(options) !== select.dataset.options) {
      select.replaceChildren(...choice(options, chosen, () => {}).children);
      select.dataset.options = JSON.stringify(options);
    }
    select.value = chosen;
  }

  async function compare() {
    other = byId("with").value === "" ? null : Number(byId("with").value);
    compared.hidden = other === null;
    if (other === null) return;
    const turn = asked;
    const html = await context.api(`/project/${context.project}/runs/${run.number}/compare?with=${other}`);
    if (turn !== asked || other === null) return;
    compared.innerHTML = html;
    compared.scrollIntoView({block: "nearest"});
    context.announce(compared.querySelector("p").textContent);
  }

  context.on("run-shown", ({run: now}) => show(now ?? null).then(list).catch(context.complain));
  context.on("runs-listed", listed => { runs = listed.runs; list(); });
  byId("run").addEventListener("change", () => context.emit("show-run", {number: Number(byId("run").value)}));
  byId("with").addEventListener("change", () => compare().catch(context.complain));
  byId("again").addEventListener("click", () => context.emit("learn-again", {run}));
}
