//! Dependencies have one direction.

use super::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The direct dependencies of each crate of the workspace, without its dev-dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    let direct = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies").clone();
        all.iter()
            .filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| text(&dependency["name"]))
            .collect()
    };
    packages.iter().map(|package| (text(&package["name"]), direct(package))).collect()
}

#[test]
fn each_crate_depends_only_on_those_below_it() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("hearback-domain", &[][..]),
        ("hearback-ports", &["hearback-domain"]),
        ("hearback-app", &["hearback-domain", "hearback-ports"]),
        ("hearback-store-rows", &["hearback-domain", "hearback-ports"]),
        ("hearback-store-postgres", &["hearback-domain", "hearback-ports", "hearback-store-rows"]),
        ("hearback-store-sqlite", &["hearback-domain", "hearback-ports", "hearback-store-rows"]),
        ("hearback-in-memory-store", &["hearback-domain", "hearback-ports"]),
        ("hearback-mail", &["hearback-domain", "hearback-ports"]),
        ("hearback-webhook", &["hearback-domain", "hearback-ports"]),
        ("hearback-images", &["hearback-domain", "hearback-ports"]),
        ("hearback-oidc", &["hearback-domain", "hearback-ports", "hearback-webhook"]),
        ("hearback-http", &["hearback-app", "hearback-domain", "hearback-ports"]),
        ("hearback-api", &["hearback-app", "hearback-domain", "hearback-http", "hearback-ports"]),
        ("hearback-mcp", &["hearback-api", "hearback-http", "hearback-ports"]),
        ("hearback-web", &["hearback-app", "hearback-domain", "hearback-http", "hearback-ports"]),
        (
            "hearback-portal",
            &["hearback-app", "hearback-domain", "hearback-http", "hearback-ports", "hearback-web"],
        ),
        // The dashboard calls the endpoints, as the door of agents does.
        (
            "hearback-dashboard",
            &[
                "hearback-api",
                "hearback-app",
                "hearback-domain",
                "hearback-http",
                "hearback-ports",
                "hearback-web",
            ],
        ),
    ]);
    for (name, direct) in dependencies() {
        let ours: Vec<&str> = direct
            .iter()
            .map(String::as_str)
            .filter(|name| name.starts_with("hearback-"))
            .collect();
        match allowed.get(name.as_str()) {
            Some(allowed) => assert!(
                ours.iter().all(|name| allowed.contains(name)),
                "{name} depends on {ours:?}"
            ),
            None => assert!(
                ["hearback-server", "hearback-tests", "hearback-bench", "hearback-mocked-ports"]
                    .contains(&name.as_str()),
                "say where {name} stands"
            ),
        }
    }
}

#[test]
fn each_protocol_is_named_in_its_own_crates_only() {
    let of = |name: &str| match name {
        "diesel" | "diesel-async" | "diesel_migrations" | "libsqlite3-sys" => {
            Some("hearback-store-")
        }
        "tokio-postgres" | "tokio-postgres-rustls" | "deadpool" => Some("hearback-store-postgres"),
        "actix-web" => Some(
            "hearback-api hearback-dashboard hearback-http hearback-mcp hearback-portal \
                 hearback-server hearback-web",
        ),
        "rmcp" => Some("hearback-mcp"),
        "askama" => Some("hearback-dashboard hearback-portal hearback-web"),
        "fluent-bundle" => Some("hearback-web"),
        "lettre" => Some("hearback-mail"),
        "openidconnect" => Some("hearback-oidc"),
        "hickory-resolver" | "hyper" | "hyper-util" => Some("hearback-webhook"),
        "reqwest" => Some("hearback-images hearback-webhook"),
        "image" | "object_store" => Some("hearback-images"),
        _ => None,
    };
    for (name, direct) in dependencies() {
        // Tests and benches access a database directly and run a server.
        if ["hearback-tests", "hearback-bench"].contains(&name.as_str()) {
            continue;
        }
        for dependency in direct {
            if let Some(owners) = of(&dependency) {
                let owned = owners.split(' ').any(|owner| name.starts_with(owner));
                assert!(owned, "{name} depends on {dependency}, which belongs to {owners}");
            }
        }
    }
}

#[test]
fn the_domain_depends_on_time_identifiers_and_letters_alone() {
    let direct = &dependencies()["hearback-domain"];
    assert_eq!(
        direct.iter().map(String::as_str).collect::<Vec<_>>(),
        ["slug", "time", "unicode-case-mapping", "uuid"]
    );
}
