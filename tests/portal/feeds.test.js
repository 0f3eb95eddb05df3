// Feeds, the sitemap, robots.txt, JSON-LD, and answers that a program need not read again. What judges
// them is not ours: libxml2 with the grammar of Atom, the schema of JSON Feed, the types of schema.org,
// and a validator of rich results.

"use strict";

const assert = require("node:assert/strict");
const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { after, before, test } = require("node:test");
const { promisify } = require("node:util");
const Ajv = require("ajv").default;
const formats = require("ajv-formats").default;
const { URL, board, call, comment, launch, post, within } = require("./support.js");

// `import` alone does not look at NODE_PATH.
const load = (name) => import(pathToFileURL(require.resolve(name)));

const ATOM = { atom: "http://www.w3.org/2005/Atom" };
const SITEMAP = { map: "http://www.sitemaps.org/schemas/sitemap/0.9" };

let browser, odd, libxml, grammar, isJsonFeed;
before(async () => {
  browser = await launch();
  const place = await board("Feeds & more <b>");
  odd = await post(place, "A title & <more> \"quotes\" ]]> \u0001 \uFFFE", { description: "Text & <b>bold</b>\n\n<script>window.hacked = 1</script> ]]>" });
  await comment(odd.id, "</script><script>window.hacked = 1</script>");
  const { id } = await comment(odd.id, "We build it.");
  await call("/comments/update", { comment_id: id, is_pinned: true });

  libxml = await load("libxml2-wasm");
  grammar = libxml.RelaxNGValidator.fromDoc(xml(fs.readFileSync(path.join(__dirname, "atom.rng"), "utf8")));
  const ajv = new Ajv({ allErrors: true, strict: false });
  formats(ajv);
  isJsonFeed = ajv.compile(require("jsonfeed-schema/v1.1.js"));
});
after(() => browser.close());

async function get(path, headers = {}) {
  const answer = await fetch(URL + path, { headers, redirect: "manual" });
  return { status: answer.status, type: answer.headers.get("content-type"), headers: answer.headers, text: await answer.text() };
}

const xml = (text) => libxml.XmlDocument.fromString(text);
const texts = (node, path, names = ATOM) => node.find(path, names).map(({ content }) => content);
const isTime = (text) => assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const isAddress = (text) => assert.equal(new globalThis.URL(text).origin, URL);
const unique = (all) => assert.equal(new Set(all).size, all.length);

for (const name of ["posts", "changelog", "feeds-more-b", "calendar"]) {
  test(`the Atom feed of ${name} is valid`, async () => {
    const self = `/feeds/${name}.atom`;
    const answer = await get(self);
    assert.deepEqual([answer.status, answer.type], [200, "application/atom+xml; charset=utf-8"]);
    const feed = xml(answer.text);
    grammar.validate(feed);

    // RFC 4287 says more than its grammar.
    const ids = texts(feed, "//atom:id");
    unique(ids);
    ids.forEach(isAddress);
    assert.deepEqual(texts(feed, "/atom:feed/atom:link[@rel='self']/@href"), [URL + self]);
    for (const of of ["/atom:feed", ...feed.find("//atom:entry", ATOM).map((_, index) => `//atom:entry[${index + 1}]`)]) {
      assert.equal(feed.find(`${of}/atom:link[@rel='alternate']`, ATOM).length, 1, of);
      assert(texts(feed, `${of}/atom:title`)[0].trim() && texts(feed, `${of}/atom:author/atom:name`)[0].trim(), of);
    }
    texts(feed, "//atom:updated | //atom:published").forEach(isTime);
    const [newest, ...entries] = [texts(feed, "/atom:feed/atom:updated")[0], ...texts(feed, "//atom:entry/atom:updated")];
    assert(entries.length > 0 && entries.every((updated) => newest >= updated));
    assert.doesNotMatch(texts(feed, "//atom:content").join(), /<script|onerror|javascript:/i);
    if (name === "feeds-more-b") {
      assert.equal(texts(feed, "//atom:entry/atom:title")[0], odd.title.replace(/[\u0001\uFFFE]/g, "\uFFFD"));
    }
  });

  test(`the JSON feed of ${name} is valid`, async () => {
    const answer = await get(`/feeds/${name}.json`);
    assert.deepEqual([answer.status, answer.type], [200, "application/feed+json; charset=utf-8"]);
    const feed = JSON.parse(answer.text);
    assert(isJsonFeed(feed), JSON.stringify(isJsonFeed.errors));
    assert.equal(feed.version, "https://jsonfeed.org/version/1.1");
    assert.equal(feed.feed_url, `${URL}/feeds/${name}.json`);
    isAddress(feed.home_page_url);
    assert(feed.items.length > 0);
    for (const item of feed.items) {
      isAddress(item.url);
      assert(item.title.trim() && item.authors[0].name);
    }
    unique(feed.items.map(({ id }) => id));
  });
}

