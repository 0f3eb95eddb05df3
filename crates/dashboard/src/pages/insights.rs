//! Insights: numbers over time, by board and by status, and the most wanted posts. Each figure is a
//! table, which the page draws as SVG, and which is there as CSV.

use super::Frame;
use super::inbox::spend;
use crate::desk::{Desk, items};
use crate::forms::Choice;
use crate::values::{name_of, text_of};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use askama::Template;
use hearback_app::counts;
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::{ClosedSet, Uuid};
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::with_fields;
use hearback_web::visit::{broken, protect};
use hearback_web::{Answer, Fault, Request};
use serde_json::json;
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
    slug: String,
    title: String,
    /// The address of the figure as CSV.
    csv: String,
    /// The sum of the numbers. Empty if the sum means nothing.
    total: String,
    /// Whether each row is a period of time. The page draws such rows as columns.
    is_timeline: bool,
    heads: [String; 2],
    rows: Vec<Row>,
}

struct Row {
    name: String,
    href: String,
    /// The number as CSV has it.
    exact: String,
    /// The number in the form of the language.
    shown: String,
    /// The share of the greatest number of the figure, in tenths of a percent.
    share: u32,
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
}

impl<'a> Insights<'a> {
    fn new(desk: &'a Desk, c: &'a Chrome) -> Self {
        let given = desk.request.query.get("span");
        let span = SPANS.iter().find(|span| span.code == given).unwrap_or(&SPANS[1]);
        let until = Day::of(desk.request.web.ports.clock.now());
        Self { desk, c, span, from: Day(until.0 - span.days + 1), until }
    }

    /// All figures. Timelines have a row for each `period`.
    async fn figures(&self, period: Period) -> Result<Vec<Figure>, Fault> {
        let (ports, caller) = (&self.desk.request.web.ports, self.desk.caller("insights/show"));
        let found = counts::days(ports, caller, self.from, self.until).await?;
        let mut figures = Vec::new();
        for (kind, over_time, by_board) in [
            (Daily::Posts, key("insights-posts"), key("insights-posts-by-board")),
            (Daily::Votes, key("insights-votes"), key("insights-votes-by-board")),
            (Daily::Comments, key("insights-comments"), key("insights-comments-by-board")),
        ] {
            let rows = self.timeline(&found, kind, period);
            figures.push(self.figure(kind.code(), over_time, TIME, rows));
            let slug = format!("{}-by-board", kind.code());
            let rows = self.shares(&found, kind);
            figures.push(self.figure(&slug, by_board, key("insights-board"), rows));
        }
        let rows = self.shares(&found, Daily::Statuses);
        let status = key("insights-status");
        figures.push(self.figure("statuses", key("insights-statuses"), status, rows));
        for (sort, title) in
            [("votes", key("insights-most-votes")), ("spend", key("insights-most-spend"))]
        {
            let rows = self.most_wanted(sort).await?;
            let mut figure =
                self.figure(&format!("most-{sort}"), title, key("insights-post"), rows);
            figure.total = String::new();
            figures.push(figure);
        }
        Ok(figures)
    }

    fn figure(&self, slug: &str, title: &str, head: &str, rows: Vec<(Named, f64)>) -> Figure {
        let greatest = rows.iter().map(|(_, number)| *number).fold(0.0, f64::max);
        let total: f64 = rows.iter().map(|(_, number)| number).sum();
        let path = self.c.url(&format!("/dashboard/insights/{slug}.csv"));
        let row = |(Named { name, href }, number): (Named, f64)| Row {
            name,
            href,
            exact: number.to_string(),
            shown: self.shown(number),
            share: if greatest > 0.0 { (number / greatest * 1_000.0).round() as u32 } else { 0 },
        };
        Figure {
            slug: slug.to_owned(),
            title: self.c.t(title),
            csv: with_fields(&path, &[("span", self.span.code)]),
            total: self.shown(total),
            is_timeline: head == TIME,
            heads: [self.c.t(head), self.c.t("insights-number")],
            rows: rows.into_iter().map(row).collect(),
        }
    }

