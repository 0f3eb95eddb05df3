//! Generated organizations, with all values that a store must preserve.

use crate::build::{OfKind, Tenant, digest, organization, slug, tick};
use crate::system::fresh;
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::api_key::{ApiKey, Sealed};
use hearback_domain::attributes::{Attribute, Attributes, Number};
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::company::Company;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::event::EventType;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::UserId;
use hearback_domain::label::Label;
use hearback_domain::merge::{DroppedVote, MergeRecord};
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::permission::Role;
use hearback_domain::portal::{PortalSettings, Theme};
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::slug::Slug;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::tag::Tag;
use hearback_domain::user::{PostMail, User};
use hearback_domain::vote::{Target, Vote};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::{Kind, Record};
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};
use std::collections::BTreeSet;

/// Organizations with up to five records of most kinds, which refer to each other. Times, texts,
/// numbers and identifiers reach the limits of the portable format.
pub fn tenant() -> impl Strategy<Value = Tenant> {
    prop::collection::vec(0..6_usize, Kind::ALL.len())
        .prop_perturb(|sizes, rng| Draw { rng, sizes, names_all: false }.tenant())
}

/// Draws an organization with three records of most kinds, but no API key, and further records of
/// it.
pub struct Drawing(Draw);

impl Drawing {
    /// Draws records whose optional references are set or not, at random.
    pub fn of_any() -> Self {
        let mut sizes = vec![3; Kind::ALL.len()];
        sizes[Kind::ApiKey as usize] = 0;
        Self(Draw { rng: TestRunner::default().new_rng(), sizes, names_all: false })
    }

    /// Draws records whose optional references are all set.
    pub fn of_full() -> Self {
        let Self(draw) = Self::of_any();
        Self(Draw { names_all: true, ..draw })
    }

    /// An organization.
    pub fn tenant(&mut self) -> Tenant {
        self.0.tenant()
    }

    /// A record of a kind. It refers to records of `tenant` alone, and no other record has its
    /// unique values. `None` if the tenant lacks a record that it must refer to.
    pub fn record(&mut self, kind: Kind, tenant: &Tenant) -> Option<Record> {
        let draw = &mut self.0;
        let named = Named {
            users: tenant.all(),
            boards: tenant.all(),
            roadmap_boards: tenant.all(),
            statuses: tenant.all(),
            categories: tenant.all(),
            tags: tenant.all(),
        };
        let posts: Vec<FeedbackPost> = tenant.all();
        Some(match kind {
            Kind::Organization => draw.organization().into_record(),
            Kind::Company => draw.company().into_record(),
            Kind::User => draw.user(&tenant.all()).into_record(),
            Kind::FeedbackBoard => draw.feedback_board(&named.users).into_record(),
            Kind::RoadmapBoard => draw.roadmap_board().into_record(),
            Kind::Status => {
                Status { is_default_status: draw.flag(), ..draw.status() }.into_record()
            }
            Kind::Category => draw.category().into_record(),
            // The name of a tag is unique too.
            Kind::Tag => Tag { name: draw.code(), ..draw.tag() }.into_record(),
            Kind::FeedbackPost => {
                let merged_into_id = draw.maybe_of(&posts).map(|post| post.id);
                FeedbackPost { merged_into_id, ..draw.feedback_post(&named)? }.into_record()
            }
            // A record goes to the end of its list.
            Kind::RoadmapPost => {
                let post = draw.roadmap_post(&named)?;
                RoadmapPost { seq_number: Position::START, ..post }.into_record()
            }
            Kind::RoadmapLink => draw.roadmap_link(&posts, &tenant.all())?.into_record(),
            Kind::EntryLink => draw.entry_link(&posts, &tenant.all())?.into_record(),
            Kind::Subscription => draw.subscription(&named, &posts)?.into_record(),
            Kind::Comment => {
                let is_pinned = draw.flag();
                let comment = draw.comment(&named, &posts, &tenant.all())?;
                Comment { is_pinned, ..comment }.into_record()
            }
            Kind::Vote => {
                let plan = draw.pick(&tenant.all::<RoadmapPost>()).map(|plan| plan.id);
                let post = draw.pick(&posts).map(|post| post.id);
                let target = post.map(Target::Feedback).or(plan.map(Target::Roadmap))?;
                let voter = draw.pick(&named.users)?.user_id;
                draw.vote(voter, target, &posts).into_record()
            }
            Kind::Merge => draw.merge(&named, &posts)?.into_record(),
            Kind::DroppedVote => draw.dropped_vote(&named, &posts)?.into_record(),
            Kind::Label => draw.label().into_record(),
            Kind::ChangelogEntry => draw.changelog_entry(&named, &tenant.all()).into_record(),
            Kind::HelpCollection => draw.help_collection().into_record(),
            Kind::HelpCategory => draw.help_category(&tenant.all())?.into_record(),
            Kind::HelpArticle => {
                let related = draw.subset(&tenant.all::<HelpArticle>());
                let article = draw.help_article(&named, &tenant.all(), &tenant.all())?;
                let related_article_ids = related.iter().map(|article| article.id).collect();
                HelpArticle { related_article_ids, ..article }.into_record()
            }
            Kind::HelpArticleVersion => {
                draw.help_article_version(&named, &tenant.all())?.into_record()
            }
            Kind::HelpRedirect => draw.help_redirect().into_record(),
            Kind::WebhookSubscription => draw.webhook_subscription(&tenant.all()).into_record(),
            Kind::ApiKey => draw.api_key().into_record(),
        })
    }
}

