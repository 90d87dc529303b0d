//! Tokens to the same recall: packs against searching for words and reading files.

use crate::study::{self, Task, quantile, same_name};
use contextd_engine::Reader;
use contextd_lang::terms;
use contextd_ops::{Answer, Context};
use contextd_pack::{ContextItem, Texts, Tokenizer};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Budgets tried, smallest first.
const BUDGETS: [u64; 8] = [300, 600, 1_200, 2_500, 5_000, 10_000, 20_000, 40_000];
/// Tokens after which reading is given up.
const GIVEN_UP: u64 = 100_000;
/// Lines that a reader reads of one file.
const LINES: usize = 2_000;

/// Tokens spent and the share of the truth covered by then.
type Curve = Vec<(u64, f64)>;

struct Outcome {
    id: String,
    pack: Curve,
    /// Tokens and recall with the default budget.
    usual: (u64, f64),
    read: Curve,
}

/// Where a truth lies: files with the lines of its definition.
type Place = Vec<(String, u32, u32)>;

/// Runs the study over the tasks whose checkout exists; prints a table, writes a plot and rows.
pub fn tokens(tasks: &str, repos: &str, out: &str) -> Result<String, String> {
    let mut by_repo: BTreeMap<(String, String), Vec<Task>> = BTreeMap::new();
    for task in study::tasks(tasks)? {
        by_repo.entry((task.repo.clone(), task.root.clone())).or_default().push(task);
    }
    let mut outcomes = Vec::new();
    let mut unknown = 0;
    for ((repo, root), tasks) in &by_repo {
        let folder = Path::new(repos).join(repo).join(root);
        if !folder.is_dir() {
            continue;
        }
        let context = study::context(&folder)?;
        let files = Files::of(&context)?;
        for task in tasks {
            let places = files.places(task);
            unknown += task.truth.len() - places.len();
            if !places.is_empty() {
                outcomes.push(measure(&context, &files, task, &places)?);
            }
        }
        eprintln!("{repo}: {} tasks", tasks.len());
    }
    let rows: String = outcomes.iter().map(|outcome| format!("{}\n", json!({"id": outcome.id, "pack": outcome.pack, "usual": outcome.usual, "read": outcome.read}))).collect();
    std::fs::write(format!("{out}.jsonl"), rows).map_err(|error| error.to_string())?;
    std::fs::write(format!("{out}.svg"), plot(&outcomes)).map_err(|error| error.to_string())?;
    Ok(table(&outcomes, unknown))
}

/// The indexed files with their texts, lower case, and their cost.
struct Files {
    reader: std::sync::Arc<Reader>,
    texts: Vec<(String, String, u64)>,
}

impl Files {
    fn of(context: &Context) -> Result<Self, String> {
        let reader = context.reader().map_err(|error| error.message)?;
        let tree = context.engine.texts();
        let cost = |text: &str| {
            Tokenizer::O200k.count(&text.lines().take(LINES).collect::<Vec<_>>().join("\n")) as u64
        };
        let read = |number: u32| {
            let path = reader.snapshot.file(number).path().to_owned();
            let text = tree.read(&path)?.scrubbed;
            let cost = cost(&text);
            Some((path, text.to_lowercase(), cost))
        };
        let texts = (0..reader.snapshot.file_count()).filter_map(read).collect();
        Ok(Self { reader, texts })
    }

    /// Returns where each truth lies; truths that nothing in the index has are left out.
    fn places(&self, task: &Task) -> Vec<Place> {
        let root = if task.root.is_empty() { String::new() } else { format!("{}/", task.root) };
        let snapshot = &self.reader.snapshot;
        let place = |truth: &String| -> Place {
            if task.files {
                let path = truth.strip_prefix(&root).unwrap_or(truth);
                return snapshot
                    .find_file(path)
                    .map(|file| (path.to_owned(), 1, snapshot.file(file).lines()))
                    .into_iter()
                    .collect();
            }
            let last = truth.rsplit(['.', ':']).next().unwrap_or(truth);
            let named =
                snapshot.symbols_named_like(last).into_iter().map(|number| snapshot.symbol(number));
            named
                .filter(|symbol| symbol.kind().is_code() && same_name(&symbol.qualified(), truth))
                .map(|symbol| (symbol.path().to_owned(), symbol.start_line(), symbol.end_line()))
                .collect()
        };
        task.truth.iter().map(place).filter(|place| !place.is_empty()).collect()
    }

    /// Returns the files in the order a reader opens them: most lines with a word of the query first.
    fn by_hits(&self, query: &str) -> Vec<usize> {
        let mut words: Vec<String> = terms::identifiers(query)
            .map(str::to_lowercase)
            .filter(|word| word.len() > 2 && !contextd_retrieve::understand::is_stop_word(word))
            .collect();
        words.sort();
        words.dedup();
        let hits = |text: &str| {
            text.lines()
                .filter(|line| words.iter().any(|word| line.contains(word.as_str())))
                .count()
        };
        let mut found: Vec<(usize, usize)> = self
            .texts
            .iter()
            .enumerate()
            .map(|(number, (_, text, _))| (hits(text), number))
            .filter(|(hits, _)| *hits > 0)
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| self.texts[a.1].0.cmp(&self.texts[b.1].0)));
        found.into_iter().map(|(_, number)| number).collect()
    }
}

