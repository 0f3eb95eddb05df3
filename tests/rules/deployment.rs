//! The deployment files agree with the program, as far as their text shows.

use super::root;
use hearback_server::Config;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("reading {path}: {error}"))
}

/// The lines of a file, without comments and empty lines.
fn lines(path: &str) -> Vec<String> {
    let text = text(path);
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.trim_start().starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// Every environment variable that the binary reads.
fn settings() -> BTreeSet<String> {
    let asked = RefCell::new(BTreeSet::new());
    let config = Config::read(|name| {
        asked.borrow_mut().insert(name.to_owned());
        None
    });
    config.expect("nothing needs to be set");
    asked.into_inner()
}

/// The variables in a text that have the form of a setting of Hearback.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| {
        !(letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
    });
    words
        .filter(|word| word.starts_with("HEARBACK_") || word.starts_with("DATABASE_URL"))
        .map(str::to_owned)
        .collect()
}

const FILES: [&str; 8] = [
    "Dockerfile",
    ".dockerignore",
    "compose.yaml",
    "deploy/hearback-admin",
    "deploy/hearback.env",
    "deploy/hearback.service",
    "docs/deployment.md",
    "docs/operations.md",
];

#[test]
fn the_binary_reads_every_setting_that_a_file_names() {
    let known = settings();
    assert!(
        known.contains("DATABASE_URL") && known.contains("HEARBACK_MASTER_KEY_FILE"),
        "settings are found: {known:?}"
    );
    for file in FILES {
        let unknown: Vec<_> =
            named(&text(file)).into_iter().filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{file} names {unknown:?}");
    }
    for file in ["Dockerfile", "compose.yaml", "deploy/hearback.service", "docs/deployment.md"] {
        assert!(!named(&text(file)).is_empty(), "{file} is read");
    }
}

/// The instructions of the `Dockerfile` with their arguments. Continued lines are joined.
fn instructions() -> Vec<(String, String)> {
    let joined = lines("Dockerfile").join("\n").replace("\\\n", " ");
    let split = |line: &str| {
        line.split_once(' ').map(|(name, rest)| (name.to_owned(), rest.trim().to_owned()))
    };
    joined
        .lines()
        .map(|line| split(line).unwrap_or_else(|| panic!("no instruction: {line}")))
        .collect()
}

/// The instructions of the last stage, which make the image.
fn image() -> Vec<(String, String)> {
    let all = instructions();
    let last = all.iter().rposition(|(name, _)| name == "FROM").expect("a stage");
    all[last..].to_vec()
}

#[track_caller]
fn only<'a>(instructions: &'a [(String, String)], name: &str) -> &'a str {
    let found: Vec<_> = instructions.iter().filter(|(given, _)| given == name).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    &found[0].1
}

