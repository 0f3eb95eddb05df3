//! The words of the API's refusals, and of the faults of a portable file.

use hearback_web::chrome::{Chrome, key};
use hearback_web::text::Language;

/// The words of a refusal, or of a fault of a field. A message without words of its own keeps those
/// of the API.
pub(crate) fn words(c: &Chrome, message: &str) -> String {
    said(c.language, message).unwrap_or_else(|| message.to_owned())
}

/// The words of the fault of a line of a portable file.
pub(crate) fn words_of_line(language: &Language, fault: &str) -> String {
    let said = find(language, LINES.iter().chain(&FAULTS), fault);
    said.unwrap_or_else(|| language.text(key("data-fault-format")))
}

fn said(language: &Language, message: &str) -> Option<String> {
    find(language, REFUSALS.iter().chain(&FAULTS), message)
}

/// The words of the first row whose part is in the message.
fn find<'a>(
    language: &Language,
    mut rows: impl Iterator<Item = &'a (&'a str, &'a str)>,
    message: &str,
) -> Option<String> {
    let row = rows.find(|(part, _)| message.contains(*part));
    row.map(|(_, key)| language.text(key)).or_else(|| limit(language, message))
}

/// The words of a message with a bound, which is its first number.
fn limit(language: &Language, message: &str) -> Option<String> {
    let (rule, bound) = message.split_at(message.find(|it: char| it.is_ascii_digit())?);
    let bound = bound.split(' ').next()?.parse().ok()?;
    Some(match rule {
        "Input should be greater than or equal to " => language.n("fault-below", bound),
        "Input should be less than or equal to " => language.n("fault-above", bound),
        "List should have at least " => language.n("fault-too-few", bound),
        "List should have at most " | "Dictionary should have at most " => {
            language.n("fault-too-many", bound)
        }
        "String should have at least " | "shorter than " => language.n("fault-too-short", bound),
        "String should have at most " | "longer than " => language.n("fault-too-long", bound),
        _ => return None,
    })
}

/// The refusals of a call as a whole, each by a part of its message.
const REFUSALS: [(&str, &str); 30] = [
    ("Cannot merge posts", key("fault-cannot-merge")),
    ("Code already exists", key("fault-code-taken")),
    ("Commenting is disabled", key("fault-no-comments")),
    ("External id already exists", key("fault-external-id-taken")),
    ("Name already exists", key("fault-name-taken")),
    ("Path already exists", key("fault-path-taken")),
    ("Slug already exists", key("fault-slug-taken")),
    ("The Help Center is not enabled", key("fault-no-help-center")),
    ("Voting is not permitted", key("fault-no-votes")),
    ("do not belong to this organization", key("fault-gone")),
    ("has articles", key("fault-has-articles")),
    ("ids must name every one", key("fault-order")),
    ("related article", key("fault-gone")),
    ("the URL is not allowed", key("fault-webhook-url")),
    ("the article cannot be restored", key("fault-article-not-restored")),
    ("the board has posts", key("fault-board-has-posts")),
    ("the default status cannot be", key("fault-new-status")),
    ("the email belongs to another user", key("fault-email-taken")),
    ("the entry is already published", key("fault-published")),
    ("the entry is not published", key("fault-not-published")),
    ("the parent comment is on another post", key("fault-parent")),
    ("the post cannot be restored", key("fault-post-not-restored")),
    ("the post is merged", key("fault-merged")),
    ("the post is not merged", key("fault-not-merged")),
    ("the redirect leads in a circle", key("fault-redirect-circle")),
    ("the status is in use", key("fault-status-in-use")),
    ("the user is blocked", key("fault-blocked")),
    ("the webhook was imported without its secret", key("fault-no-secret")),
    ("there is no default status", key("fault-no-new-status")),
    ("too many attributes", key("fault-attributes")),
];

