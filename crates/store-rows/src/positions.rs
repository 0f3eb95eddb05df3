//! The ends of ordered lists.

use crate::statement::Statement;
use crate::values::SqlId;
use diesel::sql_types::{BigInt, Nullable};
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

    /// The active records of the list, by position.
    pub fn records<A>(&self) -> Statement<SqlId, A> {
        let records = Statement::new("SELECT id FROM ").sql(self.table);
        let records = records.sql(" WHERE organization_id = ").id(self.organization);
        self.within(records).sql(" AND is_active ORDER BY seq_number, id")
    }

    /// The last position of the records in the list. The row is null if there are none.
    pub fn last<A>(&self) -> Statement<Nullable<BigInt>, A> {
        let last = Statement::new("SELECT max(seq_number) FROM ")
            .sql(self.table)
            .sql(" WHERE organization_id = ")
            .id(self.organization);
        self.within(last)
    }

    /// Appends the condition that a record is in the list of its organization.
    fn within<ST, A>(&self, statement: Statement<ST, A>) -> Statement<ST, A> {
        match self.parent {
            Parent::Organization => statement,
            Parent::Group(group) => statement.sql(" AND status_group_code = ").text(group.code()),
            Parent::Record(Kind::RoadmapBoard, id) => {
                statement.sql(" AND roadmap_board_id = ").id(id)
            }
            Parent::Record(Kind::HelpCategory, id) => statement.sql(" AND category_id = ").id(id),
            Parent::Record(_, id) => statement.sql(" AND collection_id = ").id(id),
        }
    }

    /// [`Self::advance`] if the list has no end yet, as after an import. The end starts at `last`.
    pub fn begin<A>(&self, last: Option<i64>, reached: Option<Position>) -> Statement<BigInt, A> {
        let (list, id) = self.name();
        let last = Position::from_ten_thousandths(last.unwrap_or_default()).max(Position::START);
        let end = reached.map_or_else(|| last.next(), |reached| last.max(reached));
        let begin = Statement::new(
            "INSERT INTO list_ends (organization_id, list, parent_id, last_position) VALUES (",
        );
        let begin = begin.id(self.organization).sql(", ").text(&list).sql(", ").id(id);
        let begin = begin
            .sql(", ")
            .number(end.ten_thousandths())
            .sql(") ON CONFLICT (organization_id, list, parent_id) DO UPDATE SET last_position = ");
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

    /// Appends the new end of a list that ended at `last`: one step behind it, or `reached` if that
    /// is further.
    fn end<A>(
        &self,
        statement: Statement<BigInt, A>,
        last: &'static str,
        reached: Option<Position>,
    ) -> Statement<BigInt, A> {
        match reached {
            None => statement
                .sql(self.least)
                .sql("(")
                .sql(last)
                .sql(" + ")
                .number(Position::STEP)
                .sql(", ")
                .number(Position::LAST.ten_thousandths())
                .sql(")"),
            Some(position) => statement
                .sql(self.greatest)
                .sql("(")
                .sql(last)
                .sql(", ")
                .number(position.ten_thousandths())
                .sql(")"),
        }
    }
}
