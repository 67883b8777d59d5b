// The page of a project: starts each step, and carries what happens in one to the others.
import {api as ask} from "./api.js";
import {announce, complain, explain} from "./messages.js";
import * as table from "./steps/table.js";
import * as knowledge from "./steps/knowledge.js";
import * as learn from "./steps/learn.js";
import * as network from "./steps/network.js";
import * as whatIf from "./steps/what_if.js";
import * as exporting from "./steps/export.js";

document.documentElement.classList.add("scripted");
const project = document.getElementById("main").dataset.project;
const events = new EventTarget();
let scrolled = false;
for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(kind, () => { scrolled = true; }, {once: true, passive: true});

/**
 * What every step gets:
 * - `project`: its id.
 * - `api(path, options)`: the answer to `/api/projects/<id>/<path>`, or to a path that starts with a slash. It throws an
 *   Error with a sentence for the user; `options.json` is sent as JSON, by POST unless `options.method` says otherwise.
 * - `on(event, handler)`, `emit(event, detail)`: table-changed, knowledge-changed, run-started, run-finished {run},
 *   run-shown {run}.
 * - `announce(text)`: for screen readers. `complain(error)`: shows a refusal. `explain(place, error)`: shows it there.
 */
const context = {
  project,
  api: (path, options) => ask(path.startsWith("/") ? path : `/api/projects/${project}/${path}`.replace(/\/$/, ""), options),
  on: (event, handler) => events.addEventListener(event, ({detail}) => handler(detail ?? {})),
  emit: (event, detail) => events.dispatchEvent(new CustomEvent(event, {detail})),
  announce,
  complain,
  explain,
};

const started = [table, knowledge, learn, network, whatIf, exporting].map(async step => step.start(context));
for (const step of started) step.catch(complain);
Promise.allSettled(started).then(stayAtStep);
followSteps();

/** What the steps show moves those below: go to the one in the address again, unless the user has gone elsewhere. */
function stayAtStep() {
  if (location.hash && !scrolled) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

/** Mark the step that is being read in the list of steps. */
function followSteps() {
  const links = new Map([...document.querySelectorAll("nav.steps a")].map(link => [link.hash.slice(1), link]));
  const seen = new Set();
  const observer = new IntersectionObserver(entries => {
    for (const {target, isIntersecting} of entries) seen[isIntersecting ? "add" : "delete"](target.id);
    const first = [...links.keys()].find(name => seen.has(name));
    for (const [name, link] of links) {
      if (name === first) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
  }, {rootMargin: "-20% 0px -60% 0px"});
  for (const section of document.querySelectorAll("section.step")) observer.observe(section);
}
