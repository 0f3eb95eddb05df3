//! The values of columns, and the order of the tables.

use diesel::pg::data_types::PgTimestamp;
use hearback_domain::id::UserId;
use hearback_domain::portal::PortalSettings;
use hearback_domain::{Time, Uuid};
use hearback_store_rows::schema::TENANT_TABLES_CHILDREN_FIRST;
use hearback_store_rows::{Column, Ids, Origin, Stamp};

#[test]
fn an_impossible_value_names_its_row() {
    let origin = Origin::new("merges", Uuid::nil());
    let prefix = "row 00000000-0000-0000-0000-000000000000 of merges has an impossible";
    assert_eq!(
        origin.read::<Time>("created_at", Stamp(i64::MAX)).unwrap_err().to_string(),
        format!("{prefix} created_at")
    );
    assert_eq!(
        origin.read::<Vec<UserId>>("moved_user_ids", Ids(None)).unwrap_err().to_string(),
        format!("{prefix} moved_user_ids")
    );
    let theme = r#"{"theme":"blue"}"#.into();
    assert_eq!(
        origin.read::<PortalSettings>("portal", theme).unwrap_err().to_string(),
        format!("{prefix} portal")
    );
}

#[test]
fn times_round_trip_in_postgres() {
    for text in [
        "0001-01-01",
        "1969-12-31T23:59:59.999Z",
        "2000-01-01",
        "2026-03-01T09:30:00.123Z",
        "9999-12-31T23:59:59.999Z",
    ] {
        let time = Time::parse(text).unwrap();
        let stored = PgTimestamp::from(Stamp::of(time));
        assert_eq!(Time::read(stored.into()), Some(time));
    }
}

#[test]
fn microseconds_are_rounded_down_to_a_millisecond() {
    let time = Time::parse("1999-12-31T23:59:59.998Z").unwrap();
    assert_eq!(Stamp::from(PgTimestamp(-1_001)), Stamp::of(time));
}

#[test]
fn an_infinite_time_is_impossible() {
    for infinity in [i64::MIN, i64::MAX] {
        assert_eq!(Time::read(PgTimestamp(infinity).into()), None);
    }
}

#[test]
fn identifiers_round_trip_in_sqlite() {
    for some in [vec![], vec![Uuid::from_u128(1), Uuid::from_u128(u128::MAX)]] {
        let some = Ids(Some(some));
        assert_eq!(Ids::from(&*Vec::from(&some)), some);
    }
    assert_eq!(Ids::from(&[0; 17][..]), Ids(None));
}

#[test]
fn tenant_tables_are_in_the_order_in_which_the_migrations_drop_them() {
    for down in [
        include_str!("../../../migrations/postgres/2026-11-21-000000_initial/down.sql"),
        include_str!("../../../migrations/sqlite/2026-11-21-000000_initial/down.sql"),
    ] {
        let dropped: Vec<&str> = down
            .lines()
            .filter_map(|line| line.strip_prefix("DROP TABLE ")?.strip_suffix(';'))
            .filter(|table| !["leases", "instance", "organizations"].contains(table))
            .collect();

        // Later migrations create further tables.
        let tables = TENANT_TABLES_CHILDREN_FIRST.iter().map(|(table, _)| *table);
        let first = tables.filter(|table| dropped.contains(table));
        assert_eq!(dropped, Vec::from_iter(first));
    }
}
