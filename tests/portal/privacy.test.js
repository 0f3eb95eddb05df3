// Who sees what: six visitors follow every link. Each word is on the pages of those who may read it,
// and on no others; and what is hidden is answered as what never was.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { Tab, URL, address, found, launch, open } = require("./support.js");

const ACCESS = ["public", "signed_in", "team", "custom"];
// No word is a part of a page for another reason.
const WORDS = { public: "quokkapub", signed_in: "quokkasig", team: "quokkatea", custom: "quokkacus", pending: "quokkapen", internal: "quokkaint" };
// What each visitor may read.
const READERS = {
  "a guest": ["public"],
  "a user": ["public", "signed_in"],
  "a user who is allowed by the domain": ["public", "signed_in", "custom"],
  "a user who is allowed by name": ["public", "signed_in", "custom"],
  "the author of what waits": ["public", "signed_in", "pending"],
  "a viewer of the team": ["public", "signed_in", "team", "custom", "pending"],
};
// A crawl that finds more pages would not end.
const MOST = 1_500;

// A portal of its own, so that a crawl is short and ends by itself.
const shop = found("Privacy");
const { all, base, board, call, comment, post } = shop;

const boards = {};
const posts = {};
const comments = {};
const cookies = {};
let browser, merged;
before(async () => {
  browser = await launch();
  const named = address("named");
  const author = address("author");
  const domain = `domain-${Math.random().toString(36).slice(2)}.example`;
  const people = {
    "a user": address("user"),
    "a user who is allowed by the domain": `somebody@${domain}`,
    "a user who is allowed by name": named,
    "the author of what waits": author,
  };
  cookies["a guest"] = "";
  for (const [reader, email] of Object.entries(people)) {
    cookies[reader] = await cookie((tab) => tab.signIn(email));
  }
  const team = address("team");
  cookies["a viewer of the team"] = await cookie((tab) => tab.join(team, "viewer", shop.invite(team, "viewer")));
  const allowed = (await call("/users/list", { search: named })).items[0];

  for (const access of ACCESS) {
    const word = WORDS[access];
    const more = access === "custom" ? { allowed_email_domains: [domain], allowed_user_ids: [allowed.user_id] } : {};
    boards[access] = await board(`Board ${word}`, { access_code: access, ...more });
    posts[access] = await post(boards[access], `Kaleidoscope ${word}`, { description: `Text ${word}`, author_email: `${word}@example.com`, author_name: "Somebody" });
    comments[access] = await comment(posts[access].id, `Comment ${word}`);
    await call("/votes/set", { post_id: posts[access].id, post_type: "feedback", voter_email: address("voter"), voter_name: `Voter ${word}`, voted: true });
  }
  posts.pending = await post(boards.public, `Kaleidoscope ${WORDS.pending}`, { moderation_status_code: "pending", author_email: author });
  comments.internal = await call("/comments/create", { feedback_post_id: posts.public.id, content: `Comment ${WORDS.internal}`, author_email: "inner@example.com", author_name: "Inner", visibility_code: "internal" });

  // A plan and an entry of the changelog that lead to all of them, and an article.
  const ids = Object.values(posts).map(({ id }) => id);
  const status = (await all("statuses")).find(({ code }) => code === "planned");
  const roadmap = await call("/roadmap-boards/create", { name: "Roadmap" });
  await call("/roadmap-posts/create", { roadmap_board_id: roadmap.id, title: "Kaleidoscopes", status_id: status.id, feedback_post_ids: ids, position: 1 });
  const entry = await call("/changelog/create", { title: "Kaleidoscopes", details: "They are here.", published: true, notify: false });
  await call("/changelog/link-posts", { entry_id: entry.id, post_ids: ids });
  const hidden = await call("/roadmap-boards/create", { name: `Roadmap ${WORDS.team}`, access_code: "team" });
  await call("/roadmap-posts/create", { roadmap_board_id: hidden.id, title: `Plan ${WORDS.team}`, status_id: status.id });
  const shelf = await call("/help-collections/create", { name: "Shelf" });
  await call("/help-articles/create", { collection_id: shelf.id, title: "Kaleidoscopes", status_code: "published" });

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
    await enter(new Tab(await context.newPage(), base));
    return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  } finally {
    await context.close();
  }
}

