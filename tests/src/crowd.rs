//! An organization with many records that differ in one value.

use crate::build::{OfKind, Tenant, Votable, at};
use crate::system::fresh;
use hearback_domain::attributes::{Attribute, Number};
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::company::Company;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::HelpRedirect;
use hearback_domain::label::Label;
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::Vote;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Record;

/// Texts that most collations sort in another order than by code point, some of them equal to
/// others in these collations.
pub const AWKWARD: [&str; 17] = [
    "a", "B", "b", "A", "ä", "Z", "_", "z", " ", "é", "e\u{301}", "ß", "ss", "a-b", "ab",
    "\u{ff5e}", "😀",
];

/// An organization with many records that share few names, positions and times, so that identifiers
/// decide their order. Some are deleted. The records that filters refer to come first.
pub fn crowd() -> Tenant {
    let mut acme = Tenant::new();
    let is_active = |n: usize| !n.is_multiple_of(7);
    let name = |n: usize| AWKWARD[n % AWKWARD.len()].to_owned();
    let time = |n: usize| [at(0), at(1), Time::MIN, at(1), at(2), Time::MAX][n % 6];
    let places = [-1, 0, 15_000, i64::MIN, 5_000, i64::MAX].map(Position::from_ten_thousandths);
    let place = |n: usize| places[n % places.len()];

    let labels = [acme.label(), acme.label(), acme.label()].map(|label| acme.add(label).id);
    let label = |n| Label { name: name(n), is_active: is_active(n), ..acme.label() };
    acme.add_backwards((0..57).map(label).collect());
    let category = |n| Category { name: name(n), is_active: is_active(n), ..acme.category() };
    acme.add_backwards((0..57).map(category).collect());
    // Tags without code do not conflict.
    let tag = |n| Tag { name: name(n), code: None, is_active: is_active(n), ..acme.tag() };
    acme.add_backwards((0..57).map(tag).collect());
    let tags: Vec<_> = acme.all::<Tag>().iter().map(|tag| tag.id).collect();

    let deleted_board = acme.add(FeedbackBoard { is_active: false, ..acme.board() });
    let open_board = acme.add(acme.board());
    let boards = [acme.board.id, deleted_board.id, open_board.id];
    let board = |n| FeedbackBoard { seq_number: place(n), is_active: is_active(n), ..acme.board() };
    acme.add_backwards((0..20).map(board).collect());
    let board =
        |n| RoadmapBoard { seq_number: place(n), is_active: is_active(n), ..acme.roadmap_board() };
    acme.add_backwards((0..20).map(board).collect());
    let deleted_status = acme.add(Status { is_active: false, ..acme.status() });
    let open_status = acme.add(acme.status());
    let statuses = [acme.status.id, deleted_status.id, open_status.id];
    let status = |n| Status {
        group: StatusGroup::ALL[n % StatusGroup::ALL.len()],
        seq_number: place(n / 2),
        is_active: is_active(n),
        ..acme.status()
    };
    acme.add_backwards((0..60).map(status).collect());

    let redirect = |n| HelpRedirect {
        created_at: time(n),
        ..acme.redirect(&format!("/former/{n}"), &format!("/present/{}", n % 5))
    };
    acme.add_backwards((0..57).map(redirect).collect());
    let gone = acme.add(HelpCollection { is_active: false, ..acme.help_collection() });
    let collection = |n| HelpCollection {
        name: name(n),
        seq_number: place(n / 3),
        is_active: is_active(n),
        ..acme.help_collection()
    };
    acme.add_backwards((0..57).map(collection).collect());
    let mut parents = Vec::new();
    for collection_id in [acme.collection.id, gone.id] {
        parents.push(ArticleParent::Collection(collection_id));
        for is_active in [true, false] {
            let category = HelpCategory { collection_id, is_active, ..acme.help_category() };
            parents.push(ArticleParent::Category(acme.add(category).id));
        }
    }
    let category = |n: usize| HelpCategory {
        collection_id: [acme.collection.id, gone.id][usize::from(n.is_multiple_of(3))],
        name: name(n),
        seq_number: place(n / 3),
        is_active: is_active(n),
        ..acme.help_category()
    };
    acme.add_backwards((0..68).map(category).collect());
    let article = |n: usize| {
        let is_published = (n / 3).is_multiple_of(3);
        HelpArticle {
            title: if n.is_multiple_of(5) { "Signing in".to_owned() } else { name(n / 2) },
            status: [ArticleStatus::Draft, ArticleStatus::Published][usize::from(is_published)],
            published_at: is_published.then(|| at(0)),
            show_on_portal: !(n / 6).is_multiple_of(3),
            is_favourite: (n / 4).is_multiple_of(4),
            parent: parents[n % parents.len()],
            seq_number: place(n / 5),
            is_active: is_active(n),
            created_at: time(n),
            updated_at: time(n / 3),
            ..acme.article()
        }
    };
    acme.add_backwards((0..110).map(article).collect());

    let attributes = |n: usize| {
        let plan = Attribute::Text(["free", "pro\"}"][n % 2].to_owned());
        let seats = Number::parse(["1", "10", "1.5"][n % 3]).expect("a number");
        let all = [("plan", plan), ("seats", Attribute::Number(seats))];
        all.into_iter().take(n / 2 % 3).map(|(key, value)| (key.to_owned(), value)).collect()
    };
    let spend = |n: usize| [0, 250, 99, Spend::MAX.hundredths()][n % 4];
    let (first, second, gone) = (
        acme.add(acme.company()),
        acme.add(acme.company()),
        acme.add(Company { is_active: false, ..acme.company() }),
    );
    let company = |n: usize| Company {
        name: name(n),
        monthly_spend: Spend::from_hundredths(spend(n)).expect("an amount"),
        customer_status: ["", "paying"][n / 2 % 2].to_owned(),
        attributes: attributes(n),
        is_active: is_active(n),
        created_at: time(n),
        updated_at: time(n / 3),
        ..acme.company()
    };
    acme.add_backwards((0..50).map(company).collect());
    let user = |n: usize| User {
        name: name(n),
        company_id: [None, Some(first.id), Some(second.id), Some(gone.id)][n % 4],
        portal_role: ["end_user", "admin"][usize::from(n.is_multiple_of(5))].to_owned(),
        customer_status: ["", "paying"][n / 2 % 2].to_owned(),
        attributes: attributes(n),
        is_subscribed: n.is_multiple_of(3),
        is_blocked: n.is_multiple_of(4),
        is_trusted: n.is_multiple_of(3),
        is_active: is_active(n),
        created_at: time(n),
        updated_at: time(n / 3),
        ..acme.user()
    };
    let users: Vec<User> = (0..40).map(user).collect();
    acme.add_backwards(users.clone());
    let post = acme.add(FeedbackPost { tag_ids: tags[..9].to_vec(), ..acme.post() });
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let merged = acme.add(FeedbackPost { merged_into_id: Some(post.id), ..acme.post() });
    let further = |n: usize| FeedbackPost {
        title: if n.is_multiple_of(5) { name(n) } else { "Dark mode".to_owned() },
        board_id: boards[n % 3],
        status_id: statuses[n / 3 % 3],
        moderation: Moderation::ALL[n % Moderation::ALL.len()],
        tag_ids: tags[n % 50..].iter().rev().take(n % 4).copied().collect(),
        attributes: attributes(n),
        merged_into_id: (n % 9 == 4).then_some(post.id),
        is_active: is_active(n),
        created_at: time(n),
        updated_at: time(n / 3),
        ..acme.post()
    };
    acme.add_backwards((0..70).map(further).collect());
    for on in [&post, &deleted, &merged] {
        let comment = |n: usize| Comment {
            visibility: Visibility::ALL[n % Visibility::ALL.len()],
            moderation: Moderation::ALL[n / 2 % Moderation::ALL.len()],
            is_active: is_active(n),
            created_at: time(n),
            ..acme.comment(on)
        };
        acme.add_backwards((0..40).map(comment).collect());
        let parent_comment_id = acme.all::<Comment>().last().map(|comment| comment.id);
        acme.add(Comment { parent_comment_id, ..acme.comment(on) });
    }
    let plan = acme.add(acme.roadmap_post());
    let deleted_plan = acme.add(RoadmapPost { is_active: false, ..acme.roadmap_post() });
    for target in [post.target(), deleted.target(), plan.target(), deleted_plan.target()] {
        let vote = |(n, user): (usize, &User)| Vote {
            id: fresh(),
            user_id: user.user_id,
            target,
            cast_on_id: None,
            created_by_id: None,
            source_url: None,
            created_at: time(n),
        };
        acme.add_backwards(users.iter().rev().enumerate().map(vote).collect());
    }
    let mut open = acme.all::<FeedbackPost>().split_off(3);
    open.retain(|post| post.merged_into_id.is_none());
    let of_some = open.iter().zip(users.iter().cycle()).skip(9).step_by(2);
    let of_some = of_some.map(|(post, user)| acme.vote(user, post)).collect();
    acme.add_backwards(of_some);

    let closed = acme.add(RoadmapBoard { is_active: false, ..acme.roadmap_board() });
    let plan = |n: usize| RoadmapPost {
        roadmap_board_id: [acme.roadmap_board.id, closed.id][usize::from(n.is_multiple_of(5))],
        owner_id: n.is_multiple_of(3).then(|| users[n].user_id),
        status_id: statuses[n / 2 % 3],
        seq_number: place(n / 2),
        is_active: is_active(n),
        created_at: time(n),
        updated_at: time(n / 3),
        ..acme.roadmap_post()
    };
    let plans: Vec<RoadmapPost> = (0..40).map(plan).collect();
    acme.add_backwards(plans.clone());
    let posts = acme.all::<FeedbackPost>();
    let links = posts.iter().enumerate().flat_map(|(n, post)| {
        let linked = plans.iter().cycle().skip(3 * n).take(n % 4);
        linked.map(move |plan| (n, plan, post))
    });
    let links = links
        .map(|(n, plan, post)| RoadmapLink { created_at: time(n / 2), ..acme.link(plan, post) });
    let links = links.collect();
    acme.add_backwards(links);

    let entry = |n: usize| {
        let published_at = (!n.is_multiple_of(3)).then(|| time(n / 2));
        let states = [EntryStatus::Draft, EntryStatus::Published, EntryStatus::Scheduled];
        let status = if n.is_multiple_of(3) { states[n % 2 * 2] } else { states[n % 2] };
        // Each set of labels occurs in both orders.
        let mut label_ids: Vec<_> =
            (0..3).filter(|bit| n >> bit & 1 == 1).map(|bit| labels[bit]).collect();
        if n.is_multiple_of(5) {
            label_ids.reverse();
        }
        ChangelogEntry {
            status,
            label_ids,
            entry_type: [None, Some(EntryType::Fixed), Some(EntryType::New)][n / 3 % 3],
            show_on_portal: !n.is_multiple_of(4),
            published_at,
            scheduled_at: (status == EntryStatus::Scheduled).then(|| at(0)),
            is_active: is_active(n),
            created_at: time(n),
            ..acme.entry()
        }
    };
    let entries: Vec<ChangelogEntry> = (0..80).map(entry).collect();
    acme.add_backwards(entries.clone());
    let links = entries.iter().enumerate().flat_map(|(n, entry)| {
        posts.iter().skip(n).take(n % 4).map(|post| acme.entry_link(entry, post))
    });
    let links = links.collect();
    acme.add_backwards(links);
    acme
}