#[test]
fn the_image_is_built_by_the_rust_that_the_workspace_asks_for() {
    let manifest = text("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .expect("rust-version")
        .trim_matches('"');
    let (_, from) = &instructions()[0];
    assert_eq!(*from, format!("rust:{version}-bookworm AS build"));
}

#[test]
fn the_image_is_of_the_debian_that_its_binary_is_built_on() {
    // Bookworm is Debian 12. With a C library newer than the image's, the binary would not start.
    assert!(instructions()[0].1.contains("-bookworm "));
    assert_eq!(only(&image(), "FROM"), "gcr.io/distroless/cc-debian12:nonroot");
}

#[test]
fn the_image_runs_the_server_as_a_user_that_is_not_root_and_owns_its_data() {
    let image = image();
    let user = only(&image, "USER");
    let (id, group) = user.split_once(':').expect("user and group");
    for id in [id, group] {
        // Docker would take a name, but a cluster that refuses root needs a number.
        assert!(id.parse::<u32>().is_ok_and(|id| id > 0), "{user}");
    }
    let folder = only(&image, "VOLUME").trim_matches(['[', ']', '"']);
    assert_eq!(folder, "/data");
    let copies: Vec<_> =
        image.iter().filter(|(name, _)| name == "COPY").map(|(_, rest)| rest.as_str()).collect();
    assert!(
        copies.contains(&format!("--from=build --chown={user} /out/data {folder}").as_str()),
        "{copies:?}"
    );
    assert!(copies.contains(&"--from=build /out/hearback /usr/local/bin/hearback"), "{copies:?}");
    assert_eq!(only(&image, "ENTRYPOINT"), r#"["/usr/local/bin/hearback"]"#);
    assert_eq!(only(&image, "CMD"), r#"["serve"]"#);

    let settings: BTreeMap<_, _> =
        only(&image, "ENV").split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
    assert_eq!(settings["HEARBACK_DATA_DIR"], folder);
    let port = settings["HEARBACK_LISTEN"]
        .strip_prefix("0.0.0.0:")
        .expect("every interface of the container");
    assert_eq!(only(&image, "EXPOSE"), port);
    // The image has no shell, and no program that could make a request.
    assert!(!image.iter().any(|(name, _)| ["RUN", "HEALTHCHECK"].contains(&name.as_str())));
}

#[test]
fn the_build_is_locked() {
    let builds: Vec<_> = instructions()
        .into_iter()
        .filter(|(name, rest)| name == "RUN" && rest.contains("cargo build"))
        .collect();
    let [(_, build)] = &builds[..] else { panic!("{builds:?}") };
    for option in ["--release", "--locked", "--package hearback-server"] {
        assert!(build.contains(option), "{build}");
    }
}

#[test]
fn the_build_is_given_the_sources_and_no_data() {
    let ignored: BTreeSet<String> = lines(".dockerignore").into_iter().collect();
    for name in ["target", ".git", "data", "deploy/secrets", "**/*.db", "**/master.key"] {
        assert!(ignored.contains(name), "{name} is sent to the build");
    }
    // No exception includes an ignored file again.
    assert!(!ignored.iter().any(|name| name.starts_with('!')));
    // The members of the workspace, the files that they include, and the configuration of SQLite.
    let needed = [
        "Cargo.toml",
        "Cargo.lock",
        ".cargo",
        "bench",
        "crates",
        "examples",
        "migrations",
        "tests",
    ];
    for name in needed {
        assert!(root().join(name).exists(), "{name}");
        assert!(
            !ignored.iter().any(|ignored| ignored.split('/').next() == Some(name)),
            "{name} is not sent to the build"
        );
    }
    let manifest = text("Cargo.toml");
    let (_, members) = manifest.split_once("members = [").expect("members");
    let (members, _) = members.split_once(']').expect("the end of the members");
    for member in members.split(',').map(|member| member.trim().trim_matches('"')) {
        let folder = member.split('/').next().expect("a first part");
        assert!(needed.contains(&folder), "{member} is not among the folders above");
    }
}

#[test]
fn secrets_of_compose_are_kept_out_of_the_repository() {
    assert!(lines("deploy/.gitignore").contains(&"secrets/".to_owned()));
    let compose = Outline::of("compose.yaml");
    let files: Vec<_> = compose
        .0
        .iter()
        .filter(|(path, _)| path.starts_with("secrets.") && path.ends_with("/file"))
        .collect();
    assert!(!files.is_empty());
    for (path, file) in files {
        assert!(file.starts_with("./deploy/secrets/"), "{path} is {file}");
    }
}

/// A YAML file of nested maps and lists of plain values, as pairs of path and value. Below the top
/// level, keys are separated by slashes, since some keys have dots.
struct Outline(Vec<(String, String)>);

impl Outline {
    fn of(file: &str) -> Self {
        let mut above: Vec<String> = Vec::new();
        let mut found = Vec::new();
        for line in lines(file) {
            let content = line.trim_start();
            let indent = line.len() - content.len();
            assert!(
                indent % 2 == 0 && !line.contains('\t'),
                "{file} is indented by two spaces a level: {line}"
            );
            if let Some(item) = content.strip_prefix("- ") {
                assert!(indent / 2 <= above.len(), "{file} has an item of no list: {line}");
                above.truncate(indent / 2);
                found.push((Self::path(&above), Self::plain(item)));
                continue;
            }
            let (key, value) = content
                .split_once(':')
                .unwrap_or_else(|| panic!("{file} has a line without a key: {line}"));
            assert!(
                value.is_empty() || value.starts_with(' '),
                "{file} has a key that ends in no space: {line}"
            );
            assert!(indent / 2 <= above.len(), "{file} skips a level: {line}");
            above.truncate(indent / 2);
            above.push(key.to_owned());
            let path = Self::path(&above);
            assert!(!found.iter().any(|(given, _)| *given == path), "{file} says {path} twice");
            found.push((path, Self::plain(value)));
        }
        Self(found)
    }

    fn path(above: &[String]) -> String {
        above.join("/").replacen('/', ".", 1)
    }

    fn plain(value: &str) -> String {
        value.trim().trim_matches('"').to_owned()
    }

    /// The value at a path, or the values of a list there.
    fn all(&self, path: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(given, value)| given == path && !value.is_empty())
            .map(|(_, value)| value.as_str())
            .collect()
    }

    #[track_caller]
    fn one(&self, path: &str) -> &str {
        let all = self.all(path);
        assert_eq!(all.len(), 1, "{path}: {all:?}");
        all[0]
    }

    /// The keys directly below a path.
    fn keys(&self, path: &str, separator: char) -> Vec<&str> {
        let below = self
            .0
            .iter()
            .filter_map(|(given, _)| given.strip_prefix(path)?.strip_prefix(separator));
        below.filter(|rest| !rest.contains('/')).collect()
    }
}

#[test]
fn compose_gives_the_server_its_database_and_its_secrets_as_files() {
    let compose = Outline::of("compose.yaml");
    assert_eq!(compose.keys("services", '.'), ["hearback", "postgres"]);
    assert_eq!(compose.one("services.hearback/depends_on/postgres/condition"), "service_healthy");
    assert!(compose.one("services.postgres/healthcheck/test").contains("pg_isready"));

    let mut used = BTreeSet::new();
    for service in ["hearback", "postgres"] {
        let secrets: BTreeSet<_> =
            compose.all(&format!("services.{service}/secrets")).into_iter().collect();
        let environment = format!("services.{service}/environment");
        for name in compose.keys(&environment, '/') {
            let value = compose.one(&format!("{environment}/{name}"));
            let secret = value.strip_prefix("/run/secrets/");
            assert_eq!(secret.is_some(), name.ends_with("_FILE"), "{name}: {value}");
            assert!(
                secret.is_none_or(|secret| secrets.contains(secret)),
                "{service} is not given {value}"
            );
        }
        used.extend(secrets);
    }
    assert_eq!(
        compose.keys("services.hearback/environment", '/'),
        ["DATABASE_URL_FILE", "HEARBACK_MASTER_KEY_FILE"]
    );
    assert_eq!(compose.keys("secrets", '.').into_iter().collect::<BTreeSet<_>>(), used);
}

#[test]
fn compose_keeps_its_data_and_serves_this_machine_only() {
    let compose = Outline::of("compose.yaml");
    for (service, folder) in [("hearback", "/data"), ("postgres", "/var/lib/postgresql/data")] {
        assert_eq!(
            compose.all(&format!("services.{service}/volumes")),
            [format!("{service}:{folder}")]
        );
        assert_eq!(compose.one(&format!("services.{service}/restart")), "unless-stopped");
    }
    assert_eq!(compose.keys("volumes", '.'), ["hearback", "postgres"]);
    assert_eq!(compose.all("services.hearback/ports"), ["127.0.0.1:8080:8080"]);
    assert!(compose.all("services.postgres/ports").is_empty());
    let image = compose
        .one("services.postgres/image")
        .strip_prefix("postgres:")
        .expect("the official image");
    // PostgreSQL 18 keeps its data in another folder.
    assert!(
        image.split('-').next().is_some_and(|major| ["15", "16", "17"].contains(&major)),
        "{image}"
    );
}

/// The longest time that the server takes to stop: the time in its source, and 5 seconds of the
/// store.
fn stop() -> Duration {
    let source = text("crates/server/src/serve.rs");
    let limit = source
        .split_once("STOP_LIMIT: Duration = Duration::from_secs(")
        .and_then(|(_, rest)| rest.split_once(')'));
    Duration::from_secs(limit.expect("the limit").0.parse().expect("seconds"))
        + Duration::from_secs(5)
}

#[track_caller]
fn seconds(text: &str) -> Duration {
    Duration::from_secs(
        text.trim_end_matches('s')
            .parse()
            .unwrap_or_else(|_| panic!("{text} is no number of seconds")),
    )
}

#[test]
fn every_supervisor_waits_longer_than_the_server_takes_to_stop() {
    assert_eq!(only(&image(), "STOPSIGNAL"), "SIGTERM");
    assert!(
        seconds(Outline::of("compose.yaml").one("services.hearback/stop_grace_period")) > stop()
    );
    assert!(seconds(unit("Service")["TimeoutStopSec"].as_str()) > stop());
    let guide = text("docs/deployment.md");
    for (name, separator) in [("--stop-timeout", ' '), ("terminationGracePeriodSeconds:", ' ')] {
        let values: Vec<_> = guide
            .match_indices(name)
            .map(|(at, _)| guide[at + name.len()..].trim_start_matches(separator))
            .collect();
        assert!(!values.is_empty(), "{name}");
        for value in values {
            let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
            assert!(seconds(&digits) > stop(), "{name} {digits}");
        }
    }
}

/// The directives of a section of the unit. The values of a repeated directive are joined by a
/// space.
fn unit(section: &str) -> BTreeMap<String, String> {
    let mut within = String::new();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for line in lines("deploy/hearback.service") {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut within);
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("no directive: {line}"));
        if within == section {
            found
                .entry(name.to_owned())
                .and_modify(|all| *all = format!("{all} {value}"))
                .or_insert_with(|| value.to_owned());
        }
    }
    found
}

