// Signing in by providers of OpenID Connect: a real one, and one that attacks.

"use strict";

const assert = require("node:assert/strict");
const crypto = require("node:crypto");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { after, before, test } = require("node:test");
const { Tab, URL, command, launch, listen, open } = require("./support.js");

const SECRET = "a secret of the provider";
const CLIENT = "portal";

// Adds a provider. Returns its identifier and its callback address.
function add(issuer, ...options) {
  const args = ["oidc", "add", "--name", "Example", "--issuer", issuer, "--client-id", CLIENT, ...options];
  const columns = command(args, `${SECRET}\n`).trim().split("\t");
  const id = columns[0];
  return { id, callback: new globalThis.URL(columns.at(-1)).pathname };
}

const keys = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
const others = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

// A token, signed as its header says.
function token(header, claims, key = keys.privateKey) {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = {
    RS256: () => crypto.sign("sha256", Buffer.from(text), key).toString("base64url"),
    HS256: () => crypto.createHmac("sha256", SECRET).update(text).digest("base64url"),
    none: () => "",
  }[header.alg]();
  return `${text}.${signature}`;
}

// A provider that does as it is told: `lies` changes the answer to a code.
const rogue = { lies: {}, challenges: new Map(), asked: [] };
async function answer(request, response) {
  const send = (value, status = 200, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  const { issuer, lies } = rogue;
  rogue.asked.push(request.url);
  if (request.url === "/.well-known/openid-configuration") {
    return send({
      issuer: lies.description ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    });
  }
  if (request.url === "/keys") {
    return send({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] });
  }
  let body = "";
  for await (const part of request) {
    body += part;
  }
  if (lies.redirect) {
    return send({}, 307, { location: `${issuer}/elsewhere` });
  }
  const form = new URLSearchParams(body);
  const proof = crypto.createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
  const { nonce, challenge } = rogue.challenges.get(form.get("code")) ?? {};
  const basic = `Basic ${Buffer.from(`${CLIENT}:${encodeURIComponent(SECRET).replace(/%20/g, "+")}`).toString("base64")}`;
  if (proof !== challenge || request.headers.authorization !== basic) {
    return send({ error: "invalid_grant" }, 400);
  }
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer, sub: "rogue-1", aud: CLIENT, iat: now, exp: now + 60, nonce,
    email: "rogue@example.com", email_verified: true, name: "Rogue",
    ...lies.claims,
  };
  const header = { alg: "RS256", kid: "1", ...lies.header };
  send({ access_token: "a", token_type: "Bearer", id_token: token(header, claims, lies.key) });
}

// A browser without pages: its cookies, and the addresses to which it is sent.
class Visitor {
  cookies = new Map();

  async get(target) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(target.startsWith("http") ? target : URL + target, { headers: { cookie }, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
      if (value && !/max-age=0/i.test(set)) {
        this.cookies.set(name, value);
      } else {
        this.cookies.delete(name);
      }
    }
    return { status: response.status, to: response.headers.get("location"), text: await response.text() };
  }

  // Goes to the provider. Returns the address of the way back.
  async depart(provider, returnTo = "/roadmap") {
    const { status, to } = await this.get(`/sign-in/oidc/${provider.id}?return_to=${encodeURIComponent(returnTo)}`);
    assert.equal(status, 303);
    const { origin, searchParams } = new globalThis.URL(to);
    assert.equal(origin, rogue.issuer);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    assert.equal(searchParams.get("scope"), "openid email profile");
    assert.equal(searchParams.get("redirect_uri"), URL + provider.callback);
    const code = crypto.randomUUID();
    rogue.challenges.set(code, { nonce: searchParams.get("nonce"), challenge: searchParams.get("code_challenge") });
    return `${provider.callback}?code=${code}&state=${searchParams.get("state")}`;
  }

  async isSignedIn() {
    return (await this.get("/account")).text.includes("Your account");
  }
}

