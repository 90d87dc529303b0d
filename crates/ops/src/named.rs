//! What a caller names: a symbol, or a path that is meant as a file.

use crate::context::Context;
use crate::error::OpError;
use contextd_engine::Reader;
use contextd_pack::resolve;

/// Finds the symbols of a name; of a path that is not in the index it says so.
pub fn symbols(context: &Context, reader: &Reader, text: &str) -> Result<Vec<u32>, OpError> {
    resolve::symbols(&reader.snapshot, text).map_err(|error| {
        if is_path(text) { missing_file(context, reader, text) } else { error.into() }
    })
}

/// True for what is written as a path: with a slash, or with the ending of a language's files.
fn is_path(text: &str) -> bool {
    let text = text.trim();
    let plain = !text.contains("::")
        && !text.contains(char::is_whitespace)
        && !text.starts_with("scip-contextd");
    plain
        && (text.contains('/')
            || text.contains('.') && contextd_lang::detect(text, "").name() != "text")
}

fn missing_file(context: &Context, reader: &Reader, text: &str) -> OpError {
    let path = text.trim().trim_end_matches('/');
    if reader.snapshot.find_file(path).is_some() {
        return OpError::not_found(
            format!("`{path}` is a file, not a symbol"),
            format!("`contextd files {path}` shows it, `contextd impact {path}` what leans on it."),
        );
    }
    if context.engine.places.root.join(path).exists() {
        return OpError::not_found(
            format!("the file `{path}` is not indexed"),
            format!("`contextd check-file {path}` says why."),
        );
    }
    let snapshot = &reader.snapshot;
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut known: Vec<&str> =
        (0..snapshot.file_count()).map(|file| snapshot.file(file).path()).collect();
    known.sort_unstable();
    let mut near: Vec<String> = known
        .iter()
        .filter(|other| other.rsplit('/').next() == Some(name))
        .take(5)
        .map(|other| (*other).to_owned())
        .collect();
    if near.is_empty() {
        near = contextd_knowledge::suggest(known.into_iter(), path);
    }
    let remedy = if near.is_empty() {
        "Paths start at the root of the repository; `contextd list-indexable` lists them."
            .to_owned()
    } else {
        format!("Did you mean: {}?", near.join(", "))
    };
    OpError::not_found(format!("there is no file `{path}` in the index"), remedy)
}