#[test]
fn the_unit_runs_the_server_with_a_master_key_that_only_root_can_read() {
    let service = unit("Service");
    let is = |name: &str, value: &str| {
        assert_eq!(service.get(name).map(String::as_str), Some(value), "{name}")
    };
    is("ExecStart", "/usr/local/bin/hearback serve");
    is("User", "hearback");
    is("Restart", "on-failure");
    is("KillSignal", "SIGTERM");
    is("LoadCredential", "master.key:/etc/hearback/master.key");
    is("StateDirectory", "hearback");
    is("StateDirectoryMode", "0700");
    is("Environment", "HEARBACK_DATA_DIR=/var/lib/hearback HEARBACK_MASTER_KEY_FILE=%d/master.key");
    assert_eq!(unit("Install")["WantedBy"], "multi-user.target");
}

#[test]
fn the_unit_lets_the_server_do_what_it_needs_and_no_more() {
    let service = unit("Service");
    let is = |name: &str, value: &str| {
        assert_eq!(service.get(name).map(String::as_str), Some(value), "{name}")
    };
    is("ProtectSystem", "strict");
    for name in [
        "NoNewPrivileges",
        "ProtectHome",
        "PrivateTmp",
        "PrivateDevices",
        "PrivateUsers",
        "ProtectClock",
        "ProtectHostname",
        "ProtectKernelLogs",
        "ProtectKernelModules",
        "ProtectKernelTunables",
        "ProtectControlGroups",
        "RestrictSUIDSGID",
        "RestrictNamespaces",
        "RestrictRealtime",
        "LockPersonality",
        "MemoryDenyWriteExecute",
    ] {
        is(name, "yes");
    }
    is("CapabilityBoundingSet", "");
    is("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6");
    is("SystemCallArchitectures", "native");
    is("SystemCallFilter", "@system-service ~@privileged @resources");
    // The allocator reads how memory is overcommitted from /proc.
    assert!(!service.contains_key("ProcSubset"));
}

