// The board: tiers from left to right, each a list of variables, and those that are in none below.
import {button, element} from "../dom.js";
import {follow} from "./dragging.js";
import {drawArcs} from "./arcs.js";

export function board(known, look, actions) {
  const placed = new Set(known.tiers.flat());
  const free = known.variables.filter(name => !placed.has(name));
  const number = Math.max(known.tiers.length, look.tiers);
  const tiers = Array.from({length: number}, (_, index) => tier(known.tiers[index] ?? [], index, number, look, actions));
  const linked = known.required.length + known.forbidden.length > 0;
  const made = element("div", {className: linked ? "board linked" : "board", data: {mode: look.mode}},
    element("div", {className: "tiers"}, ...tiers, look.mode === "tiers" && addTier(number, look, actions)),
    freeVariables(free, number, look, actions));
  // Chips that scroll take their arrows with them.
  made.addEventListener("scroll", () => drawArcs(made, known), true);
  return made;
}

function tier(names, index, number, look, actions) {
  const note = index === 0 ? " (earliest)" : index === number - 1 ? " (latest)" : "";
  return element("div", {className: "tier", role: "group", aria: {label: `Tier ${index + 1}${note}`}, data: {tier: index}},
    element("div", {className: "tier-head"}, element("strong", {}, `Tier ${index + 1}`), element("span", {className: "soft"}, note), putHere(index, `tier ${index + 1}`, look, actions)),
    element("div", {className: "chips", data: {scroll: `tier-${index}`}}, ...names.map(name => chip(name, look, actions))),
    !names.length && element("p", {className: "soft"}, "Empty ", button("Remove it", () => actions.removeTier(index), {className: "quiet", aria: {label: `Remove tier ${index + 1}`}, data: {key: `remove-tier-${index}`}})));
}

function addTier(number, look, actions) {
  return button(number ? "Add a later tier" : "Start with a tier", () => {
    look.tiers = number + 1;
    actions.render();
  }, {className: "add-tier", data: {key: "add-tier", tier: number}});
}

function freeVariables(free, number, look, actions) {
  const wanted = look.find.toLowerCase();
  const found = free.filter(name => name.toLowerCase().includes(wanted));
  return element("div", {className: "tier free", role: "group", aria: {label: "Variables in no tier"}, data: {tier: -1}},
    element("div", {className: "tier-head"}, element("strong", {}, number ? "In no tier" : "Variables"), number > 0 && putHere(-1, "no tier", look, actions),
      free.length > 20 && element("input", {type: "search", value: look.find, placeholder: "Find", aria: {label: "Find a variable"}, data: {key: "find-variable"}, on: {input: event => {
        look.find = event.target.value;
        actions.render();
      }}})),
    element("div", {className: "chips", data: {scroll: "free"}}, ...found.map(name => chip(name, look, actions))),
    !free.length && element("p", {className: "soft"}, number ? "Every variable is in a tier." : "There are no variables yet."));
}

/** For the keyboard and for fingers: puts what was clicked into this tier. */
function putHere(index, text, look, actions) {
  if (look.mode !== "tiers" || !look.picked.size) return null;
  return button("Put here", () => actions.move([...look.picked], index), {className: "primary", aria: {label: `Put ${[...look.picked].join(", ")} into ${text}`}, data: {key: `put-${index}`}});
}

function chip(name, look, actions) {
  const made = button(element("bdi", {}, name), () => actions.pick(name), {
    className: "variable", title: name, aria: {pressed: String(look.picked.has(name))}, data: {key: `chip-${name}`, variable: name}});
  follow(made, {
    over: place => look.mode === "tiers" ? place?.closest("[data-tier]") : place?.closest("[data-variable]"),
    drop: target => {
      if (look.mode === "tiers") actions.move(look.picked.has(name) ? [...look.picked] : [name], Number(target.dataset.tier));
      else if (target.dataset.variable !== name) actions.connect(name, target.dataset.variable);
    },
    line: () => look.mode !== "tiers",
  });
  return made;
}
