//! `add_context` and `delete_context`: texts put over the work tree, files taken out of the index.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::index::inside;
use contextd_engine::{RefreshOptions, Silent};
use contextd_scan::{Rule, Verdict};
use contextd_store::{FileStatus, Ledger};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Input of `add_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AddInput {
    /// File, relative to the root
    #[serde(alias = "filePath", alias = "path")]
    pub file_path: String,
    /// Text to index instead of the file's own; without it the file is read
    pub content: Option<String>,
    /// Language hint; the file's name decides
    pub lang: Option<String>,
    /// Type hint; the file's name decides
    pub mime: Option<String>,
}

/// Input of `delete_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeleteInput {
    /// File, relative to the root
    #[serde(alias = "filePath", alias = "path")]
    pub file_path: String,
}

pub fn add(context: &Context, input: AddInput) -> Result<Answer, OpError> {
    let path = file(context, &input.file_path)?;
    let engine = &context.engine;
    match &input.content {
        Some(text) => {
            if text.contains('\0') {
                return Err(OpError::request("the content is no text", "Send text without NUL."));
            }
            if !engine.put_overlay(&path, text, (context.now)())? {
                return Err(OpError {
                    code: "CTX_E_LIMIT",
                    message: "too many texts are kept already".to_owned(),
                    remedy: "Take some out with delete_context.".to_owned(),
                });
            }
        }
        None => {
            engine.drop_overlay(&path)?;
            engine.lift_tombstones(std::slice::from_ref(&path))?;
        }
    }
    run(context, &path)?;
    let ledger = engine.ledger()?;
    let Some(state) =
        ledger.file_state(&path)?.filter(|state| state.record.status == FileStatus::Indexed)
    else {
        return Err(OpError::not_found(
            format!("`{path}` is not indexed"),
            "Give its content, or ask check_file why it is left out.",
        ));
    };
    Ok(Answer::Facts(
        json!({"file_id": state.file_id.0.to_string(), "chunks": state.record.chunks, "embeddings": 0, "overlay": input.content.is_some()}),
        true,
    ))
}

pub fn delete(context: &Context, input: DeleteInput) -> Result<Answer, OpError> {
    let path = file(context, &input.file_path)?;
    let engine = &context.engine;
    let known = engine
        .ledger()?
        .file_state(&path)?
        .is_some_and(|state| state.record.status == FileStatus::Indexed);
    let dropped = engine.drop_overlay(&path)?;
    if known || dropped {
        engine.put_tombstone(&path)?;
        run(context, &path)?;
    }
    Ok(Answer::Facts(json!({"deleted": known || dropped}), true))
}

/// Returns a path that the rules let in; whether there is such a file does not matter.
fn file(context: &Context, path: &str) -> Result<String, OpError> {
    if path.is_empty() {
        return Err(OpError::request("no file is named", "Name one file, relative to the root."));
    }
    let path = inside(context, path)?;
    if path.is_empty() || path == "." || path.contains(['\n', '\r']) {
        return Err(OpError {
            code: "CTX_E_EXCLUDED",
            message: "this is not the path of a file".to_owned(),
            remedy: "Name one file, relative to the root.".to_owned(),
        });
    }
    match context.engine.scanner.check(Path::new(&path)).verdict {
        Verdict::Included
        | Verdict::Excluded {
            rule: Rule::NotFound | Rule::Binary | Rule::Unreadable | Rule::Changing,
            ..
        } => Ok(path),
        Verdict::Excluded { rule, detail } => Err(OpError {
            code: "CTX_E_EXCLUDED",
            message: format!("`{path}` is left out by the rule {}: {detail}", rule.name()),
            remedy: "Change the rule, or name another file.".to_owned(),
        }),
    }
}

/// Looks at the one file, so that the answer tells what came of it.
fn run(context: &Context, path: &str) -> Result<(), OpError> {
    let options = RefreshOptions {
        only: Some([path.to_owned()].into()),
        now: (context.now)(),
        wait: Duration::from_secs(60),
        ..RefreshOptions::default()
    };
    context.engine.refresh(&options, &Silent)?;
    Ok(())
}
