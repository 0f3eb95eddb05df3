// Who sees what: five visitors follow every link. Each word is on the pages of those who may read it,
// and on no others; and what is hidden is answered as what never was.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { Tab, URL, address, all, board, call, comment, launch, open, post } = require("./support.js");

const ACCESS = ["public", "signed_in", "team", "custom"];
// No word is a part of a page for another reason.
const WORDS = { public: "quokkapub", signed_in: "quokkasig", team: "quokkatea", custom: "quokkacus", pending: "quokkapen", internal: "quokkaint" };
// What each visitor may read.
const READERS = {
  "a guest": ["public"],
  "a user": ["public", "signed_in"],
  "a user who is allowed by the domain": ["public", "signed_in", "custom"],
  "a user who is allowed by name": ["public", "signed_in", "custom"],
  "a viewer of the team": ["public", "signed_in", "team", "custom", "pending"],
};
// The most pages of a crawl.
const MOST = 260;

const boards = {};
const posts = {};
const cookies = {};
let browser, merged;
before(async () => {
  browser = await launch();
  const named = address("named");
  const domain = `domain-${Math.random().toString(36).slice(2)}.example`;
  const people = {
    "a user": address("user"),
    "a user who is allowed by the domain": `somebody@${domain}`,
    "a user who is allowed by name": named,
  };
  cookies["a guest"] = "";
  for (const [reader, email] of Object.entries(people)) {
    cookies[reader] = await cookie((tab) => tab.signIn(email));
  }
  cookies["a viewer of the team"] = await cookie((tab) => tab.join(address("team"), "viewer"));
  const allowed = (await call("/users/list", { search: named })).items[0];

  for (const access of ACCESS) {
    const word = WORDS[access];
    const more = access === "custom" ? { allowed_email_domains: [domain], allowed_user_ids: [allowed.user_id] } : {};
    boards[access] = await board(`Board ${word}`, { access_code: access, ...more });
    posts[access] = await post(boards[access], `Kaleidoscope ${word}`, { description: `Text ${word}`, author_email: `${word}@example.com`, author_name: "Somebody" });
    await comment(posts[access].id, `Comment ${word}`);
    await call("/votes/set", { post_id: posts[access].id, post_type: "feedback", voter_email: address("voter"), voter_name: `Voter ${word}`, voted: true });
  }
  posts.pending = await post(boards.public, `Kaleidoscope ${WORDS.pending}`, { moderation_status_code: "pending" });
  await call("/comments/create", { feedback_post_id: posts.public.id, content: `Comment ${WORDS.internal}`, author_email: "inner@example.com", author_name: "Inner", visibility_code: "internal" });

  // A plan and an entry of the changelog that lead to all of them.
  const ids = Object.values(posts).map(({ id }) => id);
  const [roadmap] = await all("roadmap-boards");
  const status = (await all("statuses")).find(({ code }) => code === "planned");
  await call("/roadmap-posts/create", { roadmap_board_id: roadmap.id, title: "Kaleidoscopes", status_id: status.id, feedback_post_ids: ids, position: 1 });
  const entry = await call("/changelog/create", { title: "Kaleidoscopes", details: "They are here.", published: true, notify: false });
  await call("/changelog/link-posts", { entry_id: entry.id, post_ids: ids });
  const hidden = await call("/roadmap-boards/create", { name: `Roadmap ${WORDS.team}`, access_code: "team" });
  await call("/roadmap-posts/create", { roadmap_board_id: hidden.id, title: `Plan ${WORDS.team}`, status_id: status.id });

  // A public post that went into a hidden one.
  merged = await post(boards.public, "Kaleidoscope that was merged");
  await call("/feedback-posts/merge", { merge_post_id: merged.id, into_post_id: posts.team.id, merger_id: allowed.user_id });
  // The server looks for changes of boards once a second.
  await new Promise((resume) => setTimeout(resume, 1_100));
});
after(() => browser.close());

// Who signs in in a browser goes on without it.
async function cookie(enter) {
  const context = await open(browser);
  try {
    await enter(new Tab(await context.newPage()));
    return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  } finally {
    await context.close();
  }
}

