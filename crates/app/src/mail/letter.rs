//! The content of a mail: the same for all recipients of a mailing, but for the link at its end.

use super::Announcement;
use crate::rich_text::{self, Breaks, escaped};
use ammonia::{Builder, UrlRelative};
use hearback_domain::Time;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::mail::{News, PostNews};
use hearback_domain::organization::Organization;
use hearback_domain::status::Status;
use hearback_ports::mailer::{Mail, Recipient};
use std::panic::catch_unwind;

/// News as text and as HTML.
pub(super) struct Letter {
    subject: String,
    /// What the recipient is subscribed to.
    subscribed_to: String,
    text: String,
    html: String,
}

/// The parts of a mail that differ between recipients.
pub(super) struct Envelope {
    /// See [`Mail::id`].
    pub(super) id: String,
    /// See [`Mail::unsubscribe_url`].
    pub(super) unsubscribe_url: String,
    /// See [`Mail::at`].
    pub(super) at: Time,
}

impl Letter {
    /// Writes the letter of an announcement. A content is Markdown, HTML, or a mixture of both. Its
    /// HTML is sanitized.
    pub(super) fn write(announcement: &Announcement, public_url: &str) -> Self {
        let Announcement { organization, news } = announcement;
        match news {
            News::Entry(entry) => Self::of_entry(organization, entry),
            News::Post(news) => Self::of_post(organization, news, public_url),
        }
    }

    fn of_entry(Organization { name, .. }: &Organization, entry: &ChangelogEntry) -> Self {
        let (content_html, content_text) = content(&entry.content);
        let image = entry.featured_image_url.as_deref().map(image).unwrap_or_default();
        let (organization, title) = (escaped(name), escaped(&entry.title));
        Self {
            subject: format!("{name}: {}", entry.title),
            subscribed_to: format!("news of {name}"),
            text: format!("{name}\n\n{}\n\n{content_text}", entry.title),
            html: format!("<p>{organization}</p>\n<h1>{title}</h1>\n{image}{content_html}"),
        }
    }

    fn of_post(organization: &Organization, news: &PostNews, public_url: &str) -> Self {
        let PostNews { post, status, comment, actor_name } = news;
        let (name, title) = (&organization.name, &post.title);
        let url = format!("{public_url}/o/{}/p/{}", organization.slug, post.slug);
        let mut text = format!("{name}\n\n{title}\n\n");
        let mut html = format!(
            "<p>{}</p>\n<h1><a href=\"{}\">{}</a></h1>\n",
            escaped(name),
            escaped(&url),
            escaped(title)
        );
        let subject = match status {
            Some(Status { name: status, .. }) => {
                text += &format!("The status is now {status}.\n\n");
                html += &format!("<p>The status is now <b>{}</b>.</p>\n", escaped(status));
                format!("{name}: {title} is now {status}")
            }
            None => format!("{name}: Comment on {title}"),
        };
        if let Some(comment) = comment {
            let author = if actor_name.is_empty() { "A comment" } else { actor_name };
            let (content_html, content_text) = content(&comment.content);
            text += &format!("{author}:\n\n{content_text}\n");
            html += &format!("<p>{}:</p>\n{content_html}", escaped(author));
        }
        text += &format!("{url}\n");
        Self { subject, subscribed_to: format!("this post and to news of {name}"), text, html }
    }

    /// The letter as a mail to a recipient.
    pub(super) fn to(
        &self,
        recipient: Recipient,
        Envelope { id, unsubscribe_url, at }: Envelope,
    ) -> Mail {
        let Self { subject, subscribed_to, text, html } = self;
        let (reason, link) = (escaped(subscribed_to), escaped(&unsubscribe_url));
        let text = format!(
            "{text}\n-- \nYou get this since you are subscribed to {subscribed_to}.\nUnsubscribe: {unsubscribe_url}\n"
        );
        let html = format!(
            "<!doctype html>\n<html>\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n{html}\n<hr>\n\
             <p>You get this since you are subscribed to {reason}. <a href=\"{link}\">Unsubscribe</a></p>\n\
             </body>\n</html>\n",
            title = escaped(subject),
        );
        Mail {
            id,
            to: recipient,
            subject: subject.clone(),
            text,
            html,
            unsubscribe_url: Some(unsubscribe_url),
            at,
        }
    }
}

