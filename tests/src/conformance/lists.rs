//! The lists and look-ups of records of every kind.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::counts::{spend_on, sum_spends};
use super::{Stage, behind, walk_while};
use crate::build::{Imported, OfKind, Tenant, Votable, at, organization};
use crate::crowd::{crowd, further};
use crate::generate::Drawing;
use crate::system::fresh;
use hearback_domain::attributes::{Attribute, Attributes, Number};
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDetails, EntryFilter, EntrySort, EntryType,
};
use hearback_domain::comment::{Comment, CommentFilter};
use hearback_domain::company::{Company, CompanyFilter, CompanySort};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostDetails, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleSort, ArticleStatus, ArticleSummary, HelpArticle,
};
use hearback_domain::help_category::{CategoryDetails, CategoryReference, HelpCategory};
use hearback_domain::help_collection::{CollectionDetails, CollectionReference, HelpCollection};
use hearback_domain::help_redirect::HelpRedirect;
use hearback_domain::id::{
    CompanyId, HelpArticleId, HelpCollectionId, OrganizationId, PostId, RoadmapPostId, UserId,
};
use hearback_domain::label::Label;
use hearback_domain::moderation::{Audience, QueueFilter, QueuedItem};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost, RoadmapPostDetails};
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup, workflow_order};
use hearback_domain::tag::Tag;
use hearback_domain::user::{User, UserFilter, UserSort};
use hearback_domain::vote::{Target, Vote, Voter};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::{
    ByArticle, ByName, ByOptionalTime, ByPosition, ByPost, BySort, ByTime, Page, PageRequest,
    PostPlace,
};
use hearback_ports::{Kind, Limit, Ports, StoreError, VoteFilter};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Debug;

fn of<'a>(stage: &'a Stage, tenant: &Tenant) -> Store<'a> {
    Store { ports: &stage.ports, organization: tenant.id() }
}

/// An organization in a store.
#[derive(Clone, Copy)]
struct Store<'a> {
    ports: &'a Ports,
    organization: OrganizationId,
}

/// A page of a list, or the store's error.
type Answer<L> = Result<Page<<L as List>::Item, <L as List>::Key>, StoreError>;

/// A paged list of all records, or of the records that a filter admits.
trait List: Debug + Sized {
    /// The form in which the list shows a record.
    type Item: Clone + Debug + PartialEq;
    /// The place of a record in the list.
    type Key: Place;
    /// The kind of the records.
    const KIND: Kind;

    /// The list in each of its orders.
    fn whole(tenant: &Tenant) -> Vec<Self>;

    /// The list with filters.
    fn filtered(_: &Tenant) -> Vec<Self> {
        vec![]
    }

    /// The tenant's records in the list, in any order.
    fn of(&self, tenant: &Tenant) -> Vec<Self::Item>;

    /// The place of an item.
    fn key(&self, item: &Self::Item) -> Self::Key;

    /// Whether the list begins with the greatest key.
    fn is_descending(&self) -> bool {
        false
    }

