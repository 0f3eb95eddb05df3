//! People who use the portal at once.

use crate::child::Hearback;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::helper::Helper;
use crate::load::{self, Load, Observed, Pace};
use crate::machine::since_1970;
use crate::pages::spread;
use crate::report::{Page, Report};
use crate::requests::{NAME, WARM_UP};
use crate::server::Server;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Keep, Size, World, WorldFolder};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use ring::hmac;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The number of posts. Articles, comments and the rest are in proportion
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    posts: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of people
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(10..))]
    people: u32,
    /// The length of the load, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The number of pages a second, with a ninth as many forms. By default the pace of the server
    #[arg(long)]
    rate: Option<f64>,
    #[command(flatten)]
    page: Page,
}

/// Of this many people, one writes while the others read.
const WRITERS: usize = 10;
/// The most of the 99th percentile of pages, as a multiple of the median.
const MOST_LATENCY: f64 = 10.0;

/// The number of parts of the load. The memory of the server is read behind each.
const PARTS: u32 = 8;
/// The part behind which the memory may not grow any more.
const WARM: usize = 2;
/// The most memory at the end, as a multiple of that behind the warm part.
const MOST_GROWTH: f64 = 1.1;
/// The shortest load whose memory is judged. In a shorter one, caches fill.
const SOAK: Duration = Duration::from_secs(600);

/// A person who has signed in.
pub(crate) struct Person {
    cookie: String,
    /// The token of all forms of the session.
    form_token: String,
    /// The number of the form of a new post, and that of a comment.
    numbers: [String; 2],
    /// The path of a post.
    post: String,
}

