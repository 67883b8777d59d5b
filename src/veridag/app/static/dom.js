// Building the page: every text goes in as text, so that no name can become markup.

/** An element with properties and children; `on` has handlers by event, `data` and `aria` attributes of these kinds. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "aria") for (const [key, text] of Object.entries(value)) made.setAttribute(`aria-${key}`, text);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** A button that says what happens. */
export function button(text, handler, properties = {}) {
  return element("button", {type: "button", ...properties, on: {click: handler}}, text);
}

/** A name from the table, in quotes and with its own direction of writing. */
export function named(name) {
  return element("bdi", {className: "name"}, name);
}

/** A choice of one of several values; `options` are pairs of a value and a text. */
export function choice(options, chosen, handler, properties = {}) {
  const made = element("select", {...properties, on: {change: () => handler(made.value)}},
    ...options.map(([value, text]) => element("option", {value, selected: value === chosen}, text)));
  return made;
}

/** The number with narrow spaces between thousands, as in the report. */
export function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** "1 row", "2 rows". */
export function count(number, what) {
  return `${thousands(number)} ${what}${number === 1 ? "" : "s"}`;
}

/** Show other content in a place; what had the focus and how far lists were scrolled stays, by `data-key` and `data-scroll`. */
export function redraw(place, ...children) {
  const focused = document.activeElement?.closest?.("[data-key]");
  const key = place.contains(focused) ? focused.dataset.key : undefined;
  const caret = focused?.type === "search" || focused?.type === "text" ? focused.selectionStart : null;
  const scrolled = new Map([...place.querySelectorAll("[data-scroll]")].map(list => [list.dataset.scroll, [list.scrollLeft, list.scrollTop]]));
  place.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  for (const list of place.querySelectorAll("[data-scroll]")) {
    [list.scrollLeft, list.scrollTop] = scrolled.get(list.dataset.scroll) ?? [0, 0];
  }
  if (key === undefined) return;
  const again = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
  again?.focus({preventScroll: true});
  if (caret !== null) again?.setSelectionRange(caret, caret);
}
