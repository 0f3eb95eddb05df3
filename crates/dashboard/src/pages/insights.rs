//! Insights: numbers over time, by board and by status, the most wanted posts, and the gaps of the
//! help center. Each figure is a table, which the page draws as SVG, and which is there as CSV.

use super::Frame;
use crate::desk::{Desk, items};
use crate::forms::Choice;
use crate::values::{name_of, text_of};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use askama::Template;
use futures_util::future::try_join_all;
use hearback_app::{Caller, counts};
use hearback_domain::Uuid;
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::help_article::ArticleAnswers;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::with_fields;
use hearback_web::visit::{broken, protect};
use hearback_web::{Answer, Fault, Request};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "insights.html")]
struct InsightsPage {
    f: Frame,
    spans: Vec<Choice>,
    figures: Vec<Figure>,
}

/// A table of names and numbers.
struct Figure {
    slug: &'static str,
    title: String,
    /// The address of the figure as CSV.
    csv: String,
    /// The sum of the numbers. Empty if the sum means nothing.
    total: String,
    /// Whether each row is a period of time. The page draws such rows as columns.
    is_timeline: bool,
    /// The words over the columns of the table.
    heads: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    href: String,
    /// The numbers as CSV has them.
    exact: Vec<String>,
    /// The numbers in the form of the language.
    shown: Vec<String>,
    /// The share that the first number has of the greatest one, in tenths of a percent.
    share: u32,
}

/// A figure that there is.
struct Design {
    slug: &'static str,
    title: &'static str,
    subject: Subject,
}

#[derive(Clone, Copy)]
enum Subject {
    /// The records of a kind over time.
    OverTime(Daily),
    /// The records of a kind by board, or by status.
    Shares(Daily),
    /// The first posts in an order of all of them.
    MostWanted(&'static str),
    /// The searches of the help center that have found nothing.
    Misses,
    /// The articles of the help center that helped the least.
    Answers,
}

const FIGURES: [Design; 11] = [
    design("posts", key("insights-posts"), Subject::OverTime(Daily::Posts)),
    design("posts-by-board", key("insights-posts-by-board"), Subject::Shares(Daily::Posts)),
    design("votes", key("insights-votes"), Subject::OverTime(Daily::Votes)),
    design("votes-by-board", key("insights-votes-by-board"), Subject::Shares(Daily::Votes)),
    design("comments", key("insights-comments"), Subject::OverTime(Daily::Comments)),
    design(
        "comments-by-board",
        key("insights-comments-by-board"),
        Subject::Shares(Daily::Comments),
    ),
    design("statuses", key("insights-statuses"), Subject::Shares(Daily::Statuses)),
    design("most-votes", key("insights-most-votes"), Subject::MostWanted("votes")),
    design("most-spend", key("insights-most-spend"), Subject::MostWanted("spend")),
    design("missed-searches", key("insights-missed-searches"), Subject::Misses),
    design("article-answers", key("insights-article-answers"), Subject::Answers),
];

const fn design(slug: &'static str, title: &'static str, subject: Subject) -> Design {
    Design { slug, title, subject }
}

/// The words over a column of numbers.
const NUMBER: &str = key("insights-number");

impl Subject {
    /// Whether the figure reads the counts by day.
    fn is_of_days(self) -> bool {
        matches!(self, Self::OverTime(_) | Self::Shares(_))
    }

    fn is_of_help(self) -> bool {
        matches!(self, Self::Misses | Self::Answers)
    }

    /// The words over the columns of the table.
    fn heads(self) -> Vec<&'static str> {
        match self {
            Self::OverTime(_) => vec![key("insights-time"), NUMBER],
            Self::Shares(Daily::Statuses) => vec![key("insights-status"), NUMBER],
            Self::Shares(_) => vec![key("insights-board"), NUMBER],
            Self::MostWanted(_) => vec![key("insights-post"), NUMBER],
            Self::Misses => vec![key("insights-words"), NUMBER],
            Self::Answers => vec![
                key("insights-article"),
                key("field-not-helpful-count"),
                key("field-helpful-count"),
            ],
        }
    }
}

