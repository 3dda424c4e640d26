// A file that is dropped is tried first; without this script, the buttons of the form do the same.

const form = document.getElementById("drop");
const field = document.getElementById("file");
const outcome = document.getElementById("outcome");

async function send(really) {
  const sent = new FormData(form);
  if (really) sent.set("really", "yes");
  outcome.textContent = really ? "Importing…" : "Reading the file…";
  const answer = await fetch(form.action, { method: "POST", body: sent, headers: { "X-Fragment": "1" } });
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  outcome.replaceChildren(...(answer.ok ? page.body : page.querySelector("main")).childNodes);
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.submitter?.name === "really");
});
field?.addEventListener("change", () => field.files.length && send(false));
for (const kind of ["dragover", "dragenter"]) {
  form?.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
}
form?.addEventListener("dragleave", () => form.classList.remove("over"));
form?.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  field.files = event.dataTransfer.files;
  if (field.files.length) send(false);
});
