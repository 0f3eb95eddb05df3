//! The form of an endpoint, and the body that a form becomes.

use crate::desk::{Desk, Refusal, items};
use crate::refusals;
use crate::schema::{Action, Field, FieldKind};
use crate::values::{name_of, text_of};
use crate::words;
use hearback_app::members;
use hearback_app::rich_text::Breaks;
use hearback_domain::permission::Role;
use hearback_domain::user::User;
use hearback_web::Fault;
use hearback_web::chrome::Chrome;
use hearback_web::form::{Faults, Fields};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A control of a form.
pub(crate) struct Control {
    pub(crate) name: &'static str,
    pub(crate) label: String,
    pub(crate) hint: String,
    /// `line`, `text`, `flag`, `one`, `some`, `order`, `number`, `time`, `color`, `lines` or
    /// `object`.
    pub(crate) kind: &'static str,
    pub(crate) value: String,
    /// The value of a time before the change, or the names of the attributes before the change.
    pub(crate) former: String,
    /// The digest of the record's value when the page was made. Empty in a form of a new record.
    pub(crate) seen: String,
    pub(crate) options: Vec<Choice>,
    pub(crate) is_required: bool,
    pub(crate) most: u64,
    /// Whether a search finds the records to choose from.
    pub(crate) is_found: bool,
    /// Whether the control has a field for an image.
    pub(crate) takes_images: bool,
}

impl Control {
    /// The identifier of the hint. Empty if there is none.
    pub(crate) fn hint_id(&self) -> String {
        if self.hint.is_empty() { String::new() } else { format!("{}-hint", self.name) }
    }

    /// The words of the search for records.
    pub(crate) fn find_label(&self, c: &Chrome) -> String {
        format!("{}: {}", self.label, c.t("desk-find-text"))
    }
}

/// A value that may be chosen.
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) text: String,
    pub(crate) is_chosen: bool,
}

/// The fields that no form asks for: the server or the page gives them.
const UNASKED: [&str; 15] = [
    "expected_updated_at",
    "clear",
    "dry_run",
    "created_at",
    "created_by_id",
    "changed_by_id",
    "merger_id",
    "author_external_id",
    "voter_external_id",
    "moderation_status_code",
    "code",
    "parent_comment_id",
    "position",
    "published",
    "company",
];

/// The fields that are the member at work.
const OWN: [&str; 3] = ["created_by_id", "changed_by_id", "merger_id"];

/// Whether a form asks for a field.
fn is_asked(action: &Action, field: &Field, is_new: bool) -> bool {
    let (group, name) = action.parts();
    if OWN.contains(&field.name) {
        return false;
    }
    let is_left_out = match field.name {
        "external_id" => group != "users",
        "published_at" => group != "help-articles",
        name => UNASKED.contains(&name),
    };
    if is_left_out {
        return field.is_required;
    }
    // A new record begins with the usual flags. Its page has them.
    !(is_new && field.kind == FieldKind::Flag && ["create", "upsert"].contains(&name))
}

/// The text of an endpoint that the portal shows with its format: the name of its field, and the
/// meaning of its line ends.
pub(crate) fn formatted(path: &str) -> Option<(&'static str, Breaks)> {
    match path {
        "/feedback-posts/create" | "/feedback-posts/update" => Some(("description", Breaks::Hard)),
        "/comments/create" | "/comments/update" => Some(("content", Breaks::Hard)),
        "/changelog/create" | "/changelog/update" => Some(("details", Breaks::Soft)),
        "/help-articles/create" | "/help-articles/update" => Some(("content", Breaks::Soft)),
        _ => None,
    }
}

/// The controls of the form of an endpoint. `given` has the values that are known: what was typed, or
/// the present ones of a record.
pub(crate) async fn controls(
    desk: &Desk,
    c: &Chrome,
    action: &'static Action,
    given: &Given<'_>,
) -> Result<Vec<Control>, Fault> {
    let mut controls = Vec::new();
    for field in &action.fields {
        if !is_asked(action, field, given.record.is_none()) || given.hidden.contains(&field.name) {
            continue;
        }
        controls.push(control(desk, c, action, field, given).await?);
    }
    Ok(controls)
}

