//! The ends of ordered lists.

use crate::statement::Statement;
use diesel::sql_types::BigInt;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::record::Parent;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::Kind;

/// An ordered list of the records of one kind.
pub struct List {
    /// The organization that has the list.
    pub organization: OrganizationId,
    /// The kind of the records in the list.
    pub kind: Kind,
    /// The table of the kind.
    pub table: &'static str,
    /// The parent that the list belongs to.
    pub parent: Parent,
    /// The engine's function for the lesser of two numbers.
    pub least: &'static str,
    /// The engine's function for the greater of two numbers.
    pub greatest: &'static str,
}

impl List {
    /// Moves the end of the list one step on, or to `reached` if that is further. Returns the new
    /// end, or no row if the list has no end yet.
    pub fn advance<A>(&self, reached: Option<Position>) -> Statement<BigInt, A> {
        let (list, id) = self.name();
        let advance = Statement::new("UPDATE list_ends SET last_position = ");
        self.end(advance, "last_position", reached)
            .sql(" WHERE organization_id = ")
            .id(self.organization)
            .sql(" AND list = ")
            .text(&list)
            .sql(" AND parent_id = ")
            .id(id)
            .sql(" RETURNING last_position")
    }

    /// [`Self::advance`] if the list has no end yet, as after an import. The end starts at the last
    /// position of the records in the list.
    pub fn begin<A>(&self, reached: Option<Position>) -> Statement<BigInt, A> {
        let (list, id) = self.name();
        let begin = Statement::new(
            "INSERT INTO list_ends (organization_id, list, parent_id, last_position) SELECT ",
        );
        let begin = begin.id(self.organization).sql(", ").text(&list).sql(", ").id(id).sql(", ");
        let last = |statement: Statement<BigInt, A>| {
            statement.sql(self.greatest).sql("(coalesce(max(seq_number), 0), 0)")
        };
        let begin = self
            .end_at(begin, last, reached)
            .sql(" FROM ")
            .sql(self.table)
            .sql(" WHERE organization_id = ")
            .id(self.organization);
        let begin = match self.parent {
            Parent::Organization => begin,
            Parent::Group(group) => begin.sql(" AND status_group_code = ").text(group.code()),
            Parent::Record(Kind::HelpCategory, id) => begin.sql(" AND category_id = ").id(id),
            Parent::Record(_, id) => begin.sql(" AND collection_id = ").id(id),
        };
        let begin = begin
            .sql(" ON CONFLICT (organization_id, list, parent_id) DO UPDATE SET last_position = ");
        self.end(begin, "list_ends.last_position", reached).sql(" RETURNING last_position")
    }

    /// The list's name and parent in `list_ends`.
    fn name(&self) -> (String, Uuid) {
        let kind = self.kind.code();
        match self.parent {
            Parent::Organization => (kind.to_owned(), Uuid::nil()),
            Parent::Group(group) => (format!("{kind}:{}", group.code()), Uuid::nil()),
            Parent::Record(_, id) => (kind.to_owned(), id),
        }
    }

    fn end<A>(
        &self,
        statement: Statement<BigInt, A>,
        last: &'static str,
        reached: Option<Position>,
    ) -> Statement<BigInt, A> {
        self.end_at(statement, |statement| statement.sql(last), reached)
    }

    /// Appends the new end of a list that ended at `last`: one step behind it, or `reached` if that
    /// is further.
    fn end_at<A>(
        &self,
        statement: Statement<BigInt, A>,
        last: impl Fn(Statement<BigInt, A>) -> Statement<BigInt, A>,
        reached: Option<Position>,
    ) -> Statement<BigInt, A> {
        match reached {
            None => last(statement.sql(self.least).sql("("))
                .sql(" + ")
                .number(Position::STEP)
                .sql(", ")
                .number(Position::LAST.ten_thousandths())
                .sql(")"),
            Some(position) => last(statement.sql(self.greatest).sql("("))
                .sql(", ")
                .number(position.ten_thousandths())
                .sql(")"),
        }
    }
}
