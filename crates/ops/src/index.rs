//! `refresh_context`: looking at files again.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::RefreshInput;
use contextd_engine::{RefreshOptions, Silent};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

pub fn refresh(context: &Context, input: RefreshInput) -> Result<Answer, OpError> {
    let paths = checked(context, &input.paths)?;
    let options = RefreshOptions { force: if input.force { paths.clone() } else { Vec::new() }, now: (context.now)(), wait: Duration::from_secs(600), ..RefreshOptions::default() };
    if context.stays && input.run_async.unwrap_or(true) {
        let engine = context.engine.clone();
        std::thread::spawn(move || {
            // What goes wrong behind the answer shows in the state of the index.
            let _ = engine.refresh(&options, &Silent);
        });
        return Ok(Answer::Facts(json!({"status": "queued", "filesQueued": paths.len(), "message": "The work tree is looked at; ask get_context_stats for the result."}), true));
    }
    let refreshed = context.engine.refresh(&options, &Silent)?;
    let message = if refreshed.changed { format!("Read {} files, removed {}.", refreshed.read, refreshed.removed) } else { "Nothing has changed.".to_owned() };
    Ok(Answer::Facts(json!({"status": "completed", "filesQueued": refreshed.read, "message": message}), true))
}

/// Returns paths relative to the root; one that leaves the root is refused.
pub fn checked(context: &Context, paths: &[String]) -> Result<Vec<String>, OpError> {
    let root = &context.engine.places.root;
    let mut checked = Vec::new();
    for path in paths {
        let whole = Path::new(path);
        let rel = whole.strip_prefix(root).unwrap_or(whole);
        let plain = !rel.is_absolute() && !rel.components().any(|part| matches!(part, std::path::Component::ParentDir)) && !path.contains('\0');
        let Some(text) = rel.to_str().filter(|_| plain) else {
            return Err(OpError { code: "CTX_E_OUTSIDE_ROOT", message: format!("`{path}` does not lie under the root"), remedy: "Name paths relative to the root, without `..`.".to_owned() });
        };
        checked.push(text.trim_start_matches("./").trim_end_matches('/').to_owned());
    }
    Ok(checked)
}
