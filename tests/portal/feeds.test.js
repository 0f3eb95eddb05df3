// Feeds, the sitemap, robots.txt, JSON-LD, and answers that a program need not read again. The
// strict XML parser is Chromium's.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { URL, launch, board, post, within } = require("./support.js");

let browser, place, odd;
before(async () => {
  browser = await launch();
  place = await board("Feeds & more <b>");
  odd = await post(place, "A title & <more> \"quotes\" ]]> \u0001 \uFFFE", { description: "Text & <b>bold</b>\n\n<script>window.hacked = 1</script> ]]>" });
});
after(() => browser.close());

async function get(path, headers = {}) {
  const answer = await fetch(URL + path, { headers, redirect: "manual" });
  return { status: answer.status, type: answer.headers.get("content-type"), headers: answer.headers, text: await answer.text() };
}

// An XML document as a tree of `{ name, attributes, text, children }`, with the names of Clark.
async function xml(text) {
  let tree;
  await within(browser, {}, async (tab) => {
    await tab.open("/robots.txt");
    tree = await tab.page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, "application/xml");
      const fault = document.querySelector("parsererror");
      if (fault) {
        throw new Error(fault.textContent);
      }
      const read = (element) => ({
        name: `{${element.namespaceURI}}${element.localName}`,
        attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
        text: element.textContent,
        children: [...element.children].map(read),
      });
      return read(document.documentElement);
    }, text);
  });
  return tree;
}

const ATOM = "{http://www.w3.org/2005/Atom}";
const named = (element, name) => element.children.filter((child) => child.name === ATOM + name);
const one = (element, name) => {
  const found = named(element, name);
  assert.equal(found.length, 1, `one ${name}`);
  return found[0];
};
const isTime = (text) => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const isAddress = (text) => assert.equal(new globalThis.URL(text).origin, URL);

// RFC 4287: what a feed and an entry must have, once, and of which form.
function checkAtom(feed, self) {
  assert.equal(feed.name, `${ATOM}feed`);
  assert(feed.attributes["xml:lang"]);
  isAddress(one(feed, "id").text);
  assert(one(feed, "title").text.trim());
  isTime(one(feed, "updated").text);
  assert(one(one(feed, "author"), "name").text.trim());
  const links = named(feed, "link");
  assert.deepEqual(links.filter(({ attributes }) => attributes.rel === "self").map(({ attributes }) => [attributes.href, attributes.type]), [[URL + self, "application/atom+xml"]]);
  assert.equal(links.filter(({ attributes }) => attributes.rel === "alternate").length, 1);
  const entries = named(feed, "entry");
  const ids = entries.map((entry) => one(entry, "id").text);
  assert.equal(new Set(ids).size, ids.length);
  for (const entry of entries) {
    isAddress(one(entry, "id").text);
    assert(one(entry, "title").text.trim());
    isTime(one(entry, "updated").text);
    isTime(one(entry, "published").text);
    assert(one(one(entry, "author"), "name").text.trim());
    assert.equal(one(entry, "content").attributes.type, "html");
    assert.equal(one(entry, "content").children.length, 0);
    assert.equal(named(entry, "link").filter(({ attributes }) => attributes.rel === "alternate").length, 1);
    const known = ["id", "title", "updated", "published", "author", "content", "link"].map((name) => ATOM + name);
    assert.deepEqual(entry.children.filter(({ name }) => !known.includes(name)), []);
  }
  const newest = entries.map((entry) => one(entry, "updated").text).sort().at(-1);
  assert(!newest || one(feed, "updated").text >= newest);
  return entries;
}

for (const name of ["posts", "changelog", "feeds-more-b", "calendar"]) {
  test(`the Atom feed of ${name} is valid`, async () => {
    const answer = await get(`/feeds/${name}.atom`);
    assert.deepEqual([answer.status, answer.type], [200, "application/atom+xml; charset=utf-8"]);
    const entries = checkAtom(await xml(answer.text), `/feeds/${name}.atom`);
    assert(entries.length > 0);
    assert(!/<script|onerror|javascript:/i.test(entries.map((entry) => one(entry, "content").text).join()));
    if (name === "feeds-more-b") {
      assert.equal(one(entries[0], "title").text, odd.title.replace(/[\u0001\uFFFE]/g, "\uFFFD"));
    }
  });

  test(`the JSON feed of ${name} is valid`, async () => {
    const answer = await get(`/feeds/${name}.json`);
    assert.deepEqual([answer.status, answer.type], [200, "application/feed+json; charset=utf-8"]);
    const feed = JSON.parse(answer.text);
    assert.equal(feed.version, "https://jsonfeed.org/version/1.1");
    assert.equal(typeof feed.title, "string");
    assert.equal(feed.feed_url, `${URL}/feeds/${name}.json`);
    isAddress(feed.home_page_url);
    assert(feed.items.length > 0);
    for (const item of feed.items) {
      assert.equal(typeof item.id, "string");
      isAddress(item.url);
      assert(item.title.trim());
      assert.equal(typeof item.content_html, "string");
      isTime(item.date_published);
      isTime(item.date_modified);
      assert(item.authors.every(({ name }) => typeof name === "string" && name));
    }
    assert.equal(new Set(feed.items.map(({ id }) => id)).size, feed.items.length);
  });
}

test("the pages name their feeds", () =>
  within(browser, {}, async (tab) => {
    for (const path of ["/", "/b/calendar", "/changelog"]) {
      await tab.open(path);
      const feed = await tab.page.locator("link[rel=alternate][type='application/atom+xml']").getAttribute("href");
      assert.equal((await get(feed)).status, 200, feed);
    }
  }));