async function get(path, reader = "a guest", options = {}) {
  const headers = { accept: "text/html", cookie: cookies[reader], "accept-language": "en", ...options.headers };
  const answer = await fetch(URL + path, { redirect: "manual", ...options, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const decoded = (text) => text.replaceAll("&#38;", "&").replaceAll("&amp;", "&").replaceAll("&#61;", "=");

// Follows links from the first page, and where a visitor may guess. Returns the pages by address.
async function crawl(reader) {
  const waiting = ["/", "/?sort=new", ...ACCESS.map((access) => `/b/${boards[access].slug}`), ...Object.values(posts).map(({ slug }) => `/p/${slug}`), "/feeds/posts.atom", "/feeds/posts.json", "/feeds/changelog.atom", "/sitemap-pages.xml", "/sitemap-posts.xml", "/roadmap", "/changelog", "/help", "/account"];
  const pages = new Map();
  while (waiting.length > 0 && pages.size < MOST) {
    const path = waiting.shift();
    if (pages.has(path)) {
      continue;
    }
    const { status, headers, text } = await get(path, reader);
    assert(status < 500, `${path}: ${status}`);
    pages.set(path, status === 200 ? text : `${headers.get("location") ?? ""}`);
    const links = [...text.matchAll(/(?:href="|<loc>|"url":")([^"<]+)/g)].map(([, link]) => decoded(link));
    for (const link of [headers.get("location"), ...links].filter(Boolean)) {
      const url = new globalThis.URL(link, URL + path);
      // A few of the many orders and filters are enough.
      const fields = [...url.searchParams.keys()].filter((name) => !["after", "sort"].includes(name));
      if (url.origin === URL && fields.length === 0 && !/^\/(assets|colors)\//.test(url.pathname)) {
        const next = url.pathname + url.search;
        // What may be about a hidden thing comes first.
        if (/quokka|kaleidoscope/.test(next)) {
          waiting.unshift(next);
        } else {
          waiting.push(next);
        }
      }
    }
  }
  return pages;
}

for (const [reader, readable] of Object.entries(READERS)) {
  test(`${reader} finds ${readable.join(", ")} and nothing else`, async () => {
    const pages = await crawl(reader);
    assert(pages.size > 100, `${pages.size} pages`);
    const found = {};
    for (const [access, word] of Object.entries(WORDS)) {
      found[access] = [...pages].filter(([, text]) => text.includes(word)).map(([path]) => path);
    }
    for (const access of Object.keys(WORDS)) {
      if (readable.includes(access)) {
        assert(found[access].length > (access === "pending" ? 0 : 3), `${access}: ${found[access]}`);
      } else {
        assert.deepEqual(found[access], [], access);
      }
    }
  });

  test(`${reader} asks for what is hidden, and hears what one hears of nothing`, async () => {
    for (const access of ACCESS.filter((access) => !readable.includes(access))) {
      const { slug } = boards[access];
      const post = posts[access].slug;
      for (const [there, nowhere] of [
        [`/b/${slug}`, "/b/never"],
        [`/b/${slug}?sort=new`, "/b/never?sort=new"],
        [`/b/${slug}/new`, "/b/never/new"],
        [`/b/${slug}/similar?title=Kaleidoscope`, "/b/never/similar?title=Kaleidoscope"],
        [`/p/${post}`, "/p/never"],
        [`/feeds/${slug}.atom`, "/feeds/never.atom"],
        [`/feeds/${slug}.json`, "/feeds/never.json"],
      ]) {
        const [hidden, never] = [await get(there, reader), await get(nowhere, reader)];
        assert.deepEqual([hidden.status, never.status], [404, 404], there);
        assert.equal(hidden.text, never.text, there);
        const names = (headers) => [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
        assert.deepEqual(names(hidden.headers), names(never.headers), there);
      }
      // Forms, too.
      const form_token = /name="form_token" value="([^"]*)"/.exec((await get("/", reader)).text)[1];
      for (const form of ["vote", "comment", "follow", "edit", "delete"]) {
        const send = (slug) => get(`/p/${slug}/${form}`, reader, { method: "POST", headers: { "sec-fetch-site": "same-origin" }, body: new URLSearchParams({ form_token, text: "x", voted: "yes", level: "all", title: "x" }) });
        const [hidden, never] = [await send(post), await send("never")];
        assert([303, 404].includes(never.status) && hidden.status === never.status, form);
        assert.equal(hidden.text, never.text, form);
        assert.equal((hidden.headers.get("location") ?? "").replace(post, "never"), never.headers.get("location") ?? "", form);
      }
    }
  });

  test(`${reader} searches, and finds no more`, async () => {
    const slugs = async (path) => {
      const { status, text } = await get(path, reader);
      assert.equal(status, 200, path);
      return new Set([...text.matchAll(/\/p\/([\w-]*quokka[\w-]*)/g)].map(([, slug]) => slug));
    };
    const expected = ["public", "signed_in", "team", "custom"].filter((access) => readable.includes(access)).map((access) => posts[access].slug).sort();
    for (const path of ["/search?q=Kaleidoscope", "/?q=Kaleidoscope", "/?q=Kaleidoscope&sort=new"]) {
      const found = [...await slugs(path)].filter((slug) => slug !== posts.pending.slug);
      assert.deepEqual(found.sort(), expected, path);
    }
    for (const access of ACCESS) {
      const found = await slugs(`/search?q=${WORDS[access]}`);
      assert.equal(found.has(posts[access].slug), readable.includes(access), access);
    }
    // Posts like the one that is being written are those of the board.
    const similar = await slugs(`/b/${boards.public.slug}/similar?title=Kaleidoscope+quokkapub`);
    assert(similar.has(posts.public.slug));
    assert([...similar].every((slug) => [posts.public.slug, posts.pending.slug].includes(slug)), [...similar].join());
  });

  test(`${reader} does not hear where a post went that was merged into a hidden one`, async () => {
    const { status, headers, text } = await get(`/p/${merged.slug}`, reader);
    if (readable.includes("team")) {
      assert.deepEqual([status, headers.get("location")], [301, `/p/${posts.team.slug}`]);
    } else {
      assert.equal(status, 404);
      assert.equal(text, (await get("/p/never", reader)).text);
    }
  });
}

test("a person's page shows the posts that the visitor may read", async () => {
  for (const [reader, readable] of Object.entries(READERS)) {
    for (const access of ACCESS) {
      const { text } = await get(`/u/${posts[access].author_id}`, reader);
      assert.equal(text.includes(posts[access].slug), readable.includes(access), `${reader}: ${access}`);
    }
  }
});

test("a new board is hidden from its first moment", async () => {
  // The server has the boards at hand that there were.
  await get("/");
  const place = await board("Board quokkanew", { access_code: "team" });
  const { slug } = await post(place, "Kaleidoscope quokkanew");
  const began = Date.now();
  while (Date.now() - began < 1_500) {
    for (const path of ["/?sort=new", "/?q=quokkanew", "/search?q=quokkanew", "/feeds/posts.atom", "/sitemap-posts.xml", "/sitemap-pages.xml", `/p/${slug}`, `/u/${posts.public.author_id}`]) {
      const { text } = await get(path);
      assert(!text.includes(slug) && !text.includes("Kaleidoscope quokkanew"), path);
    }
  }
});

test("the sitemap is that of a guest, whoever asks", async () => {
  const texts = await Promise.all(Object.keys(READERS).map(async (reader) => (await get("/sitemap-posts.xml", reader)).text));
  assert.equal(new Set(texts).size, 1);
  assert(texts[0].includes(posts.public.slug) && !texts[0].includes("quokkasig"));
});

test("a session is of its organization, and of its owner", async () => {
  const cookie = cookies["a viewer of the team"].replace(/=([\w-]{4})/, "=AAAA");
  const answer = await fetch(`${URL}/account`, { redirect: "manual", headers: { cookie } });
  assert.equal(answer.status, 303);
  assert.match(answer.headers.get("location"), /^\/sign-in\?/);
  assert.equal((await get("/o/nothing-of-this-name/", "a viewer of the team")).status, 404);
  assert.equal((await get("/o/weekwright/")).status, 200);
});

test("another host is nobody's", async () => {
  const http = require("node:http");
  const { port } = new globalThis.URL(URL);
  const [status, text] = await new Promise((resolve, reject) => {
    http.get({ host: "127.0.0.1", port, path: "/", headers: { host: "evil.example" } }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve([answer.statusCode, text]));
    }).on("error", reject);
  });
  assert.equal(status, 404);
  assert(!/weekwright/i.test(text), text);
});
