//! `hearback key reseal`

use super::receiver::Receiver;
use super::support::{Done, Home, ORGANIZATION, Server, mode, poll};
use diesel::connection::SimpleConnection;
use diesel::sql_types::Binary;
use diesel::{QueryableByName, RunQueryDsl};
use serde_json::json;
use std::fs;
use std::process::Stdio;
use std::time::Instant;

const RESEAL: &str = "key reseal";

const OLD: &str = "abababababababababababababababababababababababababababababababab";
const NEW: &str = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd";

/// Imports an organization with a post, a key before and a key now, and a subscription with a
/// secret before and a secret now: four secrets. Answers the identifier of the subscription.
fn import_secrets(home: &Home, url: &str) -> String {
    home.import_acme();
    home.run("key rotate --organization acme").expect_line();
    let (id, _) = home.subscribe(url);
    home.run(&format!("webhook rotate-secret --organization acme --id {id}")).expect_line();
    id
}

/// A home with four secrets and a master key in its data directory, and its export.
fn with_secrets() -> (Home, String) {
    let home = Home::new();
    import_secrets(&home, "https://acme.example/hook");
    let exported = home.export();
    (home, exported)
}

fn master_key(home: &Home) -> String {
    fs::read_to_string(home.path("data/master.key")).unwrap().trim_end().to_owned()
}

/// Everything sealed in the store, and the check value of the master key.
fn sealed(home: &Home) -> Vec<Vec<u8>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Binary)]
        value: Vec<u8>,
    }
    let query = "SELECT sealed AS value FROM api_keys UNION ALL SELECT sealed_secret FROM \
                 webhook_subscriptions
                 UNION ALL SELECT previous_sealed_secret FROM webhook_subscriptions WHERE previous_sealed_secret IS NOT NULL
                 UNION ALL SELECT value FROM instance WHERE name = 'master_key_check'";
    let rows: Vec<Row> = diesel::sql_query(query).load(&mut home.store()).unwrap();
    rows.into_iter().map(|row| row.value).collect()
}

#[test]
fn a_key_in_the_data_directory_is_replaced_and_all_secrets_stay_the_same() {
    let (home, exported) = with_secrets();
    let (old, before) = (master_key(&home), sealed(&home));
    let done = home.run(RESEAL);
    assert_eq!((done.status, &*done.stdout), (Some(0), "4\n"));
    assert_eq!(
        done.stderr,
        "all secrets are sealed under the new master key, which data/master.key holds now: keep a \
         copy of it, then restart every server: those that run with the old one send no webhooks \
         until then. Keep the old one as long as there are backups from its time\n"
    );
    assert_ne!(master_key(&home), old);
    assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
    assert_eq!(mode(&home.path("data/master.key")), 0o600);
    assert!(sealed(&home).iter().all(|value| !before.contains(value)));
    assert_eq!(home.export(), exported);

    // The next key may be given.
    let home = home.set("HEARBACK_NEW_MASTER_KEY", NEW);
    assert_eq!(home.run(RESEAL).expect_success(), "4\n");
    assert_eq!(master_key(&home), NEW);
    assert_eq!(home.export(), exported);
    home.run(RESEAL).fails("HEARBACK_NEW_MASTER_KEY is the present master key of data/master.key");
    assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
    home.set("HEARBACK_MASTER_KEY", &old)
        .run("organization list")
        .fails("the master key does not fit the store, which was made with another one");
}

#[test]
fn a_key_that_is_given_is_replaced_by_one_that_is_given() {
    let home = Home::new().set("HEARBACK_MASTER_KEY", OLD);
    import_secrets(&home, "https://acme.example/hook");
    let exported = home.export();
    home.run(RESEAL).fails("HEARBACK_NEW_MASTER_KEY is not set: …");
    let home = home.set("HEARBACK_NEW_MASTER_KEY", "s3cr3t");
    home.run(RESEAL).fails("HEARBACK_NEW_MASTER_KEY is invalid: expected 64 hex digits");

    let file = home.file("new.key", &format!("{NEW}\n"));
    let home = home
        .set("HEARBACK_NEW_MASTER_KEY", "")
        .set("HEARBACK_NEW_MASTER_KEY_FILE", &file)
        .set("HEARBACK_LOG", "trace");
    let done = home.run(RESEAL);
    assert_eq!((done.status, &*done.stdout), (Some(0), "4\n"), "{done:?}");
    let told = "under the new master key: put it into HEARBACK_MASTER_KEY, then restart";
    assert!(done.stderr.contains(told), "{done:?}");
    assert!(!done.stderr.contains(OLD) && !done.stderr.contains(NEW), "{done:?}");
    assert_eq!(home.names("data"), ["hearback.db"]);
    // A repetition reports that the key was replaced.
    home.run(RESEAL).fails("the new master key is the one that the store has already: …");
    assert_eq!(home.set("HEARBACK_MASTER_KEY", NEW).export(), exported);
}

