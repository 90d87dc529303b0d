//! A simulated caller over rounds: it uses what a task needs, ignores the rest, and reports so. Measured
//! on tasks it never reported on.

use crate::study::{self, Task, interval, same_name};
use contextd_ops::Context;
use contextd_retrieve::{Sources, task, understand};
use contextd_store::Ledger;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

const ROUNDS: usize = 5;

/// Strict recall in the first ten and the reciprocal rank of the first right symbol.
type Quality = (f64, f64);

/// Runs the study on checkouts, half of the tasks teaching and half asked, then the other way round.
pub fn learn(tasks: &str, repos: &str, names: &[String]) -> Result<String, String> {
    let all = study::tasks(tasks)?;
    let mut rounds: Vec<Vec<(Quality, Quality)>> = vec![Vec::new(); ROUNDS];
    let mut out = String::from(
        "| repository | tasks | strict R@10 cold | after 1 | after 5 | MRR cold | after 1 | after 5 |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut expiry = String::new();
    for name in names {
        let mut own: Vec<&Task> = all.iter().filter(|task| task.repo == *name).collect();
        own.sort_by(|a, b| a.id.cmp(&b.id));
        let context = study::context(&Path::new(repos).join(name))?;
        let mut measured: Vec<Vec<(Quality, Quality)>> = vec![Vec::new(); ROUNDS];
        for half in 0..2 {
            let taught: Vec<&Task> = own.iter().copied().skip(half).step_by(2).collect();
            let unseen: Vec<&Task> = own.iter().copied().skip(1 - half).step_by(2).collect();
            study::run(&context, "feedback", json!({"action": "forget", "all": true}))?;
            let cold: Vec<Quality> = unseen
                .iter()
                .map(|task| quality(&context, task, None))
                .collect::<Result<_, _>>()?;
            for (round, measured) in measured.iter_mut().enumerate() {
                for task in &taught {
                    teach(&context, task, &format!("round-{half}-{round}"))?;
                }
                for (task, cold) in unseen.iter().zip(&cold) {
                    measured.push((
                        *cold,
                        quality(&context, task, Some(&format!("asked-{}", task.id)))?,
                    ));
                }
            }
        }
        let mean = |rows: &[(Quality, Quality)], of: &dyn Fn(&(Quality, Quality)) -> f64| {
            rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64
        };
        let (first, last) = (&measured[0], &measured[ROUNDS - 1]);
        let _ = writeln!(
            out,
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            own.len(),
            mean(last, &|r| r.0.0),
            mean(first, &|r| r.1.0),
            mean(last, &|r| r.1.0),
            mean(last, &|r| r.0.1),
            mean(first, &|r| r.1.1),
            mean(last, &|r| r.1.1)
        );
        for (all, own) in rounds.iter_mut().zip(measured) {
            all.extend(own);
        }
        let _ = writeln!(expiry, "| {name} | {} |", expire(&context)?);
        study::run(&context, "feedback", json!({"action": "forget", "all": true}))?;
    }
    let _ = writeln!(
        out,
        "\n| pooled, {} unseen tasks, difference to cold with 95 % interval | strict R@10 | MRR |\n|---|---|---|",
        rounds[0].len()
    );
    for (round, rows) in rounds.iter().enumerate() {
        let shown = |of: &dyn Fn(&(Quality, Quality)) -> f64| {
            let (mean, low, high) = interval(&rows.iter().map(of).collect::<Vec<_>>());
            format!("{mean:+.4} ({low:+.4} to {high:+.4})")
        };
        let _ = writeln!(
            out,
            "| after round {} | {} | {} |",
            round + 1,
            shown(&|r| r.1.0 - r.0.0),
            shown(&|r| r.1.1 - r.0.1)
        );
    }
    let _ = writeln!(
        out,
        "\n| after one line was added to a file of the package judged most | judgements |\n|---|---|\n{expiry}"
    );
    Ok(out)
}

/// Asks for a task and reports what of the answer it needs.
fn teach(context: &Context, task: &Task, session: &str) -> Result<(), String> {
    let pack = study::task_pack(context, json!({"task": task.query, "session": session}))?;
    let used: Vec<&String> = pack
        .items()
        .filter(|item| task.truth.iter().any(|truth| same_name(&item.name, truth)))
        .filter_map(|item| item.symbol_id.as_ref())
        .collect();
    study::run(
        context,
        "report_usage",
        json!({"packId": pack.pack_id, "used": used, "session": session}),
    )
    .map(drop)
}

fn quality(context: &Context, task: &Task, session: Option<&str>) -> Result<Quality, String> {
    let reader = context.reader().map_err(|error| error.message)?;
    let (weights, _) = context.engine.weights(None).map_err(|error| error.to_string())?;
    let asking =
        session.map(|session| context.in_session(session)).unwrap_or_else(|| context.clone());
    let learned = asking.learned(&reader, &task.query, None).map_err(|error| error.message)?;
    let sources =
        Sources { learned: learned.as_ref().map(|(learned, _)| learned), ..reader.sources(None) };
    let ranked = task::rank(&sources, &understand(&task.query), &weights);
    let names: Vec<String> = ranked
        .iter()
        .take(100)
        .map(|hit| reader.snapshot.symbol(hit.symbol).qualified().into_owned())
        .collect();
    let found = task
        .truth
        .iter()
        .filter(|truth| names.iter().take(10).any(|name| same_name(name, truth)))
        .count();
    let first = names.iter().position(|name| task.truth.iter().any(|truth| same_name(name, truth)));
    Ok((
        found as f64 / task.truth.len().max(1) as f64,
        first.map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
    ))
}

/// Changes one file of the package that most judgements are about, and says what still counts; the file
/// is put back.
fn expire(context: &Context) -> Result<String, String> {
    let count = |context: &Context| -> Result<(u64, u64), String> {
        let listed = study::run(context, "feedback", json!({"action": "list"}))?.to_json();
        Ok((listed["valid"].as_u64().unwrap_or(0), listed["expired"].as_u64().unwrap_or(0)))
    };
    let ledger = context.engine.ledger().map_err(|error| error.to_string())?;
    let mut packages: std::collections::BTreeMap<String, (u64, String)> =
        std::collections::BTreeMap::new();
    let reader = context.reader().map_err(|error| error.message)?;
    for row in ledger.feedback(&Default::default()).map_err(|error| error.to_string())? {
        if let Some(&number) = contextd_pack::resolve::symbols(&reader.snapshot, &row.target)
            .ok()
            .and_then(|found| found.first().copied())
            .as_ref()
        {
            packages
                .entry(row.anchor)
                .or_insert((0, reader.snapshot.symbol(number).path().to_owned()))
                .0 += 1;
        }
    }
    let Some((most, path)) = packages.into_values().max() else { return Ok("none".to_owned()) };
    let before = count(context)?;
    let file = context.engine.places.root.join(&path);
    let text = std::fs::read(&file).map_err(|error| error.to_string())?;
    std::fs::write(&file, [text.as_slice(), b"\n"].concat()).map_err(|error| error.to_string())?;
    let after = study::refresh(&context.engine).and_then(|()| count(context));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    study::refresh(&context.engine)?;
    let (after, again) = (after?, count(context)?);
    Ok(format!(
        "{} count; {most} of them are about the package of `{path}`; after the change {} count, {} are expired; with the file as it was {} count again",
        before.0, after.0, after.1, again.0
    ))
}
