// The step "Your table": shows what the server makes of the table, and sends every choice to it.
import {button, count, element, redraw} from "../dom.js";
import {problemList} from "../table/problems.js";
import {columnTable} from "../table/columns.js";
import {readingOptions} from "../table/reading.js";

export async function start(context) {
  const place = document.getElementById("table-view");
  // What the user has opened or looked for, which outlives every answer of the server.
  const look = {opened: new Set(), find: "", shown: 60, folds: new Set(), missing: null, render, findGaps};
  let view = await context.api("table").catch(error => context.explain(place, error));
  if (view === undefined) return;
  let waiting = 0;
  if (!view.columns.length) look.folds.add("reading"); // that is where the remedy is

  function render() {
    redraw(place,
      summary(view),
      view.error && element("p", {className: "problem", role: "alert"}, view.error),
      problemList(view, change),
      view.columns.length > 0 && columnTable(view, look, change, render),
      folds(view, look, change));
    place.setAttribute("aria-busy", String(waiting > 0));
  }

  async function findGaps(version) {
    if (look.asked === version) return;
    look.asked = version;
    const found = await context.api("missing").catch(error => context.complain(error));
    if (found === undefined) { look.asked = null; return; }
    look.missing = {version, lines: found.lines};
    if (version === view.version) render();
  }

  async function change(wanted, said) {
    waiting += 1;
    place.setAttribute("aria-busy", "true");
    try {
      view = await context.api("table", {json: {change: wanted}});
      context.announce(said);
      context.emit("table-changed", view);
    } catch (error) {
      context.complain(error);
    } finally {
      waiting -= 1;
      render();
    }
  }

  async function lookAgain() {
    const now = await context.api("table").catch(() => view);
    if (waiting || now.version === view.version) return;
    view = now;
    render();
    context.emit("table-changed", view);
  }

  addEventListener("focus", lookAgain); // another window may have changed something
  context.on("table-changed", ({from}) => { if (from === "what-if") lookAgain(); });
  render();
  context.emit("table-changed", view);
}

function summary({rows, columns}) {
  if (!columns.length) return null;
  const variables = columns.filter(({kind}) => kind).length;
  return element("p", {className: "lead"}, `${count(rows, "row")} of ${count(columns.length, "column")}, `
    + `${variables === columns.length ? "all of them" : variables} used as variables.`);
}

/** What is only looked at now and then. */
function folds(view, look, change) {
  const changed = Object.values(view.choices).some(value => value !== null && Object.keys(value).length);
  return [
    fold("reading", look, "How the file is read, and what is done where values are missing", readingOptions(view, change)),
    (view.gaps || ["drop", "state"].includes(view.choices.missing)) && fold("missing", look, "Where values are missing", gaps(view, look)),
    view.notes.length > 0 && fold("notes", look, "What else was done with the table", element("ul", {}, ...view.notes.map(note => element("li", {}, note)))),
    changed && button("Take back all choices", () => {
      if (confirm("Take back all choices about this table?")) change(undone(view.choices), "All choices were taken back");
    }, {data: {key: "undo"}}),
  ];
}

/** What is missing, and what goes with it: looked for when somebody wants to see it. */
function gaps(view, look) {
  const place = element("div", {}, element("p", {className: "soft"}, "Looking …"));
  const lines = look.missing?.version === view.version ? look.missing.lines : null;
  if (lines !== null) place.replaceChildren(lines.length ? element("ul", {}, ...lines.map(line => element("li", {}, line))) : element("p", {}, "No value is missing."));
  else if (look.folds.has("missing")) look.findGaps(view.version);
  return place;
}

function fold(name, look, heading, content) {
  const made = element("details", {open: look.folds.has(name)}, element("summary", {data: {key: `fold-${name}`}}, heading), content);
  made.addEventListener("toggle", () => {
    if (made.open === look.folds.has(name)) return;
    look.folds[made.open ? "add" : "delete"](name);
    if (name === "missing" && made.open) look.render();
  });
  return made;
}

function undone(choices) {
  const off = {};
  for (const [field, value] of Object.entries(choices)) {
    if (Array.isArray(value)) off[field] = Object.fromEntries(value.map(name => [name, false]));
    else if (value !== null && typeof value === "object") off[field] = Object.fromEntries(Object.keys(value).map(name => [name, null]));
    else off[field] = null;
  }
  return off;
}