/// The width of a timeline, in its own units. The height is 1,000 of them: that of the greatest
/// number.
const WIDTH: usize = 6_000;

impl Figure {
    /// The place and the width of the bar of a row.
    fn bar(&self, place: &usize) -> (usize, usize) {
        let step = WIDTH / self.rows.len().max(1);
        (place * step, (step * 4 / 5).max(1))
    }
}

/// The time that insights are about.
struct Span {
    code: &'static str,
    words: &'static str,
    days: i64,
    /// The days that a bar of a timeline has together.
    period: Period,
}

#[derive(Clone, Copy)]
enum Period {
    Day,
    Week,
    Month,
}

const SPANS: [Span; 4] = [
    Span { code: "month", words: key("insights-month"), days: 30, period: Period::Day },
    Span { code: "quarter", words: key("insights-quarter"), days: 91, period: Period::Week },
    Span { code: "year", words: key("insights-year"), days: 365, period: Period::Month },
    Span { code: "years", words: key("insights-years"), days: 1_826, period: Period::Month },
];

impl Period {
    /// The name of the period that has a day: its first day, or its month.
    fn name(self, day: Day) -> String {
        let (first, length) = match self {
            Self::Day => (day, 10),
            // The first day of all, 1970-01-01, was a Thursday.
            Self::Week => (Day(day.0 - (day.0 + 3).rem_euclid(7)), 10),
            Self::Month => (day, 7),
        };
        first.start().to_string().chars().take(length).collect()
    }
}

/// The insights of a span of days.
struct Insights<'a> {
    desk: &'a Desk,
    c: &'a Chrome,
    span: &'static Span,
    from: Day,
    until: Day,
    /// The days that a row of a timeline has together.
    period: Period,
    /// The most searches without a hit.
    most_misses: i64,
}

impl<'a> Insights<'a> {
    fn new(desk: &'a Desk, c: &'a Chrome) -> Self {
        let given = desk.request.query.get("span");
        let span = SPANS.iter().find(|span| span.code == given).unwrap_or(&SPANS[1]);
        let until = Day::of(desk.request.web.ports.clock.now());
        let from = Day(until.0 - span.days + 1);
        Self { desk, c, span, from, until, period: span.period, most_misses: MOST }
    }

