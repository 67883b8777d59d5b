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
    for (const one of view.querySelectorAll("[data-cause]")) one.addEventListener("click", () => ask(one.dataset.cause, one.dataset.effect));
    view.querySelector("[data-show]")?.addEventListener("click", event => context.emit("show-run", {number: Number(event.target.dataset.show)}));
    network = showNetwork(JSON.parse(document.getElementById("network-data").textContent), {link: decide});
  }

  /** What a reader who knows better can say of a link, at the end of its details; what cannot be said has its reason. */
  async function decide(link, panel) {
    const {from, to} = link;
    const place = element("div", {className: "decide"}, element("p", {className: "soft"}, "Do you know better?"));
    panel.append(place);
    if (link.cause) place.append(button(`May ${link.cause} be a cause of ${link.cause === from ? to : from}?`, () => ask(link.cause, link.cause === from ? to : from)));
    const against = await context.api(`decisions?${new URLSearchParams({from, to})}`).catch(context.complain);
    if (against === undefined) return;
    const choices = [
      [`It must be ${from} → ${to}`, {required: [[from, to]]}, against.forward],
      [`It must be ${to} → ${from}`, {required: [[to, from]]}, against.backward],
      ["There is no such link", {forbidden: [[from, to], [to, from]]}, against.none],
    ];
    place.append(...choices.flatMap(([text, added, reason]) => [
      button(text, () => know(place, added), {disabled: reason !== null}),
      reason === null ? null : element("p", {className: "soft"}, reason),
    ]).filter(Boolean));
  }

  /** Lead to what is known, with the variable that may be a cause picked and what to do about it. */
  function ask(cause, effect) {
    document.getElementById("knowledge-asked")?.remove();
    const note = element("p", {id: "knowledge-asked", className: "notice", role: "status"},
      `May ${cause} be a cause of ${effect}? Then put ${cause} into an earlier tier than ${effect}, or choose “Links that must be there” and draw the link. Then learn again.`);
    document.getElementById("knowledge-view").before(note);
    context.emit("ask-knowledge", {cause, effect});
    document.getElementById("knowledge").scrollIntoView();
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
