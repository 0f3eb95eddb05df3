//! `RoadmapBoardRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::position::Position;
use hearback_domain::roadmap_board::RoadmapBoard;
use std::slice::from_ref;

pub async fn roadmap_boards_are_listed_by_position_then_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    let placed = |place| RoadmapBoard {
        seq_number: Position::from_ten_thousandths(place),
        ..acme.roadmap_board()
    };
    acme.add_backwards(
        [20_000, -10_000, 20_000, 0, i64::MIN, i64::MAX, 20_000].map(placed).to_vec(),
    );
    let acme = acme.import(&stage.ports).await;
    let mut expected = acme.all::<RoadmapBoard>();
    expected.sort_by_key(|board| (board.seq_number, board.id));
    assert_eq!(stage.ports.roadmap_boards.list(acme.id()).await.unwrap(), expected);
}

pub async fn a_roadmap_board_is_listed_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let rich = acme.add(RoadmapBoard {
        description: Some(String::new()),
        icon_url: Some("https://example.com/😀.png".to_owned()),
        is_voting_enabled: false,
        seq_number: Position::START.next().next(),
        ..acme.roadmap_board()
    });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(
        stage.ports.roadmap_boards.list(acme.id()).await.unwrap(),
        [acme.roadmap_board.clone(), rich]
    );
}

pub async fn inactive_roadmap_boards_are_not_listed(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(RoadmapBoard { is_active: false, ..acme.roadmap_board() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(
        stage.ports.roadmap_boards.list(acme.id()).await.unwrap(),
        from_ref(&acme.roadmap_board)
    );
}

pub async fn another_organizations_roadmap_boards_are_not_listed(stage: Stage) {
    Tenant::new().import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(
        stage.ports.roadmap_boards.list(globex.id()).await.unwrap(),
        from_ref(&globex.roadmap_board)
    );
    assert_eq!(stage.ports.roadmap_boards.list(fresh()).await.unwrap(), []);
}
