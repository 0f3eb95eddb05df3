//! `hearback organization …`

use super::support::Home;

#[test]
fn an_organization_is_listed_from_its_creation_to_its_deletion() {
    let home = Home::new();
    // A name is one column, and no escape for a terminal.
    let id = home.run("organization create --slug Acme --name A\tB\nC\u{1b}[31m").expect_line();
    let plain = home
        .run("organization create --slug plain --name Plain --without-help-center")
        .expect_line();
    let lines = [
        format!("Acme\tA B C [31m\t{id}\thelp center"),
        format!("plain\tPlain\t{plain}\tno help center"),
    ];
    assert_eq!(home.organizations(), lines);
    home.run("organization create --slug ACME --name Other")
        .fails("an organization with the slug ACME exists");

    let key = home.generate_key();
    let server = home.serve();
    assert!(server.accepts(&key));
    home.run("organization delete --organization acme").refuses(
        "the organization acme and all its data would be deleted for good: pass --yes to confirm",
    );
    assert_eq!(home.organizations(), lines);
    assert_eq!(home.run("organization delete --organization acme --yes").expect_success(), "");
    assert!(!server.accepts(&key), "the key of a deleted organization");
    assert_eq!(home.organizations(), lines[1..]);
    home.run("organization delete --organization acme --yes")
        .fails("no organization has the slug acme");
}

#[test]
fn a_wrong_slug_or_name_is_a_usage_error() {
    let home = Home::new();
    let long = "x".repeat(513);
    for (slug, name) in
        [("a/b", "Acme"), ("", "Acme"), (".", "Acme"), ("acme", ""), ("acme", &long)]
    {
        let done = home.run(&format!("organization create --slug={slug} --name={name}"));
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    }
    assert!(!home.path("data").exists(), "nothing is made for a command line that is wrong");
}
