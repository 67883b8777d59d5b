// The network of the page: move and magnify it, choose a variable, show fewer or more links. The page is whole without it.
"use strict";
// `told` has variables by their numbers, and links by how sure they are; `more` adds to what is said of a link, and to the
// panel of a variable. What it returns can choose a variable, and ends it, so that another network can take its place.
const showNetwork = (told, more = {}) => {
  const frame = document.getElementById("graph");
  const svg = frame.querySelector("svg");
  const shown = new AbortController(), asLong = { signal: shown.signal };
  const nameOf = (i) => told.names[i];
  const links = told.links.map((link, rank) => ({ ...link, rank, from: nameOf(link.from), to: nameOf(link.to), cause: link.cause === null ? null : nameOf(link.cause) }));
  const variables = new Map(told.variables.map((facts, i) => [nameOf(i), facts]));
  const panel = document.getElementById("details");

  // --- moving and magnifying, by the picture's view box
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = whole.slice();
  svg.style.maxWidth = `min(100%, ${1.25 * whole[2]}px)`; // few variables are not blown up to the width of the page
  const readable = (is) => { svg.style.minWidth = is ? `${0.6 * whole[2]}px` : "0"; }; // wide drawings scroll sideways
  readable(true);
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
  const fit = () => { readable(false); view = whole.slice(); show(); };
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

  // --- what is said of a variable or a link; texts only, never markup
  const make = (name, text, parent, kind) => {
    const element = document.createElement(name);
    if (text !== null) element.textContent = text;
    if (kind) element.className = kind;
    parent.append(element);
    return element;
  };
  const title = (link) => `${link.from} ${link.directed ? "→" : "—"} ${link.to}`;
  const begin = (heading) => {
    panel.replaceChildren();
    panel.hidden = false;
    const close = make("button", "×", panel, "close");
    close.type = "button";
    close.setAttribute("aria-label", "close, and show all variables");
    close.addEventListener("click", clear);
    const head = make("h3", heading, panel);
    head.tabIndex = -1;
  };
  const describe = (name) => {
    const facts = variables.get(name);
    begin(name);
    const own = links.filter((link) => link.from === name || link.to === name);
    const said = make("dl", null, panel);
    for (const [term, numbers] of [["arrows from", facts.before], ["arrows to", facts.after], ["direction open", facts.beside]]) {
      if (!numbers.length) continue;
      make("dt", term, said);
      make("dd", numbers.map(nameOf).join(", "), said);
    }
    make("p", own.length ? `Links${told.learners ? ", the surest first" : ""}: ` : "It has no links.", panel);
    const listed = make("div", null, panel);
    for (const link of own) {
      const button = make("button", title(link) + (link.chance ? ` (${link.chance})` : ""), listed);
      button.type = "button";
      button.addEventListener("click", () => {
        const line = lines.find((other) => linkOf(other) === link);
        select(line, () => describeLink(link));
        panel.querySelector("h3").focus();
      });
    }
    if (facts.equation) { make("p", facts.equation, panel); return; }
    if (!facts.rows) return;
    const table = make("table", null, make("div", null, panel, "scroll"));
    const more = facts.configurations > facts.rows.length ? ` (the first ${facts.rows.length} of ${facts.configurations} rows)` : "";
    make("caption", facts.by.length ? `${name} by ${facts.by.join(", ")}${more}` : `${name}: how common each value is`, table);
    const head = make("tr", null, make("thead", null, table));
    facts.head.forEach((text, i) => make("th", text, head, i < facts.words ? "" : "number"));
    const body = make("tbody", null, table);
    for (const row of facts.rows) {
      const line = make("tr", null, body);
      row.forEach((text, i) => make("td", text, line, i < facts.words ? "" : "number"));
    }
    if (facts.beside.length && facts.by.length) make("p", "Where the direction of a link is open, one was chosen for this table.", panel, "soft");
  };
  const describeLink = (link) => {
    begin(title(link));
    if (link.said) make("p", `${link.said}.`, panel);
    else if (link.way === "assumed") make("p", "The direction is assumed, and not found in the data.", panel);
    if (link.standing === "beyond") make("p", "The network shown leaves this link out.", panel);
    if (link.standing === "doubtful") make("p", "The network shown has this link all the same.", panel);
    if (told.learners) make("p", `Found by ${link.found} of ${told.learners} learners.`, panel);
    if (more.link) more.link(link, panel);
  };

  // --- variables and links answer clicks and keys
  const lines = [...svg.querySelectorAll(".arc, .edge, .undetermined")];
  const byPair = new Map(links.flatMap((link) => [[`${link.from}\n${link.to}`, link], [`${link.to}\n${link.from}`, link]]));
  const linkOf = (line) => byPair.get(`${line.dataset.from}\n${line.dataset.to}`);
  const slider = document.getElementById("most-links");
  let chosen = null; // the variable whose neighbours are shown
  const draw = () => {
    const most = slider ? Number(slider.value) : told.start;
    const near = new Set([chosen]);
    for (const line of lines) {
      const link = linkOf(line);
      const own = chosen !== null && (link.from === chosen || link.to === chosen);
      line.classList.toggle("hidden", !own && link.rank >= most);
      line.classList.toggle("away", chosen !== null && !own);
      line.classList.toggle("asked", own || link.rank < most);
      if (own) { near.add(link.from); near.add(link.to); }
    }
    for (const node of nodes) node.classList.toggle("away", chosen !== null && !near.has(node.dataset.name));
    if (slider) document.getElementById("most-links-value").textContent = `${most} of ${links.length}${most && links[most - 1] && links[most - 1].chance ? `, down to ${links[most - 1].chance}` : ""}`;
  };
  const select = (element, tell, name = null) => {
    for (const old of svg.querySelectorAll(".selected")) old.classList.remove("selected");
    if (element) element.classList.add("selected"); // of very many links not all are drawn
    chosen = name;
    draw();
    tell();
    if (!element) return;
    const box = element.getBoundingClientRect(), whole = frame.getBoundingClientRect(); // the panel covers the other side
    panel.classList.toggle("left", box.left + box.right > whole.left + whole.right);
  };
  const clear = () => select(null, () => { panel.hidden = true; panel.replaceChildren(); });
  const answer = (element, tell, name) => {
    element.setAttribute("tabindex", "-1");
    element.setAttribute("role", "button");
    element.addEventListener("click", () => select(element, tell, name));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      select(element, tell, name);
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
    answer(node, () => describe(name), name);
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
    const link = linkOf(line);
    line.addEventListener("click", () => select(line, () => describeLink(link)));
  }
  document.addEventListener("keyup", (event) => { if (event.key === "Escape" && !panel.hidden) clear(); }, asLong);
  svg.addEventListener("click", (event) => {
    if (event.target !== svg && !event.target.classList.contains("background")) return;
    const near = lineNear(event);
    if (near) select(near, () => describeLink(linkOf(near)));
    else clear();
  });

  /** A link within a few pixels of a click: lines are thin, and fingers are not. */
  function lineNear({clientX, clientY}) {
    for (const distance of [3, 6, 9]) {
      for (let k = 0; k < 8; k += 1) {
        const turn = k * Math.PI / 4;
        const met = document.elementFromPoint(clientX + distance * Math.cos(turn), clientY + distance * Math.sin(turn));
        if (lines.includes(met)) return met;
      }
    }
    return undefined;
  }

  // --- where the drawing is made smaller than it is, letters grow into the room that their boxes leave
  const grow = () => {
    const scale = svg.getBoundingClientRect().width / whole[2];
    for (const node of nodes) {
      const text = node.querySelector("text");
      text.style.fontSize = "";
      if (!(scale > 0 && scale < 1)) continue;
      const size = parseFloat(getComputedStyle(text).fontSize), room = node.querySelector("rect").getBBox().width - 8;
      text.style.fontSize = `${Math.max(size, Math.min(size / scale, 1.35 * size, (size * room) / text.getComputedTextLength())).toFixed(2)}px`;
    }
  };
  grow();
  addEventListener("resize", grow, asLong);

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
      select(node, () => describe(node.dataset.name), node.dataset.name);
    });
  }

  // --- fewer or more links
  if (slider) slider.addEventListener("input", draw);
  draw();
  document.documentElement.classList.add("scripted");
  return { stop: () => shown.abort(), close: clear };
};
