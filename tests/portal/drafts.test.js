// What visitors have written when their session has ended: it is there behind each way to sign in,
// with scripts and without.

"use strict";

const assert = require("node:assert/strict");
const crypto = require("node:crypto");
const { after, before, test } = require("node:test");
const { Tab, URL, address, board, call, command, comment, launch, listen, make } = require("./support.js");

const CLIENT = "drafts";
const PASSWORD = "a quiet afternoon";

// A provider of OpenID Connect, and the organization's own sign-in. Both sign in whoever comes.
const keys = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);
const elsewhere = { email: "", secret: "", nonces: new Map() };

function token(alg, claims) {
  const text = `${encode({ alg, typ: "JWT", kid: "1" })}.${encode({ iat: now(), exp: now() + 60, sub: elsewhere.email, email: elsewhere.email, ...claims })}`;
  const signature = alg === "HS256"
    ? crypto.createHmac("sha256", elsewhere.secret).update(text).digest("base64url")
    : crypto.sign("sha256", Buffer.from(text), keys.privateKey).toString("base64url");
  return `${text}.${signature}`;
}

async function answer(request, response) {
  const { issuer } = elsewhere;
  const { pathname, searchParams: query } = new globalThis.URL(request.url, issuer);
  const send = (value) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const lead = (to, fields) => {
    const target = new globalThis.URL(to);
    for (const [name, value] of Object.entries({ ...fields, state: query.get("state") })) {
      target.searchParams.set(name, value);
    }
    response.writeHead(303, { location: target.href });
    response.end();
  };
  switch (pathname) {
    case "/.well-known/openid-configuration":
      return send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    case "/keys":
      return send({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] });
    case "/authorize": {
      const code = crypto.randomUUID();
      elsewhere.nonces.set(code, query.get("nonce"));
      return lead(query.get("redirect_uri"), { code });
    }
    case "/token": {
      let body = "";
      for await (const part of request) {
        body += part;
      }
      const nonce = elsewhere.nonces.get(new URLSearchParams(body).get("code"));
      return send({
        access_token: "a", token_type: "Bearer",
        id_token: token("RS256", { iss: issuer, aud: CLIENT, nonce, email_verified: true }),
      });
    }
    case "/login":
      return lead(query.get("redirect"), { token: token("HS256", {}) });
    default:
      response.writeHead(404);
      response.end();
  }
}

let browser, server, provider, ideas;
before(async () => {
  browser = await launch();
  server = await listen(answer);
  elsewhere.issuer = server.origin;
  const options = ["--name", "Drafts", "--issuer", elsewhere.issuer, "--client-id", CLIENT];
  [provider] = command(["oidc", "add", ...options], "a secret\n").trim().split("\t");
  elsewhere.secret = command(["sso", "generate"]).trim();
  command(["organization", "set", "--password-sign-in", "on", "--sso-url", `${elsewhere.issuer}/login`]);
  ideas = await board("Ideas of drafts");
});
after(async () => {
  command(["organization", "set", "--password-sign-in", "off", "--sso-url", ""]);
  command(["oidc", "remove", "--id", provider]);
  server.stop();
  await browser.close();
});

const main = (tab, name) => tab.page.getByRole("main").getByRole("button", { name, exact: true });

// The ways to sign in, from the page to sign in.
const WAYS = {
  async code(tab, email) {
    const { code } = await tab.ask(email);
    await tab.page.getByLabel("Code").fill(code);
    await tab.go(main(tab, "Sign in"));
  },
  async link(tab, email) {
    const { link } = await tab.ask(email);
    await tab.open(link);
    await tab.go(main(tab, "Sign in"));
  },
  async password(tab, email) {
    command(["member", "password", "--email", email], `${PASSWORD}\n`);
    await tab.page.getByLabel("Email address").fill(email);
    await tab.page.getByLabel("Password").fill(PASSWORD);
    await tab.go(main(tab, "Sign in"));
  },
  async provider(tab) {
    await tab.page.locator(`a[href*="${provider}"]`).click();
    await tab.page.waitForURL(/done=signed-in/);
  },
  async token(tab) {
    await tab.page.locator('a[href*="/sso"]').click();
    await tab.page.waitForURL(/done=signed-in/);
  },
};

