//! What accounting costs a warm query: the same questions with and without it, in turns.

use crate::study;
use contextd_engine::{Engine, EngineOptions};
use contextd_ops::Context;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const TURNS: usize = 30;

/// Returns the medians of both and their ratio; the process stays, as a server does.
pub fn overhead(tasks: &str, folder: &str) -> Result<String, String> {
    let context = |measured: bool| -> Result<Context, String> {
        let mut engine = Engine::open(Path::new(folder), &EngineOptions::default(), &|_| None).map_err(|error| error.to_string())?;
        engine.config.metrics.enabled = measured;
        study::refresh(&engine)?;
        Ok(Context::new(Arc::new(engine), || 1_700_000_000_000, contextd_render::pack, true))
    };
    let (with, without) = (context(true)?, context(false)?);
    let name = Path::new(folder).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let tasks: Vec<study::Task> = study::tasks(tasks)?.into_iter().filter(|task| task.repo == name).take(10).collect();
    let ask = |context: &Context, query: &str| -> Result<f64, String> {
        let start = Instant::now();
        study::run(context, "query_context", json!({ "query": query }))?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    let (mut measured, mut plain) = (Vec::new(), Vec::new());
    for turn in 0..=TURNS {
        for task in &tasks {
            // Who goes first changes, so that neither has the warmer caches.
            let (a, b) = if turn % 2 == 0 { (ask(&with, &task.query)?, ask(&without, &task.query)?) } else { let b = ask(&without, &task.query)?; (ask(&with, &task.query)?, b) };
            if turn > 0 {
                measured.push(a);
                plain.push(b);
            }
        }
    }
    with.flush();
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        study::quantile(values, 0.5)
    };
    let (a, b) = (median(&mut measured), median(&mut plain));
    Ok(format!("{name}: {} queries each; with accounts {a:.3} ms, without {b:.3} ms, {:+.1} %", measured.len(), 100.0 * (a / b - 1.0)))
}
