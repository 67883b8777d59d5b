// The network of the page: move and magnify it, ask a variable for its table, hide weak arcs. The page is whole without it.
"use strict";
(() => {
  const frame = document.getElementById("graph");
  const source = document.getElementById("network-data");
  if (!frame || !source) return;
  const svg = frame.querySelector("svg");
  const network = JSON.parse(source.textContent);
  const panel = document.getElementById("details");

  // --- moving and magnifying, by the picture's view box
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = whole.slice();
  const show = () => svg.setAttribute("viewBox", view.map((x) => x.toFixed(2)).join(" "));
  const magnify = (factor, x = 0.5, y = 0.5) => {
    const width = Math.min(whole[2] * 1.5, Math.max(whole[2] / 20, view[2] / factor));
    const height = (width * whole[3]) / whole[2];
    view = [view[0] + (view[2] - width) * x, view[1] + (view[3] - height) * y, width, height];
    show();
  };
  const move = (dx, dy) => { view[0] += dx * view[2]; view[1] += dy * view[3]; show(); };
  const fit = () => { view = whole.slice(); show(); };
  document.getElementById("zoom-in").onclick = () => magnify(1.25);
  document.getElementById("zoom-out").onclick = () => magnify(0.8);
  document.getElementById("zoom-fit").onclick = fit;
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // plain wheels scroll the page
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    magnify(Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let grip = null;
  svg.addEventListener("pointerdown", (event) => { grip = [event.clientX, event.clientY, event.pointerId]; });
  svg.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const box = svg.getBoundingClientRect();
    const dx = event.clientX - grip[0], dy = event.clientY - grip[1];
    if (Math.abs(dx) + Math.abs(dy) < 3) return;
    svg.setPointerCapture(grip[2]);
    move(-dx / box.width, -dy / box.height);
    grip = [event.clientX, event.clientY, grip[2]];
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { grip = null; });
  frame.addEventListener("keydown", (event) => {
    const act = {
      "+": () => magnify(1.25), "=": () => magnify(1.25), "-": () => magnify(0.8), "0": fit,
      ArrowLeft: () => move(-0.08, 0), ArrowRight: () => move(0.08, 0), ArrowUp: () => move(0, -0.08), ArrowDown: () => move(0, 0.08),
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
  const list = (names) => (names && names.length ? names.join(", ") : "none");
  const describe = (name) => {
    const facts = network.variables[name];
    panel.replaceChildren();
    make("h3", name, panel);
    if (!facts.parents) { make("p", "The network has no parameters.", panel); return; }
    const said = make("dl", null, panel);
    for (const [term, names] of [["parents", facts.parents], ["children", facts.children], ["Markov blanket", facts.blanket]]) {
      make("dt", term, said);
      make("dd", list(names), said);
    }
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
    make("h3", `${arc.from} ${arc.directed ? "→" : "—"} ${arc.to}`, panel);
    if (arc.strength !== undefined) {
      make("p", `Joined in ${Math.round(100 * arc.strength)} % of the bootstrap samples, and then in this direction in ${Math.round(100 * arc.direction)} %.`, panel);
    }
    for (const vote of arc.votes) {
      const how = vote.how === "none" ? signs.none : `${vote.first} ${signs[vote.how] || vote.how} ${vote.second}`;
      make("p", `${how}: ${vote.who.join("; ")}`, panel);
    }
  };

  // --- variables and arcs answer clicks and keys
  const lines = [...svg.querySelectorAll(".arc, .edge")];
  const arcOf = (line) => network.arcs.find((arc) =>
    (arc.from === line.dataset.from && arc.to === line.dataset.to) || (!arc.directed && arc.from === line.dataset.to && arc.to === line.dataset.from));
  const select = (element, tell) => {
    for (const old of svg.querySelectorAll(".selected")) old.classList.remove("selected");
    element.classList.add("selected");
    tell();
  };
  const answer = (element, tell) => {
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "button");
    element.addEventListener("click", () => select(element, tell));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      select(element, tell);
    });
  };
  for (const node of svg.querySelectorAll(".node")) {
    const name = node.dataset.name;
    node.setAttribute("aria-label", name);
    answer(node, () => describe(name));
  }
  for (const line of lines) {
    const arc = arcOf(line);
    if (arc) line.addEventListener("click", () => select(line, () => describeArc(arc)));
  }

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
