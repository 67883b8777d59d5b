// "What if": states or values are chosen, and the cards of all variables show what the network then expects.
"use strict";
(() => {
  const source = document.getElementById("what-if-data");
  const cards = document.getElementById("what-if-cards");
  if (!source || !cards) return;
  const told = JSON.parse(source.textContent);
  const isDiscrete = told.kind === "discrete";
  const ask = whatIf[told.kind](told);
  const before = ask(new Map());
  const chosen = new Map(); // variables by their numbers: the state's number, or the value
  let now = before;

  const byId = (name) => document.getElementById(`what-if-${name}`);
  const find = byId("find"), clear = byId("clear"), said = byId("said"), picked = byId("chosen"), more = byId("more"), sorted = byId("sorted");
  const AT_FIRST = 24; // cards; the others come when asked for
  let all = false;
  const make = (name, text, parent, kind) => { // texts only, never markup
    const element = document.createElement(name);
    if (text !== null) element.textContent = text;
    if (kind) element.className = kind;
    parent.append(element);
    return element;
  };

  // --- numbers as people read them
  const percent = (p) => {
    if (p > 0 && p < 0.0005) return "< 0.1 %";
    if (p < 1 && p > 0.9995) return "> 99.9 %";
    return `${(100 * p).toFixed(1).replace(/\.0$/, "")} %`;
  };
  const number = (x) => String(Number(x.toPrecision(4)));
  const spaced = (x) => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

  // --- how far a variable has moved: half the sum of all changes, or the change of the mean in standard deviations
  const moved = (v) => {
    if (!now) return 0;
    if (isDiscrete) return before.marginals[v].reduce((sum, p, k) => sum + Math.abs(now.marginals[v][k] - p) / 2, 0);
    return before.sds[v] > 0 ? Math.abs(now.means[v] - before.means[v]) / before.sds[v] : 0;
  };
  const LEAST = isDiscrete ? 0.0005 : 0.005; // less is not worth a word
  const distance = (v) => {
    const far = moved(v);
    if (far < LEAST) return "";
    if (!isDiscrete) return `moved by ${far.toFixed(1)} standard deviations`;
    const points = (100 * far).toFixed(1).replace(/\.0$/, "");
    return `moved by ${points} point${points === "1" ? "" : "s"}`;
  };

  // --- one card a variable
  const build = (name, v) => {
    const card = make("div", null, cards, "card");
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", name);
    const head = make("h3", null, card);
    const title = make("span", name, head, "title");
    title.title = name;
    const how = make("span", "", head, "soft");
    return isDiscrete ? { card, how, show: states(card, name, v) } : { card, how, show: values(card, name, v) };
  };
  const states = (card, name, v) => {
    const list = make("div", null, card, "states");
    const rows = told.labels[v].map((label, k) => {
      const button = make("button", null, list, "state");
      button.type = "button";
      make("span", label, button, "label").title = label;
      const bar = make("span", null, button, "bar");
      const fill = make("span", null, bar, "now"), mark = make("span", null, bar, "before");
      mark.style.left = `${100 * before.marginals[v][k]}%`;
      const share = make("span", "", button, "number");
      button.addEventListener("click", () => choose(v, chosen.get(v) === k ? null : k, button));
      return { label, button, fill, share };
    });
    return () => rows.forEach(({ label, button, fill, share }, k) => {
      const was = before.marginals[v][k], is = now ? now.marginals[v][k] : null;
      fill.style.width = `${100 * (is === null ? 0 : is)}%`;
      share.textContent = is === null ? "–" : percent(is);
      const on = chosen.get(v) === k;
      button.setAttribute("aria-pressed", String(on));
      const change = chosen.size && is !== null ? `, ${percent(was)} before any choice` : "";
      button.setAttribute("aria-label", `${name} is ${label}: ${on ? "chosen" : share.textContent}${change}`);
    });
  };
  const values = (card, name, v) => {
    const low = before.means[v] - 3.5 * before.sds[v], width = 7 * before.sds[v] || 1;
    const at = (x) => Math.min(100, Math.max(0, (100 * (x - low)) / width));
    const strip = make("div", null, card, "strip");
    strip.setAttribute("aria-hidden", "true");
    const place = (element, mean, sd) => {
      element.style.left = `${at(mean - sd)}%`;
      element.style.width = `${at(mean + sd) - at(mean - sd)}%`;
    };
    place(make("span", null, strip, "before"), before.means[v], before.sds[v]);
    const band = make("span", null, strip, "now"), dot = make("span", null, strip, "mean");
    const text = make("p", "", card), old = make("p", "", card, "soft");
    const label = make("label", "known value ", card);
    const input = make("input", null, label);
    input.type = "number";
    input.step = "any";
    input.placeholder = number(before.means[v]);
    input.setAttribute("aria-label", `known value of ${name}`);
    input.addEventListener("change", () => {
      const value = input.value.trim() === "" ? null : Number(input.value);
      choose(v, Number.isFinite(value) ? value : null, input);
    });
    return () => {
      strip.classList.toggle("none", !now);
      if (now) { place(band, now.means[v], now.sds[v]); dot.style.left = `${at(now.means[v])}%`; }
      const normal = (means, sds) => `mean ${number(means[v])}, standard deviation ${number(sds[v])}`;
      const was = normal(before.means, before.sds);
      if (!chosen.size) text.textContent = was;
      else if (!now) text.textContent = "–";
      else text.textContent = chosen.has(v) ? `known to be ${number(chosen.get(v))}` : normal(now.means, now.sds);
      old.textContent = chosen.size ? `before: ${was}` : "";
      if (!chosen.has(v) && document.activeElement !== input) input.value = "";
    };
  };

  // --- choosing
  const choose = (v, what, from) => {
    if (what === null) chosen.delete(v); else chosen.set(v, what);
    find.value = ""; // so that all that moves can be seen
    update();
    if (from) from.focus({ preventScroll: true }); // cards change places, and the focus goes along
    picked.scrollIntoView({ block: "nearest" });
  };
  const valueOf = (v) => (isDiscrete ? told.labels[v][chosen.get(v)] : number(chosen.get(v)));
  const chips = () => {
    picked.replaceChildren();
    if (chosen.size) make("span", "You chose", picked, "soft");
    for (const v of chosen.keys()) {
      const chip = make("button", `${told.names[v]} = ${valueOf(v)} ×`, picked, "chip");
      chip.type = "button";
      chip.setAttribute("aria-label", `take back ${told.names[v]} = ${valueOf(v)}`);
      chip.addEventListener("click", () => { choose(v, null); (picked.querySelector("button") || find).focus({ preventScroll: true }); });
    }
  };
  const change = (v) => {
    if (!isDiscrete) return `${told.names[v]} (mean from ${number(before.means[v])} to ${number(now.means[v])})`;
    const gaps = [...now.marginals[v]].map((p, k) => Math.abs(p - before.marginals[v][k]));
    const k = gaps.indexOf(Math.max(...gaps));
    return `${told.names[v]} (${told.labels[v][k]} from ${percent(before.marginals[v][k])} to ${percent(now.marginals[v][k])})`;
  };
  const sentence = (order) => {
    if (!chosen.size) return isDiscrete ? "Nothing is chosen. The bars show how common each state is." : "Nothing is chosen. The bands show the mean and one standard deviation to each side.";
    if (!now) return "The network gives this combination a probability of zero, so nothing follows from it. Take back a choice.";
    const common = isDiscrete ? `The network expects this in ${rarity(Math.exp(now.log))}. ` : unusual();
    const far = order.filter((v) => !chosen.has(v) && moved(v) >= LEAST).slice(0, 3);
    return common + (far.length ? `Moved most: ${far.map(change).join("; ")}.` : "No other variable moves.");
  };
  const rarity = (p) => {
    const share = p >= 0.001 ? percent(p) : `1 of ${p > 1e-12 ? spaced(1 / p) : "more than 1\u202f000\u202f000\u202f000\u202f000"}`;
    const rows = told.rows * p;
    return `${share} of all cases, ${rows < 1 ? "less than one" : `about ${spaced(rows)}`} of ${spaced(told.rows)} rows`;
  };

  const unusual = () => { // values far from what was seen
    const far = [...chosen].filter(([v, x]) => Math.abs(x - before.means[v]) > 3 * before.sds[v]);
    return far.map(([v, x]) => `${number(x)} is far from the usual values of ${told.names[v]}, so the answer is not reliable. `).join("");
  };

  // --- all cards: those chosen first, then the most moved
  const built = told.names.map(build);
  const inTable = told.names.map((_, v) => v);
  const update = () => {
    now = ask(chosen);
    const far = inTable.map(moved);
    const byMove = inTable.slice().sort((a, b) => far[b] - far[a] || a - b);
    const rest = (sorted.checked && now ? byMove : inTable).filter((v) => !chosen.has(v));
    for (const v of [...chosen.keys(), ...rest]) cards.append(built[v].card);
    built.forEach(({ how, show }, v) => { show(); how.textContent = chosen.has(v) ? "chosen" : distance(v); });
    built.forEach(({ card }, v) => { card.classList.toggle("given", chosen.has(v)); });
    chips();
    clear.disabled = !chosen.size;
    said.classList.toggle("impossible", !now);
    said.textContent = sentence(byMove);
    filter();
  };
  const filter = () => {
    const wanted = find.value.trim().toLowerCase();
    const order = [...cards.children].map((card) => built.findIndex((other) => other.card === card));
    const fits = (v) => told.names[v].toLowerCase().includes(wanted);
    const most = all ? Infinity : AT_FIRST;
    let shown = 0, found = 0;
    for (const v of order) {
      const is = wanted ? fits(v) : true;
      if (is) found++;
      built[v].card.hidden = !is || shown >= most;
      if (!built[v].card.hidden) shown++;
    }
    more.hidden = found <= AT_FIRST;
    more.textContent = all ? `show the first ${AT_FIRST} only` : `show all ${found} variables`;
    byId("none").hidden = found > 0;
  };
  find.addEventListener("input", filter);
  sorted.addEventListener("change", update);
  more.addEventListener("click", () => { all = !all; filter(); });
  clear.addEventListener("click", () => { chosen.clear(); find.value = ""; update(); find.focus({ preventScroll: true }); });
  cards.closest(".what-if").classList.add("ready");
  update();
})();
