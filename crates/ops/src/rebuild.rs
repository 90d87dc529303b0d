//! `rebuild_context` and `get_rebuild_status`: making the index anew, as jobs.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::index::checked;
use crate::inputs::{JobsInput, RebuildInput};
use contextd_engine::{RebuildOrder, Silent};
use contextd_scan::FileEntry;
use contextd_store::{Job, JobStatus, Ledger};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Source bytes that are indexed in a second, for estimates.
const BYTES_PER_SECOND: f64 = 4e6;

pub fn rebuild(context: &Context, input: RebuildInput) -> Result<Answer, OpError> {
    if !input.confirm {
        return Err(OpError { code: "CTX_E_CONFIRM", message: "a rebuild makes everything anew and was not confirmed".to_owned(), remedy: "Say `--confirm` (`confirm: true`), or look first with `--dry-run` (`options.validateOnly`).".to_owned() });
    }
    let mut paths = checked(context, &input.paths)?;
    if paths.iter().any(|path| matches!(path.as_str(), "" | ".")) {
        paths.clear();
    }
    let scope = if paths.is_empty() { "full" } else { "partial" };
    let scanner = &context.engine.scanner;
    // A run reads what was found, and some of it may turn out to be no text; who only asks hears what would be indexed.
    let scan =
        if input.options.validate_only { scanner.list_indexable().1 } else { scanner.scan() };
    let plan = Plan::of(&scan.files, &paths);
    let order = RebuildOrder {
        job_id: job_id(context, "rebuild"),
        clear_errors: input.options.clear_errors,
        vacuum: input.options.vacuum,
        files: Some(plan.files),
        created_by: "rebuild_context".to_owned(),
        paths,
    };
    let seconds = (plan.bytes as f64 / BYTES_PER_SECOND).ceil() as u64;
    let answer = |status: &str, message: String| json!({"status": status, "jobId": order.job_id, "scope": scope, "estimatedFiles": plan.files, "estimatedTime": seconds, "message": message});
    if input.options.validate_only {
        let mut value = answer(
            "completed",
            format!(
                "Dry run: {} files in {} folders would be indexed again, in about {seconds} s. No changes made.",
                plan.files,
                plan.folders.len()
            ),
        );
        let size = context.engine.figures()?.map_or(0, |status| status.size_bytes);
        value["details"] = json!({"byLanguage": plan.languages, "totalBytes": plan.bytes, "totalSizeGB": plan.bytes as f64 / 1e9, "currentIndexSize": format!("{:.1} MB", size as f64 / 1e6)});
        return Ok(Answer::Facts(value, true));
    }
    context.engine.lift_tombstones(&order.paths)?;
    context.engine.queue_rebuild(&order, (context.now)()).map_err(busy)?;
    let now = context.now;
    if context.stays && input.run_async.unwrap_or(true) {
        let (engine, job) = (context.engine.clone(), order.clone());
        // The outcome, also a bad one, is in the job's record.
        std::thread::spawn(move || drop(engine.run_rebuild(&job, &now, &Silent)));
        return Ok(Answer::Facts(
            answer("queued", format!("Rebuild of {} files queued.", plan.files)),
            true,
        ));
    }
    let refreshed = context.engine.run_rebuild(&order, &now, &*context.progress)?;
    // What was read may turn out to be no text.
    let indexed = if order.paths.is_empty() { refreshed.files } else { refreshed.read };
    Ok(Answer::Facts(answer("completed", format!("Indexed {indexed} files again.")), true))
}

fn busy(error: contextd_engine::EngineError) -> OpError {
    let mut error = OpError::from(error);
    if error.message.contains("job") {
        error.code = "CTX_E_BUSY";
        error.remedy = "Wait for it, or cancel it: `contextd jobs ID --cancel`.".to_owned();
    }
    error
}

struct Plan {
    files: u64,
    bytes: u64,
    languages: BTreeMap<&'static str, u64>,
    folders: BTreeSet<String>,
}

impl Plan {
    fn of(found: &[FileEntry], paths: &[String]) -> Plan {
        let mut plan =
            Plan { files: 0, bytes: 0, languages: BTreeMap::new(), folders: BTreeSet::new() };
        let inside = |rel: &str| {
            paths.is_empty()
                || paths.iter().any(|path| {
                    rel == path
                        || rel.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
                })
        };
        for file in found.iter().filter(|file| inside(&file.rel)) {
            plan.files += 1;
            plan.bytes += file.size;
            plan.folders.insert(
                file.rel.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()),
            );
            *plan.languages.entry(contextd_lang::detect(&file.rel, "").name()).or_default() += 1;
        }
        plan
    }
}

/// Ids tell processes and moments apart.
pub fn job_id(context: &Context, sort: &str) -> String {
    let unique =
        format!("{} {} {:?}", (context.now)(), std::process::id(), std::time::Instant::now());
    format!("{sort}-{}", &contextd_model::ContentHash::of(unique.as_bytes()).to_hex()[..12])
}

pub fn jobs(context: &Context, input: JobsInput) -> Result<Answer, OpError> {
    let mut ledger = context.engine.ledger()?;
    let Some(id) = input.job_id else {
        let jobs = ledger.jobs(None, 20)?;
        // That there are none is an answer.
        return Ok(Answer::Facts(
            json!({"jobs": jobs.iter().map(shown).collect::<Vec<_>>()}),
            true,
        ));
    };
    let had_ended = ledger.job(&id)?.is_some_and(|job| job.completed_at.is_some());
    if input.cancel && !had_ended {
        ledger.job_cancel(&id, (context.now)())?;
    }
    let Some(job) = ledger.job(&id)? else {
        return Err(OpError::not_found(
            format!("there is no job `{id}`"),
            "List them with `contextd jobs`.",
        ));
    };
    let mut value = shown(&job);
    if input.cancel && had_ended {
        value["message"] = json!("The job had ended before: nothing was cancelled.");
    }
    if input.include_logs {
        value["logs"] = ledger
            .job_logs(&id)?
            .iter()
            .map(|line| json!({"ts": line.ts, "level": line.level.name(), "message": line.message}))
            .collect();
    }
    Ok(Answer::Facts(value, job.status != JobStatus::Failed))
}

/// Returns when a running job will end if it goes on as it did, as Unix milliseconds.
fn completion(job: &Job, total: u64) -> Option<i64> {
    let done = job.progress.files_processed;
    let spent = job.updated_at - job.started_at;
    (job.status == JobStatus::InProgress && done > 0 && total >= done)
        .then(|| job.updated_at + (spent as f64 * (total - done) as f64 / done as f64) as i64)
}

fn shown(job: &Job) -> Value {
    let total = job.progress.files_total.unwrap_or(0);
    let percent = match (job.status, total) {
        (JobStatus::Completed, _) => 100.0,
        (_, 0) => 0.0,
        (_, total) => job.progress.files_processed as f64 * 100.0 / total as f64,
    };
    let mut value = json!({
        "jobId": job.job_id, "type": job.kind.name(), "status": job.status.name(), "startedAt": job.started_at, "completedAt": job.completed_at,
        "progress": {"filesProcessed": job.progress.files_processed, "filesTotal": total, "percentComplete": percent.round(), "currentFile": job.progress.current_file, "startedAt": job.started_at, "estimatedCompletion": completion(job, total)},
    });
    if let Some(metrics) = &job.metrics {
        value["result"] = serde_json::from_str(metrics).unwrap_or(Value::Null);
    }
    if let Some(error) = &job.error_message {
        value["error"] = json!(error);
    }
    value
}