/// The known values of a form.
pub(crate) struct Given<'a> {
    /// The fields that were typed, or those of the query.
    pub(crate) typed: &'a Fields,
    /// Whether the form was sent. A flag that a sent form does not have is off.
    pub(crate) is_sent: bool,
    /// The record that is changed.
    pub(crate) record: Option<&'a Value>,
    /// The fields that stand in the form already.
    pub(crate) hidden: &'a [&'static str],
}

impl Given<'_> {
    /// The values of a field.
    fn values(&self, field: &Field) -> Vec<String> {
        let typed = self.typed.all(field.name);
        let is_typed = !typed.is_empty() || self.typed.all("shown").contains(&field.name);
        // A form may lack some fields of its record.
        if is_typed || self.is_sent && self.record.is_none() {
            return typed.into_iter().map(str::to_owned).collect();
        }
        self.present(field)
    }

    /// The values that a field of the record has.
    fn present(&self, field: &Field) -> Vec<String> {
        // The endpoints name a few members otherwise than the records do.
        let member = match field.name {
            "details" => "content",
            name => name,
        };
        match self.record.map(|record| &record[member]) {
            Some(Value::Array(values)) => values.iter().map(text_of).collect(),
            Some(Value::Object(values)) if field.kind == FieldKind::Attributes => {
                values.iter().map(attribute_line).collect()
            }
            Some(Value::Bool(true)) => vec!["yes".to_owned()],
            Some(Value::Null | Value::Bool(false)) | None => self.parent(field.name),
            Some(value) => vec![text_of(value)],
        }
    }

    /// The identifier of the record's parent. An article shows its parent as a whole. An article of a
    /// category is in the collection of the category.
    fn parent(&self, name: &str) -> Vec<String> {
        let Some(record) = self.record else { return Vec::new() };
        let parent = match name {
            "category_id" => &record["category"],
            "collection_id" if record["category"].is_null() => &record["collection"],
            _ => &Value::Null,
        };
        parent["id"].as_str().map(str::to_owned).into_iter().collect()
    }
}

async fn control(
    desk: &Desk,
    c: &Chrome,
    action: &'static Action,
    field: &'static Field,
    given: &Given<'_>,
) -> Result<Control, Fault> {
    let values = given.values(field);
    let choice = |value: &str, text: String| Choice {
        is_chosen: values.iter().any(|it| it == value),
        value: value.to_owned(),
        text,
    };
    let none =
        || Choice { value: String::new(), text: "–".to_owned(), is_chosen: values.is_empty() };
    let codes = |codes: &[&'static str]| -> Vec<Choice> {
        codes.iter().map(|code| choice(code, words::code(c, code))).collect()
    };
    let mut is_found = false;
    let (kind, options) = match &field.kind {
        FieldKind::Line => ("line", vec![]),
        FieldKind::Text => ("text", vec![]),
        FieldKind::Choice(all) => ("one", {
            let first = (!field.is_required).then(none).into_iter();
            first.chain(codes(all)).collect()
        }),
        FieldKind::Choices(all) => ("some", codes(all)),
        FieldKind::Flag => ("flag", vec![]),
        FieldKind::Number => ("number", vec![]),
        FieldKind::Time => ("time", vec![]),
        FieldKind::Color => ("color", vec![]),
        FieldKind::Lines => ("lines", vec![]),
        FieldKind::Attributes => ("attributes", vec![]),
        FieldKind::Object => ("object", vec![]),
        // A list in an order: each record has a place.
        FieldKind::Ids if field.name == "ids" => ("order", order(desk, action, given).await?),
        FieldKind::Id | FieldKind::Ids => {
            let is_one = field.kind == FieldKind::Id;
            let (records, found) = records(desk, action, field, given, &values).await?;
            is_found = found;
            let first = (is_one && !field.is_required).then(none).into_iter();
            let all = records
                .iter()
                .map(|record| choice(&text_of(id_of(field, record)), name_of(record)));
            let mut all: Vec<Choice> = first.chain(all).collect();
            // A record that cannot be chosen any more, such as an owner who has left the team, stays.
            for value in values.iter().filter(|value| !value.is_empty()) {
                if !all.iter().any(|choice| choice.value == *value) {
                    all.push(choice(value, value.clone()));
                }
            }
            (if is_one { "one" } else { "some" }, all)
        }
    };
    let mut value = values.join("\n");
    let mut former = String::new();
    if field.kind == FieldKind::Time {
        // The picker of a browser takes minutes without a zone.
        former = given
            .typed
            .given(&former_name(field.name))
            .map_or_else(|| value.clone(), str::to_owned);
        value = minute(&value).to_owned();
    }
    if field.kind == FieldKind::Attributes {
        // The names of the record's attributes. An attribute without a line is removed.
        let record = given.record.and_then(|record| record[field.name].as_object());
        let names = record.into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>().join(" ");
        former = given.typed.given(&former_name(field.name)).map_or(names, str::to_owned);
    }
    let seen = match (given.typed.given(&seen_name(field.name)), given.record) {
        (Some(seen), _) => seen.to_owned(),
        (None, Some(_)) if action.is_edit() => digest(&field.kind, &given.present(field)),
        (None, _) => String::new(),
    };
    Ok(Control {
        name: field.name,
        label: words::field(c, action, field.name),
        hint: words::hint(c, field.name),
        kind,
        value,
        former,
        seen,
        options,
        is_required: field.is_required,
        most: field.most.unwrap_or(0),
        is_found,
        takes_images: formatted(action.path).is_some_and(|(text, _)| text == field.name),
    })
}

