// Search as you type: the results are made by the server and put in the place of those before.

const field = document.getElementById("find");
const results = document.getElementById("results");
const PAUSE_MS = 180;
let timer = 0;
let asked = new AbortController();

function address() {
  const here = new URL(location.href);
  here.searchParams.set("q", field.value);
  return here;
}

async function search() {
  asked.abort();
  asked = new AbortController();
  const where = address();
  try {
    const answer = await fetch(where, { headers: { "X-Fragment": "1" }, signal: asked.signal });
    if (answer.status === 401) return location.reload();
    results.innerHTML = await answer.text();
    history.replaceState(null, "", where);
  } catch (problem) {
    if (problem.name !== "AbortError") throw problem;
  }
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});

// The arrow keys go through the results.
document.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [field, ...results.querySelectorAll("a.what")];
  const now = stops.indexOf(document.activeElement);
  const next = stops[now + (event.key === "ArrowDown" ? 1 : -1)];
  if (now < 0 || !next) return;
  event.preventDefault();
  next.focus();
});

if (!field.value) field.focus();
