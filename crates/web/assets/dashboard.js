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
const rows = () => [...document.querySelectorAll(".rows > li")];
const link = (row) => row?.querySelector(".open");
const place = () => {
  const focused = rows().findIndex((row) => row.contains(document.activeElement));
  return focused >= 0 ? focused : rows().findIndex((row) => row.classList.contains("here"));
};
const step = (by) => {
  const next = Math.min(Math.max(place() + by, 0), rows().length - 1);
  link(rows()[next])?.focus();
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
    const box = rows()[place()]?.querySelector("input[type=checkbox]");
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

// A record that is dragged to a place is moved by its own form, or by the one around it.
let moving = null;
for (const record of document.querySelectorAll("[data-drag]")) {
  record.draggable = true;
  record.addEventListener("dragstart", (event) => {
    moving = record;
    record.classList.add("moving");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", record.dataset.value);
  });
  record.addEventListener("dragend", () => {
    moving = null;
    record.classList.remove("moving");
  });
}
for (const target of document.querySelectorAll("[data-takes]")) {
  const takes = () =>
    moving && !target.contains(moving) && target.dataset.takes.split(" ").includes(moving.dataset.drag);
  target.addEventListener("dragover", (event) => {
    if (!takes()) return;
    event.preventDefault();
    target.classList.add("over");
  });
  target.addEventListener("dragleave", () => target.classList.remove("over"));
  target.addEventListener("drop", (event) => {
    if (!takes()) return;
    event.preventDefault();
    target.classList.remove("over");
    const form = moving.querySelector("form") ?? moving.closest("form");
    form.querySelector("[data-moved]").value = moving.dataset.value;
    form.querySelector("[data-to]").value = target.dataset.value;
    form.submit();
  });
}

// The list of the inbox follows what others do, as long as the page is seen. Chosen posts stay
// chosen, and the focus stays where it is.
const list = document.querySelector("[data-refresh]");
let tag = null;
const take = (html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const nav = document.querySelector(".menu nav");
  const menu = fresh.querySelector(".menu nav");
  if (menu && !nav.contains(document.activeElement)) nav.replaceChildren(...menu.childNodes);
  const there = document.getElementById("posts");
  const posts = fresh.getElementById("posts");
  const [old, now] = [there, posts].map((part) => part?.querySelector(".rows"));
  // The form below the list keeps what was typed into it.
  if (!old || !now) {
    if (posts && !there.contains(document.activeElement)) there.replaceChildren(...posts.childNodes);
    return;
  }
  const key = (row) => row.querySelector(".open").getAttribute("href");
  const kept = new Map([...old.children].map((row) => [key(row), row]));
  for (const row of now.children) {
    const former = kept.get(key(row));
    const box = row.querySelector("input[type=checkbox]");
    if (box) box.checked = former?.querySelector("input[type=checkbox]").checked ?? false;
  }
  const focused = document.activeElement.closest?.(".rows > li");
  const part = focused && (document.activeElement.matches("input") ? "input" : ".open");
  old.replaceChildren(...now.childNodes);
  if (focused) {
    const row = [...old.children].find((row) => key(row) === key(focused));
    row?.querySelector(part).focus({ preventScroll: true });
  }
};
const refresh = async () => {
  if (document.visibilityState === "visible") {
    const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {} }).catch(() => null);
    // A visitor who was signed out goes on by hand.
    if (answer?.redirected) return;
    if (answer?.ok) {
      tag = answer.headers.get("ETag");
      take(await answer.text());
    }
  }
  setTimeout(refresh, Number(list.dataset.refresh));
};
if (list) setTimeout(refresh, Number(list.dataset.refresh));