/// The most of a content that is mailed, in bytes. Mail programs hide what is longer than some 100
/// KB, and the time to sanitize deeply nested HTML grows with the square of its length.
const MAX_CONTENT: usize = 32 * 1024;
/// The most by which a content is cut below [`MAX_CONTENT`] to end at a line or a word, in bytes.
const MAX_CUT: usize = 2 * 1024;
/// The width of the plain text, in columns.
const TEXT_WIDTH: usize = 78;

/// The beginning of a content, as HTML and as text.
fn content(content: &str) -> (String, String) {
    let content = beginning(content);
    rendered(&content).unwrap_or_else(|| (format!("<pre>{}</pre>\n", escaped(&content)), content))
}

fn beginning(content: &str) -> String {
    if content.len() <= MAX_CONTENT {
        return content.to_owned();
    }
    let end = content.floor_char_boundary(MAX_CONTENT);
    // The cut is at the end of a line or a word, unless that would cut away much more.
    let least = content.floor_char_boundary(MAX_CONTENT - MAX_CUT);
    let near = &content[least..end];
    let end =
        near.rfind('\n').or_else(|| near.rfind(char::is_whitespace)).map_or(end, |at| least + at);
    format!("{}\n\n…", &content[..end])
}

/// A content as HTML and as text. `None` if it can only be shown as plain text.
fn rendered(content: &str) -> Option<(String, String)> {
    // A mail has no base for relative addresses.
    let html = rich_text::html(content, MAX_LETTER, Breaks::Soft, &mut without_relative())?;
    // html2text panics on some input.
    let text = catch_unwind(|| html2text::from_read(html.as_bytes(), TEXT_WIDTH)).ok()?.ok();
    let text = text.filter(|text| text.len() <= MAX_LETTER).unwrap_or_else(|| content.to_owned());
    Some((html, text))
}

/// The most of a letter that is mailed, in bytes, as HTML and as text each. A table or a link grows
/// when it is rendered.
const MAX_LETTER: usize = 256 * 1024;

fn without_relative() -> Builder<'static> {
    let mut builder = Builder::default();
    builder.url_relative(UrlRelative::Deny);
    builder
}

