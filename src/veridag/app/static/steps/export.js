// The step "Take it with you": downloads, and what repeats the run.
import {button, element} from "../dom.js";
import {savePicture} from "../runs/picture.js";

export function start(context) {
  const view = document.getElementById("export-view");
  let asked = 0; // only the answer to the last question counts

  async function show(run) {
    const turn = ++asked;
    document.getElementById("export-empty").hidden = run !== null;
    if (run === null) { view.replaceChildren(); return; }
    const found = await context.api(`runs/${run.number}/files`);
    if (turn !== asked) return;
    const base = `/project/${context.project}/runs/${run.number}`;
    const file = ({name, about}) => element("li", {}, element("a", {href: `${base}/files/${name}`, download: ""}, name), element("span", {}, about));
    const files = found.files.map(file);
    if (found.files.some(({name}) => name === "graph.svg")) {
      const save = () => savePicture(`${base}/files/graph.svg`, found.picture).catch(context.complain);
      files.push(element("li", {}, element("a", {href: "#export", on: {click: event => { event.preventDefault(); save(); }}}, "graph.png"), element("span", {}, "the same picture in pixels, for documents and slides")));
    }
    const report = found.files.some(({name}) => name === "report.html");
    view.replaceChildren(
      element("p", {}, `Everything of run ${run.number}. `, report ? element("a", {href: `${base}/report`, target: "_blank", rel: "noopener"}, "Open the report in a new tab") : "A quick look makes no report: learn and assess to have one."),
      element("ul", {className: "downloads"}, ...files),
      ...(found.note ? [element("p", {className: "soft"}, `In network.bif ${found.note}.`)] : []),
      element("h3", {}, "Do it again without this page"),
      element("ul", {className: "downloads"}, ...found.repeats.map(file)),
      ...copied("In a terminal, in the folder with the table and its settings:", found.command),
      ...copied("In Python, in the same folder:", found.script));
  }

  function copied(text, content) {
    const copy = async () => { await navigator.clipboard.writeText(content); context.announce("Copied"); };
    return [element("p", {}, text), element("div", {className: "copied"}, element("pre", {tabIndex: 0}, element("code", {}, content)), button("Copy", () => copy().catch(context.complain)))];
  }

  context.on("run-shown", ({run}) => show(run ?? null).catch(context.complain));
}
