//! `FeedbackBoardRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;
use crate::build::Tenant;
use crate::system::fresh;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::position::Position;
use std::slice::from_ref;

pub async fn feedback_boards_are_listed_by_position_then_by_id(stage: Stage) {
    let mut acme = Tenant::new();
    let placed =
        |place| FeedbackBoard { seq_number: Position::from_ten_thousandths(place), ..acme.board() };
    acme.add_backwards(
        [20_000, -10_000, 20_000, 0, i64::MIN, i64::MAX, 20_000].map(placed).to_vec(),
    );
    let acme = acme.import(&stage.ports).await;
    let mut expected = acme.all::<FeedbackBoard>();
    expected.sort_by_key(|board| (board.seq_number, board.id));
    assert_eq!(stage.ports.feedback_boards.list(acme.id()).await.unwrap(), expected);
}

pub async fn a_feedback_board_is_found_as_it_was_written(stage: Stage) {
    let mut acme = Tenant::new();
    let rich = acme.add(FeedbackBoard {
        description: Some("Where it \"hurts\" \\ ü".to_owned()),
        icon_url: Some(String::new()),
        is_voting_enabled: false,
        is_commenting_enabled: true,
        show_post_dates: false,
        ..acme.board()
    });
    let acme = acme.import(&stage.ports).await;
    for board in [acme.board.clone(), rich] {
        assert_eq!(
            stage.ports.feedback_boards.find(acme.id(), board.id).await.unwrap(),
            Some(board)
        );
    }
}

pub async fn inactive_feedback_boards_are_neither_listed_nor_found(stage: Stage) {
    let mut acme = Tenant::new();
    let deleted = acme.add(FeedbackBoard { is_active: false, ..acme.board() });
    let acme = acme.import(&stage.ports).await;
    assert_eq!(stage.ports.feedback_boards.list(acme.id()).await.unwrap(), from_ref(&acme.board));
    assert_eq!(stage.ports.feedback_boards.find(acme.id(), deleted.id).await.unwrap(), None);
}

pub async fn another_organizations_feedback_boards_are_as_unknown_ones(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    assert_eq!(
        stage.ports.feedback_boards.list(globex.id()).await.unwrap(),
        from_ref(&globex.board)
    );
    assert_eq!(stage.ports.feedback_boards.list(fresh()).await.unwrap(), []);
    assert_eq!(stage.ports.feedback_boards.find(globex.id(), acme.board.id).await.unwrap(), None);
    assert_eq!(stage.ports.feedback_boards.find(globex.id(), fresh()).await.unwrap(), None);
}
