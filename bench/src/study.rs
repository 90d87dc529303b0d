//! What the studies share: tasks, checkouts, names, statistics.

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_ops::{Answer, Context, find};
use contextd_pack::ContextPack;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One task with what it needs.
pub struct Task {
    pub id: String,
    pub repo: String,
    /// Folder inside the checkout that is indexed.
    pub root: String,
    pub query: String,
    /// The truth is files, not symbols.
    pub files: bool,
    /// Names of symbols, or paths of files.
    pub truth: Vec<String>,
}

/// Reads tasks: `ground_truth` holds names of symbols, `relevant` paths of files.
pub fn tasks(path: &str) -> Result<Vec<Task>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = |value: &Value| {
        value.as_str().or_else(|| value["path"].as_str()).unwrap_or_default().to_owned()
    };
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).map_err(|error| format!("{path}: {error}"))?;
        let truth = row["ground_truth"].as_array().or_else(|| row["relevant"].as_array());
        let query = if row["query"].is_string() { &row["query"] } else { &row["description"] };
        found.push(Task {
            id: text_of(&row["id"]),
            repo: text_of(&row["repo"]),
            root: text_of(&row["root"]),
            query: text_of(query),
            files: row["relevant"].is_array(),
            truth: truth.into_iter().flatten().map(name).collect(),
        });
    }
    Ok(found)
}

/// Opens and indexes a checkout.
pub fn context(folder: &Path) -> Result<Context, String> {
    let engine = Engine::open(folder, &EngineOptions::default(), &|_| None)
        .map_err(|error| error.to_string())?;
    refresh(&engine)?;
    Ok(Context::new(Arc::new(engine), || 1_700_000_000_000, contextd_render::pack, false))
}

pub fn refresh(engine: &Engine) -> Result<(), String> {
    let options = RefreshOptions {
        now: 1_700_000_000_000,
        wait: Duration::from_secs(600),
        ..RefreshOptions::default()
    };
    engine.refresh(&options, &Silent).map(drop).map_err(|error| error.to_string())
}

/// Runs an operation.
pub fn run(context: &Context, name: &str, input: Value) -> Result<Answer, String> {
    let operation = find(name).ok_or_else(|| format!("no operation {name}"))?;
    (operation.run)(context, input)
        .map_err(|error| format!("{name}: {} {}", error.code, error.message))
}

pub fn task_pack(context: &Context, input: Value) -> Result<ContextPack, String> {
    match run(context, "context_for_task", input)? {
        Answer::Pack(pack) => Ok(*pack),
        _ => Err("no pack".to_owned()),
    }
}

/// Equal names, or one is the other with more scopes in front.
pub fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace("::", ".");
    let (a, b) = (plain(a), plain(b));
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    !a.is_empty() && !b.is_empty() && (a == b || ends(&a, &b) || ends(&b, &a))
}

/// Value below which a share of the sorted values lies.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        f64::NAN
    } else {
        sorted[((sorted.len() - 1) as f64 * share).round() as usize]
    }
}

/// Mean with the interval that holds 95 % of the means of 10,000 samples drawn with replacement.
pub fn interval(values: &[f64]) -> (f64, f64, f64) {
    let mean = |sum: f64| sum / values.len().max(1) as f64;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut means: Vec<f64> = (0..10_000)
        .map(|_| mean((0..values.len()).map(|_| values[next() % values.len()]).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    (mean(values.iter().sum()), quantile(&means, 0.025), quantile(&means, 0.975))
}