/// New records of each kind. In lists, they come before, between and behind the records of
/// [`crowd`].
pub fn further(acme: &Tenant) -> Vec<Record> {
    let post = acme.all::<FeedbackPost>().remove(0);
    let plan = acme.all::<RoadmapPost>().remove(0);
    let mut records = Vec::new();
    for (n, name) in [(-2, ""), (0, "a"), (1, "aa"), (9, "\u{10ffff}")] {
        let (name, created_at) = (name.to_owned(), at(n));
        let user = User { name: name.clone(), created_at, updated_at: created_at, ..acme.user() };
        let seq_number = Position::from_ten_thousandths(n * 10_000);
        let category =
            HelpCategory { name: name.clone(), seq_number, ..acme.help_category() }.into_record();
        records.extend([
            Company {
                name: name.clone(),
                monthly_spend: Spend::from_hundredths(100 * (n + 2)).expect("an amount"),
                created_at,
                updated_at: created_at,
                ..acme.company()
            }
            .into_record(),
            Label { name: name.clone(), ..acme.label() }.into_record(),
            HelpCollection { name: name.clone(), seq_number, ..acme.help_collection() }
                .into_record(),
            category,
            HelpArticle {
                title: name,
                seq_number,
                created_at,
                updated_at: created_at,
                ..acme.article()
            }
            .into_record(),
            FeedbackPost { created_at, updated_at: created_at, ..acme.post() }.into_record(),
            RoadmapPost { seq_number, ..acme.roadmap_post() }.into_record(),
            Comment { created_at, ..acme.comment(&post) }.into_record(),
            ChangelogEntry {
                status: EntryStatus::Published,
                published_at: Some(created_at),
                created_at,
                ..acme.entry()
            }
            .into_record(),
            acme.entry().into_record(),
            HelpRedirect { created_at, ..acme.redirect(&format!("/{}", user.user_id.0), "/") }
                .into_record(),
            Vote { created_at, ..acme.vote(&user, &post) }.into_record(),
            Vote { created_at, ..acme.vote(&user, &plan) }.into_record(),
            user.into_record(),
        ]);
    }
    records
}
