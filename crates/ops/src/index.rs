//! `refresh_context`: looking at files again, as a job that can be watched and cancelled.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::RefreshInput;
use contextd_engine::{RefreshOrder, Silent, is_under};
use serde_json::json;
use std::path::Path;

pub fn refresh(context: &Context, input: RefreshInput) -> Result<Answer, OpError> {
    let paths = checked(context, &input.paths)?;
    // Who asks for a refresh wants the files as they are: what was taken out comes back.
    context.engine.lift_tombstones(&paths)?;
    let order = RefreshOrder {
        job_id: crate::rebuild::job_id(context, "refresh"),
        force: input.force,
        created_by: "refresh_context".to_owned(),
        paths,
    };
    let now = context.now;
    context.engine.queue_refresh(&order, now())?;
    if context.stays && input.run_async.unwrap_or(true) {
        let (engine, job) = (context.engine.clone(), order.clone());
        // The outcome, also a bad one, is in the job's record.
        std::thread::spawn(move || drop(engine.run_refresh(&job, &now, &Silent)));
        return Ok(Answer::Facts(
            json!({"status": "queued", "jobId": order.job_id, "filesQueued": order.paths.len(), "message": "The work tree is looked at; get_rebuild_status tells how far it is."}),
            true,
        ));
    }
    let refreshed = context.engine.run_refresh(&order, &now, &*context.progress)?;
    let message = if refreshed.changed {
        format!("Read {} files, removed {}.", refreshed.read, refreshed.removed)
    } else {
        "Nothing has changed.".to_owned()
    };
    Ok(Answer::Facts(
        json!({"status": "completed", "jobId": order.job_id, "filesQueued": refreshed.read, "message": message}),
        true,
    ))
}

/// Returns paths relative to the root; one that leaves the root is refused, and one that is neither there nor indexed.
pub fn checked(context: &Context, paths: &[String]) -> Result<Vec<String>, OpError> {
    let paths =
        paths.iter().map(|path| inside(context, path)).collect::<Result<Vec<String>, OpError>>()?;
    let root = &context.engine.places.root;
    let missing: Vec<&String> =
        paths.iter().filter(|path| root.join(path).symlink_metadata().is_err()).collect();
    if missing.is_empty() {
        return Ok(paths);
    }
    let snapshot = context.engine.snapshot()?;
    let is_indexed = |path: &str| {
        snapshot.as_ref().is_some_and(|snapshot| {
            (0..snapshot.file_count()).any(|file| is_under(snapshot.file(file).path(), path))
        })
    };
    match missing.into_iter().find(|path| !is_indexed(path)) {
        Some(path) => Err(OpError::not_found(
            format!("there is no `{path}` under {}", root.display()),
            "Paths are those from the root; `contextd files NAME` finds one by its name.",
        )),
        None => Ok(paths),
    }
}

/// Returns a path relative to the root; one that leaves the root is refused.
pub fn inside(context: &Context, path: &str) -> Result<String, OpError> {
    let whole = Path::new(path);
    let rel = whole.strip_prefix(&context.engine.places.root).unwrap_or(whole);
    let plain = !rel.is_absolute()
        && !rel.components().any(|part| matches!(part, std::path::Component::ParentDir))
        && !path.contains('\0');
    match rel.to_str().filter(|_| plain) {
        Some(text) => Ok(text.trim_start_matches("./").trim_end_matches('/').to_owned()),
        None => Err(OpError {
            code: "CTX_E_OUTSIDE_ROOT",
            message: format!("`{path}` does not lie under the root"),
            remedy: "Name paths relative to the root, without `..`.".to_owned(),
        }),
    }
}
