//! Reads the fields of a body into the input of a use case, and collects every fault.
//!
//! To read a field of a new kind, write a reader: a function from [`Json`] to a value, or to a
//! [`Wrong`].

mod described;
mod readers;

pub(crate) use described::{Described, HasSchema, any_of, describe, given, is_one_of};
pub(crate) use described::{one_of as code_schema, string as string_schema};
pub(crate) use readers::{Few, Rank, SPEND_PATTERN};
pub(crate) use readers::{
    attributes, boolean, bounded, code, color, domain, email, one_of, overlap, path, query, rank,
    slug, spend, string, timestamp, uuid, wanted, web_url,
};

use crate::fault::{Fault, Place, Wrong};
use crate::fields::described::Field;
use crate::json::{Json, Members};
use crate::page::{Cursors, List, Paging, SortKey};
use hearback_domain::edit::Patch;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};
use hearback_ports::{Limit, PageRequest};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use utoipa::openapi::{ObjectBuilder, Schema};

/// Reads `id`, the identifier of the record to retrieve.
pub(crate) fn by_id<T: From<Uuid>>(fields: &mut Fields<'_>) -> Result<T, Noted> {
    fields.id("id")
}

/// A field has no value. Its fault is in the list of faults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted;

/// The fields of one request.
pub(crate) struct Fields<'a> {
    members: &'a Members<'a>,
    cursors: &'a Cursors,
    organization: OrganizationId,
    /// The path of the endpoint.
    path: &'static str,
    /// The clock.
    now: &'a dyn Fn() -> Time,
    faults: Vec<Fault>,
    /// The fields that `clear` may name.
    clearable: Vec<&'static str>,
    /// The description of the fields, if the fields are read to describe them.
    described: Option<Described>,
}