/// The faults of fields and of the organization's settings, each by a part of its message.
/// Faults of values that no form sends, such as a cursor, have no words.
const FAULTS: [(&str, &str); 24] = [
    ("Field required", key("fault-required")),
    ("Input should be '", key("fault-value")),
    ("Input should be a valid UUID", key("fault-value")),
    ("Input should be a valid datetime", key("fault-time")),
    ("a reply to an internal comment", key("fault-internal-reply")),
    ("a tag is either added or removed", key("fault-tag-twice")),
    ("a time in the future", key("fault-future")),
    ("an attribute is a string", key("fault-value")),
    ("an author is either trusted or blocked", key("fault-trusted-blocked")),
    ("exclude each other", key("fault-exclusive")),
    ("itself", key("fault-itself")),
    ("not # and", key("fault-color")),
    ("not a domain", key("fault-domain")),
    ("not a host name", key("fault-host")),
    ("not a language tag", key("fault-value")),
    ("not an email address", key("fault-email")),
    ("not an http or https URL", key("fault-url")),
    ("pattern '^#(", key("fault-color")),
    ("pattern '^(?!", key("fault-slug")),
    ("pattern '^/[", key("fault-path")),
    ("pattern '^[0-9]", key("fault-amount")),
    ("pattern '^[a-z0-9_-]", key("fault-value")),
    ("the name of an attribute", key("fault-attribute-name")),
    ("to the deleted", key("fault-itself")),
];

