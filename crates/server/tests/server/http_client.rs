//! The way from the SDK's own client, which speaks HTTP over a local socket, to the server's port.

use std::net::SocketAddr;
use tokio::net::{TcpStream, UnixListener};

/// Forwards connections to `path` until the test ends.
pub fn forward(path: &std::path::Path, to: SocketAddr) {
    let listener = UnixListener::bind(path).unwrap();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
}
