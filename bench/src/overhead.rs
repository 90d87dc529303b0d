//! What accounting costs a warm query: the same questions with and without it, in turns.

use crate::{cpu, study};
use contextd_engine::{Engine, EngineOptions};
use contextd_ops::Context;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Turns that are measured; each asks every question once.
const TURNS: u64 = 60;
/// Turns after which accounts are written, thirty questions in all.
const WRITTEN: u64 = 3;
const QUESTIONS: usize = 10;

/// What one way of asking cost, question by question: CPU and wall milliseconds.
#[derive(Default)]
struct Costs {
    /// Of all threads, until the account is written.
    cpu: Vec<f64>,
    /// Until the answer is there.
    wall: Vec<f64>,
}

/// Returns the medians of both and their ratio; the process stays, as a server does. Accounts are written
/// after every thirty questions, which is a little sooner than the thread of a server does; in the last row
/// that thread has its turn after every question, as when they come a second apart. All writing is counted.
pub fn overhead(tasks: &str, folder: &str) -> Result<String, String> {
    let context = |measured: bool| -> Result<Context, String> {
        let mut engine = Engine::open(Path::new(folder), &EngineOptions::default(), &|_| None)
            .map_err(|error| error.to_string())?;
        engine.config.metrics.enabled = measured;
        study::refresh(&engine)?;
        Ok(Context::new(Arc::new(engine), || 1_700_000_000_000, contextd_render::pack, true))
    };
    let sides = [context(true)?, context(false)?];
    let name = Path::new(folder)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let queries: Vec<String> = study::tasks(tasks)?
        .into_iter()
        .filter(|task| task.repo == name)
        .map(|task| task.query)
        .take(QUESTIONS)
        .collect();
    let mut out = format!(
        "| {name}, {} questions, {TURNS} turns | with accounts | without | more |\n|---|---|---|---|\n",
        queries.len()
    );
    let ways = [
        ("search", "query_context", false, false),
        ("task", "context_for_task", false, false),
        ("task in a session", "context_for_task", true, false),
        ("search, a second apart", "query_context", false, true),
    ];
    for (label, op, session, apart) in ways {
        let [with, without] = compare(&sides, &queries, op, session, apart)?;
        for (what, a, b) in [
            ("CPU, ms", with.cpu, without.cpu),
            ("wall until the answer, ms", with.wall, without.wall),
        ] {
            let (a, b) = (median(a), median(b));
            let _ = writeln!(
                out,
                "| {label}, {what} | {a:.3} | {b:.3} | {:+.1} % |",
                100.0 * (a / b - 1.0)
            );
        }
    }
    Ok(out)
}

/// The budget changes with the turn, so that no answer is remembered from the turn before.
fn input(op: &str, query: &str, turn: u64) -> Value {
    match op {
        "query_context" => json!({"query": query, "filters": {"maxTokens": 3_000 + turn}}),
        _ => json!({"task": query, "budget": 6_000 + turn}),
    }
}

fn compare(
    sides: &[Context; 2],
    queries: &[String],
    op: &str,
    session: bool,
    apart: bool,
) -> Result<[Costs; 2], String> {
    let mut costs: [Costs; 2] = Default::default();
    for block in 0..=TURNS / WRITTEN {
        // Who goes first changes, so that neither has the warmer caches.
        let first = block as usize % 2;
        for side in [first, 1 - first] {
            let started = cpu();
            for turn in block * WRITTEN..(block + 1) * WRITTEN {
                for query in queries {
                    let name = format!("overhead-{side}-{}", turn / 10);
                    let context =
                        if session { &sides[side].in_session(name) } else { &sides[side] };
                    let start = Instant::now();
                    study::run(context, op, input(op, query, turn))?;
                    let wall = start.elapsed().as_secs_f64();
                    if apart {
                        context.rest();
                    }
                    // What is asked first warms up.
                    if block > 0 {
                        costs[side].wall.push(wall * 1e3);
                    }
                }
            }
            sides[side].flush();
            if block > 0 {
                costs[side]
                    .cpu
                    .push((cpu() - started) * 1e3 / (queries.len().max(1) as u64 * WRITTEN) as f64);
            }
        }
    }
    Ok(costs)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    study::quantile(&values, 0.5)
}