    /// The figures that the organization has: those of the help center, if its plan has one.
    fn designs(&self) -> impl Iterator<Item = &'static Design> {
        let has_help = self.desk.request.visit.frame.organization.help_center.is_enabled();
        FIGURES.iter().filter(move |it| has_help || !it.subject.is_of_help())
    }

    /// The numbers that are counted by day.
    async fn days(&self) -> Result<DailyCounts, Fault> {
        let ports = &self.desk.request.web.ports;
        Ok(counts::days(ports, self.caller(), self.from, self.until).await?)
    }

    fn caller(&self) -> Caller {
        self.desk.caller("insights/show")
    }

    /// A figure. `days` has the numbers by day, if the figure is of these.
    async fn figure(&self, design: &Design, days: &DailyCounts) -> Result<Figure, Fault> {
        let entries = match design.subject {
            Subject::OverTime(kind) => self.timeline(days, kind),
            Subject::Shares(kind) => self.shares(days, kind),
            Subject::MostWanted(sort) => self.most_wanted(sort).await?,
            Subject::Misses => self.misses().await?,
            Subject::Answers => self.answers().await?,
        };
        let first = |entry: &Entry| entry.numbers.first().copied().unwrap_or_default();
        let greatest = entries.iter().map(first).fold(0.0, f64::max);
        let total: f64 = entries.iter().map(first).sum();
        let path = self.c.url(&format!("/dashboard/insights/{}.csv", design.slug));
        let row = |entry: Entry| Row {
            share: match greatest > 0.0 {
                true => (first(&entry) / greatest * 1_000.0).round() as u32,
                false => 0,
            },
            exact: entry.numbers.iter().map(f64::to_string).collect(),
            shown: entry.numbers.iter().map(|number| self.shown(*number)).collect(),
            name: entry.name,
            href: entry.href,
        };
        let heads = design.subject.heads();
        Ok(Figure {
            slug: design.slug,
            title: self.c.t(design.title),
            csv: with_fields(&path, &[("span", self.span.code)]),
            total: if design.subject.is_of_days() { self.shown(total) } else { String::new() },
            is_timeline: matches!(design.subject, Subject::OverTime(_)),
            heads: heads.into_iter().map(|head| self.c.t(head)).collect(),
            rows: entries.into_iter().map(row).collect(),
        })
    }

    /// A whole number or an amount of money, in the form of the language.
    fn shown(&self, number: f64) -> String {
        self.c.amount(&format!("{number:.2}"))
    }

    fn timeline(&self, counts: &DailyCounts, kind: Daily) -> Vec<Entry> {
        let mut periods = BTreeMap::new();
        for day in self.from.0..=self.until.0 {
            periods.entry(self.period.name(Day(day))).or_insert(0.0);
        }
        for (_, day, number) in counts.by_day.iter().filter(|(of, ..)| *of == kind) {
            *periods.entry(self.period.name(*day)).or_insert(0.0) += *number as f64;
        }
        let entry = |(name, number)| Entry { name, href: String::new(), numbers: vec![number] };
        periods.into_iter().map(entry).collect()
    }

    /// The numbers of boards, or of statuses, the greatest first. Those that are deleted have no
    /// name, and are left out.
    fn shares(&self, counts: &DailyCounts, kind: Daily) -> Vec<Entry> {
        let frame = &self.desk.request.visit.frame;
        let name = |id: Uuid| match kind {
            Daily::Statuses => {
                frame.statuses.iter().find(|it| it.id.0 == id).map(|it| (&it.name, "status_id"))
            }
            _ => frame.boards.iter().find(|it| it.id.0 == id).map(|it| (&it.name, "board_id")),
        };
        let entry = |(_, id, number): &(Daily, Uuid, i64)| {
            let (name, filter) = name(*id)?;
            let posts = self.c.url("/dashboard/posts");
            let href = with_fields(&posts, &[(filter, &id.to_string())]);
            Some((*number, Entry { name: name.clone(), href, numbers: vec![*number as f64] }))
        };
        let of_kind = counts.by_parent.iter().filter(|(of, ..)| *of == kind);
        let mut entries: Vec<_> = of_kind.filter_map(entry).collect();
        entries.sort_by_key(|(number, _)| Reverse(*number));
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The posts with the most votes, or the greatest spend, of all time.
    async fn most_wanted(&self, sort: &str) -> Result<Vec<Entry>, Fault> {
        let body = json!({"sort": sort, "limit": MOST});
        let posts = items(self.desk.call("/feedback-posts/list", body).await?);
        let member = if sort == "spend" { "monthly_spend" } else { "vote_count" };
        let entry = |post: &serde_json::Value| {
            let href = self.c.url(&format!("/dashboard/posts/{}", text_of(&post["id"])));
            let number = text_of(&post[member]).parse::<f64>().unwrap_or_default();
            (number > 0.0).then(|| Entry { name: name_of(post), href, numbers: vec![number] })
        };
        Ok(posts.iter().filter_map(entry).collect())
    }

    /// The searches without a hit, each with a search in all articles, also in those that the portal
    /// does not show.
    async fn misses(&self) -> Result<Vec<Entry>, Fault> {
        let (ports, days) = (&self.desk.request.web.ports, (self.from, self.until));
        let found = counts::misses(ports, self.caller(), days, self.most_misses).await?;
        let articles = self.c.url("/dashboard/help-articles");
        let entry = |(name, number): (String, i64)| {
            let href = with_fields(&articles, &[("search", &name)]);
            Entry { name, href, numbers: vec![number as f64] }
        };
        Ok(found.into_iter().map(entry).collect())
    }

    /// The articles that helped the least, of all time.
    async fn answers(&self) -> Result<Vec<Entry>, Fault> {
        let ports = &self.desk.request.web.ports;
        let found = counts::answers(ports, self.caller(), MOST).await?;
        let entry = |it: ArticleAnswers| Entry {
            name: it.title,
            href: self.c.url(&format!("/dashboard/help-articles/{}", it.id)),
            numbers: vec![it.not_helpful as f64, it.helpful as f64],
        };
        Ok(found.into_iter().map(entry).collect())
    }
}

