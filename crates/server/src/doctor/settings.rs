//! Whether all settings are right, and none is misspelt.

use crate::config::{ConfigError, Origin, Reading};
use crate::error::chain;
use crate::settings::ALL;
use hearback_ports::examination::Finding;
use std::ffi::OsString;

pub(super) fn examine(reading: &Reading, variables: &[OsString]) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        reading.faults.iter().map(|fault| Finding::problem(chain(fault), remedy(fault))).collect();
    if findings.is_empty() {
        let given =
            ALL.iter().filter(|setting| *reading.origin(setting.name()) != Origin::Default).count();
        let told = format!(
            "hearback {}: {given} of {} settings are set and valid",
            env!("CARGO_PKG_VERSION"),
            ALL.len()
        );
        findings.push(Finding::good(told));
    }
    findings.extend(variables.iter().filter_map(|variable| unknown(&variable.to_string_lossy())));
    findings
}

fn remedy(fault: &ConfigError) -> String {
    match fault {
        ConfigError::GivenTwice { name } => format!("unset {name} or {name}_FILE"),
        ConfigError::File { name, .. } => {
            format!("set {name}_FILE to a file that this user can read")
        }
        ConfigError::Missing { name, .. } => format!("set {name}"),
        ConfigError::NoReplica { .. } => {
            "unset HEARBACK_READ_DATABASE_URL, or set DATABASE_URL to a PostgreSQL database"
                .to_owned()
        }
        ConfigError::SameAddress => {
            "set them to different ports, or unset HEARBACK_METRICS_LISTEN".to_owned()
        }
        ConfigError::NotUnicode { name, .. } | ConfigError::Wrong { name, .. } => {
            format!(
                "correct {name}: `hearback --help` describes the settings, `hearback config` \
                 prints their values"
            )
        }
    }
}

/// The finding for a variable that begins like a setting, but is unknown.
fn unknown(variable: &str) -> Option<Finding> {
    let is_known = ALL.iter().any(|setting| {
        variable.strip_prefix(setting.name()).is_some_and(|form| matches!(form, "" | "_FILE"))
    });
    if !variable.starts_with("HEARBACK_") || is_known {
        return None;
    }
    let distance = |name: &str| strsim::damerau_levenshtein(name, variable);
    let names = ALL
        .iter()
        .flat_map(|setting| [setting.name().to_owned(), format!("{}_FILE", setting.name())]);
    let nearest =
        names.min_by_key(|name| distance(name)).filter(|name| distance(name) <= MOST_SLIPS);
    let remedy = match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => "unset it: `hearback --help` describes the settings".to_owned(),
    };
    Some(Finding::warning(format!("{variable} is not a setting"), remedy))
}

/// The most differences between a misspelt name and the name of a setting.
const MOST_SLIPS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::examination::Verdict;

    #[test]
    fn a_misspelt_name_is_reported_with_the_nearest_name() {
        for (variable, meant) in [
            ("HEARBACK_LISTN", "did you mean HEARBACK_LISTEN?"),
            ("HEARBACK_MASTERKEY_FILE", "did you mean HEARBACK_MASTER_KEY_FILE?"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORT", "did you mean HEARBACK_WEBHOOK_ALLOWED_PORTS?"),
            ("HEARBACK_SOMETHING_ELSE", "unset it: `hearback --help` describes the settings"),
        ] {
            let finding = unknown(variable).unwrap();
            assert_eq!(finding, Finding::warning(format!("{variable} is not a setting"), meant));
        }
        for variable in
            ["HEARBACK_LISTEN", "HEARBACK_LISTEN_FILE", "DATABASE_URL", "DATABASE", "PATH"]
        {
            assert_eq!(unknown(variable), None, "{variable}");
        }
    }

    #[test]
    fn settings_that_are_given_are_counted() {
        let reading =
            Reading::new(|name| (name == "HEARBACK_LISTEN").then(|| "127.0.0.1:0".into()));
        let findings = examine(&reading, &["HEARBACK_LISTEN".into(), "PATH".into()]);
        let [Finding { what, verdict: Verdict::Good }] = &findings[..] else {
            panic!("{findings:?}")
        };
        assert!(
            what.ends_with(&format!(": 1 of {} settings are set and valid", ALL.len())),
            "{what}"
        );
    }
}
