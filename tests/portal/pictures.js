// pictures.js FOLDER: takes the pictures of the portal for the documentation.

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { Tab, address, launch, open } = require("./support.js");

const WIDE = { width: 1280, height: 900 };
const SMALL = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };

// The pictures by name: the window, and what leads to the page.
const PICTURES = {
  board: [WIDE, {}, (tab) => tab.open("/")],
  "board-dark": [WIDE, { colorScheme: "dark" }, (tab) => tab.open("/?sort=trending")],
  post: [WIDE, {}, (tab) => tab.open("/p/dark-theme-for-the-web-app")],
  roadmap: [WIDE, {}, (tab) => tab.open("/roadmap")],
  changelog: [WIDE, {}, (tab) => tab.open("/changelog")],
  help: [WIDE, {}, (tab) => tab.open("/help")],
  article: [WIDE, {}, (tab) => tab.open("/help/calendars-and-events/events/repeating-events")],
  new: [WIDE, {}, async (tab) => {
    await tab.open("/b/calendar/new");
    await tab.page.getByLabel("Title").pressSequentially("dark colours in the week view", { delay: 10 });
    await tab.page.locator("#similar li").first().waitFor();
    await tab.page.getByLabel("Details").fill("At night the white page is **too bright**.\n\n- a dark ground\n- the same colours of calendars");
  }],
  "sign-in": [SMALL, {}, (tab) => tab.open("/sign-in")],
  code: [SMALL, {}, async (tab) => {
    await tab.open("/sign-in");
    await tab.ask("ada@example.com");
  }],
  account: [WIDE, {}, (tab) => tab.open("/account")],
  arabic: [WIDE, { locale: "ar" }, (tab) => tab.open("/")],
  phone: [SMALL, {}, (tab) => tab.open("/")],
  narrow: [NARROW, {}, (tab) => tab.open("/")],
};
// Those of the dashboard, whose visitor is on the team.
const DASHBOARD = {
  inbox: [WIDE, {}, async (tab) => {
    await tab.open("/dashboard?sort=votes");
    await tab.go(tab.page.locator(".rows .open").nth(1));
  }],
  roadmap: [WIDE, { colorScheme: "dark" }, (tab) => tab.open("/dashboard/roadmap")],
  help: [WIDE, {}, (tab) => tab.open("/dashboard/help")],
  insights: [WIDE, {}, (tab) => tab.open("/dashboard/insights?span=year")],
  article: [WIDE, {}, async (tab) => {
    await tab.open("/dashboard/help");
    await tab.go(tab.page.locator('main a[href*="/help-articles/"]').first());
  }],
};
// Those of people who have signed in.
const OWN = ["board", "board-dark", "post", "new", "account", "phone"];

// The square of the distance of two colours that nobody tells apart.
const ALIKE = 20;

// The picture with 256 colours, which is half as large. A blank page reads it.
async function small(blank, png) {
  const { width, height, base64 } = await blank.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let start = 0; start < data.length; start += 0x8000) {
      text += String.fromCharCode(...data.subarray(start, start + 0x8000));
    }
    return { width: image.width, height: image.height, base64: btoa(text) };
  }, png.toString("base64"));
  const pixels = Buffer.from(base64, "base64");
  const colour = (at) => (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    counts.set(colour(at), (counts.get(colour(at)) ?? 0) + 1);
  }
  // The most frequent colours, unless they are alike. Each of the others becomes the nearest of them.
  const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const palette = [];
  const nearest = new Map();
  for (const other of [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)) {
    const [r, g, b] = parts(other);
    let best = -1;
    let least = Infinity;
    palette.forEach(([red, green, blue], index) => {
      const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
      if (distance < least) {
        [best, least] = [index, distance];
      }
    });
    if (palette.length < 256 && least > ALIKE) {
      best = palette.push([r, g, b]) - 1;
    }
    nearest.set(other, best);
  }
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      lines[y * (width + 1) + x + 1] = nearest.get(colour((y * width + x) * 4));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", zlib.deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

// A part of a PNG file.
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  let sum = 0xffffffff;
  for (const byte of body) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  }
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(~sum >>> 0, 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

async function main(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const browser = await launch();
  try {
    const first = await open(browser);
    const tab = new Tab(await first.newPage());
    await tab.signIn(address("ada").replace(/\..*@/, "@"));
    await tab.open("/account");
    await tab.page.locator("#name").fill("Ada Lovelace");
    await tab.go(tab.button("Save").first());
    for (const vote of ["/p/dark-theme-for-the-web-app", "/p/show-two-time-zones-side-by-side-in-the-week-view"]) {
      await tab.open(vote);
      await tab.page.locator("button.vote").first().click();
      await tab.page.locator("button.vote[aria-pressed=true]").first().waitFor();
    }
    const session = await first.cookies();
    await first.close();

    const second = await open(browser);
    await new Tab(await second.newPage()).join(address("tom").replace(/\..*@/, "@"), "owner");
    const team = await second.cookies();
    await second.close();

    const shots = [
      ...Object.entries(PICTURES).map(([name, shot]) => [`portal-${name}`, shot, OWN.includes(name) ? session : []]),
      ...Object.entries(DASHBOARD).map(([name, shot]) => [`dashboard-${name}`, shot, team]),
    ];
    const blank = await (await browser.newContext()).newPage();
    for (const [name, [viewport, options, lead], cookies] of shots) {
      const context = await open(browser, { viewport, reducedMotion: "reduce", ...options });
      // There is no network: the letter of a person's name is better than an empty picture.
      await context.route((url) => url.protocol === "https:", (route) => route.abort());
      await context.addCookies(cookies);
      const tab = new Tab(await context.newPage());
      await lead(tab);
      await tab.page.waitForLoadState("networkidle");
      await tab.page.evaluate(() => document.activeElement?.blur());
      await tab.page.mouse.move(0, 0);
      const png = await tab.page.screenshot({ animations: "disabled" });
      await context.close();
      fs.writeFileSync(path.join(folder, `${name}.png`), await small(blank, png));
    }
  } finally {
    await browser.close();
  }
}

main(process.argv[2]);
