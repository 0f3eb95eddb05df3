//! `hearback doctor`: examines everything that a server needs, and reports problems with their
//! remedies.
//!
//! Each part examines one thing and answers with [`Finding`]s. Nothing is made or changed, and no
//! finding has a secret. A part that a wrong setting prevents is reported as skipped.

mod data_dir;
mod listen;
mod mail;
mod master_key;
mod settings;
mod store;
mod webhooks;

use crate::config::Reading;
use hearback_ports::examination::{Finding, Verdict};
use std::ffi::OsString;

/// Examines everything. `variables` are the names of all variables of the environment.
pub(crate) async fn examine(reading: &Reading, variables: &[OsString]) -> Vec<Finding> {
    let mut findings = settings::examine(reading, variables);
    findings.extend(data_dir::examine(reading));
    findings.extend(master_key::examine(reading));
    findings.extend(store::examine(reading).await);
    findings.extend(mail::examine(reading).await);
    findings.extend(webhooks::examine(reading));
    findings.extend(listen::examine(reading).await);
    findings
}

/// The number of problems.
pub(crate) fn problems(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| matches!(finding.verdict, Verdict::Problem { .. })).count()
}

/// The printed findings: a line each, with the remedy below it.
pub(crate) fn report(findings: &[Finding]) -> String {
    findings.iter().map(lines).collect()
}

fn lines(finding: &Finding) -> String {
    let (word, remedy) = match &finding.verdict {
        Verdict::Good => ("ok", None),
        Verdict::Warning { remedy } => ("warning", Some(remedy)),
        Verdict::Problem { remedy } => ("problem", Some(remedy)),
        Verdict::Skipped => ("skipped", None),
    };
    let what = one_line(&finding.what);
    let remedy =
        remedy.map(|remedy| format!("{:WIDTH$}{}\n", "", one_line(remedy))).unwrap_or_default();
    format!("{word:WIDTH$}{what}\n{remedy}")
}

/// The width of the verdict in front of a line.
const WIDTH: usize = 9;

/// Paths and answers of servers may have any characters, but a line is one finding, and a terminal
/// obeys escapes.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The finding that a part is skipped, if one of these settings is wrong.
fn skipped(reading: &Reading, what: &str, settings: &[&str]) -> Option<Finding> {
    let wrong = settings.iter().find(|name| reading.is_wrong(name))?;
    Some(Finding::skipped(format!("{what}: {wrong} is invalid")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line_with_its_remedy_below() {
        let findings = [
            Finding::good("a"),
            Finding::warning("b\u{1b}[31m", "do b\nnow"),
            Finding::problem("c", "do c"),
            Finding::skipped("d"),
        ];
        assert_eq!(
            report(&findings),
            "ok       a\n\
             warning  b [31m\n         do b now\n\
             problem  c\n         do c\n\
             skipped  d\n"
        );
        assert_eq!(problems(&findings), 1);
    }
}
