//! The terminal: answers to stdout, everything else to stderr.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use contextd_engine::{EngineError, Progress, Refreshed, Stage, Status, WatchNews};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::OwoColorize as _;
use std::io::Write;
use std::time::Duration;

/// Prints one line of the answer; a reader that has gone away is success.
pub fn print(line: &str) {
    let mut out = anstream::stdout().lock();
    if writeln!(out, "{line}").is_err() {
        std::process::exit(0);
    }
}

/// Prints a remark unless told to be quiet.
pub fn say(quiet: bool, line: &str) {
    if !quiet {
        anstream::eprintln!("{line}");
    }
}

/// Asks a question that is answered with yes or no.
pub fn ask(question: &str) -> bool {
    anstream::eprint!("{question}");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Prints what the next lines are about.
pub fn title(name: &str, about: &str) {
    print(&format!("{} {}", name.bold(), contextd_render::safe(about)));
}

/// Prints a line of a difference.
pub fn diff(mark: char, text: &str) {
    let line = format!("  {mark} {}", contextd_render::safe(text));
    match mark {
        '+' => print(&line.green().to_string()),
        '-' => print(&line.red().to_string()),
        _ => print(&line.dimmed().to_string()),
    }
}

/// Prints a coding agent that is known.
pub fn agent(id: &str, name: &str, found: bool, file: &str) {
    let mark = if found { "✓".green().to_string() } else { "·".dimmed().to_string() };
    print(&format!("{mark} {id:<12} {name:<20} {}", file.dimmed()));
}

/// Prints an error and what to do about it.
pub fn error(error: &anyhow::Error) {
    anstream::eprintln!("error: {error:#}");
    if let Some(error) = error.downcast_ref::<EngineError>() {
        if let EngineError::Config { problems, .. } = error {
            problems.iter().for_each(|problem| anstream::eprintln!("  {problem}\n    {}", problem.remedy));
        }
        anstream::eprintln!("  hint: {} [{}]", error.remedy(), error.code());
    }
}

/// Prints why an operation was refused.
pub fn refuse(error: &contextd_ops::OpError) {
    anstream::eprintln!("error: {}", contextd_render::safe(&error.message));
    anstream::eprintln!("  hint: {} [{}]", contextd_render::safe(&error.remedy), error.code);
}

/// Says what a watch did.
pub fn news(quiet: bool, news: &WatchNews) {
    match news {
        WatchNews::Refreshed(refreshed) if refreshed.changed => say(quiet, &format!("read {}, removed {}", refreshed.read, refreshed.removed)),
        WatchNews::Refreshed(_) => {}
        WatchNews::Followed(_) => say(quiet, "another process refreshed the index"),
        WatchNews::Failed(error) => say(quiet, &format!("warning: {error}")),
        WatchNews::Problems(problems) => problems.iter().for_each(|problem| say(quiet, &format!("warning: {problem}"))),
    }
}

/// Sends what the parts of the program say about their work to stderr.
pub fn log(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::new(level);
    // A second logger in one process cannot happen here; if it did, the first would go on.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}

/// A progress bar on stderr, shown when there is a terminal and something takes a while.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new(hidden: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) });
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        let template = if total > 1 { "{msg:>9} [{bar:30}] {pos}/{len}  {per_sec}  {eta} left" } else { "{msg:>9} {spinner}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("━╸ "));
        }
        self.bar.set_message(stage.name());
        self.bar.set_length(total);
        self.bar.set_position(0);
    }

    fn advance(&self, done: u64) {
        self.bar.inc(done);
    }
}

/// Prints what an index run did.
pub fn summary(status: &Status, refreshed: &Refreshed, elapsed: Duration) {
    let what = if refreshed.changed { format!("read {}, removed {}", refreshed.read, refreshed.removed) } else { "nothing changed".to_owned() };
    println!("Indexed {} files ({:.1} MB) in {:.2} s: {what}", grouped(u64::from(status.files)), status.source_bytes as f64 / 1e6, elapsed.as_secs_f64());
    self::status(status);
}

/// Prints the state of the index.
pub fn status(status: &Status) {
    println!("  {:>10} symbols   {:>10} edges   {:>10} chunks", grouped(u64::from(status.symbols)), grouped(status.edges), grouped(u64::from(status.chunks)));
    let mut languages: Vec<_> = status.languages.iter().collect();
    languages.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let line: Vec<String> = languages.iter().take(8).map(|(name, count)| format!("{name} {}", grouped(u64::from(**count)))).collect();
    println!("  {}", line.join(" · "));
    println!("  index {:.1} MB, {:.2} of the source · signature {}", status.size_bytes as f64 / 1e6, status.size_bytes as f64 / status.source_bytes.max(1) as f64, &status.index_signature.to_hex()[..16]);
    if status.outdated {
        println!("  made with other settings or by another version: it is rebuilt at the next `contextd index`");
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