/// The records of the list that an action puts into another order, each with its place.
async fn order(
    desk: &Desk,
    action: &'static Action,
    given: &Given<'_>,
) -> Result<Vec<Choice>, Fault> {
    let list = format!("/{}/list", action.parts().0);
    let mut body = Map::new();
    // The list has one parent: a group, a collection or a category.
    for name in ["collection_id", "category_id"] {
        if let Some(id) = given.typed.given(name) {
            body.insert(name.to_owned(), id.into());
        }
    }
    if action.path == "/help-articles/reorder" {
        body.insert("sort".to_owned(), "position".into());
    }
    let mut records = desk.whole(&list, Value::Object(body)).await?;
    if let Some(group) = given.typed.given("status_group_code") {
        records.retain(|it| it["status_group_code"] == group);
    }
    let place = |(place, record): (usize, &Value)| Choice {
        value: text_of(&record["id"]),
        text: name_of(record),
        is_chosen: place == 0,
    };
    Ok(records.iter().enumerate().map(place).collect())
}

/// The identifiers of a list in the order of their places. Records with the same place stay in the
/// order of the form.
fn in_order(typed: &Fields) -> Vec<&str> {
    let mut placed: Vec<(f64, &str)> = typed
        .all("ids")
        .into_iter()
        .zip(typed.all("place"))
        .map(|(id, place)| (place.trim().parse().unwrap_or(f64::MAX), id))
        .collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, id)| id).collect()
}

/// The identifier by which a field names a record: of a person, that of the person.
fn id_of<'a>(field: &Field, record: &'a Value) -> &'a Value {
    let is_person = record.get("portal_role").is_some() && field.name != "id";
    if is_person { &record["user_id"] } else { &record["id"] }
}

/// The records that a field may name, and whether they are those of a search.
async fn records(
    desk: &Desk,
    action: &Action,
    field: &Field,
    given: &Given<'_>,
    values: &[String],
) -> Result<(Vec<Value>, bool), Fault> {
    let is_of_help = action.path.starts_with("/help-");
    let is_of_roadmap = action.path.starts_with("/roadmap-");
    let whole = match field.name {
        "board_id" | "board_ids" | "move_posts_to_board_id" => "/feedback-boards/list",
        "status_id" | "replacement_status_id" => "/statuses/list",
        "category_id" if is_of_help => "/help-categories/list",
        "category_id" | "replacement_category_id" => "/categories/list",
        "tag_id" | "tag_ids" | "into_tag_id" | "add_tag_ids" | "remove_tag_ids" => "/tags/list",
        "label_id" | "label_ids" => "/labels/list",
        "roadmap_board_id" => "/roadmap-boards/list",
        "collection_id" | "move_to_collection_id" => "/help-collections/list",
        "webhook_id" => "/webhooks/list",
        "owner_id" => return Ok((team(desk).await?, false)),
        "author_id" if is_of_help || is_of_roadmap || action.path.starts_with("/changelog/") => {
            return Ok((team(desk).await?, false));
        }
        _ => "",
    };
    if !whole.is_empty() {
        let all = desk.whole(whole, json!({})).await?;
        return Ok((
            all.into_iter().filter(|it| it["id"] != given.typed.get("not")).collect(),
            false,
        ));
    }
    let (list, one, key) = match field.name {
        "article_id" | "related_article_ids" => {
            ("/help-articles/list", "/help-articles/retrieve", "article_id")
        }
        "post_id" if is_of_roadmap => ("/roadmap-posts/list", "/roadmap-posts/retrieve", "id"),
        "post_id" | "post_ids" | "merge_post_id" | "into_post_id" | "feedback_post_ids"
        | "feedback_post_id" => ("/feedback-posts/list", "/feedback-posts/retrieve", "id"),
        _ => ("/users/list", "/users/retrieve", "user_id"),
    };
    let mut found = Vec::new();
    for value in values.iter().filter(|value| !value.is_empty()).take(MOST_CHOSEN) {
        match desk.call(one, json!({ key: value })).await {
            Ok(record) => found.push(record),
            Err(Refusal::Page(fault @ Fault::Failure(_))) => return Err(fault),
            Err(_) => {}
        }
    }
    let search = given.typed.get(&format!("find-{}", field.name)).trim().to_owned();
    if !search.is_empty() {
        let body = json!({"search": search, "limit": FOUND});
        let known: Vec<Value> = found.iter().map(|it: &Value| it["id"].clone()).collect();
        let more = items(desk.call(list, body).await?);
        found.extend(more.into_iter().filter(|it| !known.contains(&it["id"])));
    }
    Ok((found, true))
}

