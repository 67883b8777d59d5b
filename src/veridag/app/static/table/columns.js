// The columns: what each is taken for, what is in it, and everything that can be chosen about it.
import {button, choice, element, thousands} from "../dom.js";
import {columnDetails} from "./details.js";

const USES = [
  ["discrete", "categories"],
  ["continuous", "numbers"],
  ["left out", "left out"],
  ["group", "groups"],
  ["weights", "weights of rows"],
];
const MORE = 100;

export function columnTable(view, look, change, render) {
  const wanted = look.find.toLowerCase();
  const found = view.columns.filter(({name}) => name.toLowerCase().includes(wanted));
  const incomplete = view.columns.some(({missing}) => missing);
  const heads = ["Column", "Used as", "What is in it", ...(incomplete ? ["Missing"] : []), "Because of", ""];
  const rows = found.slice(0, look.shown).flatMap(column => columnRows(column, view, look, change, render, heads.length));
  const rest = found.length - look.shown;
  return element("div", {},
    element("h3", {}, "The columns"),
    view.columns.length > 12 && element("div", {className: "tools"}, searchBox(look, render)),
    element("div", {className: "scroll", data: {scroll: "columns"}},
      element("table", {className: "columns-table"},
        element("thead", {}, element("tr", {}, ...heads.map(text => element("th", {scope: "col", className: {Missing: "number", "Because of": "reason"}[text] ?? ""}, text || element("span", {className: "unseen"}, "Details"))))),
        element("tbody", {}, ...rows))),
    found.length === 0 && element("p", {className: "soft"}, "No column has that in its name."),
    rest > 0 && button(`Show ${Math.min(rest, MORE)} more of ${thousands(found.length)} columns`, () => { look.shown += MORE; render(); }, {data: {key: "more-columns"}}));
}

function searchBox(look, render) {
  return element("input", {type: "search", value: look.find, placeholder: "Find a column", aria: {label: "Find a column"}, data: {key: "find-column"},
    on: {input: event => {
      look.find = event.target.value;
      render();
    }}});
}

function columnRows(column, view, look, change, render, width) {
  const {name} = column;
  const opened = look.opened.has(name);
  const toggle = () => {
    look.opened[opened ? "delete" : "add"](name);
    render();
  };
  const hasMore = column.kind !== null && !column.added;
  const row = element("tr", {className: column.kind ? "" : "unused"},
    element("th", {scope: "row"}, element("bdi", {title: name, className: "clipped"}, name)),
    element("td", {}, column.added ? "added" : useChoice(column, view, change)),
    element("td", {}, content(column)),
    view.columns.some(({missing}) => missing) && element("td", {className: "number"}, column.missing ? percent(column.missing, view.rows) : ""),
    element("td", {className: "soft reason"}, column.rule),
    element("td", {}, hasMore && button(opened ? "Close" : "Change", toggle, {className: "quiet", aria: {expanded: String(opened), label: `${opened ? "Close" : "Change"} ${name}`}, data: {key: `open-${name}`}})));
  if (!opened || !hasMore) return [row];
  return [row, element("tr", {className: "details"}, element("td", {colSpan: width}, columnDetails(column, view, change)))];
}

function useChoice(column, {choices}, change) {
  const {name} = column;
  const chosen = name in choices.kinds || name in choices.states || choices.drop.includes(name) || choices.group === name || choices.weights === name;
  const now = column.role ?? column.kind ?? "left out";
  const options = [...USES, ...(now === "targets" ? [["targets", "what was set"]] : []), ...(chosen ? [["found", "as it was found"]] : [])];
  return choice(options, now, use => change(used(name, use, choices), `${name}: ${options.find(([value]) => value === use)[1]}`),
    {aria: {label: `Use ${name} as`}, data: {key: `use-${name}`}, className: chosen ? "chosen-by-user" : ""});
}

/** The change that makes a column something else, whatever it was before. */
function used(name, use, choices) {
  const wanted = {drop: {[name]: use === "left out"}, kinds: {[name]: null}, discretize: {[name]: null}};
  if (use !== "discrete") Object.assign(wanted, {states: {[name]: null}, merge_rare: {[name]: null}});
  if (use !== "continuous") wanted.transform = {[name]: null};
  if (use === "discrete" || use === "continuous") wanted.kinds[name] = use;
  for (const role of ["group", "weights", "targets"]) {
    if (use === role) wanted[role] = name;
    else if (choices[role] === name) wanted[role] = null;
  }
  return wanted;
}

/** A glance at the values: bars for states, a range for numbers. */
function content(column) {
  if (column.kind === "discrete") {
    const total = column.counts.reduce((sum, [, count]) => sum + count, 0) || 1;
    const bars = column.counts.slice(0, 8).map(([state, count]) => {
      const bar = element("span", {title: `${state}: ${thousands(count)}`});
      bar.style.flexGrow = count / total;
      return bar;
    });
    return element("div", {className: "glance"},
      element("div", {className: "shares", aria: {hidden: "true"}}, ...bars),
      element("span", {}, `${column.states} states, most often `, element("bdi", {className: "clipped", title: column.commonest}, column.commonest)));
  }
  if (column.kind === "continuous" && column.min !== null) {
    return `${short(column.min)} to ${short(column.max)}, mean ${short(column.mean)}`;
  }
  return "";
}

export function short(number) {
  return number === null ? "–" : String(Number(number.toPrecision(4)));
}

function percent(part, whole) {
  const share = 100 * part / (whole || 1);
  return share < 1 ? "< 1 %" : `${share.toFixed(0)} %`;
}
