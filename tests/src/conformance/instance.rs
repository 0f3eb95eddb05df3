//! `InstanceRepository`

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::Stage;
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::Uuid;

/// A name that nobody else uses. The port takes names that are part of the program, so this one stays until the process ends.
fn name() -> &'static str {
    Box::leak(fresh::<Uuid>().to_string().into_boxed_str())
}

pub async fn a_name_has_no_value_at_first(stage: Stage) {
    assert_eq!(stage.ports.instance.find(name()).await.unwrap(), None);
}

pub async fn the_first_value_of_a_name_stays(stage: Stage) {
    let name = name();
    let first = vec![0, 255, 128, 10];
    assert_eq!(stage.ports.instance.keep_first(name, first.clone()).await.unwrap(), first);
    assert_eq!(stage.ports.instance.keep_first(name, vec![1]).await.unwrap(), first);
    assert_eq!(stage.ports.instance.find(name).await.unwrap(), Some(first));
}

pub async fn the_first_of_several_at_once_wins(stage: Stage) {
    let name = name();
    let keep = |n: u8| {
        let instance = stage.ports.instance.clone();
        tokio::spawn(async move { instance.keep_first(name, vec![n]).await.unwrap() })
    };
    let kept = join_all((0..50).map(keep)).await;
    let winner = stage.ports.instance.find(name).await.unwrap().unwrap();
    for kept in kept {
        assert_eq!(kept.unwrap(), winner);
    }
}
