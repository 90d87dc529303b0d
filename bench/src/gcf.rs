//! Tokens of GCF against JSON without excerpts on real packs, and of differences after a one-file change.

use crate::repositories::{ask, open, tasks};
use contextd_ops::{Answer, Context};
use contextd_pack::{ContextPack, Tokenizer, canonical};
use contextd_render::{gcf, graph::GraphPack};
use serde_json::{Value, json};
use std::path::Path;

/// Packs that are compared, spread over the repositories.
const PACKS: usize = 20;

pub fn run(words: &[String]) -> Result<(), String> {
    let [list, repositories, rest @ ..] = words else {
        return Err(
            "usage: contextd-bench gcf TASKS.jsonl REPOS [WRITABLE-CHECKOUT REPO-NAME]".to_owned()
        );
    };
    let all = tasks(list)?;
    let each = PACKS.div_ceil(all.len().max(1));
    let (mut json_sum, mut gcf_sum, mut worst, mut count) = (0usize, 0usize, 0f64, 0usize);
    for (name, tasks) in &all {
        let context = open(&Path::new(repositories).join(name))?;
        for task in tasks.iter().take(each) {
            let pack = pack(&context, &task.words)?;
            let (json, gcf) = (
                Tokenizer::O200k.count(&without_excerpts(&pack)),
                Tokenizer::O200k.count(&gcf::pack(&pack)),
            );
            println!(
                "{:<24} items {:>3} json {json:>6} gcf {gcf:>5} {:>5.1} %",
                task.id,
                pack.stats.items,
                100.0 * gcf as f64 / json as f64
            );
            (json_sum, gcf_sum, count) = (json_sum + json, gcf_sum + gcf, count + 1);
            worst = worst.max(gcf as f64 / json as f64);
        }
    }
    println!(
        "{count} packs: GCF takes {:.1} % of the JSON's tokens, at worst {:.1} %",
        100.0 * gcf_sum as f64 / json_sum.max(1) as f64,
        100.0 * worst
    );
    match rest {
        [root, name, ..] => differences(Path::new(root), all.get(name).map_or(&[], Vec::as_slice)),
        _ => Ok(()),
    }
}

fn pack(context: &Context, words: &str) -> Result<ContextPack, String> {
    match ask(
        context,
        "context_for_task",
        json!({"task": words, "budget": 24_000, "format": "json"}),
    )? {
        Answer::Pack(pack) => Ok(*pack),
        other => Err(format!("no pack: {other:?}")),
    }
}

fn without_excerpts(pack: &ContextPack) -> String {
    let mut value = serde_json::to_value(pack).unwrap_or(Value::Null);
    for section in value["sections"].as_array_mut().into_iter().flatten() {
        for item in section["items"].as_array_mut().into_iter().flatten() {
            item.as_object_mut().map(|item| item.remove("excerpt"));
        }
    }
    canonical::to_string(&value)
}

/// Adds a function to a file of each pack, and compares the difference with the whole.
fn differences(root: &Path, tasks: &[crate::repositories::Task]) -> Result<(), String> {
    let context = open(root)?;
    let refresh = || {
        context
            .engine
            .refresh(&contextd_engine::RefreshOptions::default(), &contextd_engine::Silent)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let (mut delta_sum, mut full_sum, mut worst) = (0usize, 0usize, 0f64);
    for task in tasks.iter().take(PACKS / 2) {
        let before = pack(&context, &task.words)?;
        let Some(path) = before
            .items()
            .find(|item| item.kind == "symbol")
            .map(|item| root.join(&item.file_rel_path))
        else {
            continue;
        };
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        std::fs::write(
            &path,
            format!("{text}\n\ndef added_by_the_study(value):\n    return value + 1\n"),
        )
        .map_err(|error| error.to_string())?;
        let after = refresh().and_then(|()| pack(&context, &task.words));
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        let (base, new) = (GraphPack::of(&before), GraphPack::of(&after?));
        let (delta, full) = (
            Tokenizer::O200k.count(&gcf::delta_text(&base, &new, Tokenizer::O200k)),
            Tokenizer::O200k.count(&gcf::encode(&new)),
        );
        println!(
            "{:<24} full {full:>5} delta {delta:>5} {:>5.1} %",
            task.id,
            100.0 * delta as f64 / full as f64
        );
        (delta_sum, full_sum) = (delta_sum + delta, full_sum + full);
        worst = worst.max(delta as f64 / full as f64);
        refresh()?;
    }
    println!(
        "differences take {:.1} % of the whole, at worst {:.1} %",
        100.0 * delta_sum as f64 / full_sum.max(1) as f64,
        100.0 * worst
    );
    Ok(())
}
