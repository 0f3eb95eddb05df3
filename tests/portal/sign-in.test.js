// The ways in that begin elsewhere: the customer's own software, and the link that the demo prints.
// With scripts and without.

"use strict";

const assert = require("node:assert/strict");
const crypto = require("node:crypto");
const { after, before, test } = require("node:test");
const { Tab, URL, address, call, found, launch, listen, run } = require("./support.js");

let browser, software, shop, ideas;
before(async () => {
  browser = await launch();
  software = await listen(signed);
  shop = found("SSO", ["--sso-url", `${software.origin}/login?via=feedback`]);
  ideas = await shop.board("Ideas", { guest_code: "anonymous" });
});
after(async () => {
  software.stop();
  await browser.close();
});

// What the customer's software does with a visitor: it knows who that is, and signs a token.
let person;
let secret;
function signed(request, response) {
  const { pathname, searchParams } = new globalThis.URL(request.url, "http://127.0.0.1");
  assert.deepEqual([pathname, searchParams.get("via")], ["/login", "feedback"]);
  assert.equal(searchParams.get("redirect"), `${shop.base}/sso/callback`);
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { ...person, exp: Math.floor(Date.now() / 1000) + 300, jti: crypto.randomUUID() };
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  const token = `${text}.${crypto.createHmac("sha256", secret).update(text).digest("base64url")}`;
  const back = new globalThis.URL(searchParams.get("redirect"));
  back.searchParams.set("token", token);
  back.searchParams.set("state", searchParams.get("state"));
  response.writeHead(302, { location: back.href }).end();
}

// Not `within`, which keeps a window from other origins.
async function visit(javaScriptEnabled, base, run) {
  const context = await browser.newContext({ javaScriptEnabled, locale: "en-US" });
  await context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
  try {
    await run(new Tab(await context.newPage(), base));
  } finally {
    await context.close();
  }
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`a customer of the customer signs in, and takes along what a guest did, ${how}`, async () => {
    secret ??= shop.command(["sso", "generate"]).trim();
    const email = address("sso");
    person = { email, sub: email, name: "Sofie Single" };
    const { slug } = await shop.post(ideas, `Before the sign-in ${how}`);
    await visit(javaScriptEnabled, shop.base, async (tab) => {
      await tab.open(`/p/${slug}`);
      const vote = tab.page.locator("main .vote").first();
      await vote.click();
      await tab.page.locator("main .vote[aria-pressed=true]").first().waitFor();

      await tab.go(tab.page.getByRole("navigation", { name: "Account" }).getByRole("link", { name: "Sign in", exact: true }));
      await tab.page.getByRole("main").locator("a", { hasText: /^Sign in with/ }).click();
      await tab.page.waitForURL(`${shop.base}/p/${slug}?done=signed-in`);
      assert.equal(await tab.notice(), "You are signed in.");
      assert.equal(await vote.getAttribute("aria-pressed"), "true");
      const cookies = (await tab.page.context().cookies()).map(({ name }) => name);
      assert.deepEqual(cookies.filter((name) => name.includes("-guest") || name.includes("-sso")), []);

      await tab.open("/account");
      assert.equal(await tab.page.locator("#name").inputValue(), "Sofie Single");
      const user = await shop.call("/users/retrieve", { email });
      assert.equal(user.portal_role, "end_user");

      // Back is no second sign-in: the token and the state are good once.
      await tab.go(tab.button("Sign out"));
      await tab.open("/sso/callback?token=x&state=x");
      assert.equal(await tab.heading(), "The sign-in did not work");
      await tab.go(tab.page.getByRole("main").getByRole("link", { name: "Sign in" }));
      assert.equal(await tab.heading(), "Sign in to SSO");
    });
  });

  test(`the link of the demo signs its owner in, once, ${how}`, async () => {
    const [, path] = /^http:\/\/\S+?(\/sign-in\/[\w-]+)$/m.exec(run(["demo"]));
    await visit(javaScriptEnabled, URL, async (tab) => {
      // To look at it is not to use it.
      await tab.open(path);
      await tab.open(path);
      assert.match(await tab.words("main"), /You sign in as owner@weekwright\.example/);
      await tab.go(tab.page.getByRole("main").getByRole("button", { name: "Sign in" }));
      assert.equal(await tab.notice(), "You are signed in.");
      // Owners alone tend the mail server.
      await tab.open("/account");
      await tab.page.getByRole("heading", { name: "Mail server" }).waitFor();
    });
    assert.equal((await call("/users/retrieve", { email: "owner@weekwright.example" })).portal_role, "owner");
    await visit(javaScriptEnabled, URL, async (tab) => {
      await tab.open(path);
      const button = tab.page.getByRole("main").getByRole("button", { name: "Sign in" });
      if (await button.count() > 0) {
        await tab.go(button);
      }
      assert.match(await tab.words("main"), /This link was used already/);
      await tab.open("/account");
      assert.equal(await tab.heading(), "Sign in to Weekwright");
    });
  });
}
