//! The messages that the mail server receives.

use super::{failure, mail, mailer};
use hearback_domain::mail::MailFailure;
use hearback_ports::Mailer;
use hearback_tests::smtp::{Setup, SmtpServer};

#[tokio::test]
async fn a_mail_arrives_with_both_parts_and_a_way_to_unsubscribe() {
    let server = SmtpServer::start();
    mailer(&server.url()).send(mail("0191a0b2")).await.unwrap();

    let received = server.received();
    assert_eq!(received.len(), 1);
    let mail = &received[0];
    assert_eq!(
        (mail.from.as_str(), &mail.to),
        ("news@weekwright.example", &vec!["ann@example.com".to_owned()])
    );
    assert_eq!(mail.hello, "weekwright.example");
    assert_eq!(mail.recipients, [("Ann Example".to_owned(), "ann@example.com".to_owned())]);
    for (name, value) in [
        ("From", "Weekwright <news@weekwright.example>"),
        ("Subject", "Dark mode is here"),
        ("Date", "Sun, 01 Mar 2026 09:30:00 +0000"),
        ("Message-ID", "<0191a0b2@weekwright.example>"),
        ("List-Unsubscribe", "<https://feedback.example/unsubscribe/AAECAwQF>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("Auto-Submitted", "auto-generated"),
        ("Precedence", "bulk"),
        ("MIME-Version", "1.0"),
    ] {
        assert_eq!(mail.header(name), value, "{name}");
    }
    assert!(mail.header("Content-Type").starts_with("multipart/alternative;"));
    assert_eq!(mail.text.trim_end(), "Dark mode\n\nis here.");
    assert_eq!(mail.html.trim_end(), "<p>Dark mode</p>\n<p>is here.</p>");
}

#[tokio::test]
async fn names_and_titles_add_no_header_and_no_recipient() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    let texts = [
        ("Ann\r\nBcc: eve@example.com", "Ann Bcc: eve@example.com"),
        ("\"Ann\" <eve@example.com>, Bob", "\"Ann\" <eve@example.com>, Bob"),
        ("Ann\\", "Ann\\"),
        ("=?utf-8?q?=0D=0ABcc:_eve@example.com?=", "=?utf-8?q?=0D=0ABcc:_eve@example.com?="),
        ("\r\n\r\n.\r\nQUIT\r\n\0", ". QUIT"),
        ("👩‍👩‍👧 שלום Zoë", "👩‍👩‍👧 שלום Zoë"),
        ("Ann\u{202e}moc.elpmaxe", "Annmoc.elpmaxe"),
    ];
    for (number, (text, _)) in texts.iter().enumerate() {
        let mut mail = mail(&number.to_string());
        mail.to.name = (*text).to_owned();
        mail.subject = (*text).to_owned();
        mailer.send(mail).await.unwrap();
    }

    let received = server.received();
    assert_eq!(received.len(), texts.len());
    for ((text, shown), mail) in texts.iter().zip(received) {
        assert_eq!(mail.to, ["ann@example.com"], "{text}");
        assert_eq!(
            mail.recipients,
            [((*shown).to_owned(), "ann@example.com".to_owned())],
            "{text}"
        );
        assert_eq!(mail.header("Subject"), *shown);
        assert_eq!(mail.headers.len(), 11, "{:?}", mail.headers);
    }
}

#[tokio::test]
async fn dots_long_lines_and_any_ends_of_lines_arrive_in_lines_within_the_limits() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    let long = "long ".repeat(1_000);
    let texts = [
        ".\n..\n.hidden\n\r\n.\r\nQUIT\n",
        "one\rtwo\nthree\r\nfour\n.\nfive",
        &format!("{long}\n{}\n", "x".repeat(5_000)),
        &"👩‍👩‍👧 ".repeat(500),
        "From here\n",
    ];
    for (number, text) in texts.iter().enumerate() {
        let mut mail = mail(&number.to_string());
        mail.text = (*text).to_owned();
        mail.html = format!("<pre>{text}</pre>");
        mail.subject = long.clone();
        mail.to.name = long.clone();
        mailer.send(mail).await.unwrap();
    }

    let received = server.received();
    assert_eq!(received.len(), texts.len());
    for (text, mail) in texts.iter().zip(received) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        assert_eq!(mail.text.trim_end_matches('\n'), text.trim_end_matches('\n'));
        assert_eq!(mail.html.trim_end_matches('\n'), format!("<pre>{text}</pre>"));
        let data = String::from_utf8(mail.data).unwrap();
        assert!(data.is_ascii());
        for line in data.split("\r\n") {
            assert!(line.len() <= 998 && !line.contains(['\r', '\n']), "{line}");
        }
    }
}

#[tokio::test]
async fn an_address_beyond_ascii_needs_a_server_with_smtputf8() {
    let mut other = mail("1");
    other.to.address = "änn@bücher.example".into();

    let server = SmtpServer::start_as(Setup { utf8: true, ..Setup::default() });
    mailer(&server.url()).send(other.clone()).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].to, ["änn@xn--bcher-kva.example"]);

    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    let (kind, text) = failure(&mailer, other).await;
    assert_eq!(kind, MailFailure::Refused);
    assert!(text.ends_with("the mail server takes no address that is not in ASCII"), "{text}");

    let mut domain = mail("2");
    domain.to.address = "ann@bücher.example".into();
    mailer.send(domain).await.unwrap();
    assert_eq!(server.received()[0].to, ["ann@xn--bcher-kva.example"]);
}
