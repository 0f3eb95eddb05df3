//! The content of a mail: the same for all recipients of a mailing with the same language, but for
//! the links at its end.

use super::Announcement;
use crate::portal::lasting_home;
use crate::rich_text::{self, Breaks, escaped};
use crate::words::{Arg, Speech, Words};
use ammonia::{Builder, UrlRelative, UrlRelativeEvaluate};
use hearback_domain::Time;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::image::ImagePath;
use hearback_domain::mail::{News, PostChange, PostNews};
use hearback_domain::organization::Organization;
use hearback_domain::status::Status;
use hearback_ports::mailer::{Mail, Recipient};
use std::borrow::Cow;
use std::panic::catch_unwind;
use std::sync::Arc;

/// News as text and as HTML, in one language.
pub(super) struct Letter {
    /// The news in one line.
    line: String,
    text: String,
    html: String,
}

/// The parts of a mail that differ between recipients.
pub(super) struct Envelope {
    /// See [`Mail::id`].
    pub(super) id: String,
    /// The URL at which a POST ends the mails like this one: those about the changelog, or about the
    /// post. `None`: the mail is about neither the changelog nor one post that the recipient follows.
    pub(super) unfollow_url: Option<String>,
    /// The URL at which a POST ends all mail.
    pub(super) unsubscribe_url: String,
    /// The URL of the page where the recipient chooses mails.
    pub(super) account_url: String,
    /// See [`Mail::at`].
    pub(super) at: Time,
}

/// The news in one line: the title of an entry, or what happened to a post.
pub fn line(news: &News, speech: Speech<'_>) -> String {
    let PostNews { post, what, actor_name, .. } = match news {
        News::Entry(entry) => return entry.title.clone(),
        News::Queue => return speech.t(key("news-queue")),
        News::Post(news) => &**news,
    };
    let title = Arg::Text(&post.title);
    match what {
        PostChange::Status(Status { name, .. }) => {
            speech.with("news-status", &[("title", title), ("status", Arg::Text(name))])
        }
        PostChange::Comment if actor_name.is_empty() => {
            speech.x("news-comment", "title", &post.title)
        }
        PostChange::Comment => {
            speech.with("news-comment-by", &[("title", title), ("name", Arg::Text(actor_name))])
        }
        PostChange::Merged(old) => {
            speech.with("news-merged", &[("title", title), ("old", Arg::Text(old))])
        }
        PostChange::Accepted => speech.x("news-accepted", "title", &post.title),
        PostChange::Owner => speech.x("news-owner", "title", &post.title),
    }
}

