//! The folders a client works in: unless the user named a root, the client's first one is served.
// Newer revisions deprecate roots; clients of older ones still say where they work.
#![allow(deprecated)]

use crate::served::Served;
use rmcp::service::{Peer, RoleServer};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the client for its roots and serves the first one that is a folder.
pub async fn follow(served: &Arc<Served>, peer: &Peer<RoleServer>) {
    let offers = peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
    if served.is_pinned() || !offers {
        return;
    }
    let Ok(Ok(listed)) = tokio::time::timeout(PATIENCE, peer.list_roots()).await else {
        tracing::warn!("the client did not say where it works; the working directory is served");
        return;
    };
    let Some(path) =
        listed.roots.iter().filter_map(|root| path_of(&root.uri)).find(|path| path.is_dir())
    else {
        return;
    };
    let now = served.root().context.engine.places.root.clone();
    let same = std::fs::canonicalize(&path).is_ok_and(|path| path == now);
    if !same {
        let (served, shown) = (served.clone(), path.display().to_string());
        let switched = tokio::task::spawn_blocking(move || served.switch(&path)).await;
        match switched {
            Ok(Ok(())) => tracing::info!("serving the client's root {shown}"),
            Ok(Err(why)) => tracing::warn!("the client's root {shown} cannot be served: {why}"),
            Err(error) => tracing::warn!("opening {shown} broke off: {error}"),
        }
    }
}

/// Returns the path of a `file:` address.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        let decoded = match byte {
            b'%' => {
                let hex = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?
            }
            byte => byte,
        };
        bytes.push(decoded);
    }
    let text = String::from_utf8(bytes).ok()?;
    // `file:///C:/x` has a slash that no path of that system has.
    let drive = text.as_bytes().get(2) == Some(&b':') && text.as_bytes()[1].is_ascii_alphabetic();
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_become_paths() {
        for (uri, path) in [
            ("file:///a/b%20c", Some("/a/b c")),
            ("file://localhost/a", Some("/a")),
            ("file:///C:/x", Some("C:/x")),
            ("https://a/b", None),
            ("file:///%zz", None),
            ("file://", None),
        ] {
            assert_eq!(path_of(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
