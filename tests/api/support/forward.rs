//! A line that forwards connections, and that a test can cut.

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Listens on a port, or on a free one for 0. Returns it.
pub(crate) async fn listen(port: u16) -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Forwards connections to a port. Aborting the task breaks them.
pub(crate) fn forward(listener: TcpListener, to: u16) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut far = TcpStream::connect(("127.0.0.1", to)).await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    })
}