/// Marks a text as the key of a message, so that the test of keys finds it.
const fn key(key: &'static str) -> &'static str {
    key
}

impl Letter {
    /// Writes the letter of an announcement. A content is Markdown, HTML, or a mixture of both. Its
    /// HTML is sanitized.
    pub(super) fn write(announcement: &Announcement, words: &dyn Words, public_url: &str) -> Self {
        let Announcement { organization, news, language } = announcement;
        let speech = Speech::new(words, &[language]);
        let line = line(news, speech);
        match news {
            News::Entry(entry) => {
                Self::of_entry(line, entry, &lasting_home(organization, public_url))
            }
            News::Post(news) => Self::of_post(line, speech, organization, news, public_url),
            News::Queue => {
                let text = speech.t(key("mail-queue"));
                let html = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&line), escaped(&text));
                Self { text: format!("{line}\n\n{text}\n"), html, line }
            }
        }
    }

    fn of_entry(line: String, entry: &ChangelogEntry, home: &str) -> Self {
        let (content_html, content_text) = content(&entry.content, home);
        let image = entry.featured_image_url.as_deref().map(image).unwrap_or_default();
        Self {
            text: format!("{line}\n\n{content_text}"),
            html: format!("<h1>{}</h1>\n{image}{content_html}", escaped(&line)),
            line,
        }
    }

    fn of_post(
        line: String,
        speech: Speech<'_>,
        organization: &Organization,
        PostNews { post, what, comment, actor_name }: &PostNews,
        public_url: &str,
    ) -> Self {
        let title = &post.title;
        let home = lasting_home(organization, public_url);
        let url = format!("{home}/p/{}", post.slug);
        let mut text = format!("{title}\n\n");
        let mut html = format!("<h1><a href=\"{}\">{}</a></h1>\n", escaped(&url), escaped(title));
        let sentence = match what {
            PostChange::Status(status) => Some(speech.x("mail-status", "status", &status.name)),
            PostChange::Comment => None,
            PostChange::Merged(old) => Some(speech.x("mail-merged", "old", old)),
            PostChange::Accepted => Some(speech.t(key("mail-accepted"))),
            PostChange::Owner => Some(speech.t(key("mail-owner"))),
        };
        if let Some(sentence) = sentence {
            text += &format!("{sentence}\n\n");
            html += &format!("<p>{}</p>\n", escaped(&sentence));
        }
        if let Some(comment) = comment {
            let author = match &**actor_name {
                "" => speech.t(key("mail-comment")),
                name => speech.x("mail-comment-by", "name", name),
            };
            let (content_html, content_text) = content(&comment.content, &home);
            text += &format!("{author}\n\n{content_text}\n");
            html += &format!("<p>{}</p>\n{content_html}", escaped(&author));
        }
        text += &format!("{url}\n");
        Self { line, text, html }
    }

    /// The letters as one mail to a recipient, who follows the post of a single one, or gets it for
    /// another reason.
    pub(super) fn mail(
        letters: &[Arc<Self>],
        (organization, reason): (&Organization, Reason),
        speech: Speech<'_>,
        to: Recipient,
        Envelope { id, unfollow_url, unsubscribe_url, account_url, at }: Envelope,
    ) -> Mail {
        let name = &organization.name;
        let line = match letters {
            [letter] => letter.line.clone(),
            letters => {
                let count = i64::try_from(letters.len()).unwrap_or(i64::MAX);
                speech.n("news-digest", count)
            }
        };
        let subject = format!("{name}: {line}");
        let (mut text, mut html) = (format!("{name}\n"), format!("<p>{}</p>\n", escaped(name)));
        for letter in &letters[..letters.len().min(MOST_LETTERS)] {
            text += &format!("\n{}", letter.text);
            html += &letter.html;
        }
        let unfollow = match reason {
            Reason::News => speech.t(key("mail-unfollow-changelog")),
            _ => speech.t(key("mail-unfollow")),
        };
        let reason = match reason {
            Reason::News => speech.x("mail-why-news", "name", name),
            Reason::Follows => speech.x("mail-why-post", "name", name),
            Reason::IsMeant => speech.x("mail-why-you", "name", name),
            Reason::IsOnTeam => speech.x("mail-why-team", "name", name),
        };
        let links = [
            (unfollow_url.clone(), unfollow),
            (Some(unsubscribe_url.clone()), speech.t(key("mail-unsubscribe"))),
            (Some(account_url), speech.t(key("mail-choose"))),
        ];
        let links = links.into_iter().filter_map(|(url, words)| Some((url?, words)));
        text += &format!("\n-- \n{reason}\n");
        html += &format!("\n<hr>\n<p>{}</p>\n<p>", escaped(&reason));
        for (at, (url, words)) in links.enumerate() {
            let gap = if at == 0 { "" } else { " · " };
            text += &format!("{words}: {url}\n");
            html += &format!("{gap}<a href=\"{}\">{}</a>", escaped(&url), escaped(&words));
        }
        let html = format!(
            "<!doctype html>\n<html lang=\"{}\" dir=\"{}\">\n<head><meta charset=\"utf-8\">\
             <title>{}</title></head>\n<body>\n{html}</p>\n</body>\n</html>\n",
            speech.language,
            speech.dir(),
            escaped(&subject),
        );
        let unsubscribe_url = Some(unfollow_url.unwrap_or(unsubscribe_url));
        Mail { id, to, subject, text, html, unsubscribe_url, at }
    }
}

/// The reason why a recipient gets a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The recipient hears of the changelog.
    News,
    /// The recipient follows the post.
    Follows,
    /// The change is about the recipient.
    IsMeant,
    /// The recipient moderates.
    IsOnTeam,
}

/// The most changes that a digest shows. Its subject has the number of all.
const MOST_LETTERS: usize = 20;

/// The most of a content that is mailed, in bytes. Mail programs hide what is longer than some 100
/// KB, and the time to sanitize deeply nested HTML grows with the square of its length.
const MAX_CONTENT: usize = 32 * 1024;
/// The most by which a content is cut below [`MAX_CONTENT`] to end at a line or a word, in bytes.
const MAX_CUT: usize = 2 * 1024;
/// The width of the plain text, in columns.
const TEXT_WIDTH: usize = 78;

