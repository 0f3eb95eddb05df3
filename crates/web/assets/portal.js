// What scripts add to the pages: everything works without them.

const live = document.getElementById("live");
const say = (text) => {
  live.textContent = "";
  requestAnimationFrame(() => (live.textContent = text));
};

// A vote is sent without leaving the page. If anything is odd, the form goes its usual way.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-vote]") || form.dataset.plain) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.disabled) return;
  const body = new URLSearchParams(new FormData(form));
  button.disabled = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST", body, headers: { "x-fragment": "vote" }, redirect: "manual",
    });
    const html = answer.ok ? await answer.text() : "";
    if (!html.includes("data-vote")) throw new Error("no button");
    const part = new DOMParser().parseFromString(html, "text/html").querySelector("form");
    part.querySelector("[name=back]").value = body.get("back");
    form.replaceWith(part);
    const next = part.querySelector("button");
    next.focus({ preventScroll: true });
    say(next.textContent.trim().replace(/\s+/g, " "));
  } catch {
    button.disabled = false;
    form.dataset.plain = "yes";
    form.submit();
  }
});

// An address that is copied by a button.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    say(button.dataset.done);
    const words = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => (button.textContent = words), 2000);
  });
}

// Posts like the one that is being written.
for (const input of document.querySelectorAll("[data-similar]")) {
  const place = document.getElementById("similar");
  let timer, asked = input.value;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const title = input.value.trim();
      if (title === asked || title.length < 3) return;
      asked = title;
      const url = new URL(input.dataset.similar, location.href);
      url.searchParams.set("title", title);
      try {
        const answer = await fetch(url, { headers: { "x-fragment": "similar" } });
        if (!answer.ok || input.value.trim() !== title) return;
        const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
        place.replaceChildren(...parsed.body.childNodes);
      } catch {
        // The form works without them.
      }
    }, 300);
  });
}

// The text as it will be shown.
for (const area of document.querySelectorAll("[data-preview]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = area.dataset.previewWords;
  const shown = document.createElement("div");
  shown.className = "preview prose";
  shown.dir = "auto";
  shown.hidden = true;
  area.after(shown, button);
  button.addEventListener("click", async () => {
    if (!shown.hidden) {
      shown.hidden = true;
      area.hidden = false;
      button.textContent = area.dataset.previewWords;
      area.focus();
      return;
    }
    const body = new URLSearchParams({ text: area.value });
    const token = area.form.querySelector("[name=form_token]");
    body.set("form_token", token ? token.value : "");
    const answer = await fetch(area.dataset.preview, { method: "POST", body });
    if (!answer.ok) return;
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    shown.replaceChildren(...parsed.body.childNodes);
    shown.hidden = false;
    area.hidden = true;
    button.textContent = area.dataset.writeWords;
  });
}

// Drafts survive a reload and a sign-in. A draft goes when it was sent. A browser may keep nothing.
const kept = (area) => {
  const store = () => window[area];
  return {
    read: (key) => { try { return JSON.parse(store().getItem(key)); } catch { return null; } },
    write: (key, value) => { try { store().setItem(key, JSON.stringify(value)); } catch { /* full or forbidden */ } },
    remove: (key) => { try { store().removeItem(key); } catch { /* forbidden */ } },
  };
};
const drafts = kept("localStorage");
const tab = kept("sessionStorage");
if (/[?&]done=(posted|waits|commented)/.test(location.search)) {
  const sent = tab.read("hearback:sent");
  if (sent) drafts.remove(sent);
  tab.remove("hearback:sent");
}
const keep = (form, key, fields) => {
  const draft = drafts.read(key);
  if (draft) {
    for (const field of fields) {
      if (field.value === field.defaultValue && draft[field.name]) field.value = draft[field.name];
    }
  }
  form.addEventListener("submit", () => tab.write("hearback:sent", key));
  form.addEventListener("input", () => {
    drafts.write(key, Object.fromEntries(fields.map((field) => [field.name, field.value])));
  });
};
for (const form of document.querySelectorAll("[data-draft-form]")) {
  keep(form, `hearback:${form.dataset.draftForm}`, [...form.querySelectorAll("#title, #text")]);
}
for (const area of document.querySelectorAll("[data-draft]")) {
  keep(area.form, `hearback:${area.dataset.draft}`, [area]);
}

// The faults of a form are read first.
document.querySelector("[data-focus]")?.focus();

// `/` leads to the search, unless one writes.
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || writes) return;
  const field = document.querySelector("input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
});

// A picture that does not come leaves the letter behind it.
for (const image of document.querySelectorAll(".face img")) {
  if (image.complete && !image.naturalWidth) image.remove();
  else image.addEventListener("error", () => image.remove());
}
