// Images in texts and of people, in a real browser, with scripts and without.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { address, board, launch, within } = require("./support.js");

let browser, ideas;
before(async () => {
  browser = await launch();
  ideas = await board("Images");
});
after(() => browser.close());

const both = (name, run) => {
  for (const scripts of [true, false]) {
    test(`${name}, ${scripts ? "with" : "without"} scripts`, () =>
      within(browser, { javaScriptEnabled: scripts }, (tab) => run(tab, scripts)));
  }
};

// A drawing, as a browser saves it.
const drawing = async (type = "image/png") => {
  const page = await browser.newPage();
  const url = await page.evaluate((type) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 400, height: 300 });
    const context = canvas.getContext("2d");
    for (let x = 0; x < 400; x += 4) {
      for (let y = 0; y < 300; y += 4) {
        context.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`;
        context.fillRect(x, y, 4, 4);
      }
    }
    return canvas.toDataURL(type);
  }, type);
  await page.close();
  return Buffer.from(url.split(",")[1], "base64");
};
const file = (name, mimeType, buffer) => ({ name, mimeType, buffer });
const plan = async () => file("My plan.png", "image/png", await drawing());

const field = (tab) => tab.page.getByLabel("File", { exact: true });
const attach = async (tab, scripts, chosen) => {
  await tab.page.locator(".attach > summary").click();
  await field(tab).setInputFiles(chosen);
  if (!scripts) await tab.go(tab.button("Add to the text"));
};
const isShown = (image) => image.evaluate((it) => it.decode().then(() => it.naturalWidth > 0));

both("an image goes into a post and is shown", async (tab, scripts) => {
  await tab.signIn(address());
  await tab.open(`/b/${ideas.slug}/new`);
  await tab.page.getByLabel("Title").fill("A plan with a picture");
  await tab.page.getByLabel("Details").fill("See this:");
  await attach(tab, scripts, await plan());
  await tab.page.waitForFunction(() => document.querySelector("#text").value.includes("/images/"));
  const text = await tab.page.getByLabel("Details").inputValue();
  assert.match(text, /^See this:\n\n!\[My plan\]\(\/images\/[0-9a-f]{64}\?s=400x300\)$/);
  assert.equal(await tab.page.getByLabel("Title").inputValue(), "A plan with a picture");
  await tab.go(tab.button("Post the idea"));
  const image = tab.page.getByRole("img", { name: "My plan" });
  assert(await isShown(image));
  assert.equal(await image.getAttribute("width"), "400");
});

both("a file that is no image is refused, and the text stays", async (tab, scripts) => {
  await tab.signIn(address());
  await tab.open(`/b/${ideas.slug}/new`);
  await tab.page.getByLabel("Title").fill("A plan");
  await tab.page.getByLabel("Details").fill("See this:");
  const script = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
  await attach(tab, scripts, file("plan.png", "image/png", script));
  const words = tab.page.getByText("The file is not an image of a known kind").last();
  await words.waitFor();
  assert.equal(await tab.page.getByLabel("Details").inputValue(), "See this:");
  // The browser tells of each answer that is not a success.
  tab.complaints = tab.complaints.filter((it) => !it.includes("status of 422"));
});

test("an image is pasted where the cursor is, and dropped", () =>
  within(browser, {}, async (tab) => {
    await tab.signIn(address());
    await tab.open(`/b/${ideas.slug}/new`);
    const area = tab.page.getByLabel("Details");
    await area.fill("Before\n\nBehind");
    const bytes = [...(await drawing("image/jpeg"))];
    const send = (kind, place) =>
      area.evaluate((area, [kind, place, bytes]) => {
        area.setSelectionRange(place, place);
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], "photo.jpg", { type: "image/jpeg" }));
        const options = { bubbles: true, cancelable: true };
        const event = kind === "paste"
          ? new ClipboardEvent(kind, { ...options, clipboardData: data })
          : new DragEvent(kind, { ...options, dataTransfer: data });
        return area.dispatchEvent(event);
      }, [kind, place, bytes]);
    assert.equal(await send("paste", 6), false);
    await tab.page.waitForFunction(() => /^Before\n\n!\[photo\]\(.+\)\n\nBehind$/.test(document.querySelector("#text").value));
    const length = (await area.inputValue()).length;
    assert.equal(await send("drop", length), false);
    await tab.page.waitForFunction(() => /Behind\n\n!\[photo\]\(.+\)$/.test(document.querySelector("#text").value));
  }));

both("a picture of oneself is chosen and removed", async (tab) => {
  await tab.signIn(address());
  await tab.open("/account");
  await field(tab).setInputFiles(await plan());
  await tab.go(tab.button("Use this picture"));
  assert.equal(await tab.notice(), "Saved.");
  for (const face of await tab.page.locator(".face img").all()) assert(await isShown(face));
  assert.equal(await tab.page.locator(".face img").count(), 2);
  await tab.go(tab.button("Remove the picture"));
  assert.equal(await tab.page.locator(".face img").count(), 0);
});