/// Draws values. On failure, the numbers of records shrink, and the values do not.
struct Draw {
    rng: TestRng,
    sizes: Vec<usize>,
    /// Whether all optional references are set.
    names_all: bool,
}

impl Draw {
    fn tenant(&mut self) -> Tenant {
        let companies = self.many(Kind::Company, Self::company);
        let users = self.many(Kind::User, |draw| draw.user(&companies));
        let boards = self.many(Kind::FeedbackBoard, |draw| draw.feedback_board(&users));
        let roadmap_boards = self.many(Kind::RoadmapBoard, Self::roadmap_board);
        let mut statuses = self.many(Kind::Status, Self::status);
        if let Some(status) = statuses.first_mut() {
            status.is_default_status = self.flag();
        }
        let categories = self.many(Kind::Category, Self::category);
        let tags = self.many(Kind::Tag, Self::tag);
        let named = Named { users, boards, roadmap_boards, statuses, categories, tags };
        let mut posts = self.some(Kind::FeedbackPost, |draw| draw.feedback_post(&named));
        // A post is merged into a later one only, so that there is no cycle. A file has the posts
        // in the order of their identifiers, so some posts refer to later ones and some to earlier
        // ones.
        for n in 1..posts.len() {
            posts[n - 1].merged_into_id =
                self.flag().then(|| self.pick(&posts[n..]).map(|post| post.id)).flatten();
        }
        let plans = self.some(Kind::RoadmapPost, |draw| draw.roadmap_post(&named));
        let mut links = self.some(Kind::RoadmapLink, |draw| draw.roadmap_link(&posts, &plans));
        let pair = |link: &RoadmapLink| (link.roadmap_post_id, link.feedback_post_id);
        let mut seen = BTreeSet::new();
        links.retain(|link| seen.insert(pair(link)));
        let mut subscriptions_to_posts =
            self.some(Kind::Subscription, |draw| draw.subscription(&named, &posts));
        let mut seen = BTreeSet::new();
        subscriptions_to_posts.retain(|it| seen.insert((it.feedback_post_id, it.user_id)));
        let mut comments: Vec<Comment> = Vec::new();
        for _ in 0..2 * self.sizes[Kind::Comment as usize] {
            comments.extend(self.comment(&named, &posts, &comments));
        }
        let votes = self.votes(&named, &posts, &plans);
        let merges = self.some(Kind::Merge, |draw| draw.merge(&named, &posts));
        let mut dropped = self.some(Kind::DroppedVote, |draw| draw.dropped_vote(&named, &posts));
        let mut seen = BTreeSet::new();
        dropped.retain(|vote| seen.insert((vote.user_id, vote.feedback_post_id)));
        let labels = self.many(Kind::Label, Self::label);
        let entries = self.many(Kind::ChangelogEntry, |draw| draw.changelog_entry(&named, &labels));
        let mut entry_links = self.some(Kind::EntryLink, |draw| draw.entry_link(&posts, &entries));
        let mut seen = BTreeSet::new();
        entry_links.retain(|it| seen.insert((it.changelog_entry_id, it.feedback_post_id)));
        let collections = self.many(Kind::HelpCollection, Self::help_collection);
        let filed = self.some(Kind::HelpCategory, |draw| draw.help_category(&collections));
        let mut articles =
            self.some(Kind::HelpArticle, |draw| draw.help_article(&named, &collections, &filed));
        let ids: Vec<_> = articles.iter().map(|article| article.id).collect();
        for article in &mut articles {
            article.related_article_ids = self.subset(&ids);
        }
        let versions = self
            .some(Kind::HelpArticleVersion, |draw| draw.help_article_version(&named, &articles));
        let redirects = self.many(Kind::HelpRedirect, Self::help_redirect);
        let subscriptions =
            self.many(Kind::WebhookSubscription, |draw| draw.webhook_subscription(&named.boards));
        let has_key = self.sizes[Kind::ApiKey as usize] > 0;
        let keys: Vec<ApiKey> = has_key.then(|| self.api_key()).into_iter().collect();

        let mut tenant = Tenant::of(self.organization(), Vec::new());
        self.add(&mut tenant, companies);
        self.add(&mut tenant, named.users);
        self.add(&mut tenant, named.boards);
        self.add(&mut tenant, named.roadmap_boards);
        self.add(&mut tenant, named.statuses);
        self.add(&mut tenant, named.categories);
        self.add(&mut tenant, named.tags);
        self.add(&mut tenant, posts);
        self.add(&mut tenant, plans);
        self.add(&mut tenant, links);
        self.add(&mut tenant, subscriptions_to_posts);
        for comment in comments {
            tenant.add(comment);
        }
        self.add(&mut tenant, votes);
        self.add(&mut tenant, merges);
        self.add(&mut tenant, dropped);
        self.add(&mut tenant, labels);
        self.add(&mut tenant, entries);
        self.add(&mut tenant, entry_links);
        self.add(&mut tenant, collections);
        self.add(&mut tenant, filed);
        self.add(&mut tenant, articles);
        self.add(&mut tenant, versions);
        self.add(&mut tenant, redirects);
        self.add(&mut tenant, subscriptions);
        self.add(&mut tenant, keys);
        tenant
    }