#[test]
fn servers_with_the_old_key_serve_on_and_webhooks_wait_for_one_with_the_new_key() {
    let receiver = Receiver::answering(200);
    let home =
        Home::receiving_nearby().set("HEARBACK_WEBHOOK_RETRY_SCHEDULE", &["1s"; 60].join(","));
    import_secrets(&home, &receiver.url("/hook"));
    let key = home.reveal_key();
    let server = home.serve();
    assert_eq!(home.run(RESEAL).expect_success(), "4\n");
    server.toggle(&key);
    let delivery = poll(|| {
        let deliveries = home.run("webhook deliveries --organization acme").expect_success();
        let columns: Vec<String> = deliveries.split('\t').map(str::to_owned).collect();
        Some(columns).filter(|columns| columns[4] != "0")
    });
    // The server cannot sign the delivery. It tries again, as after any failure.
    assert_eq!((&*delivery[3], &*delivery[5]), ("pending", "secret"), "{delivery:?}");
    assert_eq!(receiver.received().len(), 0);
    server.stop();

    let server = home.serve();
    assert_eq!(receiver.wait_for(1).len(), 1);
    assert!(server.accepts(&key));
}

/// The path in the link of the only mail.
fn link(home: &Home) -> String {
    let mail = poll(|| fs::read_dir(home.path("data/mail")).ok()?.next()).unwrap().path();
    let mail = fs::read_to_string(mail).unwrap().replace("\r\n ", "");
    let (_, link) = mail.split_once("/unsubscribe/").unwrap();
    let end = |c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c));
    format!("/unsubscribe/{}", link.split(end).next().unwrap())
}

#[test]
fn links_in_mails_that_were_sent_stay_good_unless_they_are_to_be_forgotten_and_cursors_do_not() {
    let home = Home::new();
    let key = home.import_acme();
    let server = home.serve();
    for published in [false, true] {
        let entry = json!({"api_key": key, "title": "News", "published": published});
        assert_eq!(server.post("/changelog/create", &entry).0, 200);
    }
    let link = link(&home);
    let (_, page) = server.post("/changelog/list", &json!({"api_key": key, "limit": 1}));
    let next = json!({"api_key": key, "limit": 1, "cursor": page["cursor"]});
    assert_eq!(server.post("/changelog/list", &next).0, 200, "{page}");
    server.stop();

    let status = |server: &Server| server.get(&link).split(' ').nth(1).unwrap().to_owned();
    for _ in 0..2 {
        home.run(RESEAL).expect_success();
        let server = home.serve();
        assert_eq!(status(&server), "200");
        assert_eq!(server.post("/changelog/list", &next).0, 422);
        server.stop();
    }
    home.run("key reseal --forget-links").expect_success();
    assert_eq!(status(&home.serve()), "404");
}

#[test]
fn a_secret_that_does_not_open_is_named_and_nothing_is_changed() {
    let home = Home::new();
    let id = import_secrets(&home, "https://acme.example/hook");
    home.store()
        .batch_execute("UPDATE webhook_subscriptions SET sealed_secret = zeroblob(40)")
        .unwrap();
    let (before, key) = (sealed(&home), master_key(&home));
    home.run(RESEAL).fails(&format!(
        "the signing secret of the subscription {id} of the organization {ORGANIZATION} does not \
         open under the present master key, so nothing was changed: `hearback webhook \
         rotate-secret`, done twice, replaces it"
    ));
    assert_eq!((sealed(&home), master_key(&home)), (before, key));
    for _ in 0..2 {
        home.run(&format!("webhook rotate-secret --organization acme --id {id}")).expect_line();
    }
    assert_eq!(home.run(RESEAL).expect_success(), "4\n");
    home.export();
}

