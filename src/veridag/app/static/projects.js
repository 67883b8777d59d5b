// The list of projects: dropping a table makes a new one.
import {api} from "./api.js";
import {announce, complain} from "./messages.js";

const zone = document.getElementById("drop");
const input = document.getElementById("file");
const bar = document.getElementById("upload");
const refusal = document.getElementById("refusal");

input.addEventListener("change", () => { if (input.files.length) upload(input.files[0]); });
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, event => {
    event.preventDefault();
    zone.classList.add("over");
  });
}
document.addEventListener("dragleave", event => { if (event.relatedTarget === null) zone.classList.remove("over"); });
document.addEventListener("drop", event => {
  event.preventDefault();
  zone.classList.remove("over");
  const [file, ...others] = event.dataTransfer.files;
  if (others.length) refuse("Drop one file at a time: each table is a project of its own.");
  else if (file) upload(file);
});

const day = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
for (const row of document.querySelectorAll(".projects li")) {
  const time = row.querySelector("time");
  time.textContent = day.format(new Date(time.dateTime));
  row.querySelector(".remove").addEventListener("click", () => remove(row));
}

/** Send the file, with a bar: fetch cannot say how much has been sent. */
function upload(file) {
  refusal.hidden = true;
  const most = Number(zone.dataset.most);
  if (file.size > most) {
    refuse(`${file.name} has ${(file.size / 2 ** 20).toFixed(0)} MB, and ${(most / 2 ** 20).toFixed(0)} MB are taken here: start veridag app with a larger --max-upload.`);
    return;
  }
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("file", file);
  request.open("POST", "/api/projects");
  request.upload.addEventListener("progress", ({loaded, total}) => {
    bar.max = total;
    bar.value = loaded;
  });
  request.addEventListener("load", () => {
    let answer;
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      answer = {error: request.responseText};
    }
    if (request.status === 201) location.assign(answer.url);
    else refuse(answer.error);
  });
  request.addEventListener("error", () => refuse("The file was not taken: it may be too large, or the server is gone."));
  bar.hidden = false;
  announce(`Reading ${file.name}`);
  request.send(form);
}

function refuse(text) {
  bar.hidden = true;
  input.value = "";
  refusal.textContent = text;
  refusal.hidden = false;
}

async function remove(row) {
  const name = row.querySelector("a").textContent;
  if (!confirm(`Remove ${name} and everything that was learned from it? The file that you dropped stays where it is.`)) return;
  try {
    await api(`/api/projects/${row.dataset.id}`, {method: "DELETE", json: {}});
    row.remove();
    announce(`${name} was removed`);
  } catch (error) {
    complain(error);
  }
}