test("the validators find what is wrong", async () => {
  const { text } = await get("/feeds/posts.atom");
  for (const [right, wrong] of [[/<id>.*?<\/id>/, ""], [/<updated>.*?<\/updated>/, "<updated>today</updated>"], ["<entry>", "<entry><extra/>"]]) {
    assert.throws(() => grammar.validate(xml(text.replace(right, wrong))), libxml.XmlValidateError, wrong);
  }
  const { items, ...feed } = JSON.parse((await get("/feeds/posts.json")).text);
  assert(!isJsonFeed(feed) && !isJsonFeed({ ...feed, items: [{ ...items[0], date_published: "today" }] }));
});

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
  assert.equal(map.eval(`count(/map:${list}/map:${item}[count(map:loc) = 1])`, SITEMAP), map.eval("count(//*) - count(//map:loc | //map:lastmod) - 1", SITEMAP));
  texts(map, "//map:lastmod", SITEMAP).forEach(isTime);
  return texts(map, "//map:loc", SITEMAP);
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

// What is wrong with JSON-LD: by the types of schema.org, and by what search engines ask for.
async function faultsOf(all) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hearback-json-ld-"));
  try {
    const source = [
      'import type { Article, Graph, QAPage, WithContext } from "schema-dts";',
      "type Page = WithContext<QAPage> | WithContext<Article> | Graph;",
      ...Object.values(all).map((data, index) => `export const page${index}: Page = ${JSON.stringify(data)};`),
    ];
    fs.writeFileSync(path.join(folder, "pages.ts"), source.join("\n"));
    const types = path.join(path.dirname(require.resolve("schema-dts")), "schema.d.ts");
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [], module: "nodenext", target: "es2022", paths: { "schema-dts": [types] } };
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["pages.ts"] }));
    const { stdout } = await promisify(execFile)(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", folder]).catch((error) => error);
    const { default: Validator } = await load("@adobe/structured-data-validator");
    const items = Object.values(all).flatMap((data) => data["@graph"] ?? [data]);
    const found = await new Validator().validate({ jsonld: { Page: items } });
    return [...stdout.split("\n").filter(Boolean), ...found.map(({ issueMessage, path }) => `${issueMessage}: ${JSON.stringify(path)}`)];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test("posts, entries and articles have valid JSON-LD", async () => {
  const found = {};
  for (const [path, types] of [
    [`/p/${odd.slug}`, ["QAPage"]],
    ["/p/dark-theme-for-the-web-app", ["QAPage"]],
    ["/changelog/dark-theme", ["Article"]],
    ["/help/calendars-and-events/events/repeating-events", ["Article", "BreadcrumbList"]],
  ]) {
    const scripts = [...(await get(path)).text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)];
    assert.equal(scripts.length, 1, path);
    const data = JSON.parse(scripts[0][1]);
    assert.equal(data["@context"], "https://schema.org");
    assert.deepEqual((data["@graph"] ?? [data]).map((it) => it["@type"]), types);
    found[path] = data;
  }
  assert.deepEqual(await faultsOf(found), []);
  const broken = { ...found["/changelog/dark-theme"], headlines: "x", author: { "@type": "Person" } };
  assert.equal((await faultsOf({ broken })).length, 2);

  // A question has all of its answers, and the official one is the accepted one.
  const question = found[`/p/${odd.slug}`].mainEntity;
  assert.equal(question.name, odd.title);
  assert.equal(question.answerCount, 2);
  assert.equal(question.acceptedAnswer.text, "We build it.");
  assert.equal(question.suggestedAnswer.length, 1);
  isTime(question.datePublished);
});

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
