// What the page says beside its content: aloud for screen readers, and as a note when something was refused.

export function announce(text) {
  const place = document.getElementById("announcement");
  place.textContent = "";
  requestAnimationFrame(() => { place.textContent = text; });
}

let closing;

/** Show a refusal; it goes away by itself after a while. */
export function complain(error) {
  const place = document.getElementById("trouble");
  place.textContent = error.message;
  place.hidden = false;
  clearTimeout(closing);
  closing = setTimeout(() => { place.hidden = true; }, 12000);
}

/** Show in a place why it stays empty. */
export function explain(place, error) {
  place.setAttribute("aria-busy", "false");
  place.replaceChildren(Object.assign(document.createElement("p"), {className: "problem", textContent: error.message}));
}
