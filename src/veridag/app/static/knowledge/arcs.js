// The links on the board, drawn as arrows between the variables that can be seen.
const SVG = "http://www.w3.org/2000/svg";
const BEND = 18;

export function drawArcs(board, known) {
  board.querySelector("svg.links")?.remove();
  const arcs = [...known.required.map(arc => [...arc, "required"]), ...known.forbidden.map(arc => [...arc, "forbidden"])];
  if (!arcs.length) return;
  const frame = board.getBoundingClientRect();
  const chips = new Map([...board.querySelectorAll("[data-variable]")].map(chip => [chip.dataset.variable, chip]));
  const picture = svg("svg", {class: "links", "aria-hidden": "true", width: frame.width, height: frame.height});
  const markers = svg("defs", {});
  for (const kind of ["required", "forbidden"]) {
    const marker = svg("marker", {id: `head-${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse"});
    marker.append(svg("path", {d: "M0 0 10 5 0 10z", class: kind}));
    markers.append(marker);
  }
  picture.append(markers);
  for (const [from, to, kind] of arcs) {
    const ends = [box(chips.get(from), frame), box(chips.get(to), frame)];
    if (ends.every(Boolean)) picture.append(svg("path", {d: curve(...ends), class: `link ${kind}`, "marker-end": `url(#head-${kind})`}));
  }
  board.append(picture);
}

/** Where a variable is on the board; nothing if it is scrolled away. */
function box(chip, frame) {
  if (!chip) return null;
  const {left, right, top, bottom} = chip.getBoundingClientRect();
  const list = chip.parentElement.getBoundingClientRect();
  if (bottom < list.top || top > list.bottom) return null;
  return {x: (left + right) / 2 - frame.left, y: (top + bottom) / 2 - frame.top, width: (right - left) / 2, height: (bottom - top) / 2};
}

function curve(from, to) {
  const middle = {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2};
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const control = {x: middle.x - BEND * (to.y - from.y) / length, y: middle.y + BEND * (to.x - from.x) / length};
  const start = edge(from, control);
  const end = edge(to, control);
  return `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`;
}

/** Where the way from the middle of a box to a point leaves the box. */
function edge(box, {x, y}) {
  const [dx, dy] = [x - box.x, y - box.y];
  const scale = Math.min(box.width / (Math.abs(dx) || 1e-9), box.height / (Math.abs(dy) || 1e-9), 1);
  return {x: box.x + dx * scale, y: box.y + dy * scale};
}

function svg(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