test("there are no other feeds", async () => {
  for (const name of ["nothing.atom", "posts.rss", "posts", "changelog.xml"]) {
    assert.equal((await get(`/feeds/${name}`)).status, 404, name);
  }
});

// The addresses in a sitemap or an index of sitemaps.
async function mapped(path, list, item) {
  const answer = await get(path);
  assert.equal(answer.type, "application/xml; charset=utf-8");
  const map = await xml(answer.text);
  const space = "{http://www.sitemaps.org/schemas/sitemap/0.9}";
  assert.equal(map.name, `${space}${list}`);
  return map.children.map((part) => {
    assert.equal(part.name, `${space}${item}`);
    assert.deepEqual(part.children.map(({ name }) => name.replace(space, "")).filter((name) => !["loc", "lastmod"].includes(name)), []);
    part.children.filter(({ name }) => name === `${space}lastmod`).forEach(({ text }) => isTime(text));
    return part.children.find(({ name }) => name === `${space}loc`).text;
  });
}

test("the sitemaps are those of the index, and all their pages are there", async () => {
  const maps = await mapped("/sitemap.xml", "sitemapindex", "sitemap");
  assert.deepEqual(maps.map((map) => map.slice(URL.length)), ["/sitemap-pages.xml", "/sitemap-posts.xml", "/sitemap-entries.xml", "/sitemap-articles.xml"]);
  const pages = (await Promise.all(maps.map((map) => mapped(map.slice(URL.length), "urlset", "url")))).flat();
  for (const start of ["/", "/b/calendar", "/roadmap", "/changelog/dark-theme", "/help/calendars-and-events/events/repeating-events", `/p/${odd.slug}`]) {
    assert(pages.includes(URL + start), start);
  }
  for (const path of ["/sitemap-nothing.xml", "/sitemap-posts.xml?after=x"]) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert(pages.length > 50 && new Set(pages).size === pages.length);
  for (const page of pages.filter((_, index) => index % 7 === 0)) {
    isAddress(page);
    const answer = await get(page.slice(URL.length));
    assert.equal(answer.status, 200, page);
    assert(answer.text.includes(`<link rel="canonical" href="${page}">`), page);
  }
});

test("robots.txt names the sitemap, and what is no page for search engines", async () => {
  const { text, type } = await get("/robots.txt");
  assert.equal(type, "text/plain; charset=utf-8");
  const lines = text.trim().split("\n");
  assert.equal(lines[0], "User-agent: *");
  assert(lines.includes(`Sitemap: ${URL}/sitemap.xml`));
  assert(lines.includes("Disallow: /account"));
});

test("posts, entries and articles have JSON-LD", () =>
  within(browser, {}, async (tab) => {
    for (const [path, types] of [
      [`/p/${odd.slug}`, ["QAPage"]],
      ["/p/dark-theme-for-the-web-app", ["QAPage"]],
      ["/changelog/dark-theme", ["Article"]],
      ["/help/calendars-and-events/events/repeating-events", ["Article", "BreadcrumbList"]],
    ]) {
      await tab.open(path);
      const scripts = await tab.page.locator("script[type='application/ld+json']").allTextContents();
      assert.equal(scripts.length, 1, path);
      const data = JSON.parse(scripts[0]);
      assert.equal(data["@context"], "https://schema.org");
      assert.deepEqual((data["@graph"] ?? [data]).map((it) => it["@type"]), types);
      if (types[0] === "QAPage") {
        const { mainEntity } = data;
        assert.equal(mainEntity["@type"], "Question");
        assert.equal(mainEntity.name.trim(), await tab.page.locator("h1").innerText());
        assert.equal(typeof mainEntity.answerCount, "number");
        isTime(mainEntity.datePublished);
      }
    }
  }));

test("a page that has not changed is not sent again", async () => {
  for (const path of ["/", "/b/calendar", "/p/dark-theme-for-the-web-app", "/changelog", "/changelog/dark-theme", "/help", "/help/getting-started", "/roadmap", "/feeds/posts.atom", "/feeds/calendar.json", "/feeds/changelog.atom", "/sitemap.xml", "/sitemap-posts.xml"]) {
    const first = await get(path);
    const tag = first.headers.get("etag");
    assert.match(tag ?? "", /^(W\/)?"[^"]+"$/, path);
    const again = await get(path, { "if-none-match": tag });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", tag], path);
    assert.equal((await get(path, { "if-none-match": "W/\"other\"" })).status, 200);
    // Another language is another page.
    const isMap = path.startsWith("/sitemap");
    assert.equal(isMap || (await get(path, { "if-none-match": tag, "accept-language": "de" })).status === 200, true, path);
  }
  const { headers } = await get("/robots.txt");
  assert.equal((await get("/robots.txt", { "if-none-match": headers.get("etag") })).status, 304);
});

test("files are kept for good, and named by their content", async () => {
  const { text } = await get("/");
  const files = [...text.matchAll(/(?:href|src)="(\/(?:assets|colors)\/[^"]+)"/g)].map(([, file]) => file);
  assert.equal(files.length, 4);
  for (const file of files) {
    const answer = await get(file);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    const former = await get(file.replace(/[\w-]{12}/, "AAAAAAAAAAAA"));
    assert.equal(former.headers.get("cache-control"), "no-cache", file);
  }
});
