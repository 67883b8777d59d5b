// May a measurement be a cause of a category? That takes tiers, since learners let such links start at the category.
import {button, choice, element} from "../dom.js";

export function measurementQuestion(known, look, place) {
  const {variables, measurements} = known;
  if (!measurements.length) return null;
  const categories = variables.filter(name => !measurements.includes(name));
  const now = look.pair ?? {};
  const cause = measurements.includes(now.cause) ? now.cause : "";
  const effect = categories.includes(now.effect) ? now.effect : "";
  look.pair = {cause, effect};
  const put = button("Put them in this order", () => place(look.pair.cause, look.pair.effect), {data: {key: "pair-place"}});
  const settle = () => { put.disabled = !(look.pair.cause && look.pair.effect); };
  const pick = (end, names, label) => choice([["", "choose"], ...names.map(name => [name, name])], look.pair[end], name => { look.pair[end] = name; settle(); }, {aria: {label}, data: {key: `pair-${end}`}});
  settle();
  const said = before(known.tiers, measurements, categories);
  return element("div", {className: "question", role: "group", aria: {label: "May a measurement be a cause of a category?"}},
    element("p", {}, element("strong", {}, "May a measurement be a cause of a category? "),
      said.length
        ? `Yes, by your tiers: ${said.slice(0, 4).map(([a, b]) => `${a} comes before ${b}`).join(", ")}${said.length > 4 ? ` and ${said.length - 4} more` : ""}. So learners are used that take both directions.`
        : "Unless you say so here, arrows between the two start at the category: that is how networks of both are learned, and no finding."),
    element("div", {className: "pair"}, pick("cause", measurements, "Measurement that comes first"), element("span", {}, "comes before"), pick("effect", categories, "Category that comes later"),
      put));
}

/** The pairs of a measurement and a category that tiers put in this order. */
function before(tiers, measurements, categories) {
  const at = new Map(tiers.flatMap((members, index) => members.map(name => [name, index])));
  return measurements.flatMap(a => categories.filter(b => at.has(a) && at.has(b) && at.get(a) < at.get(b)).map(b => [a, b]));
}

/** The tiers with one variable before another; others stay where they are. */
export function inOrder(tiers, first, second) {
  const where = name => tiers.findIndex(members => members.includes(name));
  if (where(first) >= 0 && where(first) < where(second)) return tiers;
  const rest = tiers.map(members => members.filter(name => name !== first));
  const later = where(second);
  if (later > 0) return rest.map((members, index) => index === later - 1 ? [...members, first] : members);
  if (later === 0) return [[first], ...rest];
  const own = where(first);
  if (own < 0 && tiers.length > 1) return tiers.map((members, index) => index === 0 ? [...members, first] : index === tiers.length - 1 ? [...members, second] : members);
  if (own < 0) return tiers.length ? [[first], [...tiers[0], second]] : [[first], [second]];
  const next = own + 1;
  return next < tiers.length ? tiers.map((members, index) => index === next ? [...members, second] : members) : [...tiers, [second]];
}