async function get(path, reader = "a guest", options = {}) {
  const headers = { accept: "text/html", cookie: cookies[reader], "accept-language": "en", ...options.headers };
  const answer = await fetch(base + path, { redirect: "manual", ...options, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const decoded = (text) => text.replaceAll("&#38;", "&").replaceAll("&amp;", "&").replaceAll("&#61;", "=");

// Follows every link from the first page, and from where a visitor may guess. Returns the pages by
// address, and where they lead.
async function crawl(reader) {
  const starts = ["/", ...ACCESS.map((access) => `/b/${boards[access].slug}`), ...Object.values(posts).map(({ slug }) => `/p/${slug}`), "/feeds/posts.atom", "/feeds/posts.json", "/feeds/changelog.atom", "/sitemap.xml", "/roadmap", "/changelog", "/help", "/search?q=Kaleidoscope", "/account", "/notifications"];
  const pages = new Map();
  const known = new Set(starts);
  const read = async (path) => {
    const { status, headers, text } = await get(path, reader);
    assert(status < 500, `${path}: ${status}`);
    pages.set(path, `${headers.get("location") ?? ""} ${text}`);
    const links = [...text.matchAll(/(?:href="|src="|<loc>|"url":")([^"<]+)/g)].map(([, link]) => decoded(link));
    for (const link of [headers.get("location"), ...links].filter(Boolean)) {
      const { href } = new globalThis.URL(link, base + path);
      if (href.startsWith(`${base}/`) && !/\/(assets|colors)\//.test(href)) {
        const next = href.slice(base.length).split("#")[0];
        if (!known.has(next)) {
          known.add(next);
          waiting.push(next);
        }
      }
    }
    assert(known.size < MOST, `${reader}: the crawl does not end: ${[...known].slice(-20).join(" ")}`);
  };
  const waiting = [...starts];
  while (waiting.length > 0) {
    await Promise.all(waiting.splice(0, 8).map(read));
  }
  return pages;
}

for (const [reader, readable] of Object.entries(READERS)) {
  test(`${reader} finds ${readable.join(", ")} and nothing else`, async () => {
    const crawled = await crawl(reader);
    assert(crawled.size > 100, `${crawled.size} pages`);
    // The portal leads the team to the dashboard, which shows it everything.
    const isShown = ([path]) => !(readable.includes("team") && path.startsWith("/dashboard"));
    const pages = new Map([...crawled].filter(isShown));
    const found = {};
    for (const [access, word] of Object.entries(WORDS)) {
      found[access] = [...pages].filter(([, text]) => text.includes(word)).map(([path]) => path);
    }
    for (const access of Object.keys(WORDS)) {
      if (!readable.includes(access)) {
        // The way to the sign-in and back has the address that the visitor has guessed.
        const slugs = [boards[access]?.slug, posts[access]?.slug].filter(Boolean);
        const unasked = (path) => slugs.filter((slug) => path.includes(slug)).reduce((text, slug) => text.replaceAll(slug, ""), pages.get(path));
        assert.deepEqual(found[access].filter((path) => unasked(path).includes(WORDS[access])), [], access);
      } else if (access === "pending" && readable.includes("team")) {
        // The team has its own list of what waits.
        assert.deepEqual(found.pending, [`/p/${posts.pending.slug}`]);
      } else {
        assert(found[access].length > 3, `${access}: ${found[access]}`);
      }
    }
  });

  test(`${reader} asks for what is hidden, and hears what one hears of nothing`, async () => {
    const same = async (there, nowhere) => {
      const [hidden, never] = [await get(there, reader), await get(nowhere, reader)];
      // Pages to write lead those who have not signed in to the sign-in, whatever they ask for.
      assert.equal(hidden.status, /\/c\//.test(there) && reader === "a guest" ? 303 : 404, there);
      assert.deepEqual([hidden.status, hidden.text], [never.status, never.text], there);
      const compared = (headers) => [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
      const asked = (headers) => compared(headers).map(([name, value]) => [name, value.replaceAll(encodeURIComponent(there), encodeURIComponent(nowhere))]);
      assert.deepEqual(asked(hidden.headers), compared(never.headers), there);
    };
    const nobody = "00000000-0000-7000-8000-000000000000";
    await same(`/p/${posts.public.slug}/c/${comments.internal.id}`, `/p/${posts.public.slug}/c/${nobody}`);
    for (const access of Object.keys(posts).filter((access) => !readable.includes(access))) {
      const post = posts[access].slug;
      await same(`/p/${post}`, "/p/never");
      await same(`/p/${post}?reply=${comments[access]?.id ?? nobody}`, `/p/never?reply=${nobody}`);
      for (const { slug } of [boards[access]].filter(Boolean)) {
        await same(`/p/${posts.public.slug}/c/${comments[access].id}`, `/p/${posts.public.slug}/c/${nobody}`);
        await same(`/p/${post}/c/${comments[access].id}`, `/p/never/c/${nobody}`);
        await same(`/b/${slug}`, "/b/never");
        await same(`/b/${slug}?sort=new`, "/b/never?sort=new");
        await same(`/b/${slug}/new`, "/b/never/new");
        await same(`/b/${slug}/similar?title=Kaleidoscope`, "/b/never/similar?title=Kaleidoscope");
        await same(`/feeds/${slug}.atom`, "/feeds/never.atom");
        await same(`/feeds/${slug}.json`, "/feeds/never.json");
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
    const expected = ACCESS.filter((access) => readable.includes(access)).map((access) => posts[access].slug).sort();
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
      assert.deepEqual([status, headers.get("location")], [301, `${base.slice(URL.length)}/p/${posts.team.slug}`]);
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
  const own = cookies["a viewer of the team"];
  const others = own.replace(/=([\w-]{4})/, "=AAAA");
  // The first organization is at the root of the host.
  for (const [account, cookie] of [[`${base}/account`, others], [`${URL}/account`, own]]) {
    const answer = await fetch(account, { redirect: "manual", headers: { cookie } });
    assert.equal(answer.status, 303, account);
    assert.match(answer.headers.get("location"), /\/sign-in\?/);
  }
  for (const [slug, status] of [["nothing-of-this-name", 404], ["weekwright", 200]]) {
    assert.equal((await fetch(`${URL}/o/${slug}/`, { headers: { cookie: own } })).status, status);
  }
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

test("a private portal leads everybody to the sign-in, whatever they ask for", async () => {
  const before = await crawl("a viewer of the team");
  shop.command(["organization", "set", "--private", "on"]);
  await new Promise((resume) => setTimeout(resume, 1_100));
  const names = (headers) => [...headers].map(([name]) => name);
  const nowhere = await get("/never");
  assert.equal(nowhere.status, 303);
  const open = [];
  for (const path of before.keys()) {
    const { status, headers, text } = await get(path);
    if (/^\/(sign-in|robots\.txt)/.test(path)) {
      open.push(path);
      continue;
    }
    const { pathname } = new globalThis.URL(headers.get("location") ?? "", base);
    assert.deepEqual([status, text, base + pathname.slice(base.length - URL.length)], [303, "", `${base}/sign-in`], path);
    assert.deepEqual(names(headers), names(nowhere.headers), path);
  }
  // Those pages that are open lead nowhere else, and say nothing.
  for (const [path, text] of await crawl("a guest")) {
    const asked = Object.values(WORDS).filter((word) => decodeURIComponent(path).includes(word));
    assert(Object.values(WORDS).every((word) => asked.includes(word) || !text.includes(word)), path);
  }
  // Who has signed in reads as before.
  assert((await get("/", "a user")).text.includes(WORDS.public));
});
