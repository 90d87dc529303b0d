//! How long an answer takes the first time, again, and again after a change elsewhere.

use crate::repositories::{ask, open, tasks};
use contextd_ops::{Answer, Context};
use serde_json::json;
use std::path::Path;

pub fn run(words: &[String]) -> Result<(), String> {
    let [list, root, name, ..] = words else {
        return Err(
            "usage: contextd-bench again TASKS.jsonl WRITABLE-CHECKOUT REPO-NAME".to_owned()
        );
    };
    let root = Path::new(root);
    let context = Context::new(open(root)?.engine.clone(), || 0, contextd_render::pack, true);
    // Nothing of an earlier answer: another engine, no reader, no counts.
    let fresh = || -> Result<Context, String> {
        contextd_pack::forget_counts();
        Ok(Context::new(open(root)?.engine.clone(), || 0, contextd_render::pack, true))
    };
    contextd_pack::Tokenizer::O200k.count("the vocabulary is loaded once");
    let all = tasks(list)?;
    // A file that is there from the beginning, so that the change is an edit.
    let file = root.join("added_by_the_study.py");
    std::fs::write(&file, "def unrelated():\n    return 0\n").map_err(|error| error.to_string())?;
    context
        .engine
        .refresh(&contextd_engine::RefreshOptions::default(), &contextd_engine::Silent)
        .map_err(|error| error.to_string())?;
    let (mut first, mut again, mut after, mut cold) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, task) in all.get(name).into_iter().flatten().take(10).enumerate() {
        let (one, took) = timed(&context, &task.words)?;
        first.push(took);
        let (two, took) = timed(&context, &task.words)?;
        again.push(took);
        if one != two {
            return Err(format!("{}: the remembered answer differs", task.id));
        }
        std::fs::write(&file, format!("def unrelated_{at}():\n    return {at}\n"))
            .map_err(|error| error.to_string())?;
        context
            .engine
            .refresh(&contextd_engine::RefreshOptions::default(), &contextd_engine::Silent)
            .map_err(|error| error.to_string())?;
        let (three, took) = timed(&context, &task.words)?;
        after.push(took);
        let (four, took) = timed(&fresh()?, &task.words)?;
        cold.push(took);
        if three != four {
            return Err(format!(
                "{}: the answer with remembered stages differs from a fresh one",
                task.id
            ));
        }
    }
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    println!(
        "median CPU ms: first {:.1}, again {:.1}, after a change elsewhere with remembered stages {:.1}, without {:.1}",
        median(first),
        median(again),
        median(after),
        median(cold)
    );
    Ok(())
}

fn timed(context: &Context, words: &str) -> Result<(String, f64), String> {
    let start = crate::cpu();
    let Answer::Pack(pack) =
        ask(context, "context_for_task", json!({"task": words, "format": "text"}))?
    else {
        return Err("no pack".to_owned());
    };
    let took = (crate::cpu() - start) * 1e3;
    // Accounts of this question are not part of the next one's time.
    context.flush();
    Ok((pack.canonical(), took))
}
