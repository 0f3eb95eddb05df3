//! Statements whose table is known only when they run.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use hearback_domain::Uuid;
use std::marker::PhantomData;

/// A statement that is put together from text and values. It is prepared once for each text.
///
/// The text is our own, never a client's.
#[derive(Clone)]
pub(crate) struct Statement<ST> {
    parts: Vec<Part>,
    row: PhantomData<fn() -> ST>,
}

#[derive(Clone)]
enum Part {
    Sql(&'static str),
    Id(Uuid),
    Number(i64),
    Text(String),
    Texts(Vec<String>),
    Ids(Vec<Uuid>),
}

impl<ST> Statement<ST> {
    /// A statement that begins with `sql` and answers rows of type `ST`.
    pub(crate) fn new(sql: &'static str) -> Self {
        Self { parts: vec![Part::Sql(sql)], row: PhantomData }
    }

    /// Appends text.
    pub(crate) fn sql(self, sql: &'static str) -> Self {
        self.with(Part::Sql(sql))
    }

    /// Appends an identifier.
    pub(crate) fn id(self, id: Uuid) -> Self {
        self.with(Part::Id(id))
    }

    /// Appends a number.
    pub(crate) fn number(self, number: i64) -> Self {
        self.with(Part::Number(number))
    }

    /// Appends a value that is a text.
    pub(crate) fn text(self, text: &str) -> Self {
        self.with(Part::Text(text.to_owned()))
    }

    /// Appends a value that is an array of texts.
    pub(crate) fn texts(self, texts: &[String]) -> Self {
        self.with(Part::Texts(texts.to_vec()))
    }

    /// Appends a value that is an array of identifiers.
    pub(crate) fn ids(self, ids: &[Uuid]) -> Self {
        self.with(Part::Ids(ids.to_vec()))
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

impl<ST> QueryFragment<Pg> for Statement<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for part in &self.parts {
            match part {
                Part::Sql(sql) => out.push_sql(sql),
                Part::Id(id) => out.push_bind_param::<SqlUuid, _>(id)?,
                Part::Number(number) => out.push_bind_param::<BigInt, _>(number)?,
                Part::Text(text) => out.push_bind_param::<Text, _>(text)?,
                Part::Ids(ids) => out.push_bind_param::<Array<SqlUuid>, _>(ids)?,
                Part::Texts(texts) => out.push_bind_param::<Array<Text>, _>(texts)?,
            }
        }
        Ok(())
    }
}

// What is not known by a type is known by its text.
impl<ST> QueryId for Statement<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for Statement<ST> {
    type SqlType = ST;
}

impl<ST, C> RunQueryDsl<C> for Statement<ST> {}