let browser, provider, server;
before(async () => {
  server = await listen(answer);
  rogue.issuer = server.origin;
  provider = add(rogue.issuer);
  browser = await launch();
});
after(async () => {
  command(["oidc", "remove", "--id", provider.id]);
  server.stop();
  await browser.close();
});

// Nobody is signed in, and the page says why.
async function refused(visitor, answer, words) {
  assert.equal(answer.status, 403, answer.text);
  assert.match(answer.text, words);
  assert.ok(!(await visitor.isSignedIn()));
}

test("a code signs in once, in a new session, and returns to its page", async () => {
  rogue.lies = {};
  const visitor = new Visitor();
  const back = await visitor.depart(provider);
  const before = new Map(visitor.cookies);
  const { status, to } = await visitor.get(back);
  assert.deepEqual([status, to], [303, "/roadmap?done=signed-in"]);
  assert.ok(await visitor.isSignedIn());
  assert.equal(visitor.cookies.size, 1, "the cookie of the way is gone");

  const thief = new Visitor();
  thief.cookies = before;
  await refused(thief, await thief.get(back), /took too long, or began in another browser/);

  // A session that somebody has planted is not the one that begins.
  const [[name, planted]] = visitor.cookies;
  const again = await visitor.depart(provider);
  await visitor.get(again);
  assert.notEqual(visitor.cookies.get(name), planted);
  thief.cookies = new Map([[name, planted]]);
  assert.ok(!(await thief.isSignedIn()), "the former session has ended");
});

test("the state of another browser, a wrong one and none sign nobody in", async () => {
  rogue.lies = {};
  const [one, other] = [new Visitor(), new Visitor()];
  const back = await one.depart(provider);
  await refused(other, await other.get(back), /began in another browser/);
  await other.depart(provider);
  await refused(other, await other.get(back), /began in another browser/);
  const state = /state=([^&]+)/.exec(back)[1];
  for (const wrong of [back.replace(state, "x"), back.replace(/&state=.*/, "")]) {
    const visitor = new Visitor();
    await visitor.depart(provider);
    await refused(visitor, await visitor.get(wrong), /began in another browser/);
  }
});

const NOW = Math.floor(Date.now() / 1000);
const ATTACKS = {
  "another nonce": [{ claims: { nonce: "x" } }, /another sign-in/],
  "no nonce": [{ claims: { nonce: undefined } }, /another sign-in/],
  "another audience": [{ claims: { aud: "somebody" } }, /another client/],
  "a second audience": [{ claims: { aud: [CLIENT, "somebody"] } }, /another client/],
  "a token that has expired": [{ claims: { exp: NOW - 1 } }, /expired/],
  "another issuer in the token": [{ claims: { iss: "https://accounts.google.com" } }, /issuer is another one/],
  "a description of another issuer": [{ description: "https://accounts.google.com" }, /cannot be read/],
  "no signature": [{ header: { alg: "none" } }, /signature of the token is wrong/],
  "a signature by the client secret": [{ header: { alg: "HS256" } }, /signature of the token is wrong/],
  "a signature by another key": [{ key: others.privateKey }, /signature of the token is wrong/],
  "a redirect": [{ redirect: true }, /did not take the code/],
  "an address that is not confirmed": [{ claims: { email_verified: false } }, /has not confirmed your email address/],
  "an address of which nothing is said": [{ claims: { email_verified: undefined } }, /has not confirmed/],
};
for (const [name, [lies, words]] of Object.entries(ATTACKS)) {
  test(`${name} signs nobody in`, async () => {
    const visitor = new Visitor();
    rogue.lies = {};
    const back = await visitor.depart(provider);
    rogue.lies = lies;
    await refused(visitor, await visitor.get(back), words);
    assert.ok(!rogue.asked.includes("/elsewhere"), "no redirect is followed");
  });
}

