// What scripts add to the dashboard: everything works without them.

const live = document.getElementById("live");
const say = (text) => {
  live.textContent = "";
  requestAnimationFrame(() => (live.textContent = text));
};

// On a small screen the menu begins closed.
const menu = document.querySelector(".menu");
if (menu && matchMedia("(max-width: 56rem)").matches) menu.open = false;

document.querySelector("[data-focus]")?.focus();

// An address or a key that is copied by a button.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    say(button.dataset.done);
    button.textContent = button.dataset.done;
  });
}

// The keys of the inbox.
const rows = [...document.querySelectorAll(".rows > li")];
const link = (row) => row?.querySelector(".open");
const place = () => {
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  return focused >= 0 ? focused : rows.findIndex((row) => row.classList.contains("here"));
};
const step = (by) => {
  const next = Math.min(Math.max(place() + by, 0), rows.length - 1);
  link(rows[next])?.focus();
};
const part = (key) => {
  const details = document.querySelector(`details[data-key="${key}"]`);
  if (!details) return;
  details.open = true;
  details.querySelector("select, input:not([type=hidden]), textarea")?.focus();
};
const keys = document.getElementById("keys");
const acts = {
  j: () => step(1),
  k: () => step(-1),
  x: () => {
    const box = rows[place()]?.querySelector("input[type=checkbox]");
    if (box) box.checked = !box.checked;
  },
  s: () => part("s"),
  t: () => part("t"),
  m: () => document.querySelector(".work .acts-list a[href*='/feedback-posts/merge']")?.click(),
  "/": () => document.getElementById("search")?.focus(),
  "?": () => keys.showModal(),
};
document.addEventListener("keydown", (event) => {
  const types = event.target.closest("input:not([type=checkbox]), select, textarea, dialog");
  if (!keys || types || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// A plan that is dragged is moved by its own form.
let moving = null;
for (const plan of document.querySelectorAll(".plan[draggable]")) {
  plan.addEventListener("dragstart", (event) => {
    moving = plan;
    plan.classList.add("moving");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", plan.dataset.plan);
  });
  plan.addEventListener("dragend", () => plan.classList.remove("moving"));
}
for (const column of document.querySelectorAll(".column[data-status]")) {
  column.addEventListener("dragover", (event) => {
    if (!moving) return;
    event.preventDefault();
    column.classList.add("over");
  });
  column.addEventListener("dragleave", () => column.classList.remove("over"));
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    column.classList.remove("over");
    const form = moving?.querySelector("form.move");
    if (!form || column.contains(moving)) return;
    form.elements.status_id.value = column.dataset.status;
    form.submit();
  });
}
