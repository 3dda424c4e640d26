// On every page: / leads to the search, Escape closes what is open, and what is too wide shows its end:
// the menu where one is, pictures the newest.

const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
    const field = document.getElementById("find");
    event.preventDefault();
    field.focus();
    field.select();
  }
  if (event.key === "Escape") {
    for (const open of document.querySelectorAll("details.account[open]")) open.open = false;
  }
});

document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
for (const wide of document.querySelectorAll(".scroll:has(.year, .columns)")) wide.scrollLeft = wide.scrollWidth;
