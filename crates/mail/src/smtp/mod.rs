//! Mails through a mail server.

mod error;
mod idle;
mod url;

use self::error::{Failed, Reason, Stage};
use self::idle::{Close, Idle};
use self::url::SmtpUrl;
use crate::message::{self, Message};
use crate::sender::Sender;
use async_trait::async_trait;
use hearback_domain::mail::MailFailure;
use hearback_ports::Mailer;
use hearback_ports::mailer::{Mail, MailError};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, Tls};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};
use std::time::Duration;
use std::{fmt, iter};
use tokio::time::{Instant, timeout, timeout_at};

pub use self::url::BadSmtpUrl;

/// Sends mails through the mail server of `HEARBACK_SMTP_URL`:
///
/// * `smtps://[USER:PASSWORD@]HOST[:465]` is TLS from the start.
/// * `smtp://USER:PASSWORD@HOST[:587]` changes to TLS (STARTTLS) before the password is sent, and
///   fails if the server does not offer TLS.
/// * `smtp://HOST[:25]` changes to TLS if the server offers it.
///
/// `?tls=` after `smtp://` overrides that. `required` refuses a server without TLS. It verifies the
/// certificate by the roots of the operating system (or of `SSL_CERT_FILE` and `SSL_CERT_DIR`), as
/// `smtps` does. `opportunistic` encrypts if the server offers TLS, and takes any certificate, as
/// mail servers do among each other. `none` never encrypts. With the last two, a password may be
/// sent in the clear.
///
/// The domain of the sender is the name in the greeting. Up to eight connections are kept for the
/// next mails, for half a minute each. A mail takes at most 105 seconds. A caller who goes away
/// earlier closes the connection, and the outcome of the mail is unknown.
pub struct SmtpMailer {
    server: SmtpServer,
    hello: ClientId,
    sender: Sender,
    idle: Idle<Connection>,
}

/// The mail server of `HEARBACK_SMTP_URL`. `Display` shows the address without user and password.
pub struct SmtpServer {
    url: SmtpUrl,
    tls: Tls,
}

impl SmtpServer {
    /// Parses the address of the mail server, and reads the root certificates for its verification.
    pub fn parse(url: &str) -> Result<Self, BadSmtpUrl> {
        let url = SmtpUrl::parse(url)?;
        let tls = url.tls()?;
        Ok(Self { url, tls })
    }
}

impl fmt::Display for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl SmtpMailer {
    /// A mailer for this server. It does not connect yet.
    pub fn new(server: SmtpServer, sender: Sender) -> Self {
        let hello = ClientId::Domain(sender.address().domain().to_owned());
        Self { server, hello, sender, idle: Idle::new() }
    }

    /// The mail server.
    pub fn server(&self) -> &SmtpServer {
        &self.server
    }

    /// The sender of the mails.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }
}

/// Whether a conversation with the mail server is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// TLS encrypts it.
    Encrypted,
    /// Anybody on the network can read it.
    Open,
}

/// Without user and password.
impl fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SmtpServer { url: SmtpUrl { host, port, .. }, tls } = &self.server;
        f.debug_struct("SmtpMailer")
            .field("host", host)
            .field("port", port)
            .field("tls", tls)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: Mail) -> Result<(), MailError> {
        let message = message::compose(&mail, &self.sender).map_err(|source| MailError {
            failure: MailFailure::BadAddress,
            source: Box::new(source),
        })?;
        let end = Instant::now() + PREPARATION;
        let mut connection = self.begin(&message, end).await?;
        let sent = connection.hand_over(&message, end).await;
        if sent.as_ref().err().is_none_or(Failed::leaves_connection) {
            self.idle.put(connection);
        }
        Ok(sent?)
    }
}

impl SmtpMailer {
    /// Connects as for a mail, encrypted and authenticated by the address, and closes the
    /// connection. Nothing is sent. Takes at most 10 seconds, and a few more for the goodbye.
    pub async fn try_out(&self) -> Result<Privacy, MailError> {
        let end = Instant::now() + TRIAL;
        let trying = async {
            let connection = self.connect(end).await?;
            let privacy =
                if connection.0.is_encrypted() { Privacy::Encrypted } else { Privacy::Open };
            connection.close().await;
            Ok::<_, Failed>(privacy)
        };
        Ok(trying.await?)
    }

    /// A connection with a named sender.
    async fn begin(&self, message: &Message, end: Instant) -> Result<Connection, Failed> {
        if let Some(mut connection) = self.idle.take() {
            let end = Instant::now() + REVIVAL;
            let begun = async {
                connection.command(Stage::Mail, end, Rset, Severity::PositiveCompletion).await?;
                connection.name_sender(&self.sender, message, end).await
            };
            match begun.await {
                Ok(()) => return Ok(connection),
                Err(failed) if failed.leaves_connection() => {
                    self.idle.put(connection);
                    return Err(failed);
                }
                // The server has closed it or takes no more mails, which holds for the other
                // connections, too.
                Err(_) => self.idle.clear(),
            }
        }
        let mut connection = self.connect(end).await?;
        connection.name_sender(&self.sender, message, end).await?;
        Ok(connection)
    }

