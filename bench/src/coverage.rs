//! How many of the symbols that tasks need are in their packs, against the ten best hits.
//!
//! A truth is covered when its signature or its body is in the pack: the name of an item, or of a symbol
//! that lies inside the lines of a shown body, is the truth's, one of them perhaps with more scopes in front.

use crate::repositories::{Task, ask, open, tasks};
use contextd_ops::{Answer, Context};
use contextd_pack::{ContextPack, Tokenizer};
use contextd_retrieve::{task, understand};
use serde_json::json;
use std::path::Path;

/// Shares of the truths found: by the ten best hits, then by packs of each budget.
struct Row {
    name: String,
    tasks: usize,
    hits: f64,
    packs: Vec<Pack>,
}

#[derive(Clone, Copy, Default)]
struct Pack {
    covered: f64,
    tokens: f64,
    items: f64,
    bodies: f64,
}

pub fn run(words: &[String]) -> Result<(), String> {
    let [list, repositories, budgets @ ..] = words else {
        return Err("usage: contextd-bench coverage TASKS.jsonl REPOS [BUDGET…]".to_owned());
    };
    let mut budgets: Vec<u64> = budgets.iter().filter_map(|budget| budget.parse().ok()).collect();
    if budgets.is_empty() {
        budgets = vec![2_000, 8_000];
    }
    let mut rows: Vec<Row> = Vec::new();
    for (name, tasks) in tasks(list)? {
        let context = open(&Path::new(repositories).join(&name))?;
        rows.push(repository(&context, name, &tasks, &budgets)?);
    }
    print(&rows, &budgets);
    Ok(())
}

fn repository(
    context: &Context,
    name: String,
    tasks: &[Task],
    budgets: &[u64],
) -> Result<Row, String> {
    let mut row =
        Row { name, tasks: tasks.len(), hits: 0.0, packs: vec![Pack::default(); budgets.len()] };
    for task in tasks {
        row.hits += share(task, &best(context, &task.words)?);
        for (&budget, sum) in budgets.iter().zip(&mut row.packs) {
            let Answer::Pack(pack) = ask(
                context,
                "context_for_task",
                json!({"task": task.words, "budget": budget, "format": "text"}),
            )?
            else {
                return Err("no pack".to_owned());
            };
            let rendered = contextd_render::pack(&pack, "text").unwrap_or_default();
            let used = Tokenizer::O200k.count(&rendered) as u64;
            if used > budget {
                return Err(format!("{}: {used} tokens, the budget is {budget}", task.id));
            }
            sum.covered += share(task, &shown(context, &pack)?);
            sum.tokens += used as f64;
            sum.items += f64::from(pack.stats.items);
            sum.bodies += pack.items().filter(|item| item.excerpt.detail == "body").count() as f64;
        }
    }
    Ok(row)
}

/// Names of the ten best hits.
fn best(context: &Context, words: &str) -> Result<Vec<String>, String> {
    let reader = context.reader().map_err(|error| error.to_string())?;
    let (weights, _) = context.engine.weights(None).map_err(|error| error.to_string())?;
    let ranked = task::rank(&reader.sources(None), &understand(words), &weights);
    Ok(ranked
        .iter()
        .take(10)
        .map(|hit| reader.snapshot.symbol(hit.symbol).qualified().into_owned())
        .collect())
}

/// Names whose signature or body a pack shows.
fn shown(context: &Context, pack: &ContextPack) -> Result<Vec<String>, String> {
    let reader = context.reader().map_err(|error| error.to_string())?;
    let snapshot = &reader.snapshot;
    let mut names = Vec::new();
    for item in pack.items() {
        names.push(item.name.clone());
        let lines = item.excerpt.text.lines().count() as u32;
        if item.excerpt.detail == "signature" || lines < 2 {
            continue;
        }
        if let Some(file) = snapshot.find_file(&item.file_rel_path) {
            // The text may start with a comment above the first line, so the end is an estimate from below.
            let last = item.lines.end.min(item.lines.start + lines - 1);
            let inside = snapshot
                .symbols_of_file(file)
                .skip(1)
                .map(|number| snapshot.symbol(number))
                .filter(|symbol| {
                    symbol.start_line() >= item.lines.start && symbol.start_line() <= last
                });
            names.extend(
                inside
                    .filter(|symbol| {
                        item.excerpt.detail == "body" || item.excerpt.text.contains(symbol.name())
                    })
                    .map(|symbol| symbol.qualified().into_owned()),
            );
        }
    }
    Ok(names)
}

fn share(task: &Task, names: &[String]) -> f64 {
    let names: Vec<String> = names.iter().map(|name| normal(name)).collect();
    let found = task
        .truths
        .iter()
        .map(|truth| normal(truth))
        .filter(|truth| names.iter().any(|name| same(name, truth)))
        .count();
    found as f64 / task.truths.len().max(1) as f64
}

/// Takes paths and lower-case modules off a name, as the tasks' own scorer does.
fn normal(name: &str) -> String {
    let name = name.trim().trim_end_matches('.').trim_end_matches('(');
    let name = name.rsplit('/').next().unwrap_or(name);
    let parts: Vec<&str> = name.split('.').collect();
    let first = parts
        .iter()
        .position(|part| part.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .unwrap_or(parts.len() - 1);
    parts[first..].join(".").to_lowercase().replace("::", ".")
}

fn same(one: &str, two: &str) -> bool {
    !one.is_empty()
        && !two.is_empty()
        && (one == two || one.ends_with(&format!(".{two}")) || two.ends_with(&format!(".{one}")))
}

fn print(rows: &[Row], budgets: &[u64]) {
    let heads: Vec<String> = budgets
        .iter()
        .map(|budget| {
            format!(
                "{:>10} {:>7} {:>6} {:>6} {:>6}",
                format!("at {budget}"),
                "ratio",
                "tokens",
                "items",
                "bodies"
            )
        })
        .collect();
    println!("{:<12} {:>6} {:>7} {}", "repository", "tasks", "top 10", heads.join(" "));
    let line = |name: &str, rows: &[&Row]| {
        let tasks = rows.iter().map(|row| row.tasks).sum::<usize>().max(1) as f64;
        let hits = rows.iter().map(|row| row.hits).sum::<f64>() / tasks;
        let parts: Vec<String> = (0..budgets.len())
            .map(|at| {
                let mean = |of: fn(&Pack) -> f64| {
                    rows.iter().map(|row| of(&row.packs[at])).sum::<f64>() / tasks
                };
                let covered = mean(|pack| pack.covered);
                format!(
                    "{covered:>10.3} {:>7.2} {:>6.0} {:>6.1} {:>6.1}",
                    covered / hits.max(f64::MIN_POSITIVE),
                    mean(|pack| pack.tokens),
                    mean(|pack| pack.items),
                    mean(|pack| pack.bodies)
                )
            })
            .collect();
        println!("{name:<12} {tasks:>6} {hits:>7.3} {}", parts.join(" "));
    };
    rows.iter().for_each(|row| line(&row.name, &[row]));
    line("all", &rows.iter().collect::<Vec<_>>());
}
