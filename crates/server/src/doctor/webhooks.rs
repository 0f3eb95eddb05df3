//! Whether webhooks can be sent, and only to public addresses. The part about the store reports on
//! subscriptions.

use super::skipped;
use crate::config::Reading;
use crate::error::chain;
use crate::settings::{WEBHOOK_ALLOW_PRIVATE_NETWORKS, WEBHOOK_ALLOWED_PORTS};
use hearback_ports::examination::Finding;
use hearback_webhook::HttpSender;

pub(super) fn examine(reading: &Reading) -> Vec<Finding> {
    let settings = [WEBHOOK_ALLOW_PRIVATE_NETWORKS.name, WEBHOOK_ALLOWED_PORTS.name];
    if let Some(finding) = skipped(reading, "webhooks", &settings) {
        return vec![finding];
    }
    let policy = &reading.config.webhook_policy;
    let mut findings = match HttpSender::new(policy.clone(), Vec::new()) {
        Ok(sender) => roots(&sender),
        Err(error) => vec![Finding::problem(chain(&error), "check the system's root certificates")],
    };
    if policy.allows_private_networks {
        findings.push(Finding::warning(
            "webhooks may go to private networks and without TLS: a receiver may be any server \
             that this machine reaches",
            "unset HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS, unless receivers are in your own \
             network",
        ));
    }
    findings
}

/// The root certificates that verify receivers.
fn roots(sender: &HttpSender) -> Vec<Finding> {
    let remedy = "install the system's root certificates (Debian: ca-certificates), or set \
                  SSL_CERT_FILE or SSL_CERT_DIR";
    if !sender.has_roots() {
        let what = "webhooks: found no root certificates, so webhooks to https:// will fail";
        return vec![Finding::problem(what, remedy)];
    }
    let unread = sender.unread_roots().iter();
    let mut findings: Vec<Finding> = unread
        .map(|failure| {
            Finding::warning(format!("cannot read root certificates: {failure}"), remedy)
        })
        .collect();
    findings.push(Finding::good(
        "webhooks: receivers are verified against the system's root certificates",
    ));
    findings
}
