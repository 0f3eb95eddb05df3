//! Failures to send a mail. The kind of the failure decides if the mail is tried again.

use super::{failure, mail, mailer};
use hearback_domain::mail::MailFailure::{self, BadAddress, Refused, Unknown, Unreachable};
use hearback_ports::Mailer;
use hearback_tests::closed_port::ClosedPort;
use hearback_tests::smtp::Behaviour::{Accept, Drop, Hang, Reply};
use hearback_tests::smtp::{Setup, SmtpServer, Stage};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn the_stage_and_the_behaviour_of_the_server_decide_the_failure_of_a_mail() {
    let server = SmtpServer::start();
    for (stage, behaviour, kind, end) in [
        (
            Stage::Connect,
            Reply("421 4.3.2 busy"),
            Unreachable,
            "connecting to the mail server: the mail server answered 421 4.3.2 busy",
        ),
        (Stage::Connect, Reply("554 5.7.1 not you"), Unreachable, "answered 554 5.7.1 not you"),
        (
            Stage::Connect,
            Reply("+OK POP3 ready"),
            Unreachable,
            "closed the connection or gave no proper answer",
        ),
        (Stage::Connect, Drop, Unreachable, ""),
        (Stage::Mail, Reply("451 4.3.0 later"), Unreachable, "answered 451 4.3.0 later"),
        (
            Stage::Mail,
            Reply("550 5.7.1 not from you"),
            Unreachable,
            "naming the sender to the mail server: the mail server answered 550 5.7.1 not from you",
        ),
        (Stage::Mail, Drop, Unreachable, ""),
        (
            Stage::Rcpt,
            Reply("450 4.2.0 greylisted, ann@example.com"),
            Unreachable,
            "answered 450 4.2.0",
        ),
        (Stage::Rcpt, Reply("530 5.7.0 authenticate first"), Unreachable, "answered 530 5.7.0"),
        (
            Stage::Rcpt,
            Reply("550 5.1.1 ann@example.com is unknown"),
            Refused,
            "naming the recipient to the mail server: the mail server answered 550 5.1.1",
        ),
        (Stage::Rcpt, Reply("553 no ann@example.com"), Refused, "answered 553"),
        (Stage::Rcpt, Drop, Unreachable, ""),
        (Stage::Data, Reply("451 4.3.0 later"), Unreachable, "answered 451 4.3.0"),
        (Stage::Data, Reply("554 5.5.1 no"), Refused, "answered 554 5.5.1"),
        (Stage::Data, Reply("250 what"), Unreachable, "gave no proper answer"),
        (Stage::Data, Drop, Unreachable, ""),
        (Stage::End, Reply("451 4.3.0 later"), Unreachable, "answered 451 4.3.0"),
        (Stage::End, Reply("421 4.3.2 going"), Unreachable, "answered 421 4.3.2"),
        (
            Stage::End,
            Reply("552 5.3.4 too large for ann@example.com"),
            Refused,
            "answered 552 5.3.4",
        ),
        (
            Stage::End,
            Reply("354 what"),
            Unknown,
            "waiting whether the mail server took the mail: the mail server closed the connection or gave no proper answer",
        ),
        (Stage::End, Reply("nonsense for ann@example.com"), Unknown, "gave no proper answer"),
        (Stage::End, Drop, Unknown, ""),
    ] {
        server.behave(stage, behaviour);
        let (found, text) = failure(&mailer(&server.url()), mail("1")).await;
        assert_eq!(found, kind, "{stage:?} {behaviour:?}: {text}");
        assert!(text.ends_with(end), "{stage:?} {behaviour:?}: {text}");
        server.behave(stage, Accept);
    }
    assert_eq!(server.received(), []);
}

#[tokio::test]
async fn a_missing_server_is_unreachable() {
    let closed = ClosedPort::choose();
    let url = format!("smtp://{}", closed.address());
    let (kind, text) = failure(&mailer(&url), mail("1")).await;
    assert_eq!(kind, Unreachable);
    assert!(text.contains("connecting to the mail server: ") && text.contains("refused"), "{text}");

    let (kind, text) = failure(&mailer("smtp://no-such-host.invalid"), mail("1")).await;
    assert_eq!(kind, Unreachable);
    assert!(text.contains("connecting to the mail server: "), "{text}");
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    for (stage, kind, end) in [
        (
            Stage::Connect,
            Unreachable,
            "connecting to the mail server: the mail server did not answer in time",
        ),
        (
            Stage::Mail,
            Unreachable,
            "naming the sender to the mail server: the mail server did not answer in time",
        ),
        (
            Stage::Rcpt,
            Unreachable,
            "naming the recipient to the mail server: the mail server did not answer in time",
        ),
        (
            Stage::Data,
            Unreachable,
            "announcing the mail to the mail server: the mail server did not answer in time",
        ),
        (
            Stage::End,
            Unknown,
            "waiting whether the mail server took the mail: the mail server did not answer in time",
        ),
    ] {
        let (found, text, waited) = hung(stage).await;
        assert_eq!(found, kind, "{text}");
        assert!(text.ends_with(end), "{text}");
        // All stages but the last share a time limit, so a send takes less than two minutes.
        let limit = Duration::from_secs(if stage == Stage::End { 60 } else { 30 });
        assert!(waited <= limit + Duration::from_secs(1), "{stage:?}: {waited:?}");
    }
}

