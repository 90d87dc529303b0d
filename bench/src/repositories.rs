//! Tasks of several repositories, and the indexed checkouts they are asked of.

use contextd_engine::{Engine, EngineOptions};
use contextd_ops::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// One task: its words and the symbols that it needs.
pub struct Task {
    pub id: String,
    pub words: String,
    pub truths: Vec<String>,
}

/// Reads tasks, by repository.
pub fn tasks(path: &str) -> Result<BTreeMap<String, Vec<Task>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut tasks: BTreeMap<String, Vec<Task>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("{path}: {error}"))?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let words = if value["query"].is_string() { text("query") } else { text("description") };
        let truths = value["ground_truth"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|truth| truth.as_str().map(str::to_owned))
            .collect();
        tasks.entry(text("repo")).or_default().push(Task { id: text("id"), words, truths });
    }
    Ok(tasks)
}

/// Opens an indexed checkout; the index is used as it is.
pub fn open(root: &Path) -> Result<Context, String> {
    let engine = Engine::open(root, &EngineOptions::default(), &|_| None)
        .map_err(|error| format!("{}: {error}", root.display()))?;
    Ok(Context::new(Arc::new(engine), || 0, contextd_render::pack, false))
}

/// Runs an operation that must succeed.
pub fn ask(context: &Context, name: &str, input: Value) -> Result<contextd_ops::Answer, String> {
    let operation =
        contextd_ops::find(name).ok_or_else(|| format!("there is no operation {name}"))?;
    (operation.run)(context, input).map_err(|error| format!("{name}: {error} ({})", error.remedy))
}