/// The most posts, articles or searches of a figure on the page.
const MOST: i64 = 10;

/// The most searches of a figure as CSV.
const MOST_LINES: i64 = 1_000;

/// A row before its numbers have the form of the language.
struct Entry {
    name: String,
    /// The page that is about it.
    href: String,
    numbers: Vec<f64>,
}

/// `GET /dashboard/insights`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let f = desk.frame("/dashboard/insights", desk.request.language.text("desk-insights")).await?;
    let insights = Insights::new(&desk, &f.c);
    let path = f.c.url("/dashboard/insights");
    let choice = |span: &Span| Choice {
        value: with_fields(&path, &[("span", span.code)]),
        text: f.c.t(span.words),
        is_chosen: span.code == insights.span.code,
    };
    let spans = SPANS.iter().map(choice).collect();
    let days = insights.days().await?;
    // The figures that are not of days are read at the same time.
    let figures = try_join_all(insights.designs().map(|it| insights.figure(it, &days))).await?;
    desk.request.page(&InsightsPage { spans, figures, f })
}

/// `GET /dashboard/insights/{figure}`: a figure as CSV. A timeline has a row for each day.
pub(crate) async fn csv(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let c = desk.chrome();
    let slug = desk.request.part("figure").strip_suffix(".csv").ok_or(Fault::Gone)?;
    let (period, most_misses) = (Period::Day, MOST_LINES);
    let insights = Insights { period, most_misses, ..Insights::new(&desk, &c) };
    let design = insights.designs().find(|it| it.slug == slug).ok_or(Fault::Gone)?;
    let days = match design.subject.is_of_days() {
        true => insights.days().await?,
        false => DailyCounts::default(),
    };
    let figure = insights.figure(design, &days).await?;
    let body = table(&figure).map_err(broken)?;
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    let name = format!("attachment; filename=\"{}.csv\"", figure.slug);
    Ok(response
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, name))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(body))
}

fn table(figure: &Figure) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new();
    // A spreadsheet with another separator would find further cells in a plain text.
    let writer = writer.quote_style(csv::QuoteStyle::Always);
    let mut writer = writer.terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(&figure.heads)?;
    for row in &figure.rows {
        writer.write_record([plain(&row.name)].iter().chain(&row.exact))?;
    }
    Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

/// A text that no spreadsheet takes for a formula.
fn plain(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Time;

    #[test]
    fn a_week_begins_on_monday_and_a_month_has_no_day() {
        let name = |period: Period, day: &str| {
            period.name(Day::of(Time::parse(&format!("{day}T12:00:00Z")).unwrap()))
        };
        assert_eq!(name(Period::Day, "2026-11-27"), "2026-11-27");
        for day in ["2026-11-23", "2026-11-27", "2026-11-29"] {
            assert_eq!(name(Period::Week, day), "2026-11-23");
        }
        assert_eq!(name(Period::Week, "1969-12-31"), "1969-12-29");
        assert_eq!(name(Period::Month, "2026-11-27"), "2026-11");
    }

    #[test]
    fn a_formula_becomes_a_text() {
        assert_eq!(plain("=1+1"), "'=1+1");
        assert_eq!(plain("Dark mode, \"please\""), "Dark mode, \"please\"");
    }
}