// The forms: the page of each one, and its button.
const FORMS = {
  "a new idea": async () => ({ page: `/b/${ideas.slug}/new`, button: "Post the idea" }),
  "a comment": async ({ post }) => ({ page: `/p/${post.slug}`, button: "Comment" }),
  "a reply": async ({ post, said }) => ({ page: `/p/${post.slug}?reply=${said}`, button: "Reply" }),
  "a changed idea": async ({ post }) => ({ page: `/p/${post.slug}/edit`, button: "Save" }),
  "a changed comment": async ({ post, said }) => ({ page: `/p/${post.slug}/c/${said}`, button: "Save" }),
};

// A window in which a person has signed in, who has a post and a comment.
async function begin(javaScriptEnabled, email) {
  const post = await make("feedback-posts", {
    board_id: ideas.id, title: `An idea of ${email}`, author_email: email, author_name: "Dora Drafter",
  });
  const { id: said } = await call("/comments/create", {
    feedback_post_id: post.id, content: "A first word", author_email: email, author_name: "Dora Drafter",
  });
  // Not `open` of support.js, which keeps a window from other hosts.
  const context = await browser.newContext({ javaScriptEnabled, locale: "en-US" });
  await context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
  const tab = new Tab(await context.newPage());
  await tab.signIn(email);
  return { context, tab, post, said };
}

// Ends the session of the window elsewhere: the window keeps its cookie and its page.
async function endSession(context) {
  const [{ name, value }] = (await context.cookies()).filter((cookie) => /^hearback-[0-9a-f]{12}$/.test(cookie.name));
  const headers = { cookie: `${name}=${value}`, "sec-fetch-site": "same-origin" };
  const page = await (await fetch(`${URL}/account`, { headers })).text();
  const form_token = /name="form_token" value="([^"]+)"/.exec(page)[1];
  const body = new URLSearchParams({ form_token });
  const { status } = await fetch(`${URL}/sign-out`, { method: "POST", headers, body, redirect: "manual" });
  assert.equal(status, 303);
}

// A draft does not depend on the way to sign in: each form is tested with two of the five ways.
for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  const ways = Object.entries(WAYS);
  for (const [place, [kind, form]] of Object.entries(FORMS).entries()) {
    const [way, signIn] = ways[(place + Number(javaScriptEnabled)) % ways.length];
    test(`${kind} is there behind the sign-in by ${way}, ${how}`, async () => {
      const email = address("drafter");
      elsewhere.email = email;
      const { context, tab, post, said } = await begin(javaScriptEnabled, email);
      try {
        const { page, button } = await form({ post, said });
        const words = `Written by ${way} <i>"${how}"</i>\n\nand 'more' & more`;
        await tab.open(page);
        const title = tab.page.getByLabel("Title");
        if (await title.count()) {
          await title.fill(`A title by ${way}, ${how}`);
        }
        await tab.page.locator("textarea#text").fill(words);
        await endSession(context);
        await tab.go(main(tab, button));
        assert.equal(await tab.words(".lead"), "Sign in to send what you wrote. It is kept meanwhile.");

        await signIn(tab, email);
        assert.equal(await tab.notice(), "You are signed in.");
        assert.equal(await tab.page.locator("textarea#text").inputValue(), words);
        if (await title.count()) {
          assert.equal(await title.inputValue(), `A title by ${way}, ${how}`);
        }
        await tab.go(main(tab, button));
        assert.match(tab.path(), /done=(posted|commented|saved)/);
        assert.match(await tab.words("main"), new RegExp(`Written by ${way} "${how}"`));
        assert.deepEqual(tab.complaints, []);
      } finally {
        await context.close();
      }
    });
  }
}
