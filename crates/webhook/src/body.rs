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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::dispatch;
    use hearback_domain::Time;

    #[test]
    fn the_envelope_is_the_contracts() {
        let data = r#"{"id":"0191b0e4-0000-7000-8000-00000000000a","post_title":"Größe \"L\" 👕","n": 1.0 }"#;
        let dispatch = Dispatch { data: data.to_owned(), ..dispatch("https://receiver.example/") };
        let body =
            r#"{"event":"vote.created","organization_id":"0191b0e4-0000-7000-8000-000000000001","#
                .to_owned()
                + r#""occurred_at":"2026-03-01T09:30:00.120Z","data":{"id":"0191b0e4-0000-7000-8000-00000000000a","#
                + r#""post_title":"Größe \"L\" 👕","n": 1.0 }}"#;
        assert_eq!(of(&dispatch), body);
    }

    #[test]
    fn all_attempts_have_the_same_body() {
        let first = dispatch("https://receiver.example/");
        let later = Dispatch { attempt: 9, at: Time::MAX, ..first.clone() };
        assert_eq!(of(&first), of(&later));
    }
}
