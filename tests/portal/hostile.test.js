// Texts that somebody has made to break the pages: nothing of them runs, and the pages stay whole.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { address, board, call, comment, launch, post, within } = require("./support.js");

const HTML = [
  "<script>window.hacked = 'script'</script>",
  "<img src='https://pictures.example/a.png' alt='' onload=\"window.hacked = 'load'\" onerror=\"window.hacked = 'error'\">",
  "<svg onload=\"window.hacked = 'svg'\"><script>window.hacked = 'svg script'</script></svg>",
  "<iframe srcdoc=\"<script>parent.hacked = 'frame'</script>\"></iframe>",
  "<a href=\"javascript:window.hacked = 'link'\" class=trap>link</a>",
  "<form action=/sign-out method=post><button class=trap>form</button></form>",
  "<style>body { display: none }</style>",
  "<div style='position: fixed; inset: 0; z-index: 99' class=trap>cover</div>",
  "<base href=https://evil.example/><meta http-equiv=refresh content='0; url=https://evil.example/'>",
  "<details open ontoggle=\"window.hacked = 'toggle'\">x</details>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=window.hacked=1&gt;\">",
  "<input autofocus onfocus=\"window.hacked = 'focus'\"><video><source onerror=\"window.hacked = 'video'\"></video>",
].join("\n");
const MARKDOWN = [
  "[link](javascript:window.hacked='markdown')",
  "[link](data:text/html,<script>window.hacked=1</script>)",
  "![picture](https://pictures.example/a.png\"onerror=\"window.hacked=1)",
  "<https://example.com/\"onmouseover=\"window.hacked=1>",
  "```html\n</code></pre><script>window.hacked = 'code'</script>\n```",
].join("\n\n");
const LONG = "x".repeat(512);
const ARABIC = "أضِف وضعًا داكنًا إلى التقويم الأسبوعي (v2.0) من فضلكم";
const NAMES = {
  html: "</title><script>window.hacked = 'title'</script>",
  quotes: "\" autofocus onfocus=\"window.hacked=1\" x='",
  template: "{{ 7 * 7 }} ${7 * 7} <%= 7 %> %s %n",
  marks: "\u202Eabc\u202D \u200F\u2066 e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
};

let browser, place, posts;
before(async () => {
  browser = await launch();
  place = await board("Hostile</script><b>board</b>", { description: HTML, slug: "hostile" });
  const name = { author_email: "hostile@example.com", author_name: "<img src=x onerror=window.hacked='name'>" };
  posts = {};
  for (const [key, title] of Object.entries({ long: LONG, arabic: ARABIC, ...NAMES })) {
    posts[key] = await post(place, title, { description: `${HTML}\n\n${MARKDOWN}\n\n${LONG}`, ...name });
  }
  await comment(posts.html.id, `${MARKDOWN}\n\n${LONG}`);
  await comment(posts.html.id, HTML);
  await comment(posts.html.id, ARABIC);
  await call("/changelog/create", { title: `Hostile ${LONG.slice(0, 480)}`, details: `${HTML}\n\n${MARKDOWN}`, published: true, notify: false });
  const collection = await call("/help-collections/create", { name: "Hostile <b>collection</b>", description: HTML.slice(0, 512), slug: "hostile" });
  await call("/help-articles/create", { collection_id: collection.id, title: "Hostile <script>window.hacked=1</script>", content: `# ${LONG}\n\n## <img src=x onerror=window.hacked=1>\n\n${HTML}\n\n${MARKDOWN}`, slug: "hostile", status_code: "published" });
});
after(() => browser.close());