test("a code works for the provider alone that it is from", async () => {
  rogue.lies = {};
  const second = add(rogue.issuer);
  const visitor = new Visitor();
  const back = await visitor.depart(provider);
  const elsewhere = back.replace(provider.callback, second.callback);
  await refused(visitor, await visitor.get(elsewhere), /began in another browser/);
  const mixed = `${await visitor.depart(provider)}&iss=https%3A%2F%2Fevil.example`;
  await refused(visitor, await visitor.get(mixed), /issuer is another one/);
  const foreign = (await visitor.depart(provider)).replace(/code=[^&]+/, `code=${crypto.randomUUID()}`);
  await refused(visitor, await visitor.get(foreign), /did not take the code/);
  command(["oidc", "remove", "--id", second.id]);
  assert.equal((await visitor.get(`/sign-in/oidc/${second.id}`)).status, 404);
});

test("a refusal at the provider is told, and nobody leaves the portal", async () => {
  rogue.lies = {};
  const visitor = new Visitor();
  const back = (await visitor.depart(provider)).replace(/code=[^&]+/, "error=access_denied");
  await refused(visitor, await visitor.get(back), /were not signed in at/);
  for (const evil of ["//evil.example", "https://evil.example", "/\\evil.example", "/%09/evil.example", "/..//evil.example"]) {
    const visitor = new Visitor();
    const { to } = await visitor.get(await visitor.depart(provider, evil));
    assert.match(to, /^\/(?![/\\])/, evil);
    assert.ok(!to.includes("evil.example") || to.startsWith("/%09"), to);
  }
});

test("a member of the team signs in by a provider for members alone", async () => {
  const email = "colleague@example.com";
  const visitor = new Visitor();
  rogue.lies = { claims: { sub: "rogue-2", email } };
  await visitor.get(await visitor.depart(provider));
  assert.ok(await visitor.isSignedIn());

  const context = await open(browser, {});
  await new Tab(await context.newPage()).join(email, "member");
  await context.close();
  assert.ok(!(await visitor.isSignedIn()), "who joins the team signs in anew");
  await refused(visitor, await visitor.get(await visitor.depart(provider)), /member of the team/);

  const members = add(rogue.issuer, "--for-members");
  await visitor.get(await visitor.depart(members));
  assert.ok(await visitor.isSignedIn());
  command(["oidc", "remove", "--id", members.id]);
});

test("a person signs in at a real provider", async () => {
  let handler = (_, response) => response.writeHead(503).end();
  const { stop, origin: issuer } = await listen((request, response) => handler(request, response));
  const real = add(issuer);
  const main = path.join(process.env.NODE_PATH, "oidc-provider", "lib", "index.js");
  const { default: Provider } = await import(pathToFileURL(main));
  const account = (id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: `The real ${id}` }),
  });
  const oidc = new Provider(issuer, {
    clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [URL + real.callback] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_, id) => account(id),
    pkce: { required: () => true },
    cookies: { keys: ["a key of the test"] },
  });
  handler = oidc.callback();

  try {
    for (const [javaScriptEnabled, name] of [[true, "first"], [true, "first"], [false, "second"]]) {
      // Not `open`, which keeps a window from other hosts.
      const context = await browser.newContext({ javaScriptEnabled });
      await context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
      const page = await context.newPage();
      await page.goto(`${URL}/sign-in?return_to=/changelog`);
      await page.locator(`a[href*="${real.id}"]`).click();
      await page.locator("input[name=login]").fill(name);
      await page.locator("input[name=password]").fill("x");
      await page.locator("button[type=submit]").click();
      // The provider asks whether the portal may know the person.
      await page.locator("button[type=submit]").click();
      await page.waitForURL(`${URL}/changelog?done=signed-in`);
      await page.goto(`${URL}/account`);
      assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), `The real ${name}`);
      await context.close();
    }
  } finally {
    command(["oidc", "remove", "--id", real.id]);
    stop();
  }
});