    /// A new connection, encrypted and authenticated by the address.
    async fn connect(&self, end: Instant) -> Result<Connection, Failed> {
        let SmtpServer { url: SmtpUrl { host, port, credentials, .. }, tls } = &self.server;
        let implicit = match tls {
            Tls::Wrapper(parameters) => Some(parameters.clone()),
            _ => None,
        };
        let connecting = AsyncSmtpConnection::connect_tokio1(
            (host.as_str(), *port),
            Some(CONNECT),
            &self.hello,
            implicit,
            None,
        );
        let mut connection = step(Stage::Connect, end, connecting).await?;
        match tls {
            Tls::Required(_) if !connection.can_starttls() => {
                return Err(Failed::new(Stage::StartTls, Reason::NoTls));
            }
            Tls::Required(parameters) | Tls::Opportunistic(parameters)
                if connection.can_starttls() =>
            {
                step(Stage::StartTls, end, connection.starttls(parameters.clone(), &self.hello))
                    .await?;
            }
            _ => {}
        }
        if let Some(credentials) = credentials {
            step(Stage::Authenticate, end, connection.auth(DEFAULT_MECHANISMS, credentials))
                .await?;
        }
        Ok(Connection(connection))
    }
}

/// A connection that can send a mail.
struct Connection(AsyncSmtpConnection);

impl Connection {
    /// The beginning of a mail.
    async fn name_sender(
        &mut self,
        sender: &Sender,
        message: &Message,
        end: Instant,
    ) -> Result<(), Failed> {
        let mut parameters = Vec::new();
        if !message.recipient.to_string().is_ascii() {
            if !self.0.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(Failed::new(Stage::Mail, Reason::NoUtf8));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        let from = MailFrom::new(Some(sender.address().clone()), parameters);
        self.command(Stage::Mail, end, from, Severity::PositiveCompletion).await
    }

    /// The rest of a mail. `end` is the deadline for the announcement of the message.
    async fn hand_over(&mut self, message: &Message, end: Instant) -> Result<(), Failed> {
        let to = Rcpt::new(message.recipient.clone(), Vec::new());
        self.command(Stage::Rcpt, end, to, Severity::PositiveCompletion).await?;
        self.command(Stage::Data, end, Data, Severity::PositiveIntermediate).await?;

        // lettre asks for more when only the line that ends the message is unwritten. Without that
        // line the server surely has no mail.
        let mut stage = Stage::Message;
        let content = iter::once(message.bytes.as_slice()).chain(iter::from_fn(|| {
            stage = Stage::End;
            None
        }));
        let outcome = timeout(MESSAGE, self.0.message_iter(content)).await;
        let response = outcome
            .map_err(|_| Failed::new(stage, Reason::Silent))?
            .map_err(|error| Failed::from_error(stage, error))?;
        expect(stage, &response, Severity::PositiveCompletion)
    }

    async fn command(
        &mut self,
        stage: Stage,
        end: Instant,
        command: impl fmt::Display,
        expected: Severity,
    ) -> Result<(), Failed> {
        let response = step(stage, end, self.0.command(command)).await?;
        expect(stage, &response, expected)
    }
}

#[async_trait]
impl Close for Connection {
    async fn close(mut self) {
        // The goodbye may fail.
        let _ = timeout(FAREWELL, self.0.quit()).await;
    }
}

/// Waits for a reply until `end`.
async fn step<T>(
    stage: Stage,
    end: Instant,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<T, Failed> {
    match timeout_at(end.min(Instant::now() + COMMAND), answer).await {
        Ok(answer) => answer.map_err(|error| Failed::from_error(stage, error)),
        Err(_) => Err(Failed::new(stage, Reason::Silent)),
    }
}

/// Checks a reply. lettre takes any reply that is no refusal, and a reply to another command shows
/// that the two sides are out of step.
fn expect(stage: Stage, response: &Response, expected: Severity) -> Result<(), Failed> {
    if response.code().severity == expected {
        Ok(())
    } else {
        Err(Failed::new(stage, Reason::NoReply))
    }
}

/// The most time to reach the server and to announce the message. Together with [`MESSAGE`] it is
/// less than the two minutes of a mailer.
const PREPARATION: Duration = Duration::from_secs(45);

/// The most time of a trial of the server, without the goodbye.
const TRIAL: Duration = Duration::from_secs(10);

/// The most time of a try of one of the server's addresses.
const CONNECT: Duration = Duration::from_secs(10);

/// The most time that a command waits for its reply.
const COMMAND: Duration = Duration::from_secs(30);

/// The most time that a kept connection has to prove that it lives.
const REVIVAL: Duration = Duration::from_secs(10);

/// The most time of the message and its reply.
const MESSAGE: Duration = Duration::from_secs(60);

/// The most time that a server has to reply to the goodbye.
const FAREWELL: Duration = Duration::from_secs(5);