fn measure(
    context: &Context,
    files: &Files,
    task: &Task,
    places: &[Place],
) -> Result<Outcome, String> {
    let share = |covered: usize| covered as f64 / places.len() as f64;
    let mut read: Curve = vec![(0, 0.0)];
    let (mut spent, mut opened) = (0, std::collections::BTreeSet::new());
    for number in files.by_hits(&task.query) {
        let (path, _, cost) = &files.texts[number];
        spent += cost;
        if spent > GIVEN_UP {
            break;
        }
        opened.insert(path.as_str());
        let recall = share(
            places
                .iter()
                .filter(|place| place.iter().any(|(path, _, _)| opened.contains(path.as_str())))
                .count(),
        );
        if recall > read[read.len() - 1].1 {
            read.push((spent, recall));
        }
        if recall >= 1.0 {
            break;
        }
    }
    let asked = |budget: Option<u64>| -> Result<(u64, f64), String> {
        let (items, tokens) = ask(context, task, budget)?;
        Ok((
            tokens,
            share(
                places
                    .iter()
                    .filter(|place| {
                        place.iter().any(|place| items.iter().any(|item| shows(item, place)))
                    })
                    .count(),
            ),
        ))
    };
    let mut pack: Curve = vec![(0, 0.0)];
    for budget in BUDGETS {
        let (tokens, recall) = asked(Some(budget))?;
        if recall > pack[pack.len() - 1].1 {
            pack.push((tokens, recall));
        }
        if recall >= 1.0 {
            break;
        }
    }
    Ok(Outcome { id: task.id.clone(), pack, usual: asked(None)?, read })
}

/// Lines shown of a file.
struct Shown {
    path: String,
    lines: (u32, u32),
}

/// Tasks name symbols and are asked as tasks; questions name files and are asked as searches.
fn ask(context: &Context, task: &Task, budget: Option<u64>) -> Result<(Vec<Shown>, u64), String> {
    let shown = |item: &ContextItem| Shown {
        path: item.file_rel_path.clone(),
        lines: (item.lines.start, item.lines.end),
    };
    if !task.files {
        let pack = study::task_pack(
            context,
            json!({"task": task.query, "budget": budget, "format": "text"}),
        )?;
        return Ok((pack.items().map(shown).collect(), pack.stats.tokens));
    }
    let k = budget.map(|budget| (budget / 100).clamp(3, 80));
    let answer = study::run(
        context,
        "query_context",
        json!({"query": task.query, "k": k, "filters": {"maxTokens": budget}}),
    )?;
    let text = contextd_render::answer(&answer, contextd_render::Format::Text);
    let Answer::Hits(hits) = answer else { return Err("no hits".to_owned()) };
    Ok((
        hits.hits
            .iter()
            .map(|hit| Shown { path: hit.file.clone(), lines: (hit.start_line, hit.end_line) })
            .collect(),
        Tokenizer::O200k.count(&text) as u64,
    ))
}

/// True when the first line of the definition, for files any line, is shown.
fn shows(item: &Shown, (path, start, end): &(String, u32, u32)) -> bool {
    let whole = *start == 1;
    item.path == *path
        && (item.lines.0 <= *start && *start <= item.lines.1 || whole && item.lines.0 <= *end)
}

/// Tokens until a share is covered.
fn until(curve: &Curve, recall: f64) -> Option<u64> {
    curve.iter().find(|&&(_, reached)| reached >= recall - 1e-9).map(|&(tokens, _)| tokens)
}

fn best(curve: &Curve) -> f64 {
    curve[curve.len() - 1].1
}

