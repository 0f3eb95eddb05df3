//! The version of the compiler, for the pages of results.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    // `rustc 1.95.0 (59807616e 2026-04-14)`
    let version = version.as_deref().unwrap_or_default().split(" (").next().unwrap_or_default();
    println!("cargo:rustc-env=HEARBACK_BENCH_RUSTC={}", version.trim());
}
