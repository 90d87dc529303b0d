//! The terminal: answers to stdout, everything else to stderr.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "all that is printed is printed here"
)]

use crate::show;
use contextd_engine::{EngineError, Progress, Refreshed, Stage, Status, WatchNews};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use owo_colors::OwoColorize as _;
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Prints one line of the answer; a reader that has gone away is success.
pub fn print(line: &str) {
    // An empty list has no line.
    if line.is_empty() {
        return;
    }
    let mut out = anstream::stdout().lock();
    if writeln!(out, "{line}").is_err() {
        std::process::exit(0);
    }
}

/// Prints bytes as they are.
pub fn print_bytes(bytes: &[u8]) {
    if std::io::stdout().lock().write_all(bytes).is_err() {
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
    std::io::stdin().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
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

/// Returns how wide the terminal is that answers go to, when they go to one.
pub fn width() -> Option<usize> {
    let term = console::Term::stdout();
    // Who forces colours wants what a terminal would show.
    let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    (term.is_term() || forced).then(|| usize::from(term.size().1))
}

/// Asks a person who sits before a terminal; nobody else agreed.
pub fn confirm(quiet: bool, question: &str) -> bool {
    !quiet && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && ask(question)
}

/// Prints an error and what to do about it; programs get it as JSON, too.
pub fn error(error: &anyhow::Error, json: bool) {
    if json {
        let own = error.downcast_ref::<EngineError>();
        let (code, remedy) =
            own.map_or(("CTX_E_FAILED", String::new()), |own| (own.code(), own.remedy()));
        let mut told = serde_json::json!({"code": code, "message": told(error), "remedy": remedy});
        if let Some(EngineError::Config { problems, .. }) = own {
            told["problems"] = problems.iter().map(|problem| serde_json::json!({"code": problem.code, "path": problem.path, "line": problem.line, "message": problem.message, "remedy": problem.remedy})).collect();
        }
        print(&serde_json::json!({ "error": told }).to_string());
    }
    anstream::eprintln!("{} {}", "error:".red().bold(), contextd_render::safe(&told(error)));
    if let Some(error) = error.downcast_ref::<EngineError>() {
        if let EngineError::Config { problems, .. } = error {
            problems
                .iter()
                .for_each(|problem| anstream::eprintln!("  {problem}\n    {}", problem.remedy));
        }
        anstream::eprintln!("  hint: {} [{}]", error.remedy(), error.code());
    }
}

/// Prints what is wrong with the words of a command, or the help that they ask for.
pub fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if error.use_stderr() && wants_json(words) {
        let told = error.to_string();
        let message = told.lines().next().unwrap_or_default().trim_start_matches("error: ");
        print(&serde_json::json!({"error": {"code": "CTX_E_REQUEST", "message": message, "remedy": "`contextd COMMAND --help` lists what there is."}}).to_string());
    }
    let _ = error.print();
    if error.kind() == clap::error::ErrorKind::InvalidSubcommand {
        let sentence: Vec<_> = words
            .iter()
            .skip(1)
            .filter_map(|word| word.to_str())
            .filter(|word| !word.starts_with('-'))
            .collect();
        anstream::eprintln!(
            "  {} to ask in words, put them in quotes: {}",
            "tip:".green(),
            format!("contextd \"{}\"", contextd_render::safe(&sentence.join(" "))).bold()
        );
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// True when the words ask for JSON, as far as that can be told of words that make no command.
fn wants_json(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--json" || word == "--format=json")
        || words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

/// Tells an error with its causes; many name theirs already.
fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| match cause.to_string() {
        cause if told.ends_with(&cause) => told,
        cause if told.is_empty() => cause,
        cause => format!("{told}: {cause}"),
    })
}

/// Prints why an operation was refused.
pub fn refuse(error: &contextd_ops::OpError) {
    anstream::eprintln!("{} {}", "error:".red().bold(), contextd_render::safe(&error.message));
    anstream::eprintln!("  hint: {} [{}]", contextd_render::safe(&error.remedy), error.code);
}

/// Says what a watch did.
pub fn news(quiet: bool, news: &WatchNews) {
    match news {
        WatchNews::Refreshed(refreshed) if refreshed.changed => {
            say(quiet, &format!("read {}, removed {}", refreshed.read, refreshed.removed))
        }
        WatchNews::Refreshed(_) => {}
        WatchNews::Follows => say(
            quiet,
            "another process watches here already: this one follows it, and takes over when it ends",
        ),
        WatchNews::TookOver => {
            say(quiet, "the other process has ended: this one keeps the index fresh now")
        }
        WatchNews::Followed(_) => say(quiet, "another process refreshed the index"),
        WatchNews::Failed(error) => say(quiet, &format!("warning: {error}")),
        WatchNews::Problems(problems) => {
            problems.iter().for_each(|problem| say(quiet, &format!("warning: {problem}")))
        }
    }
}

/// Sends what the parts of the program say about their work to stderr, for people or as JSON lines.
pub fn log(verbose: u8, json: bool) {
    let level = match verbose {
        0 if !json => return,
        0 | 1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::new(level);
    if json {
        let _ = tracing_subscriber::fmt()
            .json()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .try_init();
        return;
    }
    // A second logger in one process cannot happen here; if it did, the first would go on.
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}

/// A progress bar on stderr, shown when there is a terminal and something takes a while.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new(hidden: bool) -> Self {
        let bar = ProgressBar::with_draw_target(
            None,
            if hidden {
                ProgressDrawTarget::hidden()
            } else {
                ProgressDrawTarget::stderr_with_hz(8)
            },
        );
        // Until a stage begins there is nothing to count.
        if let Ok(style) = ProgressStyle::with_template("{msg:>9} {spinner}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes how many are done in a second, as a whole number.
fn speed(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let _ = write!(out, "{}/s", show::grouped(state.per_sec().max(0.0) as u64));
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        let template = if total > 1 {
            "{msg:>9} [{bar:30}] {pos}/{len}  {speed}  {eta} left"
        } else {
            "{msg:>9} {spinner}"
        };
        // Numbers first: the bar is drawn from another thread, and must not count what was before.
        self.bar.set_length(total);
        self.bar.set_position(0);
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("━╸ ").with_key("speed", speed));
        }
        self.bar.set_message(stage.name());
    }

    fn advance(&self, done: u64) {
        self.bar.inc(done);
    }
}

/// Prints what an index run did.
pub fn summary(status: &Status, refreshed: &Refreshed, elapsed: Duration) {
    let files = show::counted(u64::from(status.files), "file");
    let what = match refreshed {
        Refreshed { changed: false, .. } => format!("{files}, nothing changed"),
        Refreshed { read, removed, files, .. } if read < files || *removed > 0 => format!(
            "{} changed, {} gone",
            show::counted(u64::from(*read), "file"),
            show::grouped(u64::from(*removed))
        ),
        _ => format!("{files}, {}", show::bytes(status.source_bytes)),
    };
    let speed = if refreshed.changed && refreshed.read > 200 {
        format!(
            ", {} files a second",
            show::grouped((f64::from(refreshed.read) / elapsed.as_secs_f64().max(1e-3)) as u64)
        )
    } else {
        String::new()
    };
    print(&format!(
        "{} {what} in {}{speed}",
        "✓".green().bold(),
        format!("{:.2} s", elapsed.as_secs_f64()).bold()
    ));
    self::status(status);
    if refreshed.changed && refreshed.read >= status.files {
        print("");
        for (line, about) in [
            ("contextd task \"…\"", "the code that work needs"),
            ("contextd init", "register with your coding agents"),
        ] {
            print(&format!("  {} {}", format!("{line:<18}").cyan(), about.dimmed()));
        }
    }
}

/// Longest bar of a language, in characters.
const BAR: u32 = 24;

/// Prints the state of the index.
pub fn status(status: &Status) {
    let figure = |number: u64, word: &str| format!("{} {word}", show::grouped(number).bold());
    print(&format!(
        "  {}   {}   {}   {}",
        figure(u64::from(status.files), "files"),
        figure(u64::from(status.symbols), "symbols"),
        figure(status.edges, "edges"),
        figure(u64::from(status.chunks), "chunks")
    ));
    let mut languages: Vec<_> = status.languages.iter().collect();
    languages.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let most = languages.first().map_or(1, |(_, count)| (**count).max(1));
    let widest = languages.iter().take(8).map(|(name, _)| name.len()).max().unwrap_or(0);
    let digits = show::grouped(u64::from(most)).len();
    print("");
    for (name, count) in languages.iter().take(8) {
        let bar = "▇".repeat((**count * BAR).div_ceil(most) as usize);
        print(&format!(
            "  {name:<widest$} {:>digits$}  {}",
            show::grouped(u64::from(**count)),
            bar.cyan()
        ));
    }
    if languages.len() > 8 {
        let rest: u32 = languages.iter().skip(8).map(|(_, count)| **count).sum();
        print(
            &format!("  {:<widest$} {:>digits$}", "others", show::grouped(u64::from(rest)))
                .dimmed()
                .to_string(),
        );
    }
    let ratio = status.size_bytes as f64 / status.source_bytes.max(1) as f64;
    // Of a tiny source the fixed parts are most, and the ratio says nothing.
    let ratio = if status.source_bytes > 1_000_000 {
        format!(", {ratio:.2} of the source")
    } else {
        String::new()
    };
    print(&format!(
        "\n  {}",
        format!(
            "index {}{ratio} · signature {}",
            show::bytes(status.size_bytes),
            &status.index_signature.to_hex()[..16]
        )
        .dimmed()
    ));
    if status.partial {
        print(
            "  a part of the files: the first run goes on, or was cut short and the next question reads the rest",
        );
    }
    if status.changed == Some(true) {
        print("  files changed since: the next question, or `contextd index`, reads them");
    }
    if let Some((looked, paths)) = status.looked {
        let (looked, paths) = (show::grouped(looked as u64), show::grouped(paths as u64));
        print(&format!(
            "  nothing changed in {looked} of {paths} paths, all that a glance allows; every question looks at all, and so does `contextd status --check`"
        ));
    }
    if status.outdated {
        print(
            "  made with other settings or by another version: it is rebuilt at the next `contextd index`",
        );
    }
}
