// What was found in the table, each with the button that changes it.
import {button, element, named, thousands} from "../dom.js";

const ALIKE = 3; // columns with the same problem that have a line each
const SHORT = 40; // letters of what was seen that have a place behind each name
const SHOWN = 8; // lines before the rest is folded

export function problemList({problems}, change) {
  if (!problems.length) return [];
  const lines = grouped(problems).map(members => line(members, change));
  const rest = lines.splice(SHOWN);
  return [
    element("h3", {}, "What was found"),
    element("ul", {className: "findings"}, ...lines),
    rest.length ? element("details", {}, element("summary", {}, `${thousands(rest.length)} more`), element("ul", {className: "findings"}, ...rest)) : null,
  ];
}

/** Problems together where many columns have the same one; what nothing was done about comes first. */
function grouped(problems) {
  const groups = new Map();
  for (const problem of problems) {
    const key = JSON.stringify([problem.problem, problem.done, problem.remedy && Object.keys(problem.remedy.change)]);
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  const lines = [...groups.values()].flatMap(members => members.length > ALIKE ? [members] : members.map(member => [member]));
  return [...lines.filter(([first]) => !first.done), ...lines.filter(([first]) => first.done)];
}

function line(members, change) {
  const [{column, problem, evidence, done, remedy}] = members;
  const several = members.length > 1;
  const what = several ? problem : [problem, evidence].filter(Boolean).join(", ");
  const label = remedy && (several ? `${remedy.label.replace(/\bits?\b/, "them")}, all ${members.length}` : remedy.label);
  return element("li", {className: done ? "done" : "open"},
    element("div", {},
      ...(several ? names(members) : column ? [named(column), ": "] : []),
      element("span", {}, what),
      done && element("span", {className: "soft"}, ` — ${done}`)),
    remedy && button(label, () => change(together(members.map(member => member.remedy.change)), `${label}: done`),
      {aria: {label: several ? label : `${label}: ${column}`}, data: {key: `remedy-${column}-${problem}`}}));
}

function names(members) {
  const shown = members.slice(0, 5).flatMap(({column, evidence}, index) => [index ? ", " : "", named(column), evidence && evidence.length <= SHORT ? ` (${evidence})` : ""]);
  return [...shown, members.length > 5 ? ` and ${members.length - 5} more: ` : ": "];
}

/** Several changes as one. */
function together(changes) {
  const all = {};
  for (const change of changes) for (const [field, value] of Object.entries(change)) all[field] = {...all[field], ...value};
  return all;
}
