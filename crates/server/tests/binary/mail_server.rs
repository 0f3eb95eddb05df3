//! A mail server that can keep its clients waiting.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// Takes every mail, records its recipient, and replies when a test allows it.
pub(crate) struct MailServer {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    recipients: Mutex<Vec<String>>,
    answers: Mutex<bool>,
    may_answer: Condvar,
}

impl MailServer {
    /// A mail server that does not reply to mails before [`MailServer::answer`].
    pub(crate) fn silent() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { address: listener.local_addr().unwrap(), state: Arc::default() };
        let state = Arc::clone(&server.state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&state);
                std::thread::spawn(move || state.talk(stream.unwrap()));
            }
        });
        server
    }

    /// Replies to the mails so far, and from now on at once.
    pub(crate) fn answer(&self) {
        *self.state.answers.lock().unwrap() = true;
        self.state.may_answer.notify_all();
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://{}?tls=none", self.address)
    }

    /// The recipients of the mails so far, sorted.
    pub(crate) fn recipients(&self) -> Vec<String> {
        let mut recipients = self.state.recipients.lock().unwrap().clone();
        recipients.sort();
        recipients
    }
}

impl State {
    /// Speaks SMTP (RFC 5321) until the client goes away.
    fn talk(&self, mut stream: TcpStream) -> Option<()> {
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let mut recipient = String::new();
        stream.write_all(b"220 mail.example\r\n").ok()?;
        loop {
            let line = lines.next()?.ok()?;
            let answer: &[u8] = match line.split([' ', ':']).next()? {
                "DATA" => b"354 go on\r\n",
                "RCPT" => {
                    recipient = line.split(['<', '>']).nth(1)?.to_owned();
                    b"250 ok\r\n"
                }
                _ => b"250 ok\r\n",
            };
            stream.write_all(answer).ok()?;
            if answer.starts_with(b"354") {
                while lines.next()?.ok()? != "." {}
                self.recipients.lock().unwrap().push(recipient.clone());
                drop(
                    self.may_answer
                        .wait_while(self.answers.lock().unwrap(), |answers| !*answers)
                        .unwrap(),
                );
                stream.write_all(b"250 ok\r\n").ok()?;
            }
        }
    }
}