    /// A whole number in the form of the language, or an amount of money.
    fn shown(&self, number: f64) -> String {
        match number.fract() == 0.0 {
            true => self.c.number(&(number as i64)),
            false => spend(&json!(format!("{number:.2}"))),
        }
    }

    fn timeline(&self, counts: &DailyCounts, kind: Daily, period: Period) -> Vec<(Named, f64)> {
        let mut periods = BTreeMap::new();
        for day in self.from.0..=self.until.0 {
            periods.entry(period.name(Day(day))).or_insert(0.0);
        }
        for (_, day, number) in counts.by_day.iter().filter(|(of, ..)| *of == kind) {
            *periods.entry(period.name(*day)).or_insert(0.0) += *number as f64;
        }
        let row = |(name, number)| (Named { name, href: String::new() }, number);
        periods.into_iter().map(row).collect()
    }

    /// The numbers of boards, or of statuses, the greatest first. Those that are deleted have no
    /// name, and are left out.
    fn shares(&self, counts: &DailyCounts, kind: Daily) -> Vec<(Named, f64)> {
        let frame = &self.desk.request.visit.frame;
        let name = |id: Uuid| match kind {
            Daily::Statuses => {
                frame.statuses.iter().find(|it| it.id.0 == id).map(|it| (&it.name, "status_id"))
            }
            _ => frame.boards.iter().find(|it| it.id.0 == id).map(|it| (&it.name, "board_id")),
        };
        let row = |(_, id, number): &(Daily, Uuid, i64)| {
            let (name, filter) = name(*id)?;
            let posts = self.c.url("/dashboard/posts");
            let href = with_fields(&posts, &[(filter, &id.to_string())]);
            Some((Named { name: name.clone(), href }, *number as f64))
        };
        let of_kind = counts.by_parent.iter().filter(|(of, ..)| *of == kind);
        let mut rows: Vec<_> = of_kind.filter_map(row).collect();
        rows.sort_by(|one, other| other.1.total_cmp(&one.1));
        rows
    }

    /// The posts with the most votes, or the greatest spend, of all time.
    async fn most_wanted(&self, sort: &str) -> Result<Vec<(Named, f64)>, Fault> {
        let body = json!({"sort": sort, "limit": MOST_WANTED});
        let posts = items(self.desk.call("/feedback-posts/list", body).await?);
        let member = if sort == "spend" { "monthly_spend" } else { "vote_count" };
        let row = |post: &serde_json::Value| {
            let href = self.c.url(&format!("/dashboard/posts/{}", text_of(&post["id"])));
            let number = text_of(&post[member]).parse::<f64>().unwrap_or_default();
            (Named { name: name_of(post), href }, number)
        };
        Ok(posts.iter().map(row).filter(|(_, number)| *number > 0.0).collect())
    }
}

/// The words over the periods of a timeline.
const TIME: &str = key("insights-time");

/// The number of posts that are the most wanted.
const MOST_WANTED: i64 = 10;

/// The name of a row, and the page that is about it.
struct Named {
    name: String,
    href: String,
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
    let figures = insights.figures(insights.span.period).await?;
    desk.request.page(&InsightsPage { spans, figures, f })
}

/// `GET /dashboard/insights/{figure}`: a figure as CSV. A timeline has a row for each day.
pub(crate) async fn csv(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let c = desk.chrome();
    let figure = desk.request.part("figure").strip_suffix(".csv").ok_or(Fault::Gone)?;
    let figures = Insights::new(&desk, &c).figures(Period::Day).await?;
    let figure = figures.into_iter().find(|it| it.slug == figure).ok_or(Fault::Gone)?;
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
        writer.write_record([&plain(&row.name), &row.exact])?;
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
