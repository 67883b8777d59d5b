// All that can be chosen about one column.
import {button, choice, element, thousands} from "../dom.js";

const BINS = [["", "as measured"], ["quantile(2)", "2 bins of as many rows"], ["quantile(3)", "3 bins of as many rows"], ["quantile(4)", "4 bins of as many rows"],
  ["interval(3)", "3 bins of the same width"], ["interval(5)", "5 bins of the same width"], ["hartemink(3)", "3 bins that keep what columns say about each other"],
  ["blanket", "bins by the network, while learning"]];
const SCALES = [["", "as measured"], ["log", "logarithm"], ["rank", "normal scores of the ranks"]];

export function columnDetails(column, view, change) {
  const cut = column.name in view.choices.discretize;
  return element("div", {className: "column-details"}, ...(column.kind === "discrete" && !cut ? stateChoices(column, view, change) : numberChoices(column, view, change)), writing(column, view, change));
}

function labelled(text, control) {
  return element("label", {className: "choice"}, element("span", {}, text), control);
}

function numberChoices({name}, {choices}, change) {
  const pick = (field, options, text) => {
    const now = choices[field][name] ?? "";
    const shown = options.some(([value]) => value === now) ? options : [...options, [now, now]];
    return labelled(text, choice(shown, now, value => change({[field]: {[name]: value || null}}, `${name}: ${text}`), {data: {key: `${field}-${name}`}}));
  };
  return [pick("transform", SCALES, "Scale"), pick("discretize", BINS, "Cut into")];
}

function stateChoices(column, {choices}, change) {
  const {name, counts, states} = column;
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const order = counts.map(([state]) => state);
  const all = counts.length === states;
  const move = (index, by) => {
    const moved = [...order];
    [moved[index], moved[index + by]] = [moved[index + by], moved[index]];
    change({states: {[name]: moved}}, `${order[index]} moved ${by < 0 ? "up" : "down"}`);
  };
  const lines = counts.map(([state, count], index) => {
    const bar = element("span", {className: "now"});
    bar.style.width = `${100 * count / most}%`;
    return element("li", {},
      element("bdi", {className: "clipped", title: state}, state),
      element("span", {className: "bar", aria: {hidden: "true"}}, bar),
      element("span", {className: "number"}, thousands(count)),
      all && button("↑", () => move(index, -1), {disabled: index === 0, title: "Earlier in the order", aria: {label: `Move ${state} up`}, data: {key: `up-${name}-${state}`}}),
      all && button("↓", () => move(index, 1), {disabled: index === order.length - 1, title: "Later in the order", aria: {label: `Move ${state} down`}, data: {key: `down-${name}-${state}`}}),
      button("Means missing", () => change({states: {[name]: null}, missing_values: {[name]: [state]}}, `${state} counts as missing`), {aria: {label: `${state} means missing`}, data: {key: `gone-${name}-${state}`}}));
  });
  return [
    element("ol", {className: "state-list", data: {scroll: `states-${name}`}, aria: {label: `States of ${name}`}}, ...lines),
    counts.length < states && element("p", {className: "soft"}, `and ${thousands(states - counts.length)} more states`),
    states > 2 && rareChoice(column, choices, change),
    ...(choices.missing_values[name] ? [element("p", {}, `These mean missing: ${choices.missing_values[name].join(", ")} `, button("Take that back", () => change({missing_values: {[name]: null}}, "Taken back"), {data: {key: `back-missing-${name}`}}))] : []),
    ...(choices.merge_states[name] ? [element("p", {}, `Merged: ${Object.entries(choices.merge_states[name]).map(([old, to]) => `${old} into ${to}`).join(", ")} `, button("Take that back", () => change({merge_states: {[name]: null}}, "Taken back"), {data: {key: `back-merge-${name}`}}))] : []),
    ...(choices.states[name] ? [element("p", {}, button("States in the order of the file", () => change({states: {[name]: null}}, "Taken back"), {data: {key: `back-states-${name}`}}))] : []),
  ];
}

function rareChoice({name}, choices, change) {
  const box = element("input", {type: "number", min: 2, value: choices.merge_rare[name] ?? "", data: {key: `rare-${name}`}, placeholder: "none",
    on: {change: () => change({merge_rare: {[name]: Math.trunc(Number(box.value)) || null}}, `${name}: rare states`)}});
  return labelled("Merge states seen fewer times than", box);
}

function writing({name}, {choices}, change) {
  const box = element("input", {type: "checkbox", checked: choices.as_written.includes(name), data: {key: `written-${name}`},
    on: {change: () => change({as_written: {[name]: box.checked}}, `${name}: ${box.checked ? "as written" : "tidied"}`)}});
  return element("label", {className: "choice"}, box, element("span", {}, "Take the values exactly as they are written, without tidying them"));
}
