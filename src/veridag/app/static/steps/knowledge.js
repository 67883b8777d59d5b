// The step "What you know": tiers and links on a board, saved with every change.
import {button, element, named, redraw} from "../dom.js";
import {board} from "../knowledge/board.js";
import {drawArcs} from "../knowledge/arcs.js";
import {inOrder, measurementQuestion} from "../knowledge/measurements.js";

const MODES = [["tiers", "Put variables in order"], ["required", "Links that must be there"], ["forbidden", "Links that cannot be there"]];
const HINTS = {
  tiers: "Drag variables to a tier, or click them and then “Put here”. No link leads from a later tier to an earlier one. Variables in no tier can be anywhere.",
  required: "Drag from the cause to the effect, or click the one and then the other.",
  forbidden: "Drag from the cause to the effect that it cannot have, or click the one and then the other.",
};

export async function start(context) {
  const place = document.getElementById("knowledge-view");
  const look = {mode: "tiers", picked: new Set(), find: "", tiers: 0};
  let known = null;
  let saving = Promise.resolve();
  let waiting = 0;
  let drawn = null; // keeps the arrows where the variables are

  const load = async () => {
    known = await context.api("knowledge");
    look.picked = new Set([...look.picked].filter(name => known.variables.includes(name)));
    render();
  };

  function render() {
    const made = board(known, look, {move, pick, connect, removeTier, render});
    redraw(place,
      absentNote(),
      modes(),
      element("p", {className: "soft"}, hint()),
      made,
      measurementQuestion(known, look, placeBefore),
      arcList("required", "must be there"),
      arcList("forbidden", "cannot be there"));
    place.setAttribute("aria-busy", String(waiting > 0));
    drawn?.disconnect();
    drawn = new ResizeObserver(() => drawArcs(made, known)); // at once, and whenever the board gets another width
    drawn.observe(made);
  }

  function hint() {
    const [first] = look.picked;
    return look.mode !== "tiers" && first !== undefined ? `From ${first} to …: click the effect, or ${first} again to stop.` : HINTS[look.mode];
  }

  function modes() {
    return element("div", {className: "modes", role: "radiogroup", aria: {label: "What to say"}}, ...MODES.map(([mode, text]) =>
      element("label", {className: "mode"}, element("input", {type: "radio", name: "knowledge-mode", value: mode, checked: look.mode === mode, data: {key: `mode-${mode}`}, on: {change: () => {
        look.mode = mode;
        look.picked.clear();
        render();
      }}}), text)));
  }

  /** Put variables into a tier; -1 is none. */
  function move(names, tier) {
    const tiers = known.tiers.map(members => members.filter(name => !names.includes(name)));
    while (tiers.length <= tier) tiers.push([]);
    if (tier >= 0) tiers[tier].push(...names);
    look.picked.clear();
    save({tiers}, `${names.join(", ")}: ${tier < 0 ? "in no tier" : `tier ${tier + 1}`}`);
  }

  /** Say that one variable comes before another. */
  function placeBefore(first, second) {
    const tiers = inOrder(known.tiers.filter(members => members.length), first, second).filter(members => members.length);
    save({tiers}, `${first} comes before ${second}`);
  }

  function removeTier(index) {
    known = {...known, tiers: known.tiers.filter((_, place) => place !== index)};
    look.tiers -= 1;
    render();
  }

  function pick(name) {
    if (look.mode === "tiers" || !look.picked.size) look.picked[look.picked.has(name) ? "delete" : "add"](name);
    else {
      const [from] = look.picked;
      look.picked.clear();
      if (from !== name) return connect(from, name);
    }
    render();
  }

  function connect(from, to) {
    const arcs = known[look.mode].filter(([u, v]) => u !== from || v !== to);
    const there = arcs.length < known[look.mode].length;
    const other = look.mode === "required" ? "forbidden" : "required";
    const others = known[other].filter(([u, v]) => u !== from || v !== to);
    save({[look.mode]: there ? arcs : [...arcs, [from, to]], [other]: others}, `${from} to ${to}: ${there ? "removed" : look.mode}`);
  }

  /** Show a change at once, and keep it; what the server refuses is taken back. */
  function save(change, said) {
    known = {...known, ...change};
    look.tiers = Math.max(look.tiers, known.tiers.length);
    waiting += 1;
    render();
    saving = saving.then(async () => {
      const {tiers, required, forbidden, version} = known;
      const kept = tiers.filter(members => members.length);
      const answer = await context.api("knowledge", {method: "PUT", json: {tiers: kept, required, forbidden, version}}).catch(context.complain);
      waiting -= 1;
      if (answer === undefined) return load();
      // What was changed meanwhile is still to be sent.
      known = waiting ? {...known, version: answer.version} : {...answer, tiers: kept.length === tiers.length ? answer.tiers : tiers};
      context.announce(said);
      context.emit("knowledge-changed", known);
      return render();
    }).catch(context.complain);
    return saving;
  }

  function arcList(kind, text) {
    if (!known[kind].length) return null;
    return element("ul", {className: `arcs ${kind}`, aria: {label: `Links that ${text}`}}, ...known[kind].map(([from, to]) => element("li", {},
      named(from), " → ", named(to), element("span", {className: "soft"}, ` ${text}`),
      button("Remove", () => save({[kind]: known[kind].filter(([u, v]) => u !== from || v !== to)}, "Removed"), {aria: {label: `Remove ${from} to ${to}`}, data: {key: `${kind}-${from}-${to}`}}))));
  }

  function absentNote() {
    if (!known.absent.length) return null;
    const gone = new Set(known.absent);
    const forget = () => save({
      tiers: known.tiers.map(members => members.filter(name => !gone.has(name))),
      required: known.required.filter(arc => !arc.some(name => gone.has(name))),
      forbidden: known.forbidden.filter(arc => !arc.some(name => gone.has(name))),
    }, "Forgotten");
    return element("p", {className: "problem"}, `What you said about ${known.absent.slice(0, 5).join(", ")}${known.absent.length > 5 ? ` and ${known.absent.length - 5} more` : ""} is not used: no such variable now. `,
      button("Forget it", forget, {data: {key: "forget"}}));
  }

  context.on("table-changed", () => { if (known) load().catch(context.complain); });
  context.on("knowledge-changed", changed => { if (changed.from === "network") load().catch(context.complain); });
  context.on("ask-knowledge", ({cause, effect}) => { look.mode = "tiers"; look.picked = new Set([cause]); look.pair = {cause, effect}; if (known) render(); });
  addEventListener("focus", () => { saving = saving.then(load).catch(() => {}); });
  await load().catch(error => context.explain(place, error));
}
