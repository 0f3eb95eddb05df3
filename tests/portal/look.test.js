// What an organization sets about its look, as browsers show it, and what a language changes.

"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { found, judge, launch, within } = require("./support.js");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const style = (tab, selector, property) => tab.page.locator(selector).first().evaluate((element, property) => getComputedStyle(element)[property], property);
const GROUND = { light: "rgb(246, 247, 249)", dark: "rgb(15, 17, 21)" };

// Colours that cannot be read as they are: too light, too dark, and too much in the middle.
for (const accent of ["#ffff66", "#000033", "#808080"]) {
  test(`the accent ${accent} is readable in light and dark`, () => {
    const { base } = found("Accent", ["--accent", accent]);
    return within(browser, { base }, async (tab) => {
      await tab.open("/sign-in");
      assert.deepEqual(await judge(tab), []);
      // The text follows the colour behind it.
      const [text, ground] = [await style(tab, "main .button.main", "color"), await style(tab, "main .button.main", "backgroundColor")];
      assert(contrast(text, ground) >= 4.5, `${text} on ${ground}`);
    });
  });
}

// The contrast of two colours, as WCAG computes it.
function contrast(...colors) {
  const [a, b] = colors.map((color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map(Number).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

for (const theme of ["light", "dark"]) {
  test(`the theme ${theme} is the same for every visitor`, () => {
    const { base } = found("Theme", ["--theme", theme]);
    return within(browser, { base, colorScheme: theme === "light" ? "dark" : "light" }, async (tab) => {
      await tab.open("/");
      assert.equal(await tab.page.locator("html").getAttribute("data-theme"), theme);
      assert.equal(await style(tab, "body", "backgroundColor"), GROUND[theme]);
      // Fields and scroll bars, too.
      assert.match(await style(tab, "html", "colorScheme"), new RegExp(`^(only )?${theme}`));
      assert.deepEqual(await judge(tab), []);
    });
  });
}

test("a rule of the organization wins over those of the portal, and loads nothing", () => {
  const css = "body { background: rgb(1, 2, 3) } .button.main { color: rgb(250, 251, 252); border-radius: 17px } @import url(https://evil.example/x.css);";
  const file = path.join(process.env.HEARBACK_DATA_DIR, "custom.css");
  fs.writeFileSync(file, css);
  const { base } = found("Custom", ["--custom-css", file, "--logo-url", "https://pictures.example/logo.png", "--favicon-url", "https://pictures.example/icon.png"]);
  return within(browser, { base }, async (tab) => {
    await tab.open("/sign-in");
    assert.equal(await style(tab, "body", "backgroundColor"), "rgb(1, 2, 3)");
    assert.equal(await style(tab, "main .button.main", "color"), "rgb(250, 251, 252)");
    assert.equal(await style(tab, "main .button.main", "borderRadius"), "17px");
    assert.equal(await tab.page.locator(".brand img").getAttribute("src"), "https://pictures.example/logo.png");
    assert.equal(await tab.page.locator("link[rel=icon]").getAttribute("href"), "https://pictures.example/icon.png");
    assert.deepEqual(tab.requests.filter((url) => url.includes("evil")), []);
  });
});

const LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hans", "ar"];

test("dates and plurals are those of the language", async () => {
  const site = found("Words");
  const place = await site.board("Words");
  const counts = [0, 1, 2, 3, 11];
  const posts = [];
  for (const count of counts) {
    const made = await site.post(place, `With ${count}`, { created_at: "2026-03-04T12:00:00Z" });
    for (let number = 0; number < count; number++) {
      await site.comment(made.id, `Comment ${number}`);
    }
    posts.push(made);
  }
  for (const language of LANGUAGES) {
    const headers = { "accept-language": language, accept: "text/html" };
    const pages = await Promise.all(posts.map(async ({ slug }) => (await fetch(`${site.base}/p/${slug}`, { headers })).text()));
    // Digits are those of the West in all of them.
    const expected = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: "long", timeZone: "UTC" }).format(new Date("2026-03-04T12:00:00Z"));
    const plain = (text) => text.replace(/[\u2066-\u2069\u200e\u200f]/g, "");
    const [, date] = /<time datetime="2026-03-04[^"]*">([^<]*)</.exec(pages[0]);
    assert.equal(plain(date), plain(expected), language);

    const words = pages.map((page) => plain(/id="comments-title">([^<]*)</.exec(page)[1]).replace(/\d+/g, "#"));
    // The forms for no, one, two, few and many comments.
    const forms = counts.map((count) => (count === 0 ? "none" : new Intl.PluralRules(language).select(count)));
    for (const [index, form] of forms.entries()) {
      const first = forms.indexOf(form);
      assert.equal(words[index], words[first], `${language}: ${counts[index]}`);
    }
    assert.equal(new Set(words).size, new Set(forms).size, `${language}: ${words.join(" | ")}`);
  }
});