/// Measures, prints the figures, and compares them with the requirement.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("people", options.store)? {
        verdicts.push(crowd(options, &folder, &world, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

fn crowd(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    report: &mut Report<'_>,
) -> Result<Verdict, Failure> {
    let floor = report.store.floor(folder.path())?;
    report.line(format_args!("{world}\n"));
    let database = folder.database(NAME, world, &*floor)?;
    let hearback = Hearback::beside_this_binary(folder.path())?;
    let secret = hearback.open_to_tokens(&database.url, SLUG)?;
    let server = hearback.serve_without_limits(&database.url)?;
    let board = board(&server, &database.key)?;
    let posts = posts(&server, &database.key, world)?;
    let mut people = Vec::new();
    for n in 0..options.people as usize {
        let (_, post) = &posts[n % posts.len()];
        people.push(Person::sign_in(&server, &secret, n, &board, post)?);
    }
    let idle = server.memory()?;

    let before = comments(&server, &database.key, &posts)?;
    let write = |name: &str, requests: Vec<String>| {
        let file = folder.path().join(name);
        load::write_all(&file, &requests).map(|()| file)
    };
    let pages = write("pages", people.iter().flat_map(|it| it.pages(&board)).collect())?;
    let forms = write("forms", people.iter().flat_map(|it| it.forms(&board)).collect())?;
    let writers = people.len() / WRITERS;
    let load = |requests, connections| Load {
        requests,
        connections,
        warm_up: WARM_UP,
        time: Duration::from_secs(options.seconds),
    };
    let [pages_pace, forms_pace] = match options.rate {
        None => [Pace::Closed; 2],
        Some(rate) => [Pace::Open(rate), Pace::Open(rate / (WRITERS - 1) as f64)],
    };
    let writing = load(&forms, forms_pace.connections(writers));
    let mut writing = writing.start(server.address()?, forms_pace, 0)?;
    let reading = load(&pages, pages_pace.connections(people.len() - writers));
    let mut reading = reading.start(server.address()?, pages_pace, 0)?;
    // The beginning of the count.
    reading.line()?;
    writing.line()?;
    let mut memory = Vec::new();
    for _ in 0..PARTS {
        std::thread::sleep(Duration::from_secs(options.seconds) / PARTS);
        memory.push(server.memory()? as f64 / 1e6);
    }
    // The end of the count.
    let observed = |helper: &mut Helper| {
        helper.line()?;
        Observed::read(&helper.line()?)
    };
    let (read, written) = (observed(&mut reading)?, observed(&mut writing)?);
    let made = comments(&server, &database.key, &posts)? - before;
    drop(writing);
    // The second of the four forms of each person is a comment, which is made once.
    let is_round = written.next < written.answers as usize;
    let sent = if is_round { people.len() } else { (written.next + 2) / 4 };

    let pace = match options.rate {
        None => "each without a pause".to_owned(),
        Some(rate) => format!("{rate:.0} pages a second"),
    };
    report.line(format_args!(
        "{} people for {} s: {} read and {writers} write at a time, {pace}.\n",
        people.len(),
        options.seconds,
        people.len() - writers,
    ));
    report.table(&["", "A second", "Median, ms", "p99, ms"]);
    let millis = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1000.0);
    for (name, Observed { rate, p50, p99, .. }) in [("pages", &read), ("forms", &written)] {
        report.row(&[name.to_owned(), format!("{rate:.0}"), millis(*p50), millis(*p99)]);
    }
    report.end();
    let parts: Vec<String> = memory.iter().map(|megabytes| format!("{megabytes:.0}")).collect();
    report.line(format_args!(
        "Memory of the server in MB: {:.0} before the load, {} behind each eighth of it.\n",
        idle as f64 / 1e6,
        parts.join(", "),
    ));
    let times = read.p99.as_secs_f64() / read.p50.as_secs_f64();
    let said = format!("p99 of pages {times:.1} times the median, at most {MOST_LATENCY:.0}");
    let mut verdicts = vec![
        report.verdict(Verdict::of(times < MOST_LATENCY), said),
        // Any other answer than a page, or the way to one, ends the run.
        report.verdict(
            Verdict::of(usize::try_from(made) == Ok(sent)),
            format!("{made} comments were made, of {sent} sent, and no answer failed"),
        ),
    ];
    if Duration::from_secs(options.seconds) >= SOAK {
        let growth = memory[PARTS as usize - 1] / memory[WARM - 1];
        let said = format!(
            "memory at the end {growth:.2} times that behind the first quarter, at most \
             {MOST_GROWTH:.1}"
        );
        verdicts.push(report.verdict(Verdict::of(growth <= MOST_GROWTH), said));
    }
    drop(server);
    folder.give_up(&database, &*floor)?;
    Ok(Verdict::on_all(verdicts))
}

/// The slug of the first board.
pub(crate) fn board(server: &Server, key: &str) -> Result<String, Failure> {
    let body = json!({ "api_key": key }).to_string();
    let boards: Value = serde_json::from_slice(&server.ask("/feedback-boards/list", &body)?)?;
    Ok(boards[0]["slug"].as_str().unwrap_or_default().to_owned())
}

/// A post, as the API tells it.
fn retrieve(server: &Server, key: &str, id: Uuid) -> Result<Value, Failure> {
    let body = json!({ "api_key": key, "id": id }).to_string();
    Ok(serde_json::from_slice(&server.ask("/feedback-posts/retrieve", &body)?)?)
}

/// The identifiers of posts that visitors see, with their paths.
pub(crate) fn posts(
    server: &Server,
    key: &str,
    world: &World,
) -> Result<Vec<(Uuid, String)>, Failure> {
    let mut posts = Vec::new();
    for post in spread(&world.posts) {
        let found = retrieve(server, key, post.id)?;
        let slug = found["slug"].as_str().unwrap_or_default();
        if found["moderation_status_code"] == "accepted" && found["merged_into_id"].is_null() {
            posts.push((post.id, format!("/o/{SLUG}/p/{slug}")));
        }
    }
    Ok(posts)
}

/// The number of comments on posts.
fn comments(server: &Server, key: &str, posts: &[(Uuid, String)]) -> Result<i64, Failure> {
    posts.iter().try_fold(0, |sum, (id, _)| {
        Ok(sum + retrieve(server, key, *id)?["comment_count"].as_i64().unwrap_or_default())
    })
}

impl Person {
    /// Signs a person in by a token, and opens the pages of the forms.
    pub(crate) fn sign_in(
        server: &Server,
        secret: &str,
        n: usize,
        board: &str,
        post: &str,
    ) -> Result<Self, Failure> {
        let away = server.visit(&format!("/o/{SLUG}/sso?return_to=/"), "")?;
        let state = Url::parse(&away.location).ok().and_then(|url| {
            url.query_pairs().find(|(name, _)| name == "state").map(|(_, state)| state.into_owned())
        });
        let query = Serializer::new(String::new())
            .append_pair("token", &token(secret, n))
            .append_pair("state", &state.unwrap_or_default())
            .finish();
        let path = format!("/o/{SLUG}/sso/callback?{query}");
        let cookie = server.visit(&path, &away.cookies.join("; "))?.cookies.join("; ");
        let new = server.visit(&format!("/o/{SLUG}/b/{board}/new"), &cookie)?.page;
        let seen = server.visit(post, &cookie)?.page;
        Ok(Self {
            form_token: field(&new, "form_token"),
            numbers: [&new, &seen].map(|page| field(page, "nonce")),
            cookie,
            post: post.to_owned(),
        })
    }

    /// The pages that the person reads: mostly posts, and the board.
    pub(crate) fn pages(&self, board: &str) -> Vec<String> {
        let board = format!("/o/{SLUG}/b/{board}");
        let get = |path: &str| {
            let cookie = &self.cookie;
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n")
        };
        [&*board, &self.post, &self.post, &format!("{board}?sort=new"), &self.post].map(get).into()
    }

    /// The forms that the person sends: votes, a comment, and a post. A form that is sent again is
    /// answered as before.
    pub(crate) fn forms(&self, board: &str) -> Vec<String> {
        let [post, comment] = &self.numbers;
        let text = format!("I would use it each week. {comment}");
        let title = format!("An idea {post}");
        let vote = format!("{}/vote", self.post);
        [
            self.form(&vote, &[("voted", "yes")]),
            self.form(&format!("{}/comment", self.post), &[("nonce", comment), ("text", &text)]),
            self.form(&vote, &[("voted", "no")]),
            self.form(
                &format!("/o/{SLUG}/b/{board}/new"),
                &[("nonce", post), ("title", &title), ("text", "It would help.")],
            ),
        ]
        .into()
    }

    fn form(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let body = Serializer::new(String::new())
            .append_pair("form_token", &self.form_token)
            .extend_pairs(fields)
            .finish();
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\n\
             Sec-Fetch-Site: same-origin\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.cookie,
            body.len(),
        )
    }
}

/// A token of single sign-on.
fn token(secret: &str, n: usize) -> String {
    let claims = json!({
        "sub": format!("crowd-{n}"),
        "email": format!("crowd-{n}@people.example"),
        "name": format!("Person {n}"),
        "exp": since_1970().as_secs() + 3600,
    });
    let parts = [json!({ "alg": "HS256", "typ": "JWT" }), claims];
    let text = parts.map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes())))
}

/// The value of a hidden field of a page.
fn field(page: &str, name: &str) -> String {
    let begin = format!("name=\"{name}\" value=\"");
    let value = page.split_once(&begin).and_then(|(_, rest)| rest.split('"').next());
    value.unwrap_or_default().to_owned()
}
