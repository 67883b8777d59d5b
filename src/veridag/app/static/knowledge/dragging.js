// Dragging with a mouse or pen. A finger scrolls, and clicks instead; so does the keyboard.

const FAR = 6; // pixels from which on a press is no click

/** Follow a drag from an element: `over` says what is under the pointer, `drop` what happens there. */
export function follow(source, {over, drop, line}) {
  source.addEventListener("pointerdown", down => {
    if (down.pointerType === "touch" || down.button !== 0) return;
    let ghost = null;
    let target = null;
    const controller = new AbortController();
    const options = {signal: controller.signal};

    const end = () => {
      controller.abort();
      ghost?.remove();
      target?.classList.remove("target");
      document.body.classList.remove("dragging");
    };
    addEventListener("pointermove", event => {
      if (ghost === null && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < FAR) return;
      ghost ??= line() ? arrow(source) : copy(source);
      document.body.classList.add("dragging");
      ghost.follow(event);
      target?.classList.remove("target");
      target = over(document.elementFromPoint(event.clientX, event.clientY));
      target?.classList.add("target");
    }, options);
    addEventListener("pointerup", () => {
      const found = target;
      const dragged = ghost !== null;
      end();
      if (!dragged) return;
      // The click that follows a drag is none.
      const swallow = click => { click.stopPropagation(); click.preventDefault(); };
      addEventListener("click", swallow, true);
      setTimeout(() => removeEventListener("click", swallow, true));
      if (found) drop(found);
    }, options);
    addEventListener("pointercancel", end, options);
    addEventListener("keydown", event => { if (event.key === "Escape") end(); }, options);
  });
}

function copy(source) {
  const made = source.cloneNode(true);
  made.classList.add("ghost");
  made.removeAttribute("data-key");
  document.body.append(made);
  made.follow = ({clientX, clientY}) => { made.style.translate = `${clientX + 8}px ${clientY + 8}px`; };
  return made;
}

function arrow(source) {
  const {left, top, width, height} = source.getBoundingClientRect();
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  made.setAttribute("class", "drawn");
  line.setAttribute("x1", left + width / 2);
  line.setAttribute("y1", top + height / 2);
  made.append(line);
  document.body.append(made);
  made.follow = ({clientX, clientY}) => {
    line.setAttribute("x2", clientX);
    line.setAttribute("y2", clientY);
  };
  return made;
}