/// The members of the team who may own posts and write texts.
async fn team(desk: &Desk) -> Result<Vec<Value>, Fault> {
    let ports = &desk.request.web.ports;
    let members = members::members(ports, desk.caller("members/list")).await?;
    let authors = members.into_iter().filter(|it| it.role() != Some(Role::Viewer));
    let record = |it: User| {
        let (id, person) = (it.id.to_string(), it.user_id.to_string());
        json!({"id": id, "user_id": person, "name": it.name, "email": it.email,
            "portal_role": it.portal_role})
    };
    Ok(authors.map(record).collect())
}

/// The most records that a search shows.
const FOUND: i64 = 20;
/// The most chosen records that a form shows by name: as many as a field of the API takes. A form
/// takes away those that it does not show.
const MOST_CHOSEN: usize = 100;

/// The body of a call from the fields of a form. Text that is no value of its kind becomes a fault of
/// its field.
pub(crate) fn body(
    desk: &Desk,
    action: &'static Action,
    typed: &Fields,
    faults: &mut Faults,
    c: &Chrome,
) -> Value {
    let mut body = Map::new();
    let mut clear = Vec::new();
    for field in &action.fields {
        let name = field.name;
        // An edit leaves alone who has made the record.
        if name == "created_by_id" && action.is_edit() {
            continue;
        }
        if OWN.contains(&name) || name == "author_id" && action.path == "/comments/create" {
            body.insert(name.to_owned(), desk.user.to_string().into());
            continue;
        }
        // A form names the fields that it shows. So a flag that is off, and a list without an
        // element, differ from a field that the form does not have.
        let is_shown = typed.has(name) || typed.all("shown").contains(&name);
        if !is_shown || name == "clear" || name == "dry_run" {
            continue;
        }
        // A value that the member has left alone may have been changed by somebody else meanwhile.
        let is_parent = PARENT.contains(&name) && action.path == "/help-articles/update";
        let is_moved = is_parent && PARENT.iter().any(|name| is_changed(action, typed, name));
        if action.is_edit() && is_left_alone(typed, field) && !is_moved {
            continue;
        }
        let given: Vec<&str> = typed.all(name).into_iter().filter(|it| !it.is_empty()).collect();
        let text = typed.lines(name);
        let is_empty = given.is_empty() || text.is_empty();
        let value = match &field.kind {
            FieldKind::Flag => json!(typed.get(name) == "yes"),
            FieldKind::Ids if name == "ids" => json!(in_order(typed)),
            FieldKind::Ids | FieldKind::Choices(_) => json!(given),
            FieldKind::Attributes => match attributes(&text, typed.get(&former_name(name))) {
                Some(all) => Value::Object(all),
                None => {
                    faults.add(name, c.t("hint-attributes"));
                    continue;
                }
            },
            FieldKind::Lines => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                json!(lines.collect::<Vec<_>>())
            }
            _ if is_empty && action.clears(name) => {
                clear.push(name);
                continue;
            }
            // A text that may be empty is emptied. Other values stay as they are.
            FieldKind::Text if !field.is_required => json!(text),
            // Some names may be emptied. The endpoint refuses the others.
            FieldKind::Line if is_empty && typed.has(&seen_name(name)) => json!(""),
            _ if is_empty => continue,
            FieldKind::Number => match text.parse::<i64>() {
                Ok(number) => json!(number),
                Err(_) => {
                    faults.add(name, c.t("fault-number"));
                    continue;
                }
            },
            FieldKind::Object => match serde_json::from_str::<Value>(&text) {
                Ok(value) => value,
                Err(_) => {
                    faults.add(name, c.t("fault-json"));
                    continue;
                }
            },
            FieldKind::Time => match typed.given(&former_name(name)) {
                // The member has left the time as it was.
                Some(former) if minute(former) == text => json!(moment(former)),
                _ => json!(moment(&text)),
            },
            FieldKind::Text
            | FieldKind::Line
            | FieldKind::Choice(_)
            | FieldKind::Color
            | FieldKind::Id => json!(text),
        };
        body.insert(name.to_owned(), value);
    }
    if !clear.is_empty() {
        body.insert("clear".to_owned(), json!(clear));
    }
    Value::Object(body)
}