#[test]
fn the_proxies_of_the_guide_take_bodies_as_large_as_the_server_does() {
    let config = Config::read(|_| None).expect("nothing needs to be set");
    assert_eq!(config.max_body_bytes, 1 << 20);
    let guide = text("docs/deployment.md");
    for limit in ["client_max_body_size 1m;", "max_size 1MiB"] {
        assert!(guide.contains(limit), "{limit}");
    }
}

#[test]
fn the_proxies_of_the_guide_pass_on_all_paths_but_those_for_inside() {
    let guide = text("docs/deployment.md");
    for part in [
        "@inside path /healthz /readyz /metrics\n    handle @inside {\n        respond 404\n",
        "location / {\n        proxy_pass http://hearback;\n",
        "location ~ ^/(healthz|readyz|metrics)$ {\n        return 404;\n",
    ] {
        assert!(guide.contains(part), "{part}");
    }
}

#[test]
fn the_proxies_of_the_guide_keep_the_tokens_of_links_out_of_their_logs() {
    let guide = text("docs/deployment.md");
    let nginx = "location ~ /(unsubscribe|sign-in)/ {\n        proxy_pass http://hearback;\n        \
                 access_log off;\n";
    assert!(guide.contains(nginx));
    assert!(guide.contains("leave `/unsubscribe/` and `/sign-in/` out of"));
}

#[test]
fn the_proxies_of_the_guide_forward_the_clients_address() {
    let guide = text("docs/deployment.md");
    assert!(guide.contains("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"));
    // Caddy sets the header by default.
    assert!(!guide.contains("header_up"));
    assert!(named(&guide).contains("HEARBACK_TRUSTED_PROXIES"));
}

#[test]
fn the_links_of_the_guides_have_targets() {
    let headings = |page: &str| -> BTreeSet<String> {
        page.lines().filter_map(|line| line.strip_prefix('#')).map(anchor).collect()
    };
    for guide in ["docs/deployment.md", "docs/operations.md"] {
        let guide = text(guide);
        let links: Vec<_> = guide
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(link, _)| link)
            .collect();
        assert!(!links.is_empty());
        // Links to other sites are not checked.
        for link in links.into_iter().filter(|link| !link.starts_with("https://")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            assert!(root().join("docs").join(path).exists(), "{link}");
            if !heading.is_empty() {
                let page =
                    if path.is_empty() { guide.clone() } else { text(&format!("docs/{path}")) };
                assert!(headings(&page).contains(heading), "{link}: {:?}", headings(&page));
            }
        }
    }
}

/// The anchor of a heading, as links write it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    heading
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -".contains(*letter))
        .collect::<String>()
        .replace(' ', "-")
}
