//! Encryption and trust.

use super::receiver::Receiver;
use super::{PRIVATE, addresses, dispatch, names};
use crate::sender::{HttpSender, Limits};
use hearback_domain::delivery::{DeliveryFailure, Response};
use hearback_ports::EventSink;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::net::TcpSocket;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "Authority of the tests");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap()
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).unwrap()
}

/// Answers each request with 200, over TLS.
struct TlsReceiver {
    port: u16,
    /// The first line of each request, with the protocol that was agreed on.
    requests: Arc<Mutex<Vec<String>>>,
}

impl TlsReceiver {
    /// A receiver with a certificate by an authority, or by itself. If `clients` are given, it asks
    /// its clients for certificates.
    fn start(
        params: CertificateParams,
        authority: Option<&Authority>,
        clients: Option<Arc<dyn ClientCertVerifier>>,
    ) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = match authority {
            Some(authority) => params.signed_by(&key, authority),
            None => params.self_signed(&key),
        };
        let certificates = vec![CertificateDer::from(certificate.unwrap())];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let builder = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap();
        let mut config = builder
            .with_client_cert_verifier(clients.unwrap_or_else(WebPkiClientVerifier::no_client_auth))
            .with_single_cert(certificates, key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, config) = (listener.local_addr().unwrap().port(), Arc::new(config));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = StreamOwned::new(connection, stream.unwrap());
                if answer(&mut stream, &seen).is_err() {
                    // One side does not trust the other. Its alert is read before the connection
                    // ends.
                    let _ = io::copy(&mut stream.sock, &mut io::sink());
                }
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(
    stream: &mut StreamOwned<ServerConnection, TcpStream>,
    seen: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut reader = BufReader::new(&mut *stream);
    let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first)?;
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        length = line
            .trim_end()
            .strip_prefix("Content-Length: ")
            .map_or(length, |length| length.parse().unwrap());
    }
    reader.read_exact(&mut vec![0; length])?;
    let protocol =
        String::from_utf8_lossy(stream.conn.alpn_protocol().unwrap_or_default()).into_owned();
    seen.lock().unwrap().push(format!("{protocol}: {}", first.trim_end()));
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    stream.conn.send_close_notify();
    stream.flush()
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn roots(authority: &Authority) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    roots
}

/// The reply to a delivery to `https://{host}:{port}`. The sender trusts the authority, and each
/// name is this machine's.
async fn sent(authority: &Authority, host: &str, port: u16) -> Response {
    let names = names(|_| Ok(addresses(&["127.0.0.1"])));
    let sender = HttpSender::with(PRIVATE, names, roots(authority), Limits::default()).unwrap();
    assert!(sender.has_roots());
    sender.send(dispatch(&format!("https://{host}:{port}/hook"))).await.response
}

const OK: Response = Response::Status { code: 200, cut: None };
const TLS: Response = Response::Nothing(DeliveryFailure::Tls);

#[tokio::test]
async fn a_receiver_with_a_trusted_certificate_is_sent_to() {
    let authority = authority();
    for host in ["receiver.example", "127.0.0.1"] {
        let receiver = TlsReceiver::start(params(host), Some(&authority), None);
        assert_eq!(sent(&authority, host, receiver.port).await, OK, "{host}");
        assert_eq!(receiver.requests(), ["http/1.1: POST /hook HTTP/1.1"]);
    }
}

#[tokio::test]
async fn a_receiver_without_a_trusted_certificate_or_that_asks_for_one_gets_nothing() {
    let authority = authority();
    let mut expired = params("receiver.example");
    expired.not_before = date_time_ymd(2020, 1, 1);
    expired.not_after = date_time_ymd(2021, 1, 1);
    let clients =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots(&authority)), provider());
    for (case, certificate, by, clients) in [
        ("another name", params("other.example"), Some(&authority), None),
        ("an address", params("127.0.0.1"), Some(&authority), None),
        ("expired", expired, Some(&authority), None),
        ("by itself", params("receiver.example"), None, None),
        ("unknown authority", params("receiver.example"), Some(&self::authority()), None),
        ("asks", params("receiver.example"), Some(&authority), Some(clients.build().unwrap())),
    ] {
        let receiver = TlsReceiver::start(certificate, by, clients);
        assert_eq!(sent(&authority, "receiver.example", receiver.port).await, TLS, "{case}");
        assert!(receiver.requests().is_empty(), "{case}");
    }
}

#[tokio::test]
async fn a_receiver_that_has_no_tls_gets_nothing() {
    let authority = authority();
    let plain = Receiver::start(|mut connection| async move {
        connection.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
        connection.wait_for_end().await;
    })
    .await;
    let closing = Receiver::start(|_| async {}).await;
    let resetting =
        Receiver::start(|connection| async move { connection.stream.set_zero_linger().unwrap() })
            .await;
    for receiver in [plain, closing, resetting] {
        assert_eq!(sent(&authority, "receiver.example", receiver.port()).await, TLS);
        assert_eq!(receiver.connections(), 1);
    }
}

#[tokio::test]
async fn a_closed_port_is_a_failed_connection_and_no_failure_of_tls() {
    // While the socket exists, the port takes no connection and belongs to no other test.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = closed.local_addr().unwrap().port();
    assert_eq!(
        sent(&authority(), "receiver.example", port).await,
        Response::Nothing(DeliveryFailure::Connect)
    );
}

/// The variables count for a whole process. So the test starts itself again with an authority of
/// its own, and a proxy that does not exist.
#[tokio::test]
async fn the_roots_of_the_operating_system_are_trusted_and_its_proxy_is_not_used() {
    const PORT: &str = "HEARBACK_TEST_PORT";
    if let Ok(port) = env::var(PORT) {
        let sender = HttpSender::new(PRIVATE, Vec::new()).unwrap();
        assert!(sender.has_roots());
        assert_eq!(
            sender.send(dispatch(&format!("https://127.0.0.1:{port}/hook"))).await.response,
            OK
        );
        return;
    }
    let authority = authority();
    let receiver = TlsReceiver::start(params("127.0.0.1"), Some(&authority), None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    fs::write(&file, authority.pem()).unwrap();
    let mut again = Command::new(env::current_exe().unwrap());
    again.args([
        "--exact",
        "tests::tls::the_roots_of_the_operating_system_are_trusted_and_its_proxy_is_not_used",
    ]);
    for proxy in
        ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        again.env(proxy, "http://127.0.0.1:9");
    }
    again.env_remove("no_proxy").env_remove("NO_PROXY");
    let run = again
        .env(PORT, receiver.port.to_string())
        .env("SSL_CERT_FILE", file)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
    assert_eq!(receiver.requests(), ["http/1.1: POST /hook HTTP/1.1"]);
}

#[tokio::test]
async fn without_any_root_no_receiver_is_trusted() {
    let sender = super::sender();
    assert!(!sender.has_roots());
    let receiver = TlsReceiver::start(params("127.0.0.1"), None, None);
    assert_eq!(
        sender.send(dispatch(&format!("https://127.0.0.1:{}/", receiver.port))).await.response,
        TLS
    );
}