/// An attribute as a line of a form. A text is in quotes if it would be read as another value.
fn attribute_line((name, value): (&String, &Value)) -> String {
    match value {
        Value::String(text)
            if attribute_value(text) == *value && !text.contains(char::is_control) =>
        {
            format!("{name} = {text}")
        }
        _ => format!("{name} = {value}"),
    }
}

/// The value of a line: a number, `true`, `false` or a text in quotes as JSON writes them, and
/// otherwise the text itself.
fn attribute_value(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => value,
        _ => text.into(),
    }
}

/// The change of attributes by the lines of a form: the attributes of `former` without a line are
/// removed. `None` if a line has no `=`.
fn attributes(lines: &str, former: &str) -> Option<Map<String, Value>> {
    let mut all: Map<_, _> =
        former.split_whitespace().map(|name| (name.to_owned(), Value::Null)).collect();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let (name, value) = line.split_once('=')?;
        all.insert(name.trim().to_owned(), attribute_value(value));
    }
    Some(all)
}

/// Whether a form has the value that its record had when the page was made.
fn is_left_alone(typed: &Fields, field: &Field) -> bool {
    let values: Vec<String> = typed.all(field.name).into_iter().map(str::to_owned).collect();
    typed.given(&seen_name(field.name)).is_some_and(|seen| seen == digest(&field.kind, &values))
}

/// The fields that together name the parent of an article.
const PARENT: [&str; 2] = ["collection_id", "category_id"];

/// Whether a form changes a field of its record.
fn is_changed(action: &Action, typed: &Fields, name: &str) -> bool {
    action.field(name).is_some_and(|field| typed.has(name) && !is_left_alone(typed, field))
}

/// A value that somebody else has changed since the page was made.
pub(crate) struct Changed {
    pub(crate) field: &'static Field,
    /// The value of the record, as a form has it.
    pub(crate) theirs: Vec<String>,
    /// The value that was typed. `None` if the member has left it alone.
    pub(crate) yours: Option<Vec<String>>,
}

/// The values of a record that differ from those that the page had when it was made.
pub(crate) fn changed(action: &'static Action, typed: &Fields, record: &Value) -> Vec<Changed> {
    let given = Given { typed, is_sent: true, record: Some(record), hidden: &[] };
    let changed = |field: &'static Field| {
        let seen = typed.given(&seen_name(field.name))?;
        let theirs = given.present(field);
        (digest(&field.kind, &theirs) != seen).then(|| Changed {
            field,
            theirs,
            yours: (!is_left_alone(typed, field)).then(|| given.values(field)),
        })
    };
    action.fields.iter().filter_map(changed).collect()
}

/// The form as it is shown once more beside the present record: the values that the member has left
/// alone are those of the record, and all are compared with it when the form is sent.
pub(crate) fn renewed(typed: &Fields, action: &'static Action, changes: &[Changed]) -> Fields {
    let mut typed = typed.clone();
    for change in changes.iter().filter(|change| change.yours.is_none()) {
        typed.set_all(change.field.name, change.theirs.clone());
    }
    for field in &action.fields {
        typed.remove(&seen_name(field.name));
        typed.remove(&former_name(field.name));
    }
    typed
}

