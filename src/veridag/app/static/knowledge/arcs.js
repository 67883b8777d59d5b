// The links on the board, drawn as arrows between the variables that can be seen.
const SVG = "http://www.w3.org/2000/svg";
const BENDS = [0, 18, -18, 36, -36]; // how far an arrow leaves the straight line
const FAR_BENDS = [60, -60, 90, -90, 130, -130];
const BESIDE = 10; // pixels between a row of names and an arrow that runs along it
const STEP = 6; // pixels between two points of an arrow that are looked at
const APART = 4; // pixels between an arrow and a name that it is not about

export function drawArcs(board, known) {
  board.querySelector("svg.links")?.remove();
  const arcs = [...known.required.map(arc => [...arc, "required"]), ...known.forbidden.map(arc => [...arc, "forbidden"])];
  if (!arcs.length) return;
  const frame = board.getBoundingClientRect();
  const chips = new Map([...board.querySelectorAll("[data-variable]")].map(chip => [chip.dataset.variable, chip]));
  const picture = svg("svg", {class: "links", "aria-hidden": "true", width: frame.width, height: frame.height});
  const markers = svg("defs", {});
  for (const kind of ["required", "forbidden"]) {
    const marker = svg("marker", {id: `head-${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 5, markerHeight: 5, orient: "auto-start-reverse"});
    marker.append(svg("path", {d: "M0 0 10 5 0 10z", class: kind}));
    markers.append(marker);
  }
  picture.append(markers);
  const boxes = new Map([...chips].map(([name, chip]) => [name, box(chip, frame)]).filter(([, found]) => found));
  const heads = [...board.querySelectorAll(".tier-head > *")].map(head => place(head, frame));
  for (const [number, [from, to, kind]] of arcs.entries()) {
    const ends = [boxes.get(from), boxes.get(to)];
    if (!ends.every(Boolean)) continue;
    const others = [...boxes].filter(([name]) => name !== from && name !== to).map(([, other]) => other);
    picture.append(svg("path", {d: around(...ends, [...others, ...heads], frame, number), class: `link ${kind}`, "marker-end": `url(#head-${kind})`}));
  }
  board.append(picture);
}

/** The plainest arrow that crosses no other name, or as few as can be: nearly straight, along a row of names, or in a bow. */
function around(from, to, others, frame, number) {
  let best = null;
  const ways = [...BENDS.map(bend => () => bow(from, to, bend)), ...alongRows(from, to, number), ...FAR_BENDS.map(bend => () => bow(from, to, bend))];
  for (const way of ways) {
    const points = way();
    const crossed = crossings(points, others, frame);
    if (best === null || crossed < best.crossed) best = {crossed, points};
    if (best.crossed === 0) break;
  }
  return `M${best.points.map(({x, y}) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

/** Ways that leave a name up or down, run between two rows, and come from there; several arrows run side by side. */
function alongRows(from, to, number) {
  const beside = BESIDE + 3 * (number % 3 - 1);
  const rows = [from.y - from.height - beside, from.y + from.height + beside, to.y - to.height - beside, to.y + to.height + beside];
  const edgeAt = (box, y) => ({x: box.x, y: y < box.y ? box.y - box.height : box.y + box.height});
  return rows.map(y => () => [edgeAt(from, y), {x: from.x, y}, {x: to.x, y}, edgeAt(to, y)]);
}

/** How much of an arrow lies over names, or outside the board. */
function crossings(points, others, {width, height}) {
  let found = 0;
  for (let at = 1; at < points.length; at += 1) {
    const [a, b] = [points[at - 1], points[at]];
    const steps = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / STEP));
    for (let step = 0; step < steps; step += 1) {
      const x = a.x + (b.x - a.x) * step / steps, y = a.y + (b.y - a.y) * step / steps;
      const inside = other => Math.abs(x - other.x) < other.width + APART && Math.abs(y - other.y) < other.height + APART;
      if (x < 0 || y < 0 || x > width || y > height || others.some(inside)) found += 1;
    }
  }
  return found;
}

/** Where a variable is on the board; nothing if it is scrolled away. */
function box(chip, frame) {
  if (!chip) return null;
  const {top, bottom} = chip.getBoundingClientRect();
  const list = chip.parentElement.getBoundingClientRect();
  return bottom < list.top || top > list.bottom ? null : place(chip, frame);
}

/** The middle of an element on the board, and half its size. */
function place(element, frame) {
  const {left, right, top, bottom} = element.getBoundingClientRect();
  return {x: (left + right) / 2 - frame.left, y: (top + bottom) / 2 - frame.top, width: (right - left) / 2, height: (bottom - top) / 2};
}

/** A bow between two boxes as points: a quadratic curve. */
function bow(from, to, bend) {
  const middle = {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2};
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  // The curve goes half as far from the straight line as its control point.
  const control = {x: middle.x - 2 * bend * (to.y - from.y) / length, y: middle.y + 2 * bend * (to.x - from.x) / length};
  const [start, end] = [edge(from, control), edge(to, control)];
  const number = bend ? 16 : 1;
  return Array.from({length: number + 1}, (_, k) => {
    const t = k / number, s = 1 - t;
    return {x: s * s * start.x + 2 * s * t * control.x + t * t * end.x, y: s * s * start.y + 2 * s * t * control.y + t * t * end.y};
  });
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