/// The faults of the lines of a portable file, each by a part of its message, before [`FAULTS`].
/// The first ones quote names of the file, which may be in the messages of others. Any other fault
/// is one of the syntax of JSON.
const LINES: [(&str, &str); 34] = [
    ("invalid type", key("data-fault-type")),
    ("missing field", key("data-fault-missing")),
    ("unknown field", key("data-fault-member")),
    ("on another post", key("data-fault-other-post")),
    ("a path begins with", key("fault-path")),
    ("a key is hbk_", key("fault-value")),
    ("a merged post has no votes", key("data-fault-merged-vote")),
    ("a name is 1 to 64", key("fault-attribute-name")),
    ("a slug is", key("fault-slug")),
    ("a URL with a user", key("fault-url")),
    ("already", key("data-fault-taken")),
    ("another ", key("data-fault-taken")),
    ("article has one", key("data-fault-time")),
    ("comes before any organization", key("data-fault-organization-first")),
    ("contains U+0000", key("fault-value")),
    ("entry has one", key("data-fault-time")),
    ("exactly one of", key("fault-exclusive")),
    ("has a vote on this post", key("data-fault-taken")),
    ("is not in the organization", key("data-fault-not-there")),
    ("lead back", key("data-fault-circle")),
    ("longer than 16 MiB", key("data-fault-long")),
    ("more than 50 attributes", key("fault-attributes")),
    ("neither a string", key("fault-value")),
    ("no record has this kind", key("data-fault-kind")),
    ("not a UUID", key("fault-value")),
    ("not a decimal of", key("fault-amount")),
    ("not a decimal with", key("fault-value")),
    ("not a number from", key("fault-value")),
    ("not a timestamp", key("fault-time")),
    ("not below the version", key("data-fault-version")),
    ("not negative", key("fault-value")),
    ("not one of", key("fault-value")),
    ("only owners make owners", key("data-fault-owners")),
    ("records of one organization", key("data-fault-one-organization")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};
    use std::collections::BTreeSet;

    /// The refusals that no form shows, each with the reason.
    const UNSHOWN: [(&str, &str); 3] = [
        ("Idempotency-Key", "the dashboard calls without one"),
        ("an owner is changed in the dashboard", "only API keys are refused so"),
        ("the record was changed meanwhile", "the page shows what both have typed"),
    ];

    fn document() -> Value {
        serde_json::from_str(hearback_api::openapi()).unwrap()
    }

    fn shown(message: &str) -> Option<String> {
        let text = said(&Language::all()[0], message)?;
        Some(text.replace(['\u{2068}', '\u{2069}'], ""))
    }

    #[test]
    fn every_refusal_has_words() {
        let document = document();
        let responses = document["components"]["responses"].as_object().unwrap();
        let mut messages = BTreeSet::new();
        for (name, response) in responses {
            if !name.starts_with("BadRequest") && !name.starts_with("Forbidden") {
                continue;
            }
            let examples = response["content"]["application/json"]["examples"].as_object();
            for example in examples.unwrap().values() {
                let detail = &example["value"]["detail"];
                messages.insert(detail["error"].as_str().or(detail.as_str()).unwrap());
            }
        }
        let rows: Vec<_> = REFUSALS.iter().chain(&UNSHOWN).map(|(part, _)| *part).collect();
        for message in &messages {
            let own = rows.iter().filter(|part| message.contains(**part)).count();
            assert_eq!(own, 1, "{message}");
        }
        for part in rows {
            assert!(messages.iter().any(|message| message.contains(part)), "{part}");
        }
    }

    #[test]
    fn every_pattern_of_a_field_has_words() {
        let document = document();
        for endpoint in document["paths"].as_object().unwrap().values() {
            let body = &endpoint["post"]["requestBody"]["content"]["application/json"]["schema"];
            let body = body.pointer("/allOf/0").unwrap_or(body);
            for field in body["properties"].as_object().into_iter().flat_map(Map::values) {
                if let Some(pattern) = field["pattern"].as_str() {
                    let message = format!("String should match pattern '{pattern}'");
                    assert!(shown(&message).is_some(), "{message}");
                }
            }
        }
    }

    #[test]
    fn a_fault_of_a_field_has_words_with_its_bound() {
        let value = "This value is not possible here. Choose another one.";
        let same = "Both are the same. Choose another one.";
        let expected = [
            ("Field required", "Fill this in."),
            ("String should have at least 1 character", "Fill this in."),
            (
                "String should have at least 3 characters",
                "This is too short: at least 3 characters are needed.",
            ),
            (
                "String should have at most 512 characters",
                "This is too long: at most 512 characters fit.",
            ),
            ("longer than 2000 characters", "This is too long: at most 2,000 characters fit."),
            ("Input should be greater than or equal to 0", "Type a number of at least 0."),
            ("Input should be less than or equal to 604800", "Type a number of at most 604,800."),
            ("List should have at least 1 item", "Choose at least 1."),
            ("List should have at most 100 items", "These are too many. The most is 100."),
            ("Dictionary should have at most 50 items", "These are too many. The most is 50."),
            ("Input should be 'new' or 'fixed'", value),
            (
                "Value error, the name of an attribute is 1 to 64 of A-Z a-z 0-9 _ . -",
                "The name of an attribute has at most 64 characters: letters without accents, \
                 digits, dots, hyphens and underscores.",
            ),
            ("Value error, a tag cannot be merged into itself", same),
            ("Value error, posts cannot move to the deleted board", same),
            (
                "Value error, delivery_id and webhook_id exclude each other",
                "This does not go together with another field. Fill in only one of them.",
            ),
        ];
        for (message, text) in expected {
            assert_eq!(shown(message).as_deref(), Some(text), "{message}");
        }
        assert_eq!(shown("Port 7 is closed"), None);
    }

    #[test]
    fn a_fault_of_a_line_has_words() {
        let value = "This value is not possible here. Choose another one.";
        let taken = "Another record has this already.";
        let time = "A record of this status needs this time.";
        let expected = [
            ("another tag has it", taken),
            ("another comment of the post is pinned", taken),
            ("the organization has one already", taken),
            ("the user has a vote on this post", taken),
            ("a published article has one", time),
            ("a scheduled entry has one", time),
            ("it is on another post", "The record that this names is on another post."),
            ("not below the version of its article", "This version is not older than its article."),
            ("longer than 16 MiB", "The line is longer than 16 MiB."),
            ("longer than 512 characters", "This is too long: at most 512 characters fit."),
            ("shorter than 3 characters", "This is too short: at least 3 characters are needed."),
            ("a post is not merged into itself", "Both are the same. Choose another one."),
            ("invalid type: string, expected a boolean", "This is the wrong type of value."),
            (
                "unknown field `already`, expected one of `id`",
                "The format has no member of this name.",
            ),
            ("not one of draft, published", value),
            ("contains U+0000", value),
            ("EOF while parsing an object", "This does not fit the portable format."),
        ];
        for (fault, text) in expected {
            let said = words_of_line(&Language::all()[0], fault);
            assert_eq!(said.replace(['\u{2068}', '\u{2069}'], ""), text, "{fault}");
        }
    }
}