/// The digest of a value, by which a form tells whether it was changed. Browsers and records write
/// the same value in several ways: line ends, seconds of a time, and the order of a set.
pub(crate) fn digest(kind: &FieldKind, values: &[String]) -> String {
    let lines = |value: &String| value.replace("\r\n", "\n").replace('\r', "\n");
    let mut values: Vec<String> = match kind {
        FieldKind::Time => values.iter().map(|value| minute(value).to_owned()).collect(),
        FieldKind::Line => values.iter().map(|value| lines(value).replace('\n', "")).collect(),
        FieldKind::Lines | FieldKind::Attributes => {
            let values = values.iter().map(lines).collect::<Vec<_>>().join("\n");
            values.lines().map(str::to_owned).collect()
        }
        _ => values.iter().map(lines).collect(),
    };
    values.iter_mut().for_each(|value| *value = value.trim().to_owned());
    values.retain(|value| !value.is_empty());
    if matches!(kind, FieldKind::Ids | FieldKind::Choices(_)) {
        values.sort();
    }
    let mut hasher = DefaultHasher::new();
    values.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The field that has the digest of the value before the change.
pub(crate) fn seen_name(name: &str) -> String {
    format!("seen-{name}")
}

/// The field that has the former value of a time, or the names of the former attributes.
fn former_name(name: &str) -> String {
    format!("former-{name}")
}

/// The minute of a moment, without its zone.
fn minute(moment: &str) -> &str {
    moment.get(..16).unwrap_or(moment)
}

/// A moment as the API takes it. A browser gives minutes without a zone, which are those of UTC.
fn moment(text: &str) -> String {
    match text.len() {
        16 if text.as_bytes()[10] == b'T' => format!("{text}:00Z"),
        _ => text.to_owned(),
    }
}

/// Adds the faults that the API has found.
pub(crate) fn add_faults(faults: &mut Faults, c: &Chrome, found: Vec<(&'static str, String)>) {
    for (field, message) in found {
        faults.add(field, refusals::words(c, &message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::action;

    #[test]
    fn a_form_asks_for_what_a_member_knows() {
        let is_asked = |path: &str, name: &str| {
            let action = action(path).unwrap();
            is_asked(action, action.field(name).unwrap(), true)
        };
        assert!(is_asked("/users/upsert", "external_id"));
        assert!(is_asked("/users/update", "external_id"));
        assert!(is_asked("/companies/upsert", "external_id"));
        assert!(!is_asked("/tags/create", "external_id"));
        assert!(is_asked("/feedback-boards/update", "allowed_user_ids"));
        assert!(is_asked("/votes/set", "source_url"));
        assert!(!is_asked("/votes/set", "created_at"));
        assert!(is_asked("/help-articles/update", "published_at"));
        assert!(!is_asked("/changelog/update", "published_at"));
    }

    #[test]
    fn a_list_has_the_order_of_its_places() {
        let form = b"ids=a&place=3&ids=b&place=1&ids=c&place=x&ids=d&place=1.5&ids=e&place=3";
        assert_eq!(in_order(&Fields::parse(form)), ["b", "d", "a", "e", "c"]);
    }

    #[test]
    fn attributes_are_read_as_they_are_written_and_a_missing_one_is_removed() {
        let values = json!({"plan": "pro", "seats": 12, "vip": true, "code": "12", "empty": "",
            "two": "a\nb", "share": 0.5, "quote": "\"x\"", "spaced": " x "});
        let values = values.as_object().unwrap();
        let lines: Vec<_> = values.iter().map(attribute_line).collect();
        assert_eq!(lines[..4], ["plan = pro", "seats = 12", "vip = true", "code = \"12\""]);
        assert_eq!(attributes(&lines.join("\n"), "plan").as_ref(), Some(values));
        let changed = attributes("plan=free\n\n seats = many = few", "plan seats vip").unwrap();
        let expected = json!({"plan": "free", "seats": "many = few", "vip": null});
        assert_eq!(Value::Object(changed), expected);
        assert_eq!(attributes("plan", ""), None);
    }

    #[test]
    fn a_moment_without_a_zone_is_of_utc() {
        assert_eq!(moment("2026-03-01T12:30"), "2026-03-01T12:30:00Z");
        for same in ["2026-03-01", "2026-03-01T12:30:00+02:00", "soon", ""] {
            assert_eq!(moment(same), same);
        }
    }
}