fn table(outcomes: &[Outcome], unknown: usize) -> String {
    let compared: Vec<(&Outcome, f64)> = outcomes
        .iter()
        .map(|outcome| (outcome, best(&outcome.pack).min(best(&outcome.read))))
        .filter(|(_, recall)| *recall > 0.0)
        .collect();
    let pairs: Vec<(f64, f64)> = compared
        .iter()
        .filter_map(|(outcome, recall)| {
            Some((until(&outcome.pack, *recall)? as f64, until(&outcome.read, *recall)? as f64))
        })
        .collect();
    let usual: Vec<(f64, f64)> = outcomes
        .iter()
        .filter(|outcome| outcome.usual.1 > 0.0)
        .map(|outcome| {
            (
                outcome.usual.0 as f64,
                until(&outcome.read, outcome.usual.1).unwrap_or(GIVEN_UP) as f64,
            )
        })
        .collect();
    let count =
        |test: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| test(outcome)).count();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| {} tasks, {unknown} truths not in the index | p10 | p25 | median | p75 | p90 |\n|---|---|---|---|---|---|",
        outcomes.len()
    );
    for (name, values) in [
        ("pack, tokens", pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()),
        ("search and read, tokens", pairs.iter().map(|pair| pair.1).collect()),
    ] {
        row(&mut out, name, values, 0);
    }
    row(
        &mut out,
        "fewer tokens at equal recall, %",
        pairs.iter().map(|pair| 100.0 * (1.0 - pair.0 / pair.1)).collect(),
        1,
    );
    row(
        &mut out,
        "the same with the default budget, %",
        usual.iter().map(|pair| 100.0 * (1.0 - pair.0 / pair.1)).collect(),
        1,
    );
    let recall = |of: &dyn Fn(&Outcome) -> f64| {
        outcomes.iter().map(of).sum::<f64>() / outcomes.len().max(1) as f64
    };
    let _ = writeln!(out, "\n| | tasks |\n|---|---|");
    let _ = writeln!(out, "| compared (both cover something) | {} |", pairs.len());
    let _ = writeln!(
        out,
        "| pack covers all, reading does not within 100,000 tokens | {} |",
        count(&|o| best(&o.pack) >= 1.0 && best(&o.read) < 1.0)
    );
    let _ = writeln!(
        out,
        "| reading covers more than the pack | {} |",
        count(&|o| best(&o.read) > best(&o.pack))
    );
    let _ = writeln!(out, "| the pack covers nothing | {} |", count(&|o| best(&o.pack) <= 0.0));
    let _ = writeln!(
        out,
        "| neither covers anything | {} |",
        count(&|o| best(&o.pack) <= 0.0 && best(&o.read) <= 0.0)
    );
    let _ = writeln!(
        out,
        "| the pack costs more | {} |",
        pairs.iter().filter(|pair| pair.0 > pair.1).count()
    );
    let _ = writeln!(
        out,
        "| mean recall: pack of up to 40,000 / default budget / reading up to 100,000 | {:.3} / {:.3} / {:.3} |",
        recall(&|o| best(&o.pack)),
        recall(&|o| o.usual.1),
        recall(&|o| best(&o.read))
    );
    out
}

fn row(out: &mut String, name: &str, mut values: Vec<f64>, digits: usize) {
    values.sort_by(f64::total_cmp);
    let _ = write!(out, "| {name} |");
    for share in [0.1, 0.25, 0.5, 0.75, 0.9] {
        let _ = write!(out, " {:.digits$} |", quantile(&values, share));
    }
    out.push('\n');
}

/// Draws mean recall over tokens for both strategies, tokens on a logarithmic scale.
fn plot(outcomes: &[Outcome]) -> String {
    let (width, height, left, top) = (640.0, 320.0, 56.0, 24.0);
    let x = |tokens: f64| left + width * (tokens.log10() - 2.0) / 3.0;
    let y = |recall: f64| top + height * (1.0 - recall);
    let reached = |curve: &Curve, tokens: f64| {
        curve
            .iter()
            .take_while(|&&(spent, _)| spent as f64 <= tokens)
            .last()
            .map_or(0.0, |&(_, recall)| recall)
    };
    let steps: Vec<f64> =
        (0..=120).map(|step| 10f64.powf(2.0 + 3.0 * f64::from(step) / 120.0)).collect();
    let line = |of: &dyn Fn(&Outcome) -> &Curve| {
        steps
            .iter()
            .map(|&tokens| {
                format!(
                    "{:.1},{:.1}",
                    x(tokens),
                    y(outcomes.iter().map(|outcome| reached(of(outcome), tokens)).sum::<f64>()
                        / outcomes.len().max(1) as f64)
                )
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        width + 90.0,
        height + 76.0
    );
    for power in 2..=5 {
        let at = x(10f64.powi(power));
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {top}V{:.1}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            top + height,
            top + height + 18.0,
            10u64.pow(power as u32)
        );
    }
    for tenth in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let at = y(tenth);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {at:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tenth}</text>",
            left + width,
            left - 8.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<polyline fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2.5\" points=\"{}\"/>",
        line(&|outcome| &outcome.pack)
    );
    let _ = writeln!(
        out,
        "<polyline fill=\"none\" stroke=\"#d1702a\" stroke-width=\"2.5\" points=\"{}\"/>",
        line(&|outcome| &outcome.read)
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#1f6feb\">packs</text><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#d1702a\">search and read</text>",
        left + 12.0,
        top + 16.0,
        left + 12.0,
        top + 32.0
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">tokens</text><text x=\"14\" y=\"{:.1}\" transform=\"rotate(-90 14 {:.1})\" text-anchor=\"middle\">mean share of the truth covered</text>\n</svg>",
        left + width / 2.0,
        top + height + 40.0,
        top + height / 2.0,
        top + height / 2.0
    );
    out
}