/// The beginning of a content, as sanitized HTML and as text. `home` is the address of the portal, at
/// which its images are found.
pub fn content(content: &str, home: &str) -> (String, String) {
    let content = beginning(content);
    rendered(&content, home)
        .unwrap_or_else(|| (format!("<pre>{}</pre>\n", escaped(&content)), content))
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
fn rendered(content: &str, home: &str) -> Option<(String, String)> {
    let mut builder = Builder::default();
    builder.url_relative(UrlRelative::Custom(Box::new(ImagesAt(home.to_owned()))));
    let html = rich_text::html(content, MAX_LETTER, Breaks::Soft, &builder)?;
    // html2text panics on some input.
    let text = catch_unwind(|| html2text::from_read(html.as_bytes(), TEXT_WIDTH)).ok()?.ok();
    let text = text.filter(|text| text.len() <= MAX_LETTER).unwrap_or_else(|| content.to_owned());
    Some((html, text))
}

/// The most of a letter that is mailed, in bytes, as HTML and as text each. A table or a link grows
/// when it is rendered.
const MAX_LETTER: usize = 256 * 1024;

/// A mail has no base for relative addresses. Those of images lead to the portal at this address.
struct ImagesAt(String);

impl UrlRelativeEvaluate<'static> for ImagesAt {
    fn evaluate<'url>(&self, url: &'url str) -> Option<Cow<'url, str>> {
        let ImagePath { digest, .. } = ImagePath::parse(url)?;
        Some(format!("{}/images/{digest}?w=1280", self.0).into())
    }
}

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
    use crate::words::tests::Keys;
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

    fn letter(news: &News, language: &'static str) -> Arc<Letter> {
        let announcement = Announcement { organization: acme(), news: news.clone(), language };
        Arc::new(Letter::write(&announcement, &Keys, "https://feedback.example"))
    }

    fn sent(letters: &[Arc<Letter>], reason: Reason, language: &str) -> Mail {
        let recipient = Recipient { name: "Ada".to_owned(), address: "ada@example.com".to_owned() };
        let link = |end: &str| format!("https://feedback.example/{end}");
        let envelope = Envelope {
            id: "1".to_owned(),
            unfollow_url: match reason {
                Reason::News => Some(link("unsubscribe/c")),
                Reason::Follows => Some(link("unsubscribe/p")),
                Reason::IsMeant | Reason::IsOnTeam => None,
            },
            unsubscribe_url: link("unsubscribe/x"),
            account_url: link("account"),
            at: Time::MIN,
        };
        let speech = Speech::new(&Keys, &[language]);
        Letter::mail(letters, (&acme(), reason), speech, recipient, envelope)
    }

    fn mail(news: &News) -> Mail {
        sent(&[letter(news, "en")], Reason::News, "en")
    }

    #[test]
    fn the_text_and_the_html_of_a_mail_have_the_same_content() {
        let mail = mail(&announcement(
            "Dark <mode>",
            "It is **here**, see [the guide](https://acme.example/guide).\n\n* one\n* two",
        ));
        assert_eq!(mail.subject, "Acme & Sons: Dark <mode>");
        // A program ends the mails of this kind.
        assert_eq!(mail.unsubscribe_url.as_deref(), Some("https://feedback.example/unsubscribe/c"));
        assert_eq!(
            mail.text,
            "Acme & Sons\n\nDark <mode>\n\nIt is **here**, see [the guide][1].\n* one\n* two\n\n\
             [1]: https://acme.example/guide\n\n-- \nmail-why-news(Acme & Sons)\n\
             mail-unfollow-changelog: https://feedback.example/unsubscribe/c\n\
             mail-unsubscribe: https://feedback.example/unsubscribe/x\n\
             mail-choose: https://feedback.example/account\n"
        );
        assert_eq!(
            mail.html,
            "<!doctype html>\n<html lang=\"en\" dir=\"ltr\">\n<head><meta charset=\"utf-8\">\
             <title>Acme &amp; Sons: Dark &lt;mode&gt;</title></head>\n\
             <body>\n<p>Acme &amp; Sons</p>\n<h1>Dark &lt;mode&gt;</h1>\n<p>It is <strong>here</strong>, see \
             <a href=\"https://acme.example/guide\" rel=\"noopener noreferrer\">the guide</a>.</p>\n\
             <ul>\n<li>one</li>\n<li>two</li>\n</ul>\n\n<hr>\n<p>mail-why-news(Acme &amp; Sons)</p>\n<p>\
             <a href=\"https://feedback.example/unsubscribe/c\">mail-unfollow-changelog</a> · \
             <a href=\"https://feedback.example/unsubscribe/x\">mail-unsubscribe</a> · \
             <a href=\"https://feedback.example/account\">mail-choose</a></p>\n</body>\n</html>\n"
        );
    }

    #[test]
    fn an_image_of_the_portal_is_the_only_relative_address_of_a_mail() {
        let digits = "a7".repeat(32);
        let content = format!("![A plan](/images/{digits}?s=8x6) ![x](/other.png) [y](/other)");
        let html = mail(&announcement("x", &content)).html;
        let image = format!(
            "<img src=\"https://feedback.example/o/acme/images/{digits}?w=1280\" alt=\"A plan\">"
        );
        assert!(html.contains(&image) && !html.contains("/other"), "{html}");
    }

    #[test]
    fn a_mail_leads_to_the_host_of_its_organization() {
        let portal = PortalSettings { host: Some("ideas.acme.example".into()), ..<_>::default() };
        let organization = Organization { portal, ..acme() };
        let digits = "a7".repeat(32);
        let image = Comment { content: format!("![](/images/{digits}?s=8x6)"), ..comment() };
        let news = of_post(PostChange::Accepted, Some(image), "");
        for (public, home) in [
            ("https://feedback.example/news", "https://ideas.acme.example"),
            ("http://127.0.0.1:8080", "http://ideas.acme.example:8080"),
        ] {
            let (organization, news) = (organization.clone(), news.clone());
            let announcement = Announcement { organization, news, language: "en" };
            let letter = Letter::write(&announcement, &Keys, public);
            for end in ["/p/dark-mode\">", &format!("/images/{digits}?w=1280\"")] {
                assert!(letter.html.contains(&format!("{home}{end}")), "{}", letter.html);
            }
            assert!(letter.text.ends_with(&format!("{home}/p/dark-mode\n")), "{}", letter.text);
        }
    }

    fn of_post(what: PostChange, comment: Option<Comment>, author: &str) -> News {
        News::Post(Box::new(PostNews {
            post: FeedbackPost { title: "Dark <mode>".to_owned(), ..post() },
            what,
            comment,
            actor_name: author.to_owned(),
        }))
    }

    #[test]
    fn a_mail_about_a_post_has_what_happened_and_the_comment_and_leads_to_it() {
        let mail = |news: &News| sent(&[letter(news, "ar")], Reason::Follows, "ar");
        let status = || PostChange::Status(planned());
        let both = mail(&of_post(status(), Some(comment()), "Ada <3"));
        assert_eq!(both.subject, "Acme & Sons: news-status(Dark <mode>|Planned)");
        // A program unsubscribes from the post.
        assert_eq!(both.unsubscribe_url.as_deref(), Some("https://feedback.example/unsubscribe/p"));
        assert_eq!(
            both.text,
            "Acme & Sons\n\nDark <mode>\n\nmail-status(Planned)\n\nmail-comment-by(Ada <3)\n\n\
             It is **here**.\n\nhttps://feedback.example/o/acme/p/dark-mode\n\n-- \n\
             mail-why-post(Acme & Sons)\nmail-unfollow: https://feedback.example/unsubscribe/p\n\
             mail-unsubscribe: https://feedback.example/unsubscribe/x\n\
             mail-choose: https://feedback.example/account\n"
        );
        let body = "<p>Acme &amp; Sons</p>\n<h1><a href=\"https://feedback.example/o/acme/p/dark-mode\">\
                    Dark &lt;mode&gt;</a></h1>\n<p>mail-status(Planned)</p>\n\
                    <p>mail-comment-by(Ada &lt;3)</p>\n<p>It is <strong>here</strong>.</p>\n\n<hr>";
        assert!(both.html.contains(body), "{}", both.html);
        assert!(both.html.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", both.html);
        let replied = PostChange::Comment;
        let alone = mail(&of_post(replied, Some(comment()), ""));
        assert_eq!(alone.subject, "Acme & Sons: news-comment(Dark <mode>)");
        assert!(alone.text.contains("Dark <mode>\n\nmail-comment\n\nIt is"), "{}", alone.text);
        for (what, subject, sentence) in [
            (
                PostChange::Merged("Old".to_owned()),
                "news-merged(Dark <mode>|Old)",
                "mail-merged(Old)",
            ),
            (PostChange::Accepted, "news-accepted(Dark <mode>)", "mail-accepted"),
            (PostChange::Owner, "news-owner(Dark <mode>)", "mail-owner"),
        ] {
            let mail = mail(&of_post(what, None, "Ada"));
            assert_eq!(mail.subject, format!("Acme & Sons: {subject}"));
            assert!(mail.text.contains(sentence), "{}", mail.text);
        }
    }

    #[test]
    fn a_digest_has_all_its_changes_and_ends_all_mail() {
        let letters: Vec<_> = (0..25)
            .map(|n| letter(&of_post(PostChange::Merged(format!("<{n}>")), None, ""), "en"))
            .collect();
        let mail = sent(&letters, Reason::IsMeant, "en");
        assert_eq!(mail.subject, "Acme & Sons: news-digest(25)");
        assert!(mail.text.contains("mail-merged(<0>)") && mail.text.contains("mail-merged(<19>)"));
        assert!(mail.html.contains("mail-merged(&lt;19&gt;)"), "{}", mail.html);
        assert!(!mail.text.contains("mail-merged(<20>)"), "{}", mail.text);
        assert_eq!(mail.unsubscribe_url.as_deref(), Some("https://feedback.example/unsubscribe/x"));
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
