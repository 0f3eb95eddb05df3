// What scripts add to the image of a form: it goes into the text at once, where the cursor is, and
// may be dropped there or pasted.

for (const input of document.querySelectorAll("[data-upload]")) {
  const { form } = input;
  // A form may have several texts, each in a part of its own.
  const area = input.closest(".control, form").querySelector("textarea");
  const details = input.closest("details");
  const output = details.querySelector("output");
  const say = (text) => {
    output.textContent = text;
    details.open = true;
  };
  details.querySelector("[name=add]").remove();
  details.querySelector("[data-drop]").hidden = false;

  const insert = (markdown) => {
    const { selectionStart: start, selectionEnd: end, value } = area;
    const before = start > 0 && !value.slice(0, start).endsWith("\n\n") ? "\n\n" : "";
    const behind = end < value.length && !value.slice(end).startsWith("\n") ? "\n\n" : "";
    area.setRangeText(before + markdown + behind, start, end, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const upload = async (file) => {
    const body = new FormData();
    body.set("form_token", form.querySelector("[name=form_token]").value);
    body.set("image", file, file.name);
    say(input.dataset.wait);
    try {
      const answer = await fetch(input.dataset.upload, { method: "POST", body, redirect: "manual" });
      const json = await answer.json();
      if (answer.ok) insert(json.markdown);
      say(answer.ok ? input.dataset.done : json.detail?.error ?? input.dataset.failed);
    } catch {
      say(input.dataset.failed);
    }
  };

  // One after the other, in their order.
  let last = Promise.resolve();
  const take = (event, files) => {
    const images = [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (images.length) event.preventDefault();
    for (const image of images) last = last.then(() => upload(image));
  };

  input.addEventListener("change", () => {
    for (const file of [...input.files]) last = last.then(() => upload(file));
    input.value = "";
  });
  area.addEventListener("paste", (event) => take(event, event.clipboardData?.files));
  area.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  area.addEventListener("drop", (event) => take(event, event.dataTransfer?.files));
}