// Nothing has run, nothing covers the page, and nothing sticks out.
async function whole(tab) {
  await tab.page.waitForLoadState("networkidle");
  assert.equal(await tab.page.evaluate(() => window.hacked), undefined, tab.page.url());
  assert.equal(await tab.page.locator("main script:not([src*='/assets/']), main iframe, main style, main base, main meta, main video, main .prose form, main .prose button, main .prose svg").count(), 0);
  const odd = await tab.page.evaluate(() => [...document.querySelectorAll("main *")].flatMap((element) =>
    [...element.attributes].filter(({ name, value }) => name.startsWith("on") || name === "style" || /^\s*(javascript|data):/i.test(value)).map(({ name, value }) => `${name}=${value}`)));
  assert.deepEqual(odd, []);
  for (const width of [1280, 320]) {
    await tab.page.setViewportSize({ width, height: 800 });
    assert.equal(await tab.overflow(), 0, `${tab.page.url()} at ${width} px`);
  }
  for (const trap of await tab.page.locator("main .prose a").all()) {
    const href = await trap.getAttribute("href");
    assert(href === null || /^(https?:|mailto:|\/|#)/.test(href), href);
  }
}

test("hostile texts do nothing on any page", () =>
  within(browser, {}, async (tab) => {
    const paths = [
      "/b/hostile?sort=new", "/?sort=new", "/b/hostile/new", "/search?q=hacked", "/changelog", "/help/hostile",
      "/help/hostile/hostile", "/help?q=hostile", `/u/${posts.html.author_id}`, ...Object.values(posts).map(({ slug }) => `/p/${slug}`),
      `/search?q=${encodeURIComponent("\"><script>window.hacked = 'search'</script>")}`,
      `/b/hostile?q=${encodeURIComponent("\"><script>window.hacked = 'search'</script>")}`,
      `/b/hostile/new?title=${encodeURIComponent("\"><script>window.hacked = 'title'</script>")}`,
      `/sign-in?return_to=${encodeURIComponent("\"><script>window.hacked = 'return'</script>")}`,
    ];
    for (const path of paths) {
      const answer = await tab.open(path);
      assert.equal(answer.status(), 200, path);
      await whole(tab);
    }
  }));

test("hostile texts do nothing to those who have signed in", () =>
  within(browser, {}, async (tab) => {
    await tab.signIn(address("careful"));
    for (const { slug } of Object.values(posts)) {
      await tab.open(`/p/${slug}`);
      await whole(tab);
    }
    await tab.open("/account");
    await tab.page.locator("#name").fill("\"><img src=x onerror=window.hacked=1>");
    await tab.go(tab.button("Save").first());
    await whole(tab);
    await tab.open("/b/hostile/new");
    await tab.page.getByLabel("Title").pressSequentially("window.hacked", { delay: 10 });
    await tab.page.locator("#similar li").first().waitFor();
    await tab.page.getByLabel("Details").fill(`${HTML}\n\n${MARKDOWN}`);
    await tab.button("Preview").click();
    await tab.page.locator(".preview a").first().waitFor();
    await whole(tab);
  }));

test("a title in Arabic runs from right to left", () =>
  within(browser, {}, async (tab) => {
    await tab.open(`/p/${posts.arabic.slug}`);
    const title = tab.page.getByRole("heading", { level: 1 });
    assert.equal(await title.innerText(), ARABIC);
    assert.equal(await title.evaluate((title) => getComputedStyle(title).direction), "rtl");
    await tab.open("/b/hostile?sort=new");
    const link = tab.page.locator("h3", { hasText: ARABIC });
    assert.equal(await link.evaluate((title) => getComputedStyle(title).direction), "rtl");
    // In a list, all titles begin at the same edge.
    assert.equal(await link.evaluate((title) => getComputedStyle(title).textAlign), "left");
  }));

test("a title with everything in it is shown as it was written", () =>
  within(browser, {}, async (tab) => {
    for (const [key, title] of Object.entries({ long: LONG, ...NAMES })) {
      if (key === "marks") {
        continue;
      }
      await tab.open(`/p/${posts[key].slug}`);
      assert.equal(await tab.heading(), title);
      assert((await tab.page.title()).startsWith(title));
    }
  }));

test("a way back leads to no other site", () =>
  within(browser, {}, async (tab) => {
    for (const [place, to] of [
      ["https://evil.example/", "/"], ["//evil.example/", "/"], ["/\\evil.example", "/"], ["javascript:alert(1)", "/"], ["/roadmap", "/roadmap"],
      ["/%2F%2Fevil.example", null], ["\t//evil.example", "/"],
    ]) {
      await tab.page.context().clearCookies();
      await tab.open(`/sign-in?return_to=${encodeURIComponent(place)}`);
      const { code } = await tab.ask(address("way"));
      await tab.page.getByLabel("Code").fill(code);
      await tab.go(tab.page.getByRole("main").getByRole("button", { name: "Sign in" }));
      assert.equal(new URL(tab.page.url()).origin, process.env.HEARBACK_TEST_URL, place);
      if (to) {
        assert.equal(new URL(tab.page.url()).pathname, to);
      }
    }
    tab.complaints = tab.complaints.filter((text) => !text.includes("404"));
  }));

test("a form of another site does nothing", async () => {
  const { slug } = posts.arabic;
  const origin = process.env.HEARBACK_TEST_URL;
  for (const headers of [{}, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site", origin }, { origin: "null" }]) {
    for (const path of [`/p/${slug}/vote`, `/p/${slug}/comment`, "/sign-in", "/sign-out", "/account", "/language", "/b/hostile/new"]) {
      const answer = await fetch(origin + path, { method: "POST", headers, body: new URLSearchParams({ email: "a@example.com" }), redirect: "manual" });
      assert.equal(answer.status, 403, `${path} ${JSON.stringify(headers)}`);
    }
  }
});

test("the session is in a cookie that scripts do not see", () =>
  within(browser, {}, async (tab) => {
    await tab.signIn(address("cookie"));
    assert.equal(await tab.page.evaluate(() => document.cookie), "");
    const [session] = (await tab.page.context().cookies()).filter(({ name }) => name.startsWith("hearback-") && name !== "hearback-sign-in");
    assert.deepEqual([session.httpOnly, session.sameSite, session.path], [true, "Lax", "/"]);
    const answer = await tab.open("/");
    const policy = (await answer.allHeaders())["content-security-policy"];
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert(!policy.includes("unsafe"), policy);
  }));

