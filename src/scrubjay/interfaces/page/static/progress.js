// A sync tells how far it is, line by line; without this script, the page waits until it is done.

const form = document.getElementById("sync");
const told = document.getElementById("told");
const bar = document.getElementById("bar");

async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = (rest + value).split("\n");
    rest = found.pop();
    yield* found.map((line) => JSON.parse(line));
  }
}

async function showLevels() {
  const page = new DOMParser().parseFromString(await (await fetch("/sources")).text(), "text/html");
  document.getElementById("levels").replaceWith(page.getElementById("levels"));
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  document.getElementById("progress").hidden = false;
  const answer = await fetch(form.action, {
    method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/x-ndjson" },
  });
  for await (const line of lines(answer)) {
    if (line.of) {
      bar.max = line.of;
      bar.value = line.done;
    }
    told.textContent = line.end ?? line.wrong ?? `${line.what}: ${line.done} of ${line.of}`;
  }
  document.getElementById("progress").hidden = true;
  button.disabled = false;
  await showLevels();
});