/// Reads the fields of a request to an endpoint. On failure, returns all faults, at least one.
///
/// `parse` reads every field, in the order of the contract, before it returns an error: one fault
/// hides no other.
pub(crate) fn read<T>(
    members: &Members<'_>,
    cursors: &Cursors,
    organization: OrganizationId,
    path: &'static str,
    now: &dyn Fn() -> Time,
    parse: impl FnOnce(&mut Fields<'_>) -> Result<T, Noted>,
) -> Result<T, Vec<Fault>> {
    let mut fields = Fields {
        members,
        cursors,
        organization,
        path,
        now,
        faults: Vec::new(),
        clearable: Vec::new(),
        described: None,
    };
    match parse(&mut fields) {
        // A fault counts even if the input does not use the field.
        Ok(input) if fields.faults.is_empty() => Ok(input),
        Ok(_) | Err(Noted) => Err(fields.faults),
    }
}

impl<'a> Fields<'a> {
    /// A required field. `null` has the wrong type.
    pub(crate) fn required<T: HasSchema>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Noted> {
        self.describe(|| Field { name: field, schema: T::schema(), is_required: true });
        match self.members.get(field) {
            None => Err(self.fault(field, Wrong::Missing)),
            Some(value) => read(&value).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// An optional field. `null` is the same as no field.
    pub(crate) fn optional<T: HasSchema>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Noted> {
        self.describe(|| Field {
            name: field,
            schema: described::or_null(T::schema()),
            is_required: false,
        });
        match self.given(field) {
            None => Ok(None),
            Some(value) => read(&value).map(Some).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// An optional field that excludes others, which were read before.
    pub(crate) fn excluding<T: HasSchema>(
        &mut self,
        field: &'static str,
        others: &[&'static str],
        rule: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Noted> {
        let is_alone = !others.iter().any(|other| self.has(other));
        self.optional(field, |value| match read(value)? {
            _ if !is_alone => Err(Wrong::Rule(rule)),
            value => Ok(value),
        })
    }

    /// A field with a default. `null` has the wrong type.
    fn defaulted<T>(
        &mut self,
        field: &'static str,
        default: T,
        schema: fn() -> Schema,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Noted> {
        self.describe(|| Field { name: field, schema: schema(), is_required: false });
        match self.members.get(field) {
            None => Ok(default),
            Some(value) => read(&value).map_err(|wrong| self.fault(field, wrong)),
        }
    }

    /// A required identifier.
    pub(crate) fn id<T: From<Uuid>>(&mut self, field: &'static str) -> Result<T, Noted> {
        self.required(field, uuid).map(Into::into)
    }

    /// A required identifier of another record than `one`. Two notations of one identifier name one
    /// record.
    pub(crate) fn other(
        &mut self,
        field: &'static str,
        one: &Result<Uuid, Noted>,
        rule: &'static str,
    ) -> Result<Uuid, Noted> {
        self.required(field, |value| match uuid(value)? {
            id if one.is_ok_and(|one| one == id) => Err(Wrong::Rule(rule)),
            id => Ok(id),
        })
    }

    /// An optional identifier of another record than `one`.
    pub(crate) fn optional_other(
        &mut self,
        field: &'static str,
        one: &Result<Uuid, Noted>,
        rule: &'static str,
    ) -> Result<Option<Uuid>, Noted> {
        self.optional(field, |value| match uuid(value)? {
            id if one.is_ok_and(|one| one == id) => Err(Wrong::Rule(rule)),
            id => Ok(id),
        })
    }

    /// A list of identifiers. A repeated identifier counts once, at its first place. The list is
    /// empty if the field is left out. Only the first wrong element is reported.
    pub(crate) fn ids<T: From<Uuid>>(&mut self, field: &'static str) -> Result<Vec<T>, Noted> {
        let ids = self.list_of(field, None, uuid)?;
        Ok(distinct(ids.unwrap_or_default()))
    }

    /// [`ids`](Self::ids) of a write: at most [`MOST_IDS`] elements, or `None` if the field is left
    /// out.
    pub(crate) fn some_ids<T: From<Uuid>>(
        &mut self,
        field: &'static str,
    ) -> Result<Option<Vec<T>>, Noted> {
        Ok(self.list_of(field, Some(MOST_IDS), uuid)?.map(distinct))
    }

    /// A required list of 1 to [`MOST_IDS`] identifiers.
    pub(crate) fn required_ids<T: From<Uuid>>(
        &mut self,
        field: &'static str,
    ) -> Result<Vec<T>, Noted> {
        self.required_list(field, 1..=MOST_IDS, uuid).map(distinct)
    }

    /// A required list of a number of elements.
    pub(crate) fn required_list<T: HasSchema>(
        &mut self,
        field: &'static str,
        number: RangeInclusive<usize>,
        read: impl Fn(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Noted> {
        let (least, most) = number.into_inner();
        self.describe(|| {
            let schema = described::list(T::schema(), least, Some(most));
            Field { name: field, schema, is_required: true }
        });
        match self.members.get(field) {
            None => Err(self.fault(field, Wrong::Missing)),
            Some(list) if !list.is_array() => Err(self.fault(field, Wrong::ListType)),
            Some(_) => match self.read_list(field, Some(most), read)? {
                all if all.len() < least => Err(self.fault(field, Wrong::FewItems(least))),
                all => Ok(all),
            },
        }
    }

    /// An optional list of up to `most` elements.
    pub(crate) fn list_of<T: HasSchema>(
        &mut self,
        field: &'static str,
        most: Option<usize>,
        read: impl Fn(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Option<Vec<T>>, Noted> {
        self.describe(|| {
            let schema = described::or_null(described::list(T::schema(), 0, most));
            Field { name: field, schema, is_required: false }
        });
        if self.given(field).is_none() {
            return Ok(None);
        }
        self.read_list(field, most, read).map(Some)
    }

    fn read_list<T>(
        &mut self,
        field: &'static str,
        most: Option<usize>,
        read: impl Fn(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Noted> {
        let (mut all, mut count) = (Vec::new(), 0);
        self.elements(field, |item| {
            count += 1;
            if most.is_none_or(|most| count <= most) {
                all.push(read(&item)?);
            }
            Ok(())
        })?;
        match most.filter(|most| count > *most) {
            Some(most) => Err(self.fault(field, Wrong::ManyItems(most))),
            None => Ok(all),
        }
    }

    /// A required list of 1 to `most` objects. Only the first wrong element is reported.
    pub(crate) fn objects<T>(
        &mut self,
        field: &'static str,
        most: usize,
        parse: fn(&mut Fields<'_>) -> Result<T, Noted>,
    ) -> Result<Vec<T>, Noted> {
        let described = describe(|fields| {
            let _ = parse(fields);
        });
        let names: Vec<&str> = described.fields.iter().map(|field| field.name).collect();
        self.describe(|| {
            let schema = described::list(described.object(ObjectBuilder::new()), 1, Some(most));
            Field { name: field, schema, is_required: true }
        });
        let Some(list) = self.members.get(field) else {
            return Err(self.fault(field, Wrong::Missing));
        };
        if !list.is_array() {
            return Err(self.fault(field, Wrong::ListType));
        }
        let (mut all, mut count) = (Vec::new(), 0);
        let found = list.elements(|index, item| {
            count += 1;
            if count > most {
                return Ok(());
            }
            let Some(members) = item.members(&names) else {
                let input = Some(item.shown());
                let place = Place::Element(field, index);
                return Err(vec![Fault { place, wrong: Wrong::DictType, input }]);
            };
            let Fields { cursors, organization, path, now, .. } = *self;
            all.push(read(&members, cursors, organization, path, now, parse).map_err(
                |faults| {
                    faults.into_iter().map(|fault| fault.inside(field, index)).collect::<Vec<_>>()
                },
            )?);
            Ok(())
        });
        if let Err(faults) = found {
            self.faults.extend(faults);
            return Err(Noted);
        }
        match count {
            0 => Err(self.fault(field, Wrong::FewItems(1))),
            count if count > most => Err(self.fault(field, Wrong::ManyItems(most))),
            _ => Ok(all),
        }
    }

    /// `dry_run`: whether the write is only tried.
    pub(crate) fn dry_run(&mut self) -> Result<bool, Noted> {
        Ok(self.optional("dry_run", boolean)?.unwrap_or(false))
    }

    /// `ids`: all records of a list in their new order, as they are given.
    pub(crate) fn order(&mut self) -> Result<Vec<Uuid>, Noted> {
        self.required_list("ids", 0..=MOST_IN_ORDER, uuid)
    }

    /// An optional time that has passed.
    pub(crate) fn past(&mut self, field: &'static str) -> Result<Option<Time>, Noted> {
        let now = self.now;
        self.optional(field, |value| match timestamp(value)? {
            time if time > now() => Err(Wrong::Rule("a time in the future")),
            time => Ok(time),
        })
    }

    /// An optional field that [`clear`](Self::clear) may empty.
    pub(crate) fn clearable<T: HasSchema>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Json<'_>) -> Result<T, Wrong>,
    ) -> Result<Patch<T>, Noted> {
        let is_cleared = self.cleared(field);
        Ok(match self.optional(field, read)? {
            Some(value) => Patch::Set(value),
            None if is_cleared => Patch::Clear,
            None => Patch::Keep,
        })
    }

    /// Whether [`clear`](Self::clear) names a member of the record, which need not be a field.
    pub(crate) fn cleared(&mut self, member: &'static str) -> bool {
        self.clearable.push(member);
        let names = self.given("clear").filter(|names| names.is_array());
        let is_other = |_, name: Json<'_>| if name.is(member) { Err(()) } else { Ok(()) };
        names.is_some_and(|names| names.elements(is_other).is_err())
    }

    /// An optional object, whose members have these names. `parse` reads them as fields.
    pub(crate) fn object<T>(
        &mut self,
        field: &'static str,
        names: &[&'static str],
        parse: impl FnOnce(&mut Fields<'_>) -> Result<T, Noted>,
    ) -> Result<Option<T>, Noted> {
        let members = match self.given(field).map(|value| value.members(names)) {
            None if self.described.is_none() => return Ok(None),
            None => Members::default(),
            Some(Some(members)) => members,
            Some(None) => return Err(self.fault(field, Wrong::DictType)),
        };
        let mut inner = Fields {
            members: &members,
            cursors: self.cursors,
            organization: self.organization,
            path: self.path,
            now: self.now,
            faults: Vec::new(),
            clearable: Vec::new(),
            described: self.described.as_ref().map(|_| Described::default()),
        };
        let parsed = parse(&mut inner);
        let Fields { faults, described, .. } = inner;
        if let Some(described) = described {
            let schema = described::or_null(described.object(ObjectBuilder::new()));
            self.describe(|| Field { name: field, schema, is_required: false });
            return Ok(None);
        }
        let is_sound = faults.is_empty();
        self.faults.extend(faults.into_iter().map(|fault| match fault.place {
            Place::Field(member) => Fault { place: Place::Member(field, member), ..fault },
            _ => fault,
        }));
        if is_sound { parsed.map(Some) } else { Err(Noted) }
    }

    /// `clear`: the names of the fields to empty. It must be read after every
    /// [`clearable`](Self::clearable) field.
    pub(crate) fn clear(&mut self) -> Result<(), Noted> {
        let clearable = std::mem::take(&mut self.clearable);
        self.describe(|| Field {
            name: "clear",
            schema: described::or_null(described::names(&clearable)),
            is_required: false,
        });
        for field in &clearable {
            self.rule(|| {
                any_of([
                    is_one_of(field, [Value::Null]).build(),
                    is_one_of("clear", [Value::Null, Value::Array(Vec::new())]).build(),
                ])
            });
        }
        let members = self.members;
        let is_given = |field: &str| members.get(field).is_some_and(|value| !value.is_null());
        let mut both = false;
        self.elements("clear", |name| {
            let field = clearable.iter().find(|field| name.is(field));
            let field = field.ok_or_else(|| Wrong::NotOneOf(clearable.clone()))?;
            both |= is_given(field);
            Ok(())
        })?;
        if both {
            return Err(self.fault("clear", Wrong::Rule("a field is either given or cleared")));
        }
        Ok(())
    }

    /// Calls `each` with the elements of a list, up to the first wrong one. A field that is left
    /// out is an empty list.
    fn elements(
        &mut self,
        field: &'static str,
        mut each: impl FnMut(Json<'a>) -> Result<(), Wrong>,
    ) -> Result<(), Noted> {
        let Some(list) = self.given(field) else { return Ok(()) };
        if !list.is_array() {
            return Err(self.fault(field, Wrong::ListType));
        }
        list.elements(|index, item| each(item).map_err(|wrong| (index, wrong, item))).map_err(
            |(index, wrong, item)| self.note(Place::Element(field, index), wrong, Some(item)),
        )
    }

    /// Whether a field has a value.
    pub(crate) fn has(&self, field: &'static str) -> bool {
        self.given(field).is_some()
    }

    /// The value of a field that is there and is not `null`.
    fn given(&self, field: &'static str) -> Option<Json<'a>> {
        self.members.get(field).filter(|value| !value.is_null())
    }

    /// The list that the endpoint pages through, without its filters. [`List::filter`] adds them.
    pub(crate) fn list(&self, sort: &'static str) -> List {
        self.cursors.list(self.organization, self.path, sort)
    }

    /// `limit` and `cursor`. The cursor is checked against the list only if the list's filters
    /// could be read.
    pub(crate) fn paging<K: SortKey>(
        &mut self,
        list: Result<List, Noted>,
    ) -> Result<Paging<K>, Noted> {
        let limit = self.limit();
        self.paging_by(limit, list)
    }

    /// `limit` alone, for an endpoint that has other fields between `limit` and `cursor`.
    pub(crate) fn limit(&mut self) -> Result<Limit, Noted> {
        self.defaulted("limit", Limit::DEFAULT, Limit::schema, readers::limit)
    }

    /// `limit` of a short list, which has no further pages.
    pub(crate) fn few(&mut self) -> Result<Few, Noted> {
        self.defaulted("limit", Few::DEFAULT, Few::schema, readers::few)
    }

    /// `skip`: the number of a list's first records to leave out. A `skip` above 0 and a `cursor`
    /// exclude each other, since both determine the beginning of the page.
    pub(crate) fn skip(&mut self) -> Result<u64, Noted> {
        let has_cursor = self.given("cursor").is_some();
        self.rule(|| {
            any_of([
                is_one_of("skip", [0.into()]).build(),
                is_one_of("cursor", [Value::Null]).build(),
            ])
        });
        self.defaulted("skip", 0, described::skip, |value| match readers::skip(value)? {
            1.. if has_cursor => Err(Wrong::Rule("skip and cursor exclude each other")),
            skip => Ok(skip),
        })
    }

    /// `cursor`, for a page whose limit was read before.
    pub(crate) fn paging_by<K: SortKey>(
        &mut self,
        limit: Result<Limit, Noted>,
        list: Result<List, Noted>,
    ) -> Result<Paging<K>, Noted> {
        let cursor = self.optional("cursor", readers::cursor);
        let list = list?;
        let after = match cursor? {
            None => None,
            Some(cursor) => {
                Some(list.open(&cursor).ok_or_else(|| self.fault("cursor", readers::NO_CURSOR))?)
            }
        };
        Ok(Paging { page: PageRequest { after, limit: limit? }, list })
    }

    fn describe(&mut self, field: impl FnOnce() -> Field) {
        if let Some(described) = &mut self.described {
            described.fields.push(field());
        }
    }

    /// Describes a rule over several fields. The caller enforces it.
    pub(crate) fn rule(&mut self, rule: impl FnOnce() -> Schema) {
        if let Some(described) = &mut self.described {
            described.rules.push(rule());
        }
    }

    /// Describes the rule that exactly one of these text fields is given.
    pub(crate) fn exactly_one_of(&mut self, fields: &[&'static str]) {
        self.rule(|| described::exactly_one_of(fields));
    }

    /// Describes the rule that at most one of these fields has a value.
    pub(crate) fn at_most_one_of(&mut self, fields: &[&'static str]) {
        self.rule(|| described::at_most_one_of(fields));
    }

    /// Adds a fault of a field.
    pub(crate) fn fault(&mut self, field: &'static str, wrong: Wrong) -> Noted {
        self.note(Place::Field(field), wrong, self.members.get(field))
    }

    fn note(&mut self, place: Place, wrong: Wrong, input: Option<Json<'_>>) -> Noted {
        self.faults.push(Fault { place, wrong, input: input.map(Json::shown) });
        Noted
    }
}

/// The most identifiers of a list in a write.
const MOST_IDS: usize = 100;

/// The most records of a new order.
const MOST_IN_ORDER: usize = 10_000;

/// The identifiers without repetitions, each at its first place.
fn distinct<T: From<Uuid>>(ids: Vec<Uuid>) -> Vec<T> {
    let mut seen = HashSet::new();
    ids.into_iter().filter(|id| seen.insert(*id)).map(T::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::members;
    use hearback_domain::vote::PostType;
    use hearback_ports::page::ByTime;
    use serde_json::json;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    fn cursors() -> Cursors {
        Cursors::new(&[7; 32])
    }

    type Parse<T> = fn(&mut Fields<'_>) -> Result<T, Noted>;

    fn parsed<T>(parse: Parse<T>, body: &Value) -> Result<T, Vec<Fault>> {
        let body = body.to_string();
        let names = ["id", "kind", "query", "email", "ids", "limit", "skip", "cursor"];
        let members = members(body.as_bytes(), &names).unwrap();
        read(&members, &cursors(), ORGANIZATION, "/test", &|| Time::MIN, parse)
    }

    /// The faults of a body as the wire shows them, without their messages.
    fn faults<T>(parse: Parse<T>, body: &Value) -> Vec<(String, Value, Value)> {
        let faults = parsed(parse, body).err().unwrap_or_default();
        let items = faults.iter().map(|fault| serde_json::to_value(fault).unwrap());
        items
            .map(|item| {
                (
                    item["type"].as_str().unwrap().to_owned(),
                    item["loc"][1].clone(),
                    item["input"].clone(),
                )
            })
            .collect()
    }

    fn fault(code: &str, field: &str, input: Value) -> (String, Value, Value) {
        (code.to_owned(), json!(field), input)
    }

    /// Reads fields of several kinds, and a list.
    fn everything(fields: &mut Fields<'_>) -> Result<(), Noted> {
        let id = fields.required("id", uuid);
        let kind = fields.optional("kind", one_of::<PostType>);
        let query = fields.optional("query", query);
        let email = fields.optional("email", string);
        let list = id.map(|id| fields.list("newest").filter(Some(id)));
        let paging = fields.paging::<ByTime>(list);
        id.and(kind.map(drop)).and(query.map(drop)).and(email.map(drop)).and(paging.map(drop))
    }

    #[test]
    fn all_faults_come_at_once_in_the_order_of_the_table() {
        let body =
            json!({"cursor": 5, "limit": 0, "email": true, "query": "", "kind": "blog", "id": "x"});
        let expected = [
            fault("uuid_parsing", "id", json!("x")),
            fault("literal_error", "kind", json!("blog")),
            fault("string_too_short", "query", json!("")),
            fault("string_type", "email", json!(true)),
            fault("greater_than_equal", "limit", json!(0)),
            fault("string_type", "cursor", json!(5)),
        ];
        assert_eq!(faults(everything, &body), expected);
    }

    #[test]
    fn a_cursor_is_good_for_the_same_filters_only() {
        let id: Uuid = ID.parse().unwrap();
        let list = cursors().list(ORGANIZATION, "/test", "newest").filter(Some(id));
        let cursor = list.seal(&ByTime { at: Time::MIN, id });
        assert_eq!(faults(everything, &json!({"id": ID, "cursor": cursor})), []);
        assert_eq!(faults(everything, &json!({"id": ID, "cursor": cursor, "limit": 7})), []);
        let other = json!({"id": Uuid::from_u128(2), "cursor": cursor});
        assert_eq!(faults(everything, &other), [fault("value_error", "cursor", json!(cursor))]);
    }

    #[test]
    fn without_its_filters_only_the_form_of_a_cursor_is_checked() {
        let cursor = cursors()
            .list(ORGANIZATION, "/other", "newest")
            .seal(&ByTime { at: Time::MIN, id: Uuid::nil() });
        let of = |cursor: &str| faults(everything, &json!({"id": 5, "cursor": cursor}));
        assert_eq!(of(&cursor), [fault("uuid_type", "id", json!(5))]);
        assert_eq!(
            of("x"),
            [fault("uuid_type", "id", json!(5)), fault("value_error", "cursor", json!("x"))]
        );
    }

    /// A list of identifiers with `limit`, `skip` and `cursor`.
    struct Skipping {
        ids: Vec<Uuid>,
        skip: u64,
    }

    fn skip(fields: &mut Fields<'_>) -> Result<Skipping, Noted> {
        let ids = fields.ids("ids");
        let limit = fields.limit();
        let skip = fields.skip();
        let paging = fields.paging_by::<ByTime>(limit, Ok(fields.list("newest")));
        paging.and_then(|_| Ok(Skipping { ids: ids?, skip: skip? }))
    }

    fn skipping(body: &Value) -> Skipping {
        parsed(skip, body).ok().unwrap()
    }

    #[test]
    fn a_repeated_identifier_is_kept_once_at_its_first_place() {
        let [a, b, c] = [3, 1, 2].map(Uuid::from_u128);
        let ids = json!([a, b.simple(), a.to_string().to_uppercase(), c, b]);
        assert_eq!(skipping(&json!({"ids": ids})).ids, [a, b, c]);
        for none in [json!({}), json!({"ids": null}), json!({"ids": []})] {
            assert!(skipping(&none).ids.is_empty(), "{none}");
        }
    }

    #[test]
    fn the_first_wrong_identifier_of_a_list_is_reported_with_its_place() {
        let told = |ids: Value| {
            let faults = parsed(skip, &json!({ "ids": ids })).err().unwrap();
            serde_json::to_string(&faults).unwrap()
        };
        assert_eq!(
            told(json!([ID, ID, "x", 5])),
            r#"[{"type":"uuid_parsing","loc":["body","ids",2],"msg":"Input should be a valid UUID","input":"x"}]"#
        );
        assert_eq!(
            told(json!([null, "x"])),
            r#"[{"type":"uuid_type","loc":["body","ids",0],"msg":"UUID input should be a string","input":null}]"#
        );
        for no_list in [json!(ID), json!({"0": ID}), json!(5), json!(false)] {
            assert_eq!(
                told(no_list.clone()),
                format!(
                    r#"[{{"type":"list_type","loc":["body","ids"],"msg":"Input should be a valid list","input":{no_list}}}]"#
                )
            );
        }
    }

    #[test]
    fn a_positive_skip_excludes_a_cursor() {
        assert_eq!(skipping(&json!({})).skip, 0);
        assert_eq!(skipping(&json!({"skip": 7, "cursor": null})).skip, 7);
        let cursor = cursors()
            .list(ORGANIZATION, "/test", "newest")
            .seal(&ByTime { at: Time::MIN, id: Uuid::nil() });
        assert_eq!(skipping(&json!({"skip": 0, "cursor": cursor})).skip, 0);
        assert_eq!(
            faults(skip, &json!({"skip": 1, "cursor": cursor})),
            [fault("value_error", "skip", json!(1))]
        );
        assert_eq!(
            faults(skip, &json!({"skip": null, "cursor": cursor})),
            [fault("int_type", "skip", json!(null))]
        );
        let both =
            [fault("value_error", "skip", json!(1)), fault("value_error", "cursor", json!("x"))];
        assert_eq!(faults(skip, &json!({"skip": 1, "cursor": "x"})), both);
    }

    #[test]
    fn a_fault_of_a_field_that_the_input_does_not_use_counts() {
        fn careless(fields: &mut Fields<'_>) -> Result<(), Noted> {
            let _ = fields.required("id", uuid);
            Ok(())
        }
        assert_eq!(faults(careless, &json!({"id": 5})), [fault("uuid_type", "id", json!(5))]);
    }
}
