//! The body of a delivery: the envelope of the contract.

use hearback_ports::event_sink::Dispatch;

/// The body as compact JSON. All attempts have the same bytes, so that receivers can compare them.
pub(crate) fn of(dispatch: &Dispatch) -> String {
    let Dispatch { event, organization, occurred_at, data, .. } = dispatch;
    // Event types, identifiers and times need no escapes in JSON, and the data is JSON already.
    format!(
        r#"{{"event":"{event}","organization_id":"{organization}","occurred_at":"{occurred_at}","data":{data}}}"#
    )
}