    /// Reads a page of the list from the store.
    async fn page(&self, store: Store<'_>, request: PageRequest<Self::Key>) -> Answer<Self>;

    /// The order of two places in the list.
    fn order(&self, a: &Self::Key, b: &Self::Key) -> Ordering {
        if self.is_descending() { b.cmp(a) } else { a.cmp(b) }
    }

    /// The tenant's records in the list, in its order.
    fn sorted(&self, tenant: &Tenant) -> Vec<Self::Item> {
        let mut items = self.of(tenant);
        items.sort_by(|a, b| self.order(&self.key(a), &self.key(b)));
        items
    }
}

/// The key of a list, which ends in an identifier.
trait Place: Ord + Clone + Debug {
    /// The identifier.
    fn id(&mut self) -> &mut Uuid;
}

macro_rules! places {
    ($($key:ident)+) => {$(
        impl Place for $key {
            fn id(&mut self) -> &mut Uuid {
                &mut self.id
            }
        }
    )+};
}

places!(ByName ByPosition ByArticle ByPost BySort ByTime ByOptionalTime);

/// The active records of a kind.
fn active<R: OfKind>(tenant: &Tenant) -> Vec<R> {
    let mut all = tenant.all::<R>();
    all.retain(|record| record.clone().into_record().is_active());
    all
}

fn count<T>(all: &[T], counts: impl Fn(&T) -> bool) -> i64 {
    all.iter().filter(|one| counts(one)).count() as i64
}

/// Attributes for a filter, none for most numbers.
fn attributes(n: usize) -> Attributes {
    let plan = |text: &str| ("plan", Attribute::Text(text.to_owned()));
    let seats = |text| ("seats", Attribute::Number(Number::parse(text).unwrap()));
    let all = match n % 9 {
        0 => vec![plan("pro\"}")],
        2 => vec![seats("1.0")],
        4 => vec![plan("free"), seats("10")],
        6 => vec![("plan", Attribute::Flag(true))],
        8 => vec![("p", Attribute::Text("free".to_owned()))],
        _ => vec![],
    };
    all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The linked users of a company that is there.
fn people_of(tenant: &Tenant, company: CompanyId) -> Vec<UserId> {
    let is_there = active::<Company>(tenant).iter().any(|one| one.id == company);
    let of_company =
        active::<User>(tenant).into_iter().filter(|user| user.company_id == Some(company));
    of_company.filter(|_| is_there).map(|user| user.user_id).collect()
}

/// Some companies, with one that nobody has.
fn companies(tenant: &Tenant) -> impl Iterator<Item = Option<CompanyId>> {
    let some = tenant.all().into_iter().take(3).map(|one: Company| one.id);
    some.chain([fresh()]).map(Some)
}

/// The companies that a filter admits, in an order.
#[derive(Debug)]
struct Companies(CompanyFilter, CompanySort);

impl List for Companies {
    type Item = Company;
    type Key = BySort;
    const KIND: Kind = Kind::Company;

    fn whole(_: &Tenant) -> Vec<Self> {
        let of = |sort: &CompanySort| Self(CompanyFilter::default(), *sort);
        CompanySort::ALL.iter().map(of).collect()
    }

    fn filtered(_: &Tenant) -> Vec<Self> {
        let mut lists = Vec::new();
        for n in 0..18 {
            let filter = CompanyFilter {
                customer_status: [None, Some("paying".to_owned())][n % 2].clone(),
                attributes: attributes(n),
                created_after: (n % 4 == 3).then(|| at(1)),
                ..CompanyFilter::default()
            };
            lists.push(Self(filter, CompanySort::ALL[n % CompanySort::ALL.len()]));
        }
        for include_deleted in [false, true] {
            let updated_after = Some(at(1));
            let filter =
                CompanyFilter { updated_after, include_deleted, ..CompanyFilter::default() };
            lists.push(Self(filter, CompanySort::Changes));
        }
        lists
    }

    fn of(&self, tenant: &Tenant) -> Vec<Company> {
        let Self(filter, _) = self;
        let mut companies = tenant.all::<Company>();
        companies.retain(|company| {
            (company.is_active || filter.include_deleted)
                && filter.customer_status.as_ref().is_none_or(|it| company.customer_status == *it)
                && company.attributes.include(&filter.attributes)
                && filter.created_after.is_none_or(|time| company.created_at >= time)
                && filter.updated_after.is_none_or(|time| company.updated_at >= time)
        });
        companies
    }

    fn key(&self, company: &Company) -> BySort {
        BySort::of_company(company, self.1)
    }

    fn is_descending(&self) -> bool {
        matches!(self.1, CompanySort::Newest | CompanySort::Updated | CompanySort::Spend)
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<BySort>) -> Answer<Self> {
        store.ports.companies.page(store.organization, self.0.clone(), self.1, request).await
    }
}

/// The users whom a filter admits, in an order.
#[derive(Debug)]
struct Users(UserFilter, UserSort);

impl List for Users {
    type Item = User;
    type Key = BySort;
    const KIND: Kind = Kind::User;

    fn whole(_: &Tenant) -> Vec<Self> {
        let of = |sort: &UserSort| Self(UserFilter::default(), *sort);
        UserSort::ALL.iter().map(of).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let some = tenant.all().into_iter().take(3).map(|one: Company| Some(one.id));
        let companies: Vec<_> = some.chain([None, Some(fresh()), None]).collect();
        let searches = [None, Some("a"), None, Some("EXAMPLE.COM"), Some("Ä")];
        let mut lists = Vec::new();
        for n in 0..60 {
            let filter = UserFilter {
                search: searches[n % searches.len()].map(Folded::new),
                company_id: companies[n % companies.len()],
                customer_status: (n % 7 == 3).then(|| "paying".to_owned()),
                portal_role: (n % 5 == 2).then(|| "admin".to_owned()),
                attributes: attributes(n),
                is_subscribed: [None, None, Some(true), Some(false)][n / 2 % 4],
                is_blocked: [None, Some(false), None, Some(true)][n / 3 % 4],
                created_after: (n % 4 == 3).then(|| at(1)),
                ..UserFilter::default()
            };
            lists.push(Self(filter, UserSort::ALL[n % UserSort::ALL.len()]));
        }
        for include_deleted in [false, true] {
            let updated_after = Some(at(1));
            let filter = UserFilter { updated_after, include_deleted, ..UserFilter::default() };
            lists.push(Self(filter, UserSort::Changes));
        }
        lists
    }

    fn of(&self, tenant: &Tenant) -> Vec<User> {
        let Self(filter, _) = self;
        let companies = active::<Company>(tenant);
        let mut users = tenant.all::<User>();
        users.retain(|user| {
            let is_of =
                |id| user.company_id == Some(id) && companies.iter().any(|one| one.id == id);
            (user.is_active || filter.include_deleted)
                && filter.search.as_ref().is_none_or(|it| user.search_text().contains(it.as_str()))
                && filter.company_id.is_none_or(is_of)
                && filter.customer_status.as_ref().is_none_or(|it| user.customer_status == *it)
                && filter.portal_role.as_ref().is_none_or(|it| user.portal_role == *it)
                && user.attributes.include(&filter.attributes)
                && filter.is_subscribed.is_none_or(|flag| user.is_subscribed == flag)
                && filter.is_blocked.is_none_or(|flag| user.is_blocked == flag)
                && filter.created_after.is_none_or(|time| user.created_at >= time)
                && filter.updated_after.is_none_or(|time| user.updated_at >= time)
        });
        users
    }

    fn key(&self, user: &User) -> BySort {
        BySort::of_user(user, self.1)
    }

    fn is_descending(&self) -> bool {
        matches!(self.1, UserSort::Newest | UserSort::Updated)
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<BySort>) -> Answer<Self> {
        store.ports.users.page(store.organization, self.0.clone(), self.1, request).await
    }
}

#[derive(Debug)]
struct Labels;

impl List for Labels {
    type Item = Label;
    type Key = ByName;
    const KIND: Kind = Kind::Label;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![Self]
    }

    fn of(&self, tenant: &Tenant) -> Vec<Label> {
        active(tenant)
    }

    fn key(&self, label: &Label) -> ByName {
        ByName { name: label.name.clone(), id: label.id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByName>) -> Answer<Self> {
        store.ports.labels.page(store.organization, request).await
    }
}

#[derive(Debug)]
struct Collections;

impl List for Collections {
    type Item = CollectionDetails;
    type Key = ByPosition;
    const KIND: Kind = Kind::HelpCollection;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![Self]
    }

    fn of(&self, tenant: &Tenant) -> Vec<CollectionDetails> {
        let categories = active::<HelpCategory>(tenant);
        let details = |collection: HelpCollection| CollectionDetails {
            category_count: count(&categories, |one| one.collection_id == collection.id),
            collection,
        };
        active(tenant).into_iter().map(details).collect()
    }

    fn key(&self, CollectionDetails { collection, .. }: &CollectionDetails) -> ByPosition {
        let (position, name) = (collection.seq_number, collection.name.clone());
        ByPosition { position, name, id: collection.id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByPosition>) -> Answer<Self> {
        store.ports.help_collections.page(store.organization, request).await
    }
}

/// The categories of a collection, or of all collections.
#[derive(Debug)]
struct Categories(Option<HelpCollectionId>);

impl List for Categories {
    type Item = CategoryDetails;
    type Key = ByPosition;
    const KIND: Kind = Kind::HelpCategory;

    fn whole(tenant: &Tenant) -> Vec<Self> {
        vec![Self(None), Self(Some(tenant.collection.id))]
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let some = tenant.all().into_iter().take(4).map(|one: HelpCollection| one.id);
        some.chain([fresh()]).map(|id| Self(Some(id))).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<CategoryDetails> {
        let articles = active::<HelpArticle>(tenant);
        let collections = active::<HelpCollection>(tenant);
        let is_here = |id| collections.iter().any(|collection| collection.id == id);
        let mut categories = active::<HelpCategory>(tenant);
        categories.retain(|one| self.0.is_none_or(|id| one.collection_id == id && is_here(id)));
        let details = |category: HelpCategory| CategoryDetails {
            article_count: count(&articles, |one| one.parent.category() == Some(category.id)),
            category,
        };
        categories.into_iter().map(details).collect()
    }

    fn key(&self, CategoryDetails { category, .. }: &CategoryDetails) -> ByPosition {
        let (position, name) = (category.seq_number, category.name.clone());
        ByPosition { position, name, id: category.id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByPosition>) -> Answer<Self> {
        store.ports.help_categories.page(store.organization, self.0, request).await
    }
}

/// The articles that a filter admits, in an order.
#[derive(Debug)]
struct Articles(ArticleFilter, ArticleSort);

impl List for Articles {
    type Item = ArticleSummary;
    type Key = ByArticle;
    const KIND: Kind = Kind::HelpArticle;

    fn whole(_: &Tenant) -> Vec<Self> {
        let of = |sort: &ArticleSort| Self(ArticleFilter::default(), *sort);
        ArticleSort::ALL.iter().map(of).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let some = tenant.all().into_iter().take(3).map(|one: HelpCollection| Some(one.id));
        let collections: Vec<_> = some.chain([None, Some(fresh())]).collect();
        let some = tenant.all().into_iter().take(4).map(|one: HelpCategory| Some(one.id));
        let categories: Vec<_> = some.chain([None, Some(fresh())]).collect();
        let mut filters = Vec::new();
        for &collection_id in &collections {
            for &category_id in &categories {
                let n = filters.len();
                filters.push(ArticleFilter {
                    collection_id,
                    category_id,
                    status: [None, Some(ArticleStatus::Published), Some(ArticleStatus::Draft)]
                        [n % 3],
                    show_on_portal: [None, None, Some(true), Some(false)][n % 4],
                    is_favourite: [None, Some(false), None, None, Some(true)][n % 5],
                    ..ArticleFilter::default()
                });
            }
        }
        for status in [None, Some(ArticleStatus::Published), Some(ArticleStatus::Draft)] {
            for show_on_portal in [None, Some(true), Some(false)] {
                for is_favourite in [None, Some(true), Some(false)] {
                    let collection_id = is_favourite.and(collections[0]);
                    filters.push(ArticleFilter {
                        status,
                        show_on_portal,
                        is_favourite,
                        collection_id,
                        ..ArticleFilter::default()
                    });
                }
            }
        }
        for search in ["signing", "g"] {
            let search = Some(Folded::new(search));
            filters.push(ArticleFilter { search, ..ArticleFilter::default() });
        }
        let some = tenant.all().into_iter().step_by(3).take(5).map(|one: HelpArticle| one.id);
        let ids: Vec<HelpArticleId> = some.chain([fresh()]).collect();
        filters.push(ArticleFilter { ids: Some(ids.clone()), ..ArticleFilter::default() }.public());
        filters.push(ArticleFilter { ids: Some(ids), ..ArticleFilter::default() });
        filters.push(ArticleFilter { ids: Some(vec![]), ..ArticleFilter::default() });
        let each = |filter: ArticleFilter| {
            ArticleSort::ALL.iter().map(move |sort| Self(filter.clone(), *sort))
        };
        filters.into_iter().flat_map(each).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<ArticleSummary> {
        let Self(filter, _) = self;
        let mut filed = filed(tenant);
        filed.retain(|(article, collection, category)| {
            filter.search.as_ref().is_none_or(|text| article.search_text().contains(text.as_str()))
                && filter.status.is_none_or(|status| article.status == status)
                && filter.show_on_portal.is_none_or(|flag| article.show_on_portal == flag)
                && filter.is_favourite.is_none_or(|flag| article.is_favourite == flag)
                && filter.ids.as_ref().is_none_or(|ids| ids.contains(&article.id))
                && filter.collection_id.is_none_or(|id| collection.id == id && collection.is_active)
                && filter.category_id.is_none_or(|id| {
                    category
                        .as_ref()
                        .is_some_and(|category| category.id == id && category.is_active)
                })
        });
        filed.into_iter().map(summary).collect()
    }

    fn key(&self, article: &ArticleSummary) -> ByArticle {
        ByArticle::of(article, self.1)
    }

    fn is_descending(&self) -> bool {
        matches!(self.1, ArticleSort::Updated | ArticleSort::Newest)
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByArticle>) -> Answer<Self> {
        store.ports.help_articles.page(store.organization, self.0.clone(), self.1, request).await
    }
}

/// The active articles with their collections and categories.
fn filed(tenant: &Tenant) -> Vec<(HelpArticle, HelpCollection, Option<HelpCategory>)> {
    let collections = tenant.all::<HelpCollection>().into_iter().map(|one| (one.id, one));
    let collections: HashMap<_, _> = collections.collect();
    let categories = tenant.all::<HelpCategory>().into_iter().map(|one| (one.id, one));
    let categories: HashMap<_, _> = categories.collect();
    let parents = |article: HelpArticle| {
        let category = article.parent.category().map(|id| categories[&id].clone());
        let above = category.as_ref().map(|category| category.collection_id);
        let collection = article.parent.collection().or(above).unwrap();
        (article, collections[&collection].clone(), category)
    };
    active(tenant).into_iter().map(parents).collect()
}

/// An article in the form of lists.
fn summary(
    (article, collection, category): (HelpArticle, HelpCollection, Option<HelpCategory>),
) -> ArticleSummary {
    let HelpCollection { id, name, slug, .. } = collection;
    ArticleSummary {
        id: article.id,
        title: article.title,
        slug: article.slug,
        excerpt: article.excerpt,
        status: article.status,
        show_on_portal: article.show_on_portal,
        collection: CollectionReference { id, name, slug },
        category: category.map(|HelpCategory { id, name, slug, collection_id, .. }| {
            CategoryReference { id, name, slug, collection_id }
        }),
        is_favourite: article.is_favourite,
        seq_number: article.seq_number,
        published_at: article.published_at,
        related_article_ids: article.related_article_ids,
        author_id: article.author_id,
        view_count: article.view_count,
        helpful_count: article.helpful_count,
        not_helpful_count: article.not_helpful_count,
        external_id: article.external_id,
        created_at: article.created_at,
        updated_at: article.updated_at,
    }
}

/// The articles that a filter admits, in an order.
pub(crate) fn articles(
    tenant: &Tenant,
    filter: &ArticleFilter,
    sort: ArticleSort,
) -> Vec<ArticleSummary> {
    Articles(filter.clone(), sort).sorted(tenant)
}

/// The posts that a filter admits, in an order. No vote is recent.
#[derive(Debug)]
struct Posts(PostFilter, PostSort);

impl List for Posts {
    type Item = PostDetails;
    type Key = ByPost;
    const KIND: Kind = Kind::FeedbackPost;

    fn whole(_: &Tenant) -> Vec<Self> {
        PostSort::ALL.iter().map(|&sort| Self(PostFilter::default(), sort)).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let some = tenant.all().into_iter().take(3).map(|one: FeedbackBoard| Some(one.id));
        let boards: Vec<_> = some.chain([None, Some(fresh())]).collect();
        let some = tenant.all().into_iter().take(3).map(|one: Status| Some(one.id));
        let statuses: Vec<_> = some.chain([None, Some(fresh())]).collect();
        let mut filters = Vec::new();
        for board_id in boards {
            for &status_id in &statuses {
                for search in [None, Some(Folded::new("dark")), Some(Folded::new("d"))] {
                    let sort = PostSort::ALL[filters.len() % PostSort::ALL.len()];
                    let (attributes, others) = (attributes(filters.len()), PostFilter::default());
                    let filter = PostFilter { board_id, status_id, search, attributes, ..others };
                    filters.push(Self(filter, sort));
                }
            }
        }
        let sorts = PostSort::ALL.iter().copied().cycle();
        filters
            .extend(narrow(tenant).into_iter().zip(sorts).map(|(filter, sort)| Self(filter, sort)));
        for include_deleted in [false, true] {
            let changed =
                PostFilter { updated_after: Some(at(1)), include_deleted, ..PostFilter::default() };
            let search = Some(Folded::new("d"));
            let company_id = companies(tenant).next().flatten();
            filters.extend(
                [
                    changed.clone(),
                    PostFilter { search, ..changed.clone() },
                    PostFilter { company_id, ..changed.clone() },
                    PostFilter { board_id: Some(tenant.board.id), ..changed },
                ]
                .map(|filter| Self(filter, PostSort::Changes)),
            );
        }
        filters
    }

    fn of(&self, tenant: &Tenant) -> Vec<PostDetails> {
        let Self(filter, _) = self;
        let (votes, comments) = (tenant.all::<Vote>(), active::<Comment>(tenant));
        let (users, companies) = (tenant.all::<User>(), tenant.all::<Company>());
        let (boards, statuses) = (active::<FeedbackBoard>(tenant), active::<Status>(tenant));
        let (categories, tags) = (active::<Category>(tenant), active::<Tag>(tenant));
        let all_statuses = tenant.all::<Status>();
        let mut there = filter.clone();
        there.tag_ids.retain(|id| tags.iter().any(|tag| tag.id == *id));
        if let Some(ids) = &mut there.board_ids {
            ids.retain(|id| boards.iter().any(|board| board.id == *id));
        }
        let has_tags = there.tag_ids.is_empty() == filter.tag_ids.is_empty();
        let voters = filter.company_id.map(|company| people_of(tenant, company));
        let is_voted = |post: &FeedbackPost| {
            let mut on_post = votes.iter().filter(|vote| vote.target == post.target());
            voters.as_ref().is_none_or(|they| on_post.any(|vote| they.contains(&vote.user_id)))
        };
        let mut posts = tenant.all::<FeedbackPost>();
        posts.retain(|post| {
            let group = all_statuses.iter().find(|it| it.id == post.status_id).map(|it| it.group);
            there.admits(post)
                && has_tags
                && is_voted(post)
                && filter.status_group.is_none_or(|it| group == Some(it))
                && filter.board_id.is_none_or(|id| boards.iter().any(|it| it.id == id))
                && filter.status_id.is_none_or(|id| statuses.iter().any(|it| it.id == id))
                && filter.category_id.is_none_or(|id| categories.iter().any(|it| it.id == id))
        });
        let plans = active::<RoadmapPost>(tenant);
        let mut links = tenant.all::<RoadmapLink>();
        links.retain(|link| plans.iter().any(|plan| plan.id == link.roadmap_post_id));
        links.sort_by_key(|link| (link.created_at, link.id));
        let plans_of = |post: &FeedbackPost| {
            let links = links.iter().filter(|link| link.feedback_post_id == post.id);
            links.map(|link| link.roadmap_post_id).collect()
        };
        let details = |post: FeedbackPost| PostDetails {
            roadmap_post_ids: plans_of(&post),
            vote_count: count(&votes, |vote| vote.target == post.target()),
            comment_count: count(&comments, |comment| comment.feedback_post_id == post.id),
            monthly_spend: Spend::from_hundredths(spend_on(&post, &votes, &users, &companies))
                .expect("no spend is negative"),
            post,
        };
        posts.into_iter().map(details).collect()
    }

    fn key(&self, details: &PostDetails) -> ByPost {
        let (post, votes) = (&details.post, details.vote_count);
        let place = match self.1 {
            PostSort::Newest | PostSort::Oldest => PostPlace::Time(post.created_at),
            PostSort::Updated | PostSort::Changes => PostPlace::Time(post.updated_at),
            PostSort::Votes => PostPlace::Votes(votes),
            PostSort::Trending => PostPlace::Trend { recent: 0, votes },
            PostSort::Spend => PostPlace::Spend(details.monthly_spend.hundredths()),
        };
        ByPost { place, id: post.id.0 }
    }

    fn is_descending(&self) -> bool {
        !matches!(self.1, PostSort::Oldest | PostSort::Changes)
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByPost>) -> Answer<Self> {
        let (filter, sort) = (self.0.clone(), self.1);
        store.ports.feedback_posts.page(store.organization, filter, sort, request).await
    }
}

/// Filters by one value each that some posts have, and by values that none has.
fn narrow(tenant: &Tenant) -> Vec<PostFilter> {
    let none = PostFilter::default;
    let posts = tenant.all::<FeedbackPost>();
    let mut filters = vec![
        PostFilter { board_ids: Some(vec![]), ..none() },
        PostFilter { board_ids: Some(vec![fresh()]), ..none() },
        PostFilter { category_id: Some(fresh()), ..none() },
        PostFilter { tag_ids: vec![fresh()], ..none() },
        PostFilter { author_id: Some(fresh()), ..none() },
        PostFilter { owner_id: Some(fresh()), ..none() },
        PostFilter { external_id: Some("nothing".to_owned()), ..none() },
        PostFilter { is_merged: Some(true), ..none() },
        PostFilter { is_merged: Some(false), ..none() },
    ];
    let groups = StatusGroup::ALL.iter().copied().map(Some);
    filters.extend(groups.map(|status_group| PostFilter { status_group, ..none() }));
    let states = Moderation::ALL.iter().copied().map(Some);
    filters.extend(states.map(|moderation| PostFilter { moderation, ..none() }));
    filters.push(PostFilter { audience: Audience::Visitor(None), ..none() });
    // A deleted board is among them.
    let boards = tenant.all().into_iter().take(3).map(|board: FeedbackBoard| board.id);
    let boards: Vec<_> = boards.collect();
    // Each is in several orders.
    for _ in 0..3 {
        let board_ids = Some(boards.clone());
        filters.push(PostFilter { search: Some(Folded::new("dark")), board_ids, ..none() });
        filters.extend((0..=boards.len()).map(|few| {
            let board_ids = Some(boards.iter().copied().take(few).chain([fresh()]).collect());
            PostFilter { board_ids, ..none() }
        }));
        filters.extend(companies(tenant).map(|company_id| PostFilter { company_id, ..none() }));
    }
    for post in posts.iter().take(6) {
        let audience = Audience::Visitor(Some(post.author_id));
        filters.push(PostFilter { audience, ..none() });
        let tag_ids = post.tag_ids.iter().copied().chain([fresh()]).collect();
        filters.extend([
            PostFilter { category_id: post.category_id, ..none() },
            PostFilter { tag_ids, ..none() },
            PostFilter { author_id: Some(post.author_id), ..none() },
            PostFilter { owner_id: post.owner_id, ..none() },
            PostFilter { external_id: post.external_id.clone(), ..none() },
            PostFilter { created_after: Some(post.created_at), ..none() },
            PostFilter { created_before: Some(post.created_at), ..none() },
            PostFilter {
                author_id: Some(post.author_id),
                moderation: Some(post.moderation),
                search: Some(Folded::new("d")),
                ..none()
            },
        ]);
    }
    filters
}

/// The roadmap posts that a filter admits.
#[derive(Debug)]
struct Plans(RoadmapFilter);

impl List for Plans {
    type Item = RoadmapPostDetails;
    type Key = BySort;
    const KIND: Kind = Kind::RoadmapPost;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![Self(RoadmapFilter::default())]
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let none = RoadmapFilter::default;
        let boards = tenant.all().into_iter().map(|one: RoadmapBoard| one.id).chain([fresh()]);
        let boards = boards.map(|id| RoadmapFilter { roadmap_board_id: Some(id), ..none() });
        let plans = tenant.all::<RoadmapPost>();
        let of_one = plans.iter().rev().take(6).flat_map(|plan| {
            let changed = RoadmapFilter { updated_after: Some(plan.updated_at), ..none() };
            [
                RoadmapFilter { status_id: Some(plan.status_id), ..none() },
                RoadmapFilter { category_id: plan.category_id, ..none() },
                RoadmapFilter { owner_id: plan.owner_id, ..none() },
                RoadmapFilter { status_id: Some(plan.status_id), ..changed.clone() },
                RoadmapFilter { include_deleted: true, ..changed.clone() },
                changed,
            ]
        });
        boards.chain(of_one).map(Self).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<RoadmapPostDetails> {
        let Self(filter) = self;
        let boards = active::<RoadmapBoard>(tenant);
        let is_there = |id| boards.iter().any(|board| board.id == id);
        let has_board = filter.roadmap_board_id.is_none_or(is_there);
        let mut links = tenant.all::<RoadmapLink>();
        links.sort_by_key(|link| link.id);
        let votes = tenant.all::<Vote>();
        let posts_of = |plan: &RoadmapPost| {
            let links = links.iter().filter(|link| link.roadmap_post_id == plan.id);
            links.map(|link| link.feedback_post_id).collect()
        };
        let mut plans = tenant.all::<RoadmapPost>();
        plans.retain(|plan| has_board && filter.admits(plan));
        let details = |post: RoadmapPost| RoadmapPostDetails {
            feedback_post_ids: posts_of(&post),
            vote_count: count(&votes, |vote| vote.target == post.target()),
            post,
        };
        plans.into_iter().map(details).collect()
    }

    fn key(&self, details: &RoadmapPostDetails) -> BySort {
        BySort::of_roadmap_post(&details.post, &self.0)
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<BySort>) -> Answer<Self> {
        store.ports.roadmap_posts.page(store.organization, self.0.clone(), request).await
    }
}

/// The comments that a filter admits.
#[derive(Debug)]
struct Comments(CommentFilter);

impl List for Comments {
    type Item = Comment;
    type Key = ByTime;
    const KIND: Kind = Kind::Comment;

    fn whole(tenant: &Tenant) -> Vec<Self> {
        let posts = tenant.all();
        let first = posts.iter().take(1).map(|post: &FeedbackPost| Some(post.id));
        let of = |feedback_post_id| Self(CommentFilter { feedback_post_id, ..Default::default() });
        first.map(of).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let none = CommentFilter::default();
        let some = tenant.all().into_iter().take(4).map(|post: FeedbackPost| post.id);
        let posts = some.chain([fresh()]).map(Some);
        let of_posts = posts.map(|feedback_post_id| CommentFilter { feedback_post_id, ..none });
        let of_one = tenant.all::<Comment>().into_iter().take(6).flat_map(|one| {
            let updated = CommentFilter { updated_after: Some(one.updated_at), ..none };
            [
                updated,
                CommentFilter { include_deleted: true, ..updated },
                CommentFilter { audience: Audience::Visitor(None), ..updated },
                CommentFilter { audience: Audience::Visitor(Some(one.author_id)), ..updated },
                CommentFilter { author_id: Some(one.author_id), ..none },
                CommentFilter { visibility: Some(one.visibility), ..updated },
                CommentFilter { moderation: Some(one.moderation), ..none },
                CommentFilter { feedback_post_id: Some(one.feedback_post_id), ..updated },
            ]
        });
        of_posts.chain(of_one).map(Self).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<Comment> {
        let Self(filter) = self;
        let posts = active::<FeedbackPost>(tenant);
        let is_there = |id| posts.iter().any(|post| post.id == id);
        let mut comments = tenant.all::<Comment>();
        let has_post = filter.feedback_post_id.is_none_or(is_there);
        comments.retain(|comment| has_post && filter.admits(comment));
        comments
    }

    fn key(&self, comment: &Comment) -> ByTime {
        ByTime { at: self.0.time_of(comment), id: comment.id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByTime>) -> Answer<Self> {
        store.ports.comments.page(store.organization, self.0, request).await
    }
}

/// The posts or comments in a state of moderation.
#[derive(Debug)]
struct Queue(QueueFilter);

impl List for Queue {
    type Item = QueuedItem;
    type Key = ByTime;
    const KIND: Kind = Kind::FeedbackPost;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![]
    }

    fn filtered(_: &Tenant) -> Vec<Self> {
        let of = |kind: Moderated| {
            Moderation::ALL.iter().map(move |&moderation| Self(QueueFilter { kind, moderation }))
        };
        Moderated::ALL.iter().flat_map(|&kind| of(kind)).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<QueuedItem> {
        let posts = active::<FeedbackPost>(tenant);
        let of_post = |post: &FeedbackPost| QueuedItem {
            kind: Moderated::Post,
            id: post.id.0,
            post_id: post.id,
            board_id: post.board_id,
            author_id: post.author_id,
            title: post.title.clone(),
            content: post.description.clone(),
            moderation: post.moderation,
            created_at: post.created_at,
        };
        let of_comment = |comment: &Comment| {
            let post = posts.iter().find(|post| post.id == comment.feedback_post_id)?;
            Some(QueuedItem {
                kind: Moderated::Comment,
                id: comment.id.0,
                author_id: comment.author_id,
                content: comment.content.clone(),
                moderation: comment.moderation,
                created_at: comment.created_at,
                ..of_post(post)
            })
        };
        let mut items: Vec<QueuedItem> = match self.0.kind {
            Moderated::Post => posts.iter().map(of_post).collect(),
            Moderated::Comment => active(tenant).iter().filter_map(of_comment).collect(),
        };
        items.retain(|item| item.moderation == self.0.moderation);
        items
    }

    fn key(&self, item: &QueuedItem) -> ByTime {
        ByTime { at: item.created_at, id: item.id }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByTime>) -> Answer<Self> {
        store.ports.moderation.page(store.organization, self.0, request).await
    }
}

/// The entries that a filter admits, in an order.
#[derive(Debug)]
struct Entries(EntryFilter, EntrySort);

impl List for Entries {
    type Item = EntryDetails;
    type Key = ByOptionalTime;
    const KIND: Kind = Kind::ChangelogEntry;

    fn whole(_: &Tenant) -> Vec<Self> {
        let of = |sort: &EntrySort| Self(EntryFilter::default(), *sort);
        EntrySort::ALL.iter().map(of).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let labels: Vec<_> = tenant.all().iter().take(3).map(|label: &Label| label.id).collect();
        let mut lists = Vec::new();
        for entry_type in [None, Some(EntryType::New), Some(EntryType::Improvement)] {
            for label_ids in [
                labels[..1].to_vec(),
                labels.iter().skip(1).rev().copied().collect(),
                labels.clone(),
                vec![fresh()],
                vec![fresh(), labels[1]],
            ] {
                let filter = EntryFilter { entry_type, label_ids, ..EntryFilter::default() };
                lists.extend(EntrySort::ALL.iter().map(|sort| Self(filter.clone(), *sort)));
            }
            for is_public in [false, true] {
                let filter = EntryFilter { entry_type, is_public, ..EntryFilter::default() };
                lists.extend(EntrySort::ALL.iter().map(|sort| Self(filter.clone(), *sort)));
            }
        }
        lists
    }

    fn of(&self, tenant: &Tenant) -> Vec<EntryDetails> {
        let mut entries = active::<ChangelogEntry>(tenant);
        entries.retain(|entry| self.0.admits(entry));
        let mut links = tenant.all::<EntryLink>();
        links.sort_by_key(|link| link.id);
        let posts_of = |entry: &ChangelogEntry| {
            let links = links.iter().filter(|link| link.changelog_entry_id == entry.id);
            links.map(|link| link.feedback_post_id).collect()
        };
        let details = |entry: ChangelogEntry| EntryDetails { post_ids: posts_of(&entry), entry };
        entries.into_iter().map(details).collect()
    }

    fn key(&self, EntryDetails { entry, .. }: &EntryDetails) -> ByOptionalTime {
        ByOptionalTime { at: self.1.time(entry), id: entry.id.0 }
    }

    fn is_descending(&self) -> bool {
        self.1 != EntrySort::Oldest
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByOptionalTime>) -> Answer<Self> {
        store
            .ports
            .changelog_entries
            .page(store.organization, self.0.clone(), self.1, 0, request)
            .await
    }
}

/// The entries that a filter admits, in an order.
pub(crate) fn entries(tenant: &Tenant, filter: &EntryFilter, sort: EntrySort) -> Vec<EntryDetails> {
    Entries(filter.clone(), sort).sorted(tenant)
}

/// The votes of a user, of a company or on a post, or all votes.
#[derive(Debug)]
struct Votes(VoteFilter);

impl List for Votes {
    type Item = Vote;
    type Key = ByTime;
    const KIND: Kind = Kind::Vote;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![Self(VoteFilter::default())]
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let votes = tenant.all::<Vote>();
        let users = votes.iter().take(3).map(|vote| vote.user_id).chain([fresh()]);
        let users = users.map(|id| VoteFilter { user_id: Some(id), ..VoteFilter::default() });
        let targets = votes.iter().take(3).map(|vote| vote.target);
        let targets = targets.chain([Target::Feedback(fresh()), Target::Roadmap(fresh())]);
        let targets =
            targets.map(|target| VoteFilter { target: Some(target), ..VoteFilter::default() });
        let times = votes.iter().take(3).map(|vote| VoteFilter {
            created_after: Some(vote.created_at),
            ..VoteFilter::default()
        });
        let active = VoteFilter { on_active_posts: true, ..VoteFilter::default() };
        let companies =
            companies(tenant).map(|company_id| VoteFilter { company_id, ..VoteFilter::default() });
        users.chain(companies).chain(targets).chain(times).chain([active]).map(Self).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<Vote> {
        let VoteFilter { user_id, company_id, target, created_after, on_active_posts } = self.0;
        let voters = company_id.map(|company| people_of(tenant, company));
        let (posts, plans) = (tenant.all::<FeedbackPost>(), tenant.all::<RoadmapPost>());
        let is_active = |target| match target {
            Target::Feedback(id) => posts.iter().any(|it| it.id == id && it.is_active),
            Target::Roadmap(id) => plans.iter().any(|it| it.id == id && it.is_active),
        };
        let mut votes = tenant.all::<Vote>();
        votes.retain(|vote| {
            user_id.is_none_or(|user| vote.user_id == user)
                && voters.as_ref().is_none_or(|they| they.contains(&vote.user_id))
                && target.is_none_or(|target| vote.target == target)
                && created_after.is_none_or(|after| vote.created_at > after)
                && (!on_active_posts || is_active(vote.target))
        });
        votes
    }

    fn key(&self, vote: &Vote) -> ByTime {
        ByTime { at: vote.created_at, id: vote.id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByTime>) -> Answer<Self> {
        store.ports.votes.page(store.organization, self.0, request).await
    }
}

/// The voters on a post.
#[derive(Debug)]
struct Voters(Target);

impl List for Voters {
    type Item = Voter;
    type Key = ByTime;
    const KIND: Kind = Kind::Vote;

    fn whole(tenant: &Tenant) -> Vec<Self> {
        let posts = tenant.all().into_iter().take(1).map(|post: FeedbackPost| post.target());
        let plans = tenant.all().into_iter().take(1).map(|plan: RoadmapPost| plan.target());
        posts.chain(plans).map(Self).collect()
    }

    fn filtered(tenant: &Tenant) -> Vec<Self> {
        let posts = tenant.all().into_iter().take(4).flat_map(|post: FeedbackPost| {
            [post.target(), Target::Roadmap(RoadmapPostId(post.id.0))]
        });
        let plans = tenant
            .all()
            .into_iter()
            .take(4)
            .flat_map(|plan: RoadmapPost| [plan.target(), Target::Feedback(PostId(plan.id.0))]);
        let none = [Target::Feedback(fresh()), Target::Roadmap(fresh())];
        posts.chain(plans).chain(none).map(Self).collect()
    }

    fn of(&self, tenant: &Tenant) -> Vec<Voter> {
        let users = tenant.all::<User>();
        let posts = active::<FeedbackPost>(tenant).into_iter().map(|post| post.target());
        let plans = active::<RoadmapPost>(tenant).into_iter().map(|plan| plan.target());
        let is_here = posts.chain(plans).any(|target| target == self.0);
        let mut votes = tenant.all::<Vote>();
        votes.retain(|vote| is_here && vote.target == self.0);
        let voter = |vote: Vote| {
            let user = users.iter().find(|user| user.user_id == vote.user_id).unwrap();
            let (name, email) = (user.name.clone(), user.email.clone());
            Voter {
                vote_id: vote.id,
                user_id: user.user_id,
                name,
                email,
                voted_at: vote.created_at,
            }
        };
        votes.into_iter().map(voter).collect()
    }

    fn key(&self, voter: &Voter) -> ByTime {
        ByTime { at: voter.voted_at, id: voter.vote_id.0 }
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByTime>) -> Answer<Self> {
        store.ports.votes.voters(store.organization, self.0, request).await
    }
}

/// The redirects of the portal.
#[derive(Debug)]
struct Redirects;

impl List for Redirects {
    type Item = HelpRedirect;
    type Key = ByTime;
    const KIND: Kind = Kind::HelpRedirect;

    fn whole(_: &Tenant) -> Vec<Self> {
        vec![Self]
    }

    fn of(&self, tenant: &Tenant) -> Vec<HelpRedirect> {
        tenant.all()
    }

    fn key(&self, redirect: &HelpRedirect) -> ByTime {
        ByTime { at: redirect.created_at, id: redirect.id.0 }
    }

    fn is_descending(&self) -> bool {
        true
    }

    async fn page(&self, store: Store<'_>, request: PageRequest<ByTime>) -> Answer<Self> {
        store.ports.help_redirects.page(store.organization, request).await
    }
}

/// Tests a law on every paged list.
macro_rules! of_each_list {
    ($law:ident($($argument:expr),+)) => {
        $law::<Companies>($($argument),+).await;
        $law::<Users>($($argument),+).await;
        $law::<Labels>($($argument),+).await;
        $law::<Collections>($($argument),+).await;
        $law::<Categories>($($argument),+).await;
        $law::<Articles>($($argument),+).await;
        $law::<Posts>($($argument),+).await;
        $law::<Plans>($($argument),+).await;
        $law::<Comments>($($argument),+).await;
        $law::<Entries>($($argument),+).await;
        $law::<Queue>($($argument),+).await;
        $law::<Votes>($($argument),+).await;
        $law::<Voters>($($argument),+).await;
        $law::<Redirects>($($argument),+).await;
    };
}

/// Asserts that the pages of a list of `tenant` are its parts, and that each names the place where
/// the next one begins. The filters refer to records of `names`.
async fn is_shown<L: List>(stage: &Stage, names: &Tenant, tenant: &Tenant) {
    let (whole, filtered) = (L::whole(names), L::filtered(names));
    let is_own = names.id() == tenant.id();
    for (n, list) in whole.iter().chain(&filtered).enumerate() {
        let all = list.sorted(tenant);
        let length = all.len() as i64;
        let limits = match is_own {
            true if n < whole.len() => vec![19, length - 1, length, 100],
            true => vec![19],
            false => vec![100],
        };
        for limit in limits.into_iter().filter_map(Limit::new) {
            let (mut after, mut rest) = (None, &all[..]);
            loop {
                let (items, others) = rest.split_at(limit.get().min(rest.len()));
                let next = items.last().filter(|_| !others.is_empty()).map(|item| list.key(item));
                let expected = Page { items: items.to_vec(), next: next.clone() };
                let request = PageRequest { after, limit };
                let page = list.page(of(stage, tenant), request).await;
                let page = page.unwrap_or_else(|error| panic!("{list:?} by {limit:?}: {error}"));
                assert_eq!(page, expected, "{list:?} by {limit:?}");
                if next.is_none() {
                    break;
                }
                (after, rest) = (next, others);
            }
        }
    }
}

/// Imports an organization, and sums the spend on its posts.
async fn imported(stage: &Stage, tenant: Tenant) -> Imported {
    let imported = tenant.import(&stage.ports).await;
    sum_spends(stage, imported.id()).await;
    imported
}

/// Pairs of organizations. Filters refer to the records of the first; the second is listed. The
/// second is the first itself, its twin, its opposite, another one, or one that is not in the
/// store.
async fn pairs(stage: &Stage) -> Vec<[Tenant; 2]> {
    let nobody = Tenant::of(organization(), vec![]);
    let any = async || imported(stage, Drawing::of_any().tenant()).await;
    let (crowd, acme, globex) = (imported(stage, crowd()).await, any().await, any().await);
    vec![
        [crowd.clone(), crowd.clone()],
        [crowd.clone(), crowd.twin().clone()],
        [crowd.clone(), crowd.opposite().clone()],
        [acme.clone(), acme.clone()],
        [acme.clone(), globex.clone()],
        [acme.clone(), nobody],
    ]
}

pub async fn a_list_has_the_active_records_of_its_organization_in_order_on_pages_of_any_size(
    stage: Stage,
) {
    for [acme, tenant] in pairs(&stage).await {
        of_each_list!(is_shown(&stage, &acme, &tenant));
    }
}

/// Asserts that an unpaged list has the active records in this order.
async fn is_whole<R: OfKind + Debug>(
    tenant: &Tenant,
    order: impl Fn(&R, &R) -> Ordering,
    list: impl AsyncFn(OrganizationId) -> Result<Vec<R>, StoreError>,
) {
    let mut expected = active(tenant);
    expected.sort_by(order);
    assert_eq!(list(tenant.id()).await.unwrap(), expected);
}

pub async fn a_list_without_pages_has_the_active_records_of_its_organization_in_order(
    stage: Stage,
) {
    let ports = &stage.ports;
    for [_, tenant] in pairs(&stage).await {
        let by_name = |a: &Category, b: &Category| (&a.name, a.id).cmp(&(&b.name, b.id));
        is_whole(&tenant, by_name, async |id| ports.whole_lists.categories(id).await).await;
        let by_name = |a: &Tag, b: &Tag| (&a.name, a.id).cmp(&(&b.name, b.id));
        is_whole(&tenant, by_name, async |id| ports.whole_lists.tags(id).await).await;
        let by_place =
            |a: &FeedbackBoard, b: &FeedbackBoard| (a.seq_number, a.id).cmp(&(b.seq_number, b.id));
        is_whole(&tenant, by_place, async |id| ports.whole_lists.feedback_boards(id).await).await;
        let by_place =
            |a: &RoadmapBoard, b: &RoadmapBoard| (a.seq_number, a.id).cmp(&(b.seq_number, b.id));
        is_whole(&tenant, by_place, async |id| ports.whole_lists.roadmap_boards(id).await).await;
        is_whole(&tenant, workflow_order, async |id| ports.whole_lists.statuses(id).await).await;
    }
}

/// Asserts that each record of `names` is found in an organization if and only if it is among
/// `items`.
async fn is_found<R, T>(
    names: &Tenant,
    items: Vec<T>,
    id: impl Fn(&T) -> Uuid,
    find: impl AsyncFn(Uuid) -> Result<Option<T>, StoreError>,
) where
    R: OfKind,
    T: Debug + PartialEq,
{
    let ids = names.all::<R>().into_iter().map(|record| record.into_record().id());
    for wanted in ids.chain([fresh()]) {
        let expected = items.iter().find(|item| id(item) == wanted);
        assert_eq!(find(wanted).await.unwrap().as_ref(), expected, "{wanted}");
    }
}

pub async fn a_record_is_found_while_it_is_active_by_its_organization_alone(stage: Stage) {
    let Ports {
        feedback_posts,
        roadmap_posts,
        comments,
        help_collections,
        help_categories,
        help_articles,
        ..
    } = &stage.ports;
    for [names, tenant] in &pairs(&stage).await {
        let id = tenant.id();
        let find = async |one: Uuid| comments.find(id, one.into()).await;
        is_found::<Comment, _>(names, active(tenant), |one| one.id.0, find).await;
        let find = async |one: Uuid| feedback_posts.find(id, one.into()).await;
        let posts = Posts(PostFilter::default(), PostSort::Newest).of(tenant);
        is_found::<FeedbackPost, _>(names, posts, |one| one.post.id.0, find).await;
        let find = async |one: Uuid| roadmap_posts.find(id, one.into()).await;
        let plans = Plans(RoadmapFilter::default()).of(tenant);
        is_found::<RoadmapPost, _>(names, plans, |one| one.post.id.0, find).await;
        let find = async |one: Uuid| help_collections.find(id, one.into()).await;
        let collections = Collections.of(tenant);
        is_found::<HelpCollection, _>(names, collections, |one| one.collection.id.0, find).await;
        let find = async |one: Uuid| help_categories.find(id, one.into()).await;
        let categories = Categories(None).of(tenant);
        is_found::<HelpCategory, _>(names, categories, |one| one.category.id.0, find).await;
        let find = async |one: Uuid| help_articles.find(id, one.into()).await;
        let articles = filed(tenant).into_iter().map(|filed| {
            let content = filed.0.content.clone();
            ArticleDetails { content, summary: summary(filed) }
        });
        let articles = articles.collect();
        is_found::<HelpArticle, _>(names, articles, |one| one.summary.id.0, find).await;
    }
}

/// Asserts that a page can begin after any place, with or without a record.
async fn begins_behind<L: List>(stage: &Stage, acme: &Tenant, with_further: &Tenant) {
    for list in L::whole(acme) {
        let all = list.sorted(acme);
        assert!(all.len() > 20, "{list:?}");
        let mut places: Vec<_> =
            list.sorted(with_further).iter().map(|item| list.key(item)).collect();
        let ids = [Uuid::nil(), *places[4].id(), fresh(), Uuid::max()];
        places.dedup_by_key(|place| {
            let mut place = place.clone();
            *place.id() = Uuid::nil();
            place
        });
        for (mut place, id) in places.iter().flat_map(|place| ids.map(|id| (place.clone(), id))) {
            *place.id() = id;
            let mut expected = all.clone();
            expected.retain(|item| list.order(&list.key(item), &place) == Ordering::Greater);
            let request = behind(place.clone());
            let page = list.page(of(stage, acme), request).await.unwrap();
            assert_eq!(
                page.items,
                expected[..expected.len().min(100)],
                "{list:?} behind {place:?}"
            );
        }
    }
}

pub async fn a_page_begins_behind_a_place_without_record(stage: Stage) {
    let acme = imported(&stage, crowd()).await;
    let mut with_further = acme.clone();
    with_further.extend(further(&acme));
    of_each_list!(begins_behind(&stage, &acme, &with_further));
}

/// Asserts that a walk shows each record that existed at its beginning, and no record twice, while
/// others are written before, between and behind these.
async fn is_walked<L: List>(stage: &Stage, acme: &Imported) {
    // Each list of the crowd has several pages.
    const LIMIT: i64 = 7;
    for list in L::whole(acme) {
        let page = async |request| list.page(of(stage, acme), request).await;
        let meanwhile = async || {
            let mut records = further(acme);
            records.retain(|record| [L::KIND, Kind::User].contains(&record.kind()));
            acme.append(&stage.ports, records).await;
        };
        let walked = walk_while(LIMIT, page, meanwhile).await;
        let walked: Vec<_> = walked.iter().map(|item| list.key(item)).collect();
        let is_once = walked.is_sorted_by(|a, b| list.order(a, b) == Ordering::Less);
        assert!(is_once, "{list:?}");
        let is_shown = |item| walked.contains(&list.key(&item));
        assert!(list.of(acme).into_iter().all(is_shown), "{list:?}");
        assert!(walked.len() > list.of(acme).len(), "{list:?}");
    }
}

pub async fn a_walk_shows_each_record_once_despite_writes_meanwhile(stage: Stage) {
    let acme = imported(&stage, crowd()).await;
    of_each_list!(is_walked(&stage, &acme));
}
