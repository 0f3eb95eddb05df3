//! `/healthz`, `/readyz`

use crate::support::{Site, Store};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn a_running_server_is_alive_and_ready(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let site = Site::of(store).await;
    for probe in ["/healthz", "/readyz"] {
        let answer =
            site.client().get(format!("{}{probe}", site.base())).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{probe}");
        assert_eq!(answer.json::<Value>().await.expect("JSON"), json!({"status": "ok"}), "{probe}");
    }
}