    fn organization(&mut self) -> Organization {
        let help_center = HelpCenter::from_flag(self.flag());
        Organization {
            name: self.text(0, 700),
            help_center,
            events_ledger: self.flag(),
            portal: self.portal(),
            created_at: self.time(),
            ..organization()
        }
    }

    fn portal(&mut self) -> PortalSettings {
        let url = |_: &mut Self| "https://example.com/ä?a=1&b".to_owned();
        PortalSettings {
            logo_url: self.maybe(url),
            favicon_url: self.maybe(url),
            accent: self.maybe(|draw| draw.color()),
            theme: self.one_of(Theme::ALL),
            welcome_title: self.maybe(|draw| draw.text(1, 200)),
            welcome_text: self.maybe(|draw| draw.text(1, 2_000)),
            locale: self.maybe(|draw| draw.one_of(&["en", "pt-BR"]).to_owned()),
            shows_feedback: self.flag(),
            shows_roadmap: self.flag(),
            shows_changelog: self.flag(),
            shows_help: self.flag(),
            shows_vote_counts: self.flag(),
            is_indexed: self.flag(),
            is_private: self.flag(),
            custom_css: self.maybe(|draw| draw.text(1, 700)),
            signs_in_by_mail: self.flag(),
            signs_in_by_password: self.flag(),
            second_factor: self.maybe(|draw| draw.one_of(Role::ALL)),
            host: self.maybe(|_| format!("{}.example.com", fresh::<Uuid>().simple())),
            sso_url: self.maybe(url),
        }
    }

    fn company(&mut self) -> Company {
        let id: Uuid = self.id();
        Company {
            id: id.into(),
            external_id: id.to_string(),
            name: self.text(0, 700),
            monthly_spend: self.spend(),
            customer_status: self.text(0, 700),
            attributes: self.attributes(),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        }
    }