#[test]
fn the_next_command_finds_a_key_whose_replacement_was_cut_off() {
    let (home, exported) = with_secrets();
    let old = master_key(&home);
    // Cut off before the store had the next key: that key is left alone, and replaced by the next
    // command.
    fs::write(home.path("data/master.key.new"), format!("{NEW}\n")).unwrap();
    fs::write(home.path("data/.master.key.x1y2z3"), NEW).unwrap();
    assert_eq!(home.export(), exported);
    assert_eq!(
        home.names("data"),
        [".master.key.x1y2z3", "hearback.db", "master.key", "master.key.new"]
    );
    assert_eq!(home.run("key reseal --forget-links").expect_success(), "4\n");
    assert!(![NEW, &*old].contains(&&*master_key(&home)));
    assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
    fs::write(home.path("data/master.key.new"), format!("{OLD}\n")).unwrap();
    let home = home.set("HEARBACK_NEW_MASTER_KEY", NEW);
    assert_eq!(home.run(RESEAL).expect_success(), "4\n");
    assert_eq!((&*master_key(&home), home.names("data").len()), (NEW, 2));
    // A next key that is the present one is thrown away.
    fs::write(home.path("data/master.key.new"), format!("{NEW}\n")).unwrap();
    let home = home.set("HEARBACK_NEW_MASTER_KEY", "");
    assert_eq!(home.run(RESEAL).expect_success(), "4\n");
    assert_ne!(master_key(&home), NEW);
    assert_eq!(home.names("data"), ["hearback.db", "master.key"]);
    assert_eq!(home.export(), exported);
    let now = master_key(&home);

    // Cut off before the file has its name.
    fs::rename(home.path("data/master.key"), home.path("data/master.key.new")).unwrap();
    fs::write(home.path("data/master.key"), old).unwrap();
    let server = home.serve();
    assert_eq!((master_key(&home), home.path("data/master.key.new").exists()), (now, false));
    server.stop();
    assert_eq!(home.export(), exported);
}

#[test]
fn a_replacement_of_the_key_makes_no_store_and_replaces_no_link() {
    let home = Home::new();
    home.run(RESEAL).fails("there is no store sqlite:data/hearback.db (…");
    assert_eq!(home.names("."), [""; 0]);

    let home = Home::with_acme();
    fs::rename(home.path("data/master.key"), home.path("key")).unwrap();
    std::os::unix::fs::symlink("../key", home.path("data/master.key")).unwrap();
    home.run(RESEAL).fails("data/master.key is a link, and links are not replaced: …");
    assert!(home.path("data/master.key").is_symlink());
    home.export();
}

#[test]
fn after_a_kill_at_any_moment_one_of_the_files_has_the_key_of_the_store() {
    const MOMENTS: u32 = 30;
    let (home, exported) = with_secrets();
    let began = Instant::now();
    home.run(RESEAL).expect_success();
    let took = began.elapsed();
    let mut keys = vec![master_key(&home)];
    for moment in 0..=MOMENTS {
        let mut child = home.start(RESEAL, Stdio::null());
        // The kill comes at this moment of the command.
        std::thread::sleep(took * moment / MOMENTS);
        if moment < MOMENTS {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        assert_eq!(home.export(), exported, "at moment {moment}");
        keys.push(master_key(&home));
    }
    keys.dedup();
    assert!(keys.len() > 1, "the last one was not killed");
}

#[test]
fn the_store_opens_after_many_replacements_at_once_of_which_one_is_killed() {
    const ROUNDS: u32 = 10;
    let (home, exported) = with_secrets();
    let began = Instant::now();
    home.run(RESEAL).expect_success();
    let took = began.elapsed();
    for round in 0..ROUNDS {
        let mut children: Vec<_> = (0..4).map(|_| home.start(RESEAL, Stdio::null())).collect();
        // The kill comes at this moment of the command.
        std::thread::sleep(took * 2 * round / ROUNDS);
        children[0].kill().unwrap();
        for child in children {
            let done = Done::new(RESEAL, child.wait_with_output().unwrap());
            let expected = [
                "another `hearback key reseal` is replacing",
                "does not fit",
                "another command replaced",
                "is busy",
            ];
            let is_expected = expected.iter().any(|told| done.stderr.contains(told));
            assert!(done.status != Some(1) || is_expected, "{done:?}");
        }
        assert_eq!(home.export(), exported, "in round {round}");
    }
    let key = home.reveal_key();
    assert!(home.serve().accepts(&key));
}
