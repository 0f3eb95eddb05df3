//! `hearback serve`: starting and stopping.

use super::support::{Home, POST, Server, poll, request, toggle};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_server_reports_its_address_and_its_store() {
    let home = Home::new();
    let server = home.serve();
    let address = server.address;
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200 "));
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200 "));
    let log = server.stop();
    let line = log.lines().find(|line| line.contains("listening")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["message"], format!("listening on http://{address}"));
    assert_eq!(line["store"], "sqlite:data/hearback.db");
    assert!(
        log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()),
        "the log is JSON unless it is a terminal: {log}"
    );
}

#[test]
fn a_server_without_organizations_points_to_the_demo() {
    for (home, is_told) in [(Home::new(), true), (Home::with_acme(), false)] {
        let log = home.serve().stop();
        assert_eq!(log.contains("`hearback demo`"), is_told, "{log}");
    }
}

#[test]
fn a_store_that_was_emptied_is_noticed_by_its_master_key() {
    for (home, is_told) in [(Home::with_acme(), false), (Home::new(), true)] {
        assert!(!home.serve().stop().contains("from an earlier start"));
        if is_told {
            home.file("data/hearback.db", "");
        }
        let log = home.serve().stop();
        let warning = "data/master.key is from an earlier start";
        assert_eq!(log.contains(warning) && log.contains("`hearback restore`"), is_told, "{log}");
    }
}

#[test]
fn the_setting_is_the_number_of_threads_that_answer_requests() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    for (told, workers) in [(None, processors), (Some("1"), 1), (Some("5"), 5)] {
        let home = Home::new();
        let home = told.into_iter().fold(home, |home, count| home.set("HEARBACK_WORKERS", count));
        let server = home.serve();
        assert!(server.get("/readyz").starts_with("HTTP/1.1 200 "));
        let threads = server.threads();
        assert_eq!(
            threads.iter().filter(|name| name.starts_with("actix-server wo")).count(),
            workers,
            "{threads:?}"
        );
    }
}

fn health(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

#[test]
fn a_request_in_flight_is_answered_before_the_server_stops() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let key = home.import_acme();
        let server = home.serve();
        let body = toggle(&key).to_string();
        let mut stream = server.connect();
        begin(&mut stream, "/votes/toggle", &body);
        // An idle connection does not delay the end.
        let mut idle = server.connect();
        idle.write_all(health("/healthz").replace("close", "keep-alive").as_bytes()).unwrap();
        assert_ne!(idle.read(&mut [0; 512]).unwrap(), 0);

        server.signal(signal);
        server.wait_for_log("stopping");
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(r#"{"voted":true}"#),
            "{answer}"
        );
        let address = server.address;
        server.end();
        assert!(TcpStream::connect(address).is_err());

        let server = home.serve();
        assert_eq!(voters(&server, &key), 1);
    }
}

/// Sends the head of a request, and returns when the server waits for its body.
fn begin(stream: &mut TcpStream, path: &str, body: &str) {
    let whole = request(path, body, "Expect: 100-continue\r\n");
    let head = whole.strip_suffix(body).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
}

fn voters(server: &Server, key: &str) -> usize {
    let (status, page) = server
        .post("/votes/voters", &json!({"api_key": key, "post_id": POST, "post_type": "feedback"}));
    assert_eq!(status, 200);
    page["items"].as_array().unwrap().len()
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let home = Home::new();
    let server = home.serve();
    let mut stream = server.connect();
    begin(&mut stream, "/feedback-boards/list", r#"{"api_key":""}"#);
    server.signal(Signal::INT);
    server.wait_for_log("stopping");
    server.signal(Signal::INT);
    let (status, _, _) = server.wait();
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_second_signal_ends_a_server_with_an_unread_log() {
    let home = Home::new();
    let mut command = home.command("serve");
    let mut child =
        command.env("HEARBACK_LISTEN", "127.0.0.1:0").stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let address = loop {
        let mut line = String::new();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
        if let Some((_, rest)) = line.split_once("listening on http://") {
            break rest.split('"').next().unwrap().to_owned();
        }
    };
    // The pipe takes some hundred lines. Then every request waits for its line.
    let is_answered = || {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        stream.write_all(health("/nowhere").as_bytes()).unwrap();
        stream.read(&mut [0; 1]).is_ok()
    };
    assert!((0..5_000).any(|_| !is_answered()), "the log is never full");
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let status = poll(|| {
        // Signals in quick succession count as one.
        std::thread::sleep(Duration::from_millis(100));
        kill_process(pid, Signal::INT).unwrap();
        child.try_wait().unwrap()
    });
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_request_that_never_ends_does_not_delay_the_end() {
    let home = Home::new();
    let server = home.serve();
    let mut stream = server.connect();
    begin(&mut stream, "/feedback-boards/list", r#"{"api_key":""}"#);
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn an_answered_vote_outlives_a_kill() {
    let home = Home::new();
    let key = home.import_acme();
    let toggle = toggle(&key);
    for votes in [1, 0, 1] {
        let server = home.serve();
        assert_eq!(server.post("/votes/toggle", &toggle), (200, json!({"voted": votes == 1})));
        server.signal(Signal::KILL);
        let (status, _, _) = server.wait();
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
        assert_eq!(voters(&home.serve(), &key), votes);
    }
}

#[test]
fn a_port_that_is_taken_stops_the_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let home = Home::new().set("HEARBACK_LISTEN", &address.to_string());
    home.run("serve").fails(&format!(
        "cannot listen on {address} (HEARBACK_LISTEN): Address already in use (os error 98)"
    ));
}

#[test]
fn the_setting_limits_the_size_of_a_body() {
    let home = Home::new().set("HEARBACK_MAX_BODY_BYTES", "100");
    let server = home.serve();
    let body = |length: usize| format!("{:length$}", r#"{"api_key":""}"#);
    assert!(server.send(&request("/tags/list", &body(100), "")).starts_with("HTTP/1.1 401 "));
    assert!(server.send(&request("/tags/list", &body(101), "")).starts_with("HTTP/1.1 413 "));
}

#[test]
fn every_request_is_logged_on_one_line_unless_the_filter_excludes_it() {
    let requests = |level: &str| {
        let home = Home::new().set("HEARBACK_LOG", level);
        let mut command = home.command("serve");
        // The start is awaited by its line in the log, which comes from this crate.
        command
            .env("HEARBACK_LISTEN", "127.0.0.1:0")
            .env("HEARBACK_LOG", format!("{level},hearback_server=info"));
        let server = Server::start(command);
        server.post("/tags/list", &json!({}));
        let log = server.stop();
        log.lines()
            .filter(|line| line.contains("/tags/list"))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let logged: Vec<Value> = requests("info");
    let [line] = &logged[..] else { panic!("{logged:?}") };
    let names: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["timestamp", "level", "message", "id", "path", "status", "duration_ms", "target"]
    );
    assert_eq!(
        (&line["message"], &line["level"], &line["status"]),
        (&json!("request"), &json!("INFO"), &json!(401))
    );
    assert!(line["duration_ms"].as_f64().is_some_and(|took| took < 10_000.0), "{line}");
    assert!(requests("off").is_empty());
}

#[test]
fn the_last_line_of_many_is_written_before_the_end() {
    let server = Home::new().set("HEARBACK_LOG", "trace").serve();
    let log = server.stop();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(last["message"], json!("stopped"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let home = Home::new();
    // Every write to this device fails, as on a full disk.
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let status =
        home.command("migrate").env("HEARBACK_LOG", "trace").stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(0));
}