    fn spend(&mut self) -> Spend {
        let most = Spend::MAX.hundredths();
        let hundredths = if self.flag() { most } else { self.rng.random_range(0..=most) };
        Spend::from_hundredths(hundredths).expect("an amount")
    }

    fn attributes(&mut self) -> Attributes {
        let numbers =
            ["0", "-9223372036854775808", "9223372036854775807", "1e300", "-1.5e-7", "0.1"];
        let keys = ["b", "a.b", "B-_", "aa"];
        let mut all = Vec::new();
        for key in self.subset(&keys) {
            let value = match self.rng.random_range(0..3) {
                0 => Attribute::Text(self.text(0, 512)),
                1 => {
                    let number = self.one_of(&numbers);
                    Attribute::Number(Number::parse(number).expect("a number"))
                }
                _ => Attribute::Flag(self.flag()),
            };
            all.push((key.to_owned(), value));
        }
        all.into_iter().collect()
    }

    fn user(&mut self, companies: &[Company]) -> User {
        let user_id: Uuid = self.id();
        // The address is unique. Sometimes it has the greatest length.
        let email = format!("{user_id}{}", self.text(0, 476));
        User {
            id: self.id(),
            user_id: user_id.into(),
            email: if self.flag() { email } else { String::new() },
            name: self.text(0, 700),
            avatar_url: self.text(0, 700),
            portal_role: self.text(0, 700),
            company_id: self.maybe_of(companies).map(|company| company.id),
            company_name: self.text(0, 700),
            customer_status: self.text(0, 700),
            locale: self.text(0, 700),
            attributes: self.attributes(),
            is_subscribed: self.flag(),
            post_mail: self.one_of(PostMail::ALL),
            changelog_mail: self.flag(),
            is_blocked: self.flag(),
            is_trusted: self.flag(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        }
    }

    fn feedback_board(&mut self, users: &[User]) -> FeedbackBoard {
        FeedbackBoard {
            id: self.id(),
            name: self.text(0, 700),
            slug: self.slug(),
            description: self.maybe(|draw| draw.text(0, 700)),
            icon_url: self.maybe(|draw| draw.text(0, 700)),
            is_voting_enabled: self.flag(),
            is_commenting_enabled: self.flag(),
            show_post_dates: self.flag(),
            access: self.one_of(Access::ALL),
            allowed_email_domains: if self.flag() {
                vec!["example.com".to_owned()]
            } else {
                vec![]
            },
            allowed_user_ids: self.subset(users).into_iter().map(|user| user.user_id).collect(),
            post_moderation: self.one_of(Moderating::ALL),
            comment_moderation: self.one_of(Moderating::ALL),
            guests: self.one_of(Guests::ALL),
            post_template: self.maybe(|draw| draw.text(0, 700)),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            seq_number: self.position(),
            created_at: self.time(),
        }
    }

    fn roadmap_board(&mut self) -> RoadmapBoard {
        RoadmapBoard {
            id: self.id(),
            name: self.text(0, 700),
            slug: self.slug(),
            description: self.maybe(|draw| draw.text(0, 700)),
            icon_url: self.maybe(|draw| draw.text(0, 700)),
            is_voting_enabled: self.flag(),
            access: self.one_of(Access::ALL),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            seq_number: self.position(),
            created_at: self.time(),
        }
    }

    fn status(&mut self) -> Status {
        Status {
            id: self.id(),
            name: self.text(0, 700),
            code: self.code(),
            color: self.color(),
            group: self.one_of(StatusGroup::ALL),
            is_default_status: false,
            show_on_feedback: self.flag(),
            show_on_roadmap: self.flag(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            seq_number: self.position(),
            created_at: self.time(),
        }
    }

    fn category(&mut self) -> Category {
        Category {
            id: self.id(),
            name: self.text(0, 700),
            code: self.code(),
            description: self.maybe(|draw| draw.text(0, 700)),
            color: self.color(),
            show_on_feedback: self.flag(),
            show_on_roadmap: self.flag(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
        }
    }

    fn tag(&mut self) -> Tag {
        Tag {
            id: self.id(),
            name: self.text(0, 700),
            code: self.maybe(Self::code),
            color: self.color(),
            show_on_feedback: self.flag(),
            show_on_roadmap: self.flag(),
            is_public: self.flag(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
        }
    }

    fn feedback_post(&mut self, named: &Named) -> Option<FeedbackPost> {
        Some(FeedbackPost {
            id: self.id(),
            title: self.text(0, 700),
            description: self.text(0, 7_000),
            slug: self.slug(),
            board_id: self.pick(&named.boards)?.id,
            author_id: self.pick(&named.users)?.user_id,
            owner_id: self.maybe_of(&named.users).map(|user| user.user_id),
            status_id: self.pick(&named.statuses)?.id,
            category_id: self.maybe_of(&named.categories).map(|category| category.id),
            eta: self.maybe(Self::time),
            eta_is_public: self.flag(),
            is_pinned: self.flag(),
            created_by_id: self.maybe_of(&named.users).map(|user| user.user_id),
            status_changed_at: self.time(),
            moderation: self.one_of(Moderation::ALL),
            tag_ids: self.subset(&named.tags).into_iter().map(|tag| tag.id).collect(),
            attributes: self.attributes(),
            merged_into_id: None,
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        })
    }

    fn roadmap_post(&mut self, named: &Named) -> Option<RoadmapPost> {
        Some(RoadmapPost {
            id: self.id(),
            title: self.text(0, 700),
            description: self.text(0, 7_000),
            slug: self.slug(),
            roadmap_board_id: self.pick(&named.roadmap_boards)?.id,
            author_id: self.maybe_of(&named.users).map(|user| user.user_id),
            owner_id: self.maybe_of(&named.users).map(|user| user.user_id),
            status_id: self.pick(&named.statuses)?.id,
            category_id: self.maybe_of(&named.categories).map(|category| category.id),
            eta: self.maybe(Self::time),
            tag_ids: self.subset(&named.tags).into_iter().map(|tag| tag.id).collect(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            seq_number: self.position(),
            created_at: self.time(),
            updated_at: self.time(),
        })
    }

    fn comment(
        &mut self,
        named: &Named,
        posts: &[FeedbackPost],
        earlier: &[Comment],
    ) -> Option<Comment> {
        let post = self.pick(posts)?.id;
        let on_post: Vec<_> =
            earlier.iter().filter(|comment| comment.feedback_post_id == post).collect();
        Some(Comment {
            id: self.id(),
            content: self.text(0, 7_000),
            author_id: self.pick(&named.users)?.user_id,
            parent_comment_id: self.maybe_of(&on_post).map(|comment| comment.id),
            feedback_post_id: post,
            visibility: self.one_of(Visibility::ALL),
            moderation: self.one_of(Moderation::ALL),
            is_pinned: false,
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        })
    }

    fn roadmap_link(
        &mut self,
        posts: &[FeedbackPost],
        plans: &[RoadmapPost],
    ) -> Option<RoadmapLink> {
        Some(RoadmapLink {
            id: self.id(),
            roadmap_post_id: self.pick(plans)?.id,
            feedback_post_id: self.pick(posts)?.id,
            sync_status: self.flag(),
            created_at: self.time(),
        })
    }

    fn subscription(&mut self, named: &Named, posts: &[FeedbackPost]) -> Option<Subscription> {
        Some(Subscription {
            id: self.id(),
            feedback_post_id: self.pick(posts)?.id,
            user_id: self.pick(&named.users)?.user_id,
            level: self.one_of(Level::ALL),
            created_at: self.time(),
        })
    }

    /// Draws at most one vote of each voter on each post. Merged posts have no vote.
    fn votes(&mut self, named: &Named, posts: &[FeedbackPost], plans: &[RoadmapPost]) -> Vec<Vote> {
        let open = posts.iter().filter(|post| post.merged_into_id.is_none());
        let targets = open
            .map(|post| Target::Feedback(post.id))
            .chain(plans.iter().map(|plan| Target::Roadmap(plan.id)));
        let mut votes = Vec::new();
        for target in targets {
            for user in self.subset(&named.users) {
                votes.push(self.vote(user.user_id, target, posts));
            }
        }
        votes
    }

    fn vote(&mut self, user_id: UserId, target: Target, posts: &[FeedbackPost]) -> Vote {
        let moved = self.maybe_of(posts).filter(|_| matches!(target, Target::Feedback(_)));
        Vote {
            id: self.id(),
            user_id,
            target,
            cast_on_id: moved.map(|post| post.id),
            created_by_id: self.flag().then_some(user_id),
            source_url: self.maybe(|draw| draw.text(0, 700)),
            created_at: self.time(),
        }
    }

    fn merge(&mut self, named: &Named, posts: &[FeedbackPost]) -> Option<MergeRecord> {
        let source = self.pick(posts)?.id;
        let others: Vec<_> = posts.iter().filter(|post| post.id != source).collect();
        let mut users = || {
            let users: BTreeSet<_> =
                self.subset(&named.users).into_iter().map(|user| user.user_id).collect();
            users.into_iter().collect()
        };
        let (moved_user_ids, dropped_user_ids) = (users(), users());
        Some(MergeRecord {
            id: self.id(),
            merge_post_id: source,
            into_post_id: self.pick(&others)?.id,
            merger_id: self.pick(&named.users)?.user_id,
            moved_user_ids,
            dropped_user_ids,
            votes_kept: self.flag(),
            created_at: self.time(),
        })
    }

    fn dropped_vote(&mut self, named: &Named, posts: &[FeedbackPost]) -> Option<DroppedVote> {
        Some(DroppedVote {
            id: self.id(),
            user_id: self.pick(&named.users)?.user_id,
            feedback_post_id: self.pick(posts)?.id,
            kept_post_id: self.pick(posts)?.id,
            created_by_id: self.maybe_of(&named.users).map(|user| user.user_id),
            source_url: self.maybe(|draw| draw.text(0, 700)),
            created_at: self.time(),
        })
    }

    fn label(&mut self) -> Label {
        Label {
            id: self.id(),
            name: self.text(0, 512),
            code: self.code(),
            color: self.color(),
            description: self.maybe(|draw| draw.text(0, 700)),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
        }
    }

    fn entry_link(
        &mut self,
        posts: &[FeedbackPost],
        entries: &[ChangelogEntry],
    ) -> Option<EntryLink> {
        Some(EntryLink {
            id: self.id(),
            changelog_entry_id: self.pick(entries)?.id,
            feedback_post_id: self.pick(posts)?.id,
            created_at: self.time(),
        })
    }

    fn changelog_entry(&mut self, named: &Named, labels: &[Label]) -> ChangelogEntry {
        let status = self.one_of(EntryStatus::ALL);
        let scheduled_at = match status {
            // An import publishes entries that are due already.
            EntryStatus::Scheduled => Some(Time::MAX),
            EntryStatus::Draft | EntryStatus::Published => self.maybe(Self::time),
        };
        let published_at = match status {
            EntryStatus::Published => Some(self.time()),
            EntryStatus::Draft | EntryStatus::Scheduled => self.maybe(Self::time),
        };
        ChangelogEntry {
            id: self.id(),
            title: self.text(1, 512),
            content: self.text(0, 7_000),
            slug: self.slug(),
            status,
            show_on_portal: self.flag(),
            featured_image_url: self.maybe(Self::web_url),
            author_id: self.maybe_of(&named.users).map(|user| user.user_id),
            scheduled_at,
            published_at,
            entry_type: self.maybe(|draw| draw.one_of(EntryType::ALL)),
            label_ids: self.subset(labels).into_iter().map(|label| label.id).collect(),
            notify: self.flag(),
            notify_voters: self.flag(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        }
    }

    fn help_collection(&mut self) -> HelpCollection {
        HelpCollection {
            id: self.id(),
            name: self.text(1, 512),
            slug: self.slug(),
            description: self.text(0, 512),
            icon: self.text(0, 512),
            color: self.color(),
            seq_number: self.position(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        }
    }

    fn help_category(&mut self, collections: &[HelpCollection]) -> Option<HelpCategory> {
        Some(HelpCategory {
            id: self.id(),
            collection_id: self.pick(collections)?.id,
            name: self.text(1, 512),
            slug: self.slug(),
            description: self.maybe(|draw| draw.text(0, 512)),
            icon: self.maybe(|draw| draw.text(0, 512)),
            color: self.maybe(Self::color),
            seq_number: self.position(),
            external_id: self.maybe(Self::external_id),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        })
    }

    fn help_article(
        &mut self,
        named: &Named,
        collections: &[HelpCollection],
        filed: &[HelpCategory],
    ) -> Option<HelpArticle> {
        let parent = match self.maybe_of(filed) {
            Some(category) => ArticleParent::Category(category.id),
            None => ArticleParent::Collection(self.pick(collections)?.id),
        };
        let status = self.one_of(ArticleStatus::ALL);
        Some(HelpArticle {
            id: self.id(),
            title: self.text(1, 512),
            content: self.text(0, 7_000),
            slug: self.slug(),
            excerpt: self.maybe(|draw| draw.text(0, 512)),
            status,
            show_on_portal: self.flag(),
            is_favourite: self.flag(),
            parent,
            seq_number: self.position(),
            author_id: self.maybe_of(&named.users).map(|user| user.user_id),
            published_at: if status == ArticleStatus::Published {
                Some(self.time())
            } else {
                self.maybe(Self::time)
            },
            related_article_ids: Vec::new(),
            view_count: self.count(),
            helpful_count: self.count(),
            not_helpful_count: self.count(),
            external_id: self.maybe(Self::external_id),
            // No two versions of an article are likely to have the same number.
            version: self.rng.random_range(1_000_000..=i64::from(i32::MAX)),
            versioned_at: self.time(),
            is_active: self.flag(),
            created_at: self.time(),
            updated_at: self.time(),
        })
    }

    fn help_redirect(&mut self) -> HelpRedirect {
        let mut path = || Path::parse(&format!("/{}", self.slug().as_str())).expect("a path");
        let (from_path, to_path) = (path(), path());
        HelpRedirect { id: self.id(), from_path, to_path, created_at: self.time() }
    }

    fn help_article_version(
        &mut self,
        named: &Named,
        articles: &[HelpArticle],
    ) -> Option<HelpArticleVersion> {
        let article = self.pick(articles)?;
        Some(HelpArticleVersion {
            id: self.id(),
            help_article_id: article.id,
            version: self.rng.random_range(1..article.version),
            author_id: self.maybe_of(&named.users).map(|user| user.user_id),
            title: self.text(1, 512),
            content: self.text(0, 7_000),
            created_at: self.time(),
        })
    }

    fn webhook_subscription(&mut self, boards: &[FeedbackBoard]) -> WebhookSubscription {
        WebhookSubscription {
            id: self.id(),
            url: self.web_url(),
            event_types: self.subset(EventType::ALL),
            board_ids: self.subset(boards).into_iter().map(|board| board.id).collect(),
            description: self.maybe(|draw| draw.text(0, 700)),
            is_active: self.flag(),
            awaits_rotation: self.flag(),
            secret: self.sealed(),
            // Both: the members are also changed one by one, and no store takes one alone.
            previous_secret: Some(self.sealed()),
            previous_until: Some(self.time()),
            created_at: self.time(),
        }
    }

    fn api_key(&mut self) -> ApiKey {
        ApiKey { id: self.id(), digest: digest(), sealed: self.sealed(), created_at: self.time() }
    }
}

/// The records to which many kinds of records refer.
struct Named {
    users: Vec<User>,
    boards: Vec<FeedbackBoard>,
    roadmap_boards: Vec<RoadmapBoard>,
    statuses: Vec<Status>,
    categories: Vec<Category>,
    tags: Vec<Tag>,
}

impl Draw {
    fn many<R>(&mut self, kind: Kind, mut draw: impl FnMut(&mut Self) -> R) -> Vec<R> {
        (0..self.sizes[kind as usize]).map(|_| draw(self)).collect()
    }

    fn some<R>(&mut self, kind: Kind, draw: impl FnMut(&mut Self) -> Option<R>) -> Vec<R> {
        self.many(kind, draw).into_iter().flatten().collect()
    }

    /// Adds records in their order or in reverse.
    fn add<R: OfKind>(&mut self, tenant: &mut Tenant, mut records: Vec<R>) {
        if self.flag() {
            records.reverse();
        }
        tenant.add_backwards(records);
    }

    fn flag(&mut self) -> bool {
        self.rng.random()
    }

    fn maybe<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| draw(self))
    }

    fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        if values.is_empty() { None } else { values.get(self.rng.random_range(0..values.len())) }
    }

    fn maybe_of<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        if self.chooses() { self.pick(values) } else { None }
    }

    /// Decides whether an optional reference is set.
    fn chooses(&mut self) -> bool {
        self.names_all || self.flag()
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        *self.pick(values).expect("a value")
    }

    /// Some of the values, in any order.
    fn subset<T: Clone>(&mut self, values: &[T]) -> Vec<T> {
        let mut chosen: Vec<T> = Vec::new();
        for value in values {
            if self.chooses() {
                let place = self.rng.random_range(0..=chosen.len());
                chosen.insert(place, value.clone());
            }
        }
        chosen
    }

    /// A new identifier, or any UUID.
    fn id<T: From<Uuid>>(&mut self) -> T {
        if self.flag() { fresh() } else { Uuid::from_u128(self.rng.random()).into() }
    }

    fn time(&mut self) -> Time {
        match self.rng.random_range(0..8) {
            0 => Time::MIN,
            1 => Time::MAX,
            2 => Time::from_unix_millis(self.rng.random_range(-1..=1)).expect("a time"),
            3 => tick(),
            _ => {
                let millis =
                    self.rng.random_range(Time::MIN.unix_millis()..=Time::MAX.unix_millis());
                Time::from_unix_millis(millis).expect("a time")
            }
        }
    }

    /// A text of `least` to `most` characters, mostly a short one.
    fn text(&mut self, least: usize, most: usize) -> String {
        let length = match self.rng.random_range(0..12) {
            0 => least,
            1 => most,
            _ => self.rng.random_range(least..=most.min(least + 12)),
        };
        (0..length).map(|_| self.character()).collect()
    }

    /// Any character but U+0000, often one that is escaped or compared in a special way.
    fn character(&mut self) -> char {
        const SPECIAL: &str = "aZ \"\\/'%_\n\r\t\u{1}\u{1b}\u{7f}\u{85}äẞİ\u{301}\u{2028}\
            \u{feff}\u{fffd}\u{ffff}😀\u{10ffff}";
        match char::from_u32(self.rng.random_range(1..=0x10_ffff)) {
            Some(any) if self.flag() => any,
            _ => self.one_of(&SPECIAL.chars().collect::<Vec<_>>()),
        }
    }

    fn slug(&mut self) -> Slug {
        let unique = slug(fresh());
        let tail: String = (0..self.rng.random_range(0..5))
            .map(|_| self.one_of(&['A', 'z', '0', '-', '_', '.', '~']))
            .collect();
        Slug::parse(&format!("{tail}{unique}{tail}")).expect("a slug")
    }

    fn web_url(&mut self) -> String {
        let ends =
            |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '\\');
        format!("https://example.com/{}", self.text(0, 700).replace(ends, ""))
    }

    fn code(&mut self) -> String {
        format!("{}{}", fresh::<Uuid>(), self.text(0, 476))
    }

    fn external_id(&mut self) -> String {
        format!("{}{}", fresh::<Uuid>(), self.text(0, 219))
    }

    fn color(&mut self) -> String {
        const DIGITS: &[u8] = b"0123456789abcdefABCDEF";
        let length = self.one_of(&[3, 4, 6, 8]);
        std::iter::once('#').chain((0..length).map(|_| char::from(self.one_of(DIGITS)))).collect()
    }

    fn position(&mut self) -> Position {
        const MOST: i64 = 999_999_999_999_999_999;
        let place = match self.rng.random_range(0..6) {
            0 => -MOST,
            1 => MOST,
            2 => 0,
            // Several records may have one position.
            3 => 10_000,
            _ => self.rng.random_range(-MOST..=MOST),
        };
        Position::from_ten_thousandths(place)
    }

    fn count(&mut self) -> i64 {
        if self.flag() { self.rng.random_range(0..=i64::MAX) } else { 0 }
    }

    fn sealed(&mut self) -> Sealed {
        Sealed((0..self.rng.random_range(0..100)).map(|_| self.rng.random()).collect())
    }
}