fn image(url: &str) -> String {
    without_relative().clean(&format!("<img src=\"{}\" alt=\"\">", escaped(url))).to_string() + "\n"
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::write::tests::{id, post};
    use hearback_domain::changelog_entry::EntryStatus;
    use hearback_domain::comment::{Comment, Visibility};
    use hearback_domain::feedback_post::{FeedbackPost, Moderation};
    use hearback_domain::organization::HelpCenter;
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_domain::status::StatusGroup;

    pub(crate) fn acme() -> Organization {
        Organization {
            id: id(1),
            name: "Acme & Sons".to_owned(),
            slug: Slug::parse("acme").unwrap(),
            help_center: HelpCenter::from_flag(true),
            events_ledger: false,
            portal: PortalSettings::default(),
            created_at: Time::MIN,
        }
    }

    pub(crate) fn entry(title: &str, content: &str) -> ChangelogEntry {
        ChangelogEntry {
            id: id(2),
            title: title.to_owned(),
            content: content.to_owned(),
            slug: Slug::parse("x").unwrap(),
            status: EntryStatus::Published,
            show_on_portal: true,
            featured_image_url: None,
            author_id: None,
            scheduled_at: None,
            published_at: Some(Time::MIN),
            entry_type: None,
            label_ids: vec![],
            notify: true,
            notify_voters: false,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn planned() -> Status {
        Status {
            id: id(6),
            name: "Planned".to_owned(),
            code: "planned".to_owned(),
            color: "#fff".to_owned(),
            group: StatusGroup::Open,
            is_default_status: false,
            show_on_feedback: true,
            show_on_roadmap: true,
            external_id: None,
            is_active: true,
            seq_number: Position::START,
            created_at: Time::MIN,
        }
    }

    fn comment() -> Comment {
        Comment {
            id: id(8),
            content: "It is **here**.".to_owned(),
            author_id: id(5),
            parent_comment_id: None,
            feedback_post_id: post().id,
            visibility: Visibility::Public,
            moderation: Moderation::Accepted,
            is_pinned: false,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn announcement(title: &str, content: &str) -> News {
        News::Entry(Box::new(entry(title, content)))
    }

    fn mail(news: &News) -> Mail {
        let announcement = Announcement { organization: acme(), news: news.clone() };
        let recipient = Recipient { name: "Ada".to_owned(), address: "ada@example.com".to_owned() };
        let unsubscribe_url = "https://feedback.example/unsubscribe/x".to_owned();
        Letter::write(&announcement, "https://feedback.example")
            .to(recipient, Envelope { id: "1".to_owned(), unsubscribe_url, at: Time::MIN })
    }

    #[test]
    fn the_text_and_the_html_of_a_mail_have_the_same_content() {
        let mail = mail(&announcement(
            "Dark <mode>",
            "It is **here**, see [the guide](https://acme.example/guide).\n\n* one\n* two",
        ));
        assert_eq!(mail.subject, "Acme & Sons: Dark <mode>");
        assert_eq!(
            mail.text,
            "Acme & Sons\n\nDark <mode>\n\nIt is **here**, see [the guide][1].\n* one\n* two\n\n\
             [1]: https://acme.example/guide\n\n-- \nYou get this since you are subscribed to news of Acme & Sons.\n\
             Unsubscribe: https://feedback.example/unsubscribe/x\n"
        );
        assert_eq!(
            mail.html,
            "<!doctype html>\n<html>\n<head><meta charset=\"utf-8\"><title>Acme &amp; Sons: Dark &lt;mode&gt;</title></head>\n\
             <body>\n<p>Acme &amp; Sons</p>\n<h1>Dark &lt;mode&gt;</h1>\n<p>It is <strong>here</strong>, see \
             <a href=\"https://acme.example/guide\" rel=\"noopener noreferrer\">the guide</a>.</p>\n\
             <ul>\n<li>one</li>\n<li>two</li>\n</ul>\n\n<hr>\n<p>You get this since you are subscribed to news of Acme &amp; Sons. \
             <a href=\"https://feedback.example/unsubscribe/x\">Unsubscribe</a></p>\n</body>\n</html>\n"
        );
    }

    #[test]
    fn a_mail_about_a_post_has_its_new_status_and_the_comment_and_leads_to_it() {
        let news = |status: bool, comment: Option<Comment>, author: &str| {
            News::Post(Box::new(PostNews {
                post: FeedbackPost { title: "Dark <mode>".to_owned(), ..post() },
                status: status.then(planned),
                comment,
                actor_name: author.to_owned(),
            }))
        };
        let both = mail(&news(true, Some(comment()), "Ada <3"));
        assert_eq!(both.subject, "Acme & Sons: Dark <mode> is now Planned");
        assert_eq!(
            both.text,
            "Acme & Sons\n\nDark <mode>\n\nThe status is now Planned.\n\nAda <3:\n\nIt is **here**.\n\n\
             https://feedback.example/o/acme/p/dark-mode\n\n-- \nYou get this since you are \
             subscribed to this post and to news of Acme & Sons.\n\
             Unsubscribe: https://feedback.example/unsubscribe/x\n"
        );
        let body = "<p>Acme &amp; Sons</p>\n<h1><a href=\"https://feedback.example/o/acme/p/dark-mode\">\
                    Dark &lt;mode&gt;</a></h1>\n<p>The status is now <b>Planned</b>.</p>\n\
                    <p>Ada &lt;3:</p>\n<p>It is <strong>here</strong>.</p>\n\n<hr>";
        assert!(both.html.contains(body), "{}", both.html);
        let status = mail(&news(true, None, "Ada")).text;
        assert!(status.contains("now Planned.\n\nhttps://feedback.example/o/acme/p/"), "{status}");
        let alone = mail(&news(false, Some(comment()), ""));
        assert_eq!(alone.subject, "Acme & Sons: Comment on Dark <mode>");
        assert!(alone.text.contains("Dark <mode>\n\nA comment:\n\nIt is"), "{}", alone.text);
    }

    #[test]
    fn a_content_holds_no_script_and_no_form() {
        let hostile = "<img src=x onerror=alert(1)><a href=\"javascript:alert(1)\" style=\"x\">a</a>\n\n\
                       [b](javascript:alert(1)) <form action=\"https://evil.example\"><input></form></body></html>";
        let html = mail(&announcement("<script>", hostile)).html;
        for trace in ["<script", "onerror", "javascript:", "style=", "<form", "<input"] {
            assert!(!html.contains(trace), "{trace} in {html}");
        }
        assert_eq!(html.matches("</body>").count(), 1);
        let script = mail(&announcement(
            "Script",
            "**Hi** <script>alert(1)</script> <iframe src=\"https://evil.example\">",
        ))
        .html;
        assert!(
            script.contains("<strong>Hi</strong> &lt;script&gt;alert(1)&lt;/script&gt; &lt;iframe"),
            "{script}"
        );
    }

    #[test]
    fn rich_text_is_mailed_with_its_format() {
        let mail =
            mail(&announcement("Rich", "<h2>Faster</h2><p>Twice as <b>fast</b> &amp; small.</p>"));
        assert!(
            mail.html.contains("<h2>Faster</h2><p>Twice as <b>fast</b> &amp; small.</p>"),
            "{}",
            mail.html
        );
        assert!(mail.text.contains("## Faster\n\nTwice as **fast** & small."), "{}", mail.text);
    }

    #[test]
    fn the_hero_image_is_shown_if_its_address_is_valid() {
        let with = |url: &str| {
            let featured_image_url = Some(url.to_owned());
            let entry = ChangelogEntry { featured_image_url, ..entry("Image", "") };
            mail(&News::Entry(Box::new(entry))).html
        };
        assert!(
            with("https://cdn.example/a.png?x=1&y=2")
                .contains(r#"<img src="https://cdn.example/a.png?x=1&amp;y=2" alt="">"#)
        );
        assert!(!with("javascript:alert(1)").contains("javascript"));
        assert!(!with("\" onerror=\"alert(1)").contains("onerror"));
    }

    #[test]
    fn a_long_content_is_cut_at_a_line_or_a_word() {
        let beginning_of = |content: &str| beginning(content);
        assert_eq!(beginning_of("short"), "short");
        let lines = "words and words\n".repeat(5_000);
        assert!(beginning_of(&lines).ends_with("words and words\n\n…"));
        let words = format!("first\n{}", "word ".repeat(20_000));
        let cut = beginning_of(&words);
        assert!(cut.len() > 32_000 && cut.ends_with("word\n\n…"), "{}", cut.len());
        let one_word = beginning_of(&"é".repeat(40_000));
        assert!(one_word.len() > 32_000 && one_word.ends_with("é\n\n…"));
    }

    #[test]
    fn hostile_content_is_mailed_as_plain_text() {
        let many = |piece: &dyn Fn(usize) -> String, times: usize| {
            (0..times).map(piece).collect::<String>()
        };
        let bold = |times: usize| many(&|n| format!("<b id={n}></x>"), times);
        for content in [
            "<div>".repeat(100_000),
            "> ".repeat(100_000),
            "<table><tr><td>x".repeat(5_000),
            bold(1_000) + &"<p>x".repeat(4_000),
            bold(60) + &"<p>x".repeat(7_900),
            many(&|n| format!("<b id={n} title=\"</b>\">"), 500) + &"x\n\n".repeat(9_000),
            many(&|n| format!("<i \"><b id={n}>\">"), 500) + &"x\n\n".repeat(9_000),
            many(&|n| format!("<b id={n}><style></b></style>"), 500) + &"x\n\n".repeat(9_000),
            format!("{}\n{}\n{}", "|a".repeat(100), "|-".repeat(100), "a\n".repeat(16_000)),
            "<table><td colspan=18446744073709551615>x</table>".to_owned(),
        ] {
            let mail = mail(&announcement("Hostile", &content));
            let sizes = (mail.html.len(), mail.text.len());
            assert!(sizes.0 < 600_000 && sizes.1 < 600_000, "{sizes:?}: {}", &content[..40]);
        }
        let mail = mail(&announcement("Nested", &"<div>".repeat(100)));
        assert!(mail.html.contains("<pre>&lt;div&gt;&lt;div&gt;"), "{}", mail.html);
        assert!(mail.text.contains("<div><div>"), "{}", mail.text);
    }
}
