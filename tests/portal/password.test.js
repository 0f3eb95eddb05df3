// Signing in by a password: the first one after an invitation, a change, and what is refused. With
// scripts and without.

"use strict";

const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { command, invite, launch, within } = require("./support.js");

let browser;
before(async () => {
  command(["organization", "set", "--password-sign-in", "on"]);
  browser = await launch();
});
after(async () => {
  command(["organization", "set", "--password-sign-in", "off"]);
  await browser.close();
});

const main = (tab, name) => tab.page.getByRole("main").getByRole("button", { name, exact: true });

// The words of the fault at a field, by which the field is described.
async function faultAt(tab, id) {
  assert.match(await tab.page.locator(`#${id}`).getAttribute("aria-describedby"), new RegExp(`${id}-fault$`));
  return tab.words(`#${id}-fault`);
}

async function signIn(tab, email, password) {
  await tab.open("/sign-in");
  await tab.page.getByLabel("Email address").fill(email);
  await tab.page.getByLabel("Password").fill(password);
  await tab.go(main(tab, "Sign in"));
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`an invited person sets a password and signs in by it, ${how}`, async () => {
    const email = `password-${javaScriptEnabled}@example.com`;
    await within(browser, { javaScriptEnabled }, async (tab) => {
      await tab.open(invite(email, "member"));
      assert.match(await tab.words("main"), new RegExp(`You sign in as ${email}`));
      await tab.go(main(tab, "Sign in"));
      assert.equal(tab.path(), "/account/password?done=signed-in");

      for (const [weak, words] of [[email, /first that others try/], ["password123", /Many people/], ["short", /at least 10/]]) {
        await tab.page.getByLabel("New password").fill(weak);
        await tab.go(main(tab, "Save the password"));
        assert.match(await tab.alert(), words);
        assert.match(await faultAt(tab, "password"), words);
      }
      await tab.page.getByLabel("New password").fill("a quiet morning");
      await tab.go(main(tab, "Save the password"));
      assert.equal(tab.path(), "/account?done=saved");
      await tab.go(tab.button("Sign out"));

      await signIn(tab, email.toUpperCase(), "a loud morning");
      assert.match(await faultAt(tab, "password"), /address or the password is wrong/);
      assert.equal(await tab.page.getByLabel("Email address").inputValue(), email.toUpperCase());
      assert.equal(await tab.page.getByLabel("Password").inputValue(), "");
      await signIn(tab, email, "a quiet morning");
      assert.equal(await tab.notice(), "You are signed in.");

      // A session by a password is not a sign-in by mail: a new password needs the present one.
      await tab.open("/account/password");
      await tab.page.getByLabel("Present password").fill("a guess");
      await tab.page.getByLabel("New password").fill("a quiet evening");
      await tab.go(main(tab, "Save the password"));
      assert.match(await tab.alert(), /not your present password/);
      assert.match(await faultAt(tab, "present"), /not your present password/);
      await tab.page.getByLabel("Present password").fill("a quiet morning");
      await tab.go(main(tab, "Remove the password"));
      assert.equal(tab.path(), "/account?done=saved");
      await tab.open("/account/password");
      assert.equal(await tab.page.getByLabel("New password").count(), 0);
      assert.match(await tab.words("main"), /show that this address is yours/);
    });
  });
}

test("a changed password ends the other sessions, and the operator sets one", async () => {
  const email = "rescued@example.com";
  await within(browser, {}, async (one) => {
    await one.signIn(email);
    command(["member", "password", "--email", email], "a rescued morning\n");
    await one.open("/account");
    assert.equal(await one.heading(), "Sign in to Weekwright");
    await signIn(one, email, "a rescued morning");
    await within(browser, {}, async (other) => {
      await signIn(other, email, "a rescued morning");
      assert.equal(await other.notice(), "You are signed in.");
      await one.open("/account/password");
      await one.page.getByLabel("Present password").fill("a rescued morning");
      await one.page.getByLabel("New password").fill("a different morning");
      await one.go(main(one, "Save the password"));
      assert.equal(await one.notice(), "Saved.");
      await other.open("/account");
      assert.equal(await other.heading(), "Sign in to Weekwright");
    });
  });
  assert.throws(() => command(["member", "password", "--email", email], "short\n"), /10 to 200 characters/);
  assert.throws(() => command(["member", "password", "--email", "nobody@example.com"], "a quiet morning\n"), /no user/);
});

test("after ten wrong passwords not even the right one is taken", async () => {
  const email = "guessed@example.com";
  await within(browser, {}, async (tab) => {
    await tab.signIn(email);
    command(["member", "password", "--email", email], "a quiet morning\n");
    for (const address of [email, "unknown@example.com"]) {
      for (let count = 0; count < 10; count += 1) {
        await signIn(tab, address, `guess number ${count}`);
        assert.match(await tab.alert(), /address or the password is wrong/);
      }
      await signIn(tab, address, "a quiet morning");
      assert.match(await tab.alert(), /too many tries/);
    }
  });
});