/// Sends a mail to a server that hangs at a stage. Returns the failure, its text, and the time that
/// the paused clock advanced since.
async fn hung(stage: Stage) -> (MailFailure, String, Duration) {
    let server = Arc::new(SmtpServer::start());
    server.behave(stage, Hang);
    let mailer = mailer(&server.url());
    let sending = tokio::spawn(async move { failure(&mailer, mail("1")).await });
    let hanging = Arc::clone(&server);
    tokio::task::spawn_blocking(move || hanging.wait_for_hanging_client())
        .await
        .expect("a hanging client");
    // When nothing else is left to do, a paused clock advances to the end of the next wait.
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    let (kind, text) = sending.await.expect("an answer");
    let waited = start.elapsed();
    tokio::time::resume();
    (kind, text, waited)
}

#[tokio::test]
async fn a_send_that_was_given_up_leaves_nothing_in_the_way_of_the_next() {
    let server = Arc::new(SmtpServer::start());
    let mailer = Arc::new(mailer(&server.url()));
    mailer.send(mail("1")).await.unwrap();
    for stage in [Stage::Mail, Stage::Rcpt, Stage::Data] {
        server.behave(stage, Hang);
        let sending = Arc::clone(&mailer);
        let sending = tokio::spawn(async move { sending.send(mail("2")).await });
        let hanging = Arc::clone(&server);
        tokio::task::spawn_blocking(move || hanging.wait_for_hanging_client()).await.unwrap();
        sending.abort();
        assert!(sending.await.unwrap_err().is_cancelled());
        server.behave(stage, Accept);
    }
    mailer.send(mail("3")).await.unwrap();
    let ids: Vec<_> =
        server.received().iter().map(|mail| mail.header("Message-ID").to_owned()).collect();
    assert_eq!(ids, ["<1@weekwright.example>", "<3@weekwright.example>"]);
}

#[tokio::test]
async fn an_invalid_address_is_not_tried() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    for address in [
        "",
        "ann",
        "ann@example.com\r\nRCPT TO:<eve@example.com>",
        "ann@example.com>\r\nQUIT",
        "ann@exam ple.com",
    ] {
        let mut mail = mail("1");
        mail.to.address = address.into();
        assert_eq!(failure(&mailer, mail).await.0, BadAddress, "{address}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn user_and_password_work_in_either_mechanism_and_wrong_ones_lose_no_mail() {
    for without in [None, Some("PLAIN"), Some("LOGIN")] {
        let server = SmtpServer::start_as(Setup {
            login: Some(("me@here", "s3cr3t/ä")),
            without,
            ..Setup::default()
        });
        let url = |login: &str| format!("smtp://{login}{}?tls=none", server.address());
        mailer(&url("me%40here:s3cr3t%2F%C3%A4@")).send(mail("1")).await.unwrap();
        assert_eq!(server.received()[0].user.as_deref(), Some("me@here"), "without {without:?}");

        // This server's reply repeats the password.
        let (kind, text) = failure(&mailer(&url("me:s3cr3t@")), mail("2")).await;
        assert_eq!(kind, Unreachable);
        assert!(
            text.ends_with("authenticating to the mail server: the mail server answered 535 5.7.8"),
            "{text}"
        );

        let (kind, text) = failure(&mailer(&url("")), mail("3")).await;
        assert_eq!(kind, Unreachable);
        assert!(text.contains("answered 530"), "{text}");
    }
    let server = SmtpServer::start();
    let (kind, text) =
        failure(&mailer(&format!("smtp://me:s3cr3t@{}?tls=none", server.address())), mail("1"))
            .await;
    assert_eq!(kind, Unreachable);
    assert!(text.contains("authenticating to the mail server: "), "{text}");
}

#[test]
fn a_mailer_shows_no_password() {
    let mailer = mailer("smtp://me:s3cr3t@127.0.0.1:2525?tls=none");
    assert_eq!(
        format!("{mailer:?}"),
        "SmtpMailer { host: \"127.0.0.1\", port: 2525, tls: None, .. }"
    );
}
