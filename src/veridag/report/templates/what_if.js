// "What if": states or values are chosen, and the cards of all variables show what the network then expects.
"use strict";
// `told` is what the engine computes with. For a network that is too large for it, `ask` gives promises of answers, and
// `before` is the answer where nothing is chosen.
const showWhatIf = (told, ask = whatIf[told.kind](told), before = ask(new Map())) => {
  const cards = document.getElementById("what-if-cards");
  const hasStates = (v) => told.kind === "discrete" && v < told.labels.length; // numbers come after them
  const at = (v) => (told.kind === "discrete" ? v - told.labels.length : v); // the place among the numbers
  const takesValues = told.kind === "gaussian";
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
    if (hasStates(v)) return before.marginals[v].reduce((sum, p, k) => sum + Math.abs(now.marginals[v][k] - p) / 2, 0);
    const i = at(v);
    return before.sds[i] > 0 ? Math.abs(now.means[i] - before.means[i]) / before.sds[i] : 0;
  };
  // Half the sum of changes of a normal density whose mean moves by so many deviations is close to this.
  const comparable = (v) => (hasStates(v) ? moved(v) : Math.tanh(0.42 * moved(v)));
  const isMoved = (v) => moved(v) >= (hasStates(v) ? 0.0005 : 0.005); // less is not worth a word
  const distance = (v) => {
    if (!isMoved(v)) return "";
    if (!hasStates(v)) return `moved by ${moved(v).toFixed(moved(v) < 0.1 ? 2 : 1)} standard deviations`;
    const points = (100 * moved(v)).toFixed(1).replace(/\.0$/, "");
    return `moved by ${points} point${points === "1" ? "" : "s"}`;
  };

  // --- one card a variable
  const build = (name, v) => {
    const card = make("div", null, document.createDocumentFragment(), "card");
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", name);
    const head = make("h3", null, card);
    const title = make("span", name, head, "title");
    title.title = name;
    const how = make("span", "", head, "soft");
    return { card, how, fill: (hasStates(v) ? states : values)(card, name, v) };
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
    const mean = before.means[at(v)], sd = before.sds[at(v)];
    const low = mean - 3.5 * sd, width = 7 * sd || 1;
    const share = (x) => Math.min(100, Math.max(0, (100 * (x - low)) / width));
    const strip = make("div", null, card, "strip");
    strip.setAttribute("aria-hidden", "true");
    const place = (element, middle, reach) => {
      element.style.left = `${share(middle - reach)}%`;
      element.style.width = `${share(middle + reach) - share(middle - reach)}%`;
    };
    place(make("span", null, strip, "before"), mean, sd);
    const band = make("span", null, strip, "now"), dot = make("span", null, strip, "mean");
    const text = make("p", "", card), old = make("p", "", card, "soft");
    const input = takesValues ? field(card, name, v, mean) : null;
    const normal = (middle, reach) => `mean ${number(middle)}, standard deviation ${number(reach)}`;
    return () => {
      strip.classList.toggle("none", !now);
      const [middle, reach] = now ? [now.means[at(v)], now.sds[at(v)]] : [0, 0];
      place(band, middle, reach);
      dot.style.left = `${share(middle)}%`;
      if (!now) text.textContent = "–";
      else text.textContent = chosen.has(v) ? `known to be ${number(chosen.get(v))}` : normal(middle, reach);
      old.textContent = chosen.size ? `before: ${normal(mean, sd)}` : "";
      if (input && !chosen.has(v) && document.activeElement !== input) input.value = "";
    };
  };
  const field = (card, name, v, mean) => {
    const input = make("input", null, make("label", "known value ", card));
    input.type = "number";
    input.step = "any";
    input.placeholder = number(mean);
    input.setAttribute("aria-label", `known value of ${name}`);
    input.addEventListener("change", () => choose(v, input.value.trim() === "" ? null : Number(input.value), input));
    return input;
  };

  // --- choosing
  const choose = (v, what, from) => {
    if (what === null) chosen.delete(v); else chosen.set(v, what);
    find.value = ""; // so that all that moves can be seen
    update();
    if (from) from.focus({ preventScroll: true }); // cards change places, and the focus goes along
    picked.scrollIntoView({ block: "nearest" });
  };
  const valueOf = (v) => (hasStates(v) ? told.labels[v][chosen.get(v)] : number(chosen.get(v)));
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
    if (!hasStates(v)) return `${told.names[v]} (mean from ${number(before.means[at(v)])} to ${number(now.means[at(v)])})`;
    const gains = [...now.marginals[v]].map((p, k) => p - before.marginals[v][k]);
    const k = gains.indexOf(Math.max(...gains)); // the state that rose most
    return `${told.names[v]} (${told.labels[v][k]} from ${percent(before.marginals[v][k])} to ${percent(now.marginals[v][k])})`;
  };
  const sentence = (order) => {
    if (!chosen.size) return "Nothing is chosen.";
    if (!now) return "The network gives this combination a probability of zero, so nothing follows from it. Take back a choice.";
    const common = takesValues ? unusual() : `The network expects this in ${rarity(Math.exp(now.log))}. `;
    const far = order.filter((v) => !chosen.has(v) && isMoved(v)).slice(0, 3);
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

  // --- the cards: those chosen first, then the most moved; of many variables, cards are made when they are asked for
  const built = new Map();
  const cardOf = (v) => {
    if (!built.has(v)) built.set(v, build(told.names[v], v));
    return built.get(v);
  };
  const inTable = told.names.map((_, v) => v);
  let order = inTable;
  let asked = 0;
  const update = () => {
    const turn = ++asked, answer = ask(chosen);
    if (!(answer instanceof Promise)) { take(answer); return; }
    said.textContent = "Computing …";
    answer.then((found) => { if (turn === asked) take(found); }, (error) => { if (turn === asked) said.textContent = error.message; });
  };
  const take = (answer) => {
    now = answer;
    const far = inTable.map(comparable);
    const byMove = inTable.slice().sort((a, b) => far[b] - far[a] || a - b);
    order = [...chosen.keys(), ...(sorted.checked && now ? byMove : inTable).filter((v) => !chosen.has(v))];
    chips();
    clear.disabled = !chosen.size;
    said.classList.toggle("impossible", !now);
    said.textContent = sentence(byMove);
    show();
  };
  const show = () => {
    const wanted = find.value.trim().toLowerCase();
    const found = wanted ? order.filter((v) => told.names[v].toLowerCase().includes(wanted)) : order;
    const shown = all ? found : found.slice(0, AT_FIRST);
    cards.replaceChildren(...shown.map((v) => cardOf(v).card));
    for (const v of shown) {
      const { card, how, fill } = cardOf(v);
      fill();
      how.textContent = chosen.has(v) ? "chosen" : distance(v);
      card.classList.toggle("given", chosen.has(v));
    }
    more.hidden = found.length <= AT_FIRST;
    more.textContent = all ? `show the first ${AT_FIRST} only` : `show all ${found.length} variables`;
    byId("none").hidden = found.length > 0;
  };
  find.addEventListener("input", show);
  sorted.addEventListener("change", update);
  more.addEventListener("click", () => { all = !all; show(); });
  clear.addEventListener("click", () => { chosen.clear(); find.value = ""; update(); find.focus({ preventScroll: true }); });
  cards.closest(".what-if").classList.add("ready");
  update();
};
