// The network of the page: move and magnify it, ask a variable for its table, hide weak arcs. The page is whole without it.
"use strict";
(() => {
  const frame = document.getElementById("graph");
  const source = document.getElementById("network-data");
  if (!frame || !source) return;
  const svg = frame.querySelector("svg");
  const told = JSON.parse(source.textContent); // variables and learners by their numbers
  const nameOf = (i) => told.names[i];
  const network = {
    arcs: told.arcs.map((arc) => ({ ...arc, from: nameOf(arc.from), to: nameOf(arc.to) })),
    variables: new Map(told.variables.map((facts, i) => [nameOf(i), facts])),
  };
  const panel = document.getElementById("details");

  // --- moving and magnifying, by the picture's view box
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = whole.slice();
  svg.style.maxWidth = `min(100%, ${1.4 * whole[2]}px)`; // few variables are not blown up to the width of the page
  const FAR = 2500; // from so far off, lines as thin as the letters are small could not be seen
  const show = () => {
    svg.setAttribute("viewBox", view.map((x) => x.toFixed(2)).join(" "));
    frame.classList.toggle("far", Math.max(view[2], view[3]) > FAR);
  };
  const magnify = (factor, x = 0.5, y = 0.5) => {
    const width = Math.min(whole[2] * 1.5, Math.max(whole[2] / 20, view[2] / factor));
    const height = (width * whole[3]) / whole[2];
    view = [view[0] + (view[2] - width) * x, view[1] + (view[3] - height) * y, width, height];
    show();
  };
  const move = (dx, dy) => { view[0] += dx; view[1] += dy; show(); };
  const step = (dx, dy) => move(0.08 * dx * view[2], 0.08 * dy * view[3]);
  const fit = () => { view = whole.slice(); show(); };
  show();
  document.getElementById("zoom-in").onclick = () => magnify(1.25);
  document.getElementById("zoom-out").onclick = () => magnify(0.8);
  document.getElementById("zoom-fit").onclick = fit;
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // plain wheels scroll the page
    event.preventDefault();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    magnify(Math.exp(-event.deltaY / 300), (at.x - view[0]) / view[2], (at.y - view[1]) / view[3]);
  }, { passive: false });
  let grip = null;
  svg.addEventListener("pointerdown", (event) => { grip = [event.clientX, event.clientY, event.pointerId]; });
  svg.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const scale = svg.getScreenCTM().a;
    const dx = event.clientX - grip[0], dy = event.clientY - grip[1];
    if (Math.abs(dx) + Math.abs(dy) < 3) return;
    svg.setPointerCapture(grip[2]);
    move(-dx / scale, -dy / scale);
    grip = [event.clientX, event.clientY, grip[2]];
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { grip = null; });
  frame.addEventListener("keydown", (event) => {
    const act = {
      "+": () => magnify(1.25), "=": () => magnify(1.25), "-": () => magnify(0.8), "0": fit,
      ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
    }[event.key];
    if (!act || event.target !== frame) return;
    event.preventDefault();
    act();
  });

  // --- what is said of a variable or an arc; texts only, never markup
  const make = (name, text, parent, kind) => {
    const element = document.createElement(name);
    if (text !== null) element.textContent = text;
    if (kind) element.className = kind;
    parent.append(element);
    return element;
  };
  const list = (numbers) => (numbers.length ? numbers.map(nameOf).join(", ") : "none");
  const title = (arc) => `${arc.from} ${arc.directed ? "→" : "—"} ${arc.to}`;
  const describe = (name) => {
    const facts = network.variables.get(name);
    panel.replaceChildren();
    make("h3", name, panel);
    const arcs = network.arcs.filter((arc) => arc.from === name || arc.to === name);
    const listed = arcs.length ? make("p", "Arcs: ", panel) : null;
    for (const arc of arcs) {
      const button = make("button", title(arc), listed);
      button.type = "button";
      button.addEventListener("click", () => {
        const line = lines.find((other) => arcOf(other) === arc);
        select(line, () => describeArc(arc));
        panel.querySelector("h3").focus();
      });
    }
    if (!facts.parents) { make("p", "The network has no parameters.", panel); return; }
    const said = make("dl", null, panel);
    for (const [term, numbers] of [["parents", facts.parents], ["children", facts.children], ["Markov blanket", facts.blanket]]) {
      make("dt", term, said);
      make("dd", list(numbers), said);
    }
    if (arcs.some((arc) => !arc.directed)) make("p", "Where the data cannot tell the direction of an arc, one was chosen for the parameters.", panel, "soft");
    if (facts.equation) { make("p", facts.equation, panel); return; }
    const table = make("table", null, make("div", null, panel, "scroll"));
    const more = facts.configurations > facts.rows.length ? ` (the first ${facts.rows.length} of ${facts.configurations} configurations)` : "";
    make("caption", `${name} given its parents${more}`, table);
    const head = make("tr", null, make("thead", null, table));
    facts.head.forEach((text, i) => make("th", text, head, i < facts.given ? "" : "number"));
    const body = make("tbody", null, table);
    for (const row of facts.rows) {
      const line = make("tr", null, body);
      row.forEach((text, i) => make("td", text, line, i < facts.given ? "" : "number"));
    }
  };
  const signs = { none: "not joined", forward: "→", backward: "←", undirected: "—" };
  const describeArc = (arc) => {
    panel.replaceChildren();
    make("h3", title(arc), panel).tabIndex = -1;
    if (arc.strength !== undefined) {
      make("p", `Joined in ${Math.round(100 * arc.strength)} % of the ${told.samples} bootstrap samples, and then in this direction in ${Math.round(100 * arc.direction)} %.`, panel);
    }
    for (const [kind, first, second, who, companions] of arc.votes) {
      const how = kind === "none" ? signs.none : `${nameOf(first)} ${signs[kind] || kind} ${nameOf(second)}`;
      make("p", `${how}: ${who.map((i) => told.learners[i]).join("; ")}${companions ? " (beside the ranking)" : ""}`, panel);
    }
  };

  // --- variables and arcs answer clicks and keys
  const lines = [...svg.querySelectorAll(".arc, .edge")];
  const arcOf = (line) => network.arcs.find((arc) =>
    (arc.from === line.dataset.from && arc.to === line.dataset.to) || (!arc.directed && arc.from === line.dataset.to && arc.to === line.dataset.from));
  const select = (element, tell) => {
    for (const old of svg.querySelectorAll(".selected")) old.classList.remove("selected");
    if (element) element.classList.add("selected"); // of very many arcs not all are drawn
    tell();
  };
  const answer = (element, tell) => {
    element.setAttribute("tabindex", "-1");
    element.setAttribute("role", "button");
    element.addEventListener("click", () => select(element, tell));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      select(element, tell);
    });
  };
  // One stop for the tab key, and arrows from variable to variable: a wide table must not take hundreds of stops.
  const nodes = [...svg.querySelectorAll(".node")];
  const enter = (node) => {
    for (const other of nodes) other.setAttribute("tabindex", other === node ? "0" : "-1");
    node.focus();
  };
  nodes.forEach((node, i) => {
    const name = node.dataset.name;
    node.setAttribute("aria-label", name);
    answer(node, () => describe(name));
    node.addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: nodes.length - 1 }[event.key];
      if (to === undefined || !nodes[to]) return;
      event.preventDefault();
      enter(nodes[to]);
    });
  });
  if (nodes.length) nodes[0].setAttribute("tabindex", "0");
  svg.setAttribute("role", "group"); // a picture for readers without the script; with it, things that answer
  for (const line of lines) {
    const arc = arcOf(line);
    if (arc) line.addEventListener("click", () => select(line, () => describeArc(arc)));
  }

  // --- a variable found by its name comes to the middle
  const search = document.getElementById("find-variable");
  if (search) {
    search.addEventListener("change", () => {
      const node = nodes.find((other) => other.dataset.name === search.value) || nodes.find((other) => other.dataset.name.toLowerCase().startsWith(search.value.toLowerCase()));
      if (!node || !search.value) return;
      const box = node.getBBox(), at = node.getCTM(), to = svg.getCTM();
      const scale = at.a / to.a;
      const x = box.x * scale + (at.e - to.e) / to.a + (box.width * scale) / 2, y = box.y * scale + (at.f - to.f) / to.d + (box.height * scale) / 2;
      const width = Math.min(whole[2], 900), height = (width * whole[3]) / whole[2];
      view = [x - width / 2, y - height / 2, width, height];
      show();
      select(node, () => describe(node.dataset.name));
    });
  }

  // --- paper shows what is folded up on the screen
  addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details:not([open])")) { part.open = true; part.dataset.opened = ""; } });
  addEventListener("afterprint", () => { for (const part of document.querySelectorAll("details[data-opened]")) { part.open = false; delete part.dataset.opened; } });

  // --- weak arcs step back
  const slider = document.getElementById("least-strength");
  if (slider) {
    const label = document.getElementById("least-strength-value");
    const filter = () => {
      const least = Number(slider.value);
      label.textContent = least.toFixed(2);
      for (const line of lines) {
        const arc = arcOf(line);
        line.classList.toggle("weak", Boolean(arc) && arc.strength !== undefined && arc.strength < least);
      }
    };
    slider.addEventListener("input", filter);
    filter();
  }
  document.documentElement.classList.add("scripted");
})();
