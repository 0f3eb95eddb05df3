//! Connections are reused as long as they work.

use super::{failure, mail, mailer};
use hearback_domain::mail::MailFailure;
use hearback_ports::Mailer;
use hearback_tests::smtp::Behaviour::{Accept, Reply};
use hearback_tests::smtp::{SmtpServer, Stage};
use std::sync::Arc;

#[tokio::test]
async fn mails_one_after_the_other_take_one_connection() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    for number in 0..5 {
        mailer.send(mail(&number.to_string())).await.unwrap();
    }
    assert_eq!(server.received().len(), 5);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn concurrent_mails_take_a_connection_each_and_eight_are_kept() {
    let server = SmtpServer::start();
    let mailer = Arc::new(mailer(&server.url()));
    for round in 0..2 {
        let sending: Vec<_> = (0..12)
            .map(|number| tokio::spawn(send(Arc::clone(&mailer), format!("{round}-{number}"))))
            .collect();
        for sending in sending {
            sending.await.unwrap();
        }
    }
    assert_eq!(server.received().len(), 24);
    assert!(server.connections() <= 16, "{}", server.connections());
}

async fn send(mailer: Arc<impl Mailer>, id: String) {
    mailer.send(mail(&id)).await.expect("sent");
}

#[tokio::test]
async fn a_connection_that_the_server_closed_meanwhile_is_replaced() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    mailer.send(mail("1")).await.unwrap();
    server.close_connections();
    mailer.send(mail("2")).await.unwrap();
    let connections: Vec<u32> = server.received().iter().map(|mail| mail.connection).collect();
    assert_eq!(connections, [1, 2]);
}

#[tokio::test]
async fn a_connection_on_which_the_server_takes_no_more_mails_is_replaced() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    mailer.send(mail("1")).await.unwrap();
    server.behave(Stage::Mail, Reply("421 4.7.0 enough"));
    // The new connection fails too.
    assert_eq!(failure(&mailer, mail("2")).await.0, MailFailure::Unreachable);
    assert_eq!(server.connections(), 2);
    server.behave(Stage::Mail, Accept);
    mailer.send(mail("3")).await.unwrap();
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn a_refused_mail_does_not_spoil_the_connection_for_the_next() {
    let server = SmtpServer::start();
    let mailer = mailer(&server.url());
    for stage in [Stage::Rcpt, Stage::Data, Stage::End] {
        server.behave(stage, Reply("550 5.1.1 no"));
        assert_eq!(failure(&mailer, mail("1")).await.0, MailFailure::Refused);
        server.behave(stage, Accept);
    }
    mailer.send(mail("2")).await.unwrap();
    assert_eq!(server.received().len(), 1);
    assert_eq!(server.received()[0].to, ["ann@example.com"]);
    assert_eq!(server.connections(), 1);
}
