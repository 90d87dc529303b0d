//! What can be written on the command line.

use crate::{eval, examples, export, init, learn, oracle};
use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use contextd_pack::Tokenizer;
use contextd_render::Format;
use std::ffi::OsString;
use std::path::PathBuf;

/// Heading of the options that every command has.
const EVERYWHERE: &str = "Options of every command";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const TESTS: &str = "Examples:
  contextd tests src/session.py
  contextd tests --since main --format names
  pytest $(contextd tests --since HEAD --format pytest)
  contextd tests --format cargo | while read -r args; do cargo test $args; done

--format takes names, files, pytest, cargo, go, jest, json and text.";

const PR: &str = "Examples:
  contextd pr
  contextd pr main..feature --format markdown
  contextd pr HEAD~3 --budget 4000
  git diff | contextd pr --patch -";

#[derive(Parser)]
#[command(name = "contextd", version, about = "Exactly the code a task needs: local, fast, explained", styles = STYLES, max_term_width = 120)]
pub struct Cli {
    /// Folder to index; by default the root found from the working directory
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub repo: Option<PathBuf>,
    /// Configuration file instead of config/context.toml or context.toml
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub config: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// How the answer is written
    #[arg(long, global = true, help_heading = EVERYWHERE, value_parser = format, help = format!("How the answer is written: {}", formats()))]
    pub format: Option<Format>,
    /// Most tokens of the answer
    #[arg(long, global = true, help_heading = EVERYWHERE, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// Who counts tokens: o200k, cl100k or estimate
    #[arg(long, global = true, help_heading = EVERYWHERE, value_parser = tokenizer)]
    pub tokenizer: Option<Tokenizer>,
    /// Answer inside a session, where what was learned takes part; without one every answer is cold
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "ID")]
    pub session: Option<String>,
    /// Leave out what was learned, in a session too
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub cold: bool,
    /// Leave out texts that the session was sent before
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub delta: bool,
    /// Say nothing but the answer
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub quiet: bool,
    /// Print without colours
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_color: bool,
    /// Say more about what is done; twice for all of it
    #[arg(long, short, global = true, help_heading = EVERYWHERE, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

/// Returns the command line as it is parsed, explained and documented: with examples, and commands in groups.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    for (path, own) in examples::EXAMPLES {
        command = with_help(command, &path.split(' ').collect::<Vec<_>>(), &examples::text(own));
    }
    let groups = grouped(&command);
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}\n{{options}}\n\n`contextd COMMAND --help` explains a command and shows examples."))
}

fn with_help(command: clap::Command, path: &[&str], text: &str) -> clap::Command {
    match path {
        [] => command.after_help(text.to_owned()),
        [first, rest @ ..] if command.find_subcommand(first).is_some() => {
            command.mut_subcommand(first, |inner| with_help(inner, rest, text))
        }
        _ => command,
    }
}

/// Returns the visible commands in groups, each with what it does.
pub fn groups(command: &clap::Command) -> Vec<(&'static str, Vec<&clap::Command>)> {
    let visible = |name: &str| {
        command.get_subcommands().find(|own| own.get_name() == name && !own.is_hide_set())
    };
    let mut groups: Vec<(&'static str, Vec<&clap::Command>)> = examples::GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(|name| visible(name)).collect()))
        .collect();
    let named = |name: &str| {
        name == "help" || examples::GROUPS.iter().any(|(_, names)| names.contains(&name))
    };
    let others: Vec<&clap::Command> = command
        .get_subcommands()
        .filter(|own| !own.is_hide_set() && !named(own.get_name()))
        .collect();
    if !others.is_empty() {
        groups.push(("More", others));
    }
    groups
}

fn grouped(command: &clap::Command) -> String {
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let mut out = String::new();
    for (title, commands) in groups(command) {
        out += &format!("{header}{title}:{header:#}\n");
        for own in commands {
            let about = own.get_about().map(ToString::to_string).unwrap_or_default();
            out += &format!("  {literal}{:<16}{literal:#} {about}\n", own.get_name());
        }
    }
    out
}

impl Cli {
    /// Options of [`Cli`] that take a value.
    const VALUED: [&str; 5] = ["--repo", "--config", "--format", "--budget", "--tokenizer"];

    /// Names `ask` where a sentence stands in place of a command: `contextd "where are sessions expired"`.
    pub fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
        let mut at = 1;
        while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
            if !word.starts_with('-') {
                if word.trim().contains(char::is_whitespace) {
                    words.insert(at, "ask".into());
                }
                break;
            }
            at += if Self::VALUED.contains(&word) { 2 } else { 1 };
        }
        words
    }

    /// Returns the format of the answer.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }
}

fn format(name: &str) -> Result<Format, String> {
    Format::by_name(name).ok_or_else(|| format!("known: {}", formats()))
}

fn formats() -> String {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    names.join(", ")
}

fn share(number: &str) -> Result<f64, String> {
    number
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "it is a number from 0 to 1".to_owned())
}

fn tokenizer(name: &str) -> Result<Tokenizer, String> {
    Tokenizer::by_name(name).ok_or_else(|| "known: o200k, cl100k, estimate".to_owned())
}

#[derive(Subcommand)]
pub enum Command {
    /// Build or refresh the index (otherwise it happens by itself)
    Index {
        /// Read every file again
        #[arg(long)]
        full: bool,
        /// Go on and keep the index fresh until stopped
        #[arg(long)]
        watch: bool,
    },
    /// Context for a task in words
    #[command(alias = "context")]
    Task {
        /// The work to do
        #[arg(required_unless_present = "task")]
        words: Vec<String>,
        /// The work to do, as an option
        #[arg(long, hide = true)]
        task: Option<String>,
        /// What the context is for: answer, summarize, refactor, debug, impact or contract
        #[arg(long, default_value = "answer", value_parser = intent)]
        intent: contextd_pack::request::Intent,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Ranked places that answer a question
    Search {
        /// The question, in words or names
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Work to do, a question or a name: the shape of the request decides between task and search
    Ask {
        /// What is wanted, in words or names
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Context for changed files
    Files {
        /// Changed files, from the working folder or the root
        #[arg(required = true)]
        paths: Vec<String>,
        /// What the change is about
        #[arg(long, default_value = "")]
        task: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Context for a change: a branch, a range of commits or a patch
    #[command(after_help = PR)]
    Pr {
        /// BASE, BASE..HEAD or COMMIT^!; by default the work tree since the default branch
        range: Option<String>,
        /// Read the change from a patch file; - for standard input
        #[arg(long, value_name = "FILE", conflicts_with = "range")]
        patch: Option<PathBuf>,
    },
    /// What changed lately: commits, the symbols they touched, their diffs
    Recent {
        /// A part in words, a file, a folder or a symbol; by default everything
        topic: Vec<String>,
        /// Commits, newest first
        #[arg(short, long = "commits", value_name = "N", default_value_t = 10)]
        k: u32,
    },
    /// Numbered lines of several places at once
    Show {
        /// `path:line` for the definition around it, `path:10-40`, `path:3,70` or names of symbols
        #[arg(required = true)]
        places: Vec<String>,
    },
    /// Plain matches under the definitions that hold them
    Grep {
        /// A regular expression
        pattern: String,
        /// Folders, files or globs to look in
        paths: Vec<String>,
        /// The pattern is plain text
        #[arg(short = 'F', long)]
        fixed: bool,
        /// Upper and lower case are the same
        #[arg(short = 'i', long)]
        ignore_case: bool,
        /// Language, such as rust; may be repeated
        #[arg(long)]
        lang: Vec<String>,
        /// Folder or glob to leave out; may be repeated
        #[arg(long)]
        exclude: Vec<String>,
        /// Most matches
        #[arg(short, value_parser = clap::value_parser!(u32).range(1..))]
        k: Option<u32>,
    },
    /// A symbol: definition, callers, callees, tests
    Symbol {
        /// `name`, `Type.method`, `path:line` or a symbolId
        name: String,
        /// Relations shown of a sort
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// The score of a symbol for a task, term by term
    Why {
        /// `name`, `Type.method`, `path:line`, a symbolId or a declared ref
        symbol: String,
        /// The task it is ranked for; a ref without one shows what it leans on
        #[arg(long, default_value = "")]
        task: String,
        /// Weights: recall or precision
        #[arg(long)]
        profile: Option<String>,
    },
    /// What may break when a symbol or file changes
    Impact {
        /// A symbol or a file
        target: String,
        /// How far to follow
        #[arg(long, default_value_t = 3)]
        max_hops: u32,
    },
    /// Everything around declared refs: graph, docs, symbols, rules, tests
    Ref(oracle::RefArgs),
    /// `ref` for declared refs, `task` for words: what other tools call it
    #[command(hide = true)]
    Ctx(oracle::RefArgs),
    /// Whether documents still agree with the code they cover
    Docs {
        #[command(subcommand)]
        command: oracle::DocsCommand,
    },
    /// `docs check`, under the name that other tools use
    #[command(hide = true)]
    SyncCheck(oracle::DocsCheckArgs),
    /// `docs update`, under the name that other tools use
    #[command(hide = true)]
    SyncUpdate(oracle::DocsUpdateArgs),
    /// Architecture rules on the linked graph
    Lint {
        /// Warnings fail the check too
        #[arg(long)]
        strict: bool,
    },
    /// Draw what lies around a ref, symbol, file or folder
    Graph {
        /// Without it, the declared graph or the folders of the root
        #[arg(default_value = "")]
        target: String,
        /// Edges to follow: 2 from refs, 1 from code
        #[arg(long)]
        depth: Option<u32>,
        /// Most nodes
        #[arg(long)]
        max_nodes: Option<usize>,
    },
    /// A brief of the project under 2,000 tokens
    Prime,
    /// A pack by one command, under the name that other tools use
    #[command(hide = true)]
    ContextPack {
        #[arg(long, required_unless_present = "pack_id")]
        query: Option<String>,
        #[arg(long, value_parser = intent)]
        intent: Option<contextd_pack::request::Intent>,
        /// Say how the pack came about
        #[arg(long)]
        explain: bool,
        /// Print a stored pack instead
        #[arg(long, conflicts_with = "query")]
        pack_id: Option<String>,
        /// Add the pack to the artifact of the index, and print its id
        #[arg(long)]
        write: bool,
        /// Read the pack that --pack-id names
        #[arg(long, requires = "pack_id")]
        read: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Tests that a change reaches, as a runner takes them
    #[command(alias = "test-scope", after_help = TESTS)]
    Tests {
        /// Files, folders or symbols; without any, what changed
        paths: Vec<String>,
        /// Compare the work tree with this revision; by default with the default branch
        #[arg(long, value_name = "REF", conflicts_with = "paths")]
        since: Option<String>,
        /// Read the change from a patch file; - for standard input
        #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "since"])]
        patch: Option<PathBuf>,
        /// Also tests that it reaches only on long or doubtful ways
        #[arg(long)]
        all: bool,
        /// Most tests
        #[arg(long)]
        limit: Option<u32>,
    },
    /// Packs that can be replayed and compared
    Pack {
        #[command(subcommand)]
        command: PackCommand,
    },
    /// Entities around a change by their interfaces, as CodeGraphContext.json
    Codegraph {
        /// Keys such as src/user.rs-user-User, symbolIds or names
        #[arg(required = true)]
        entities: Vec<String>,
        /// How far to follow, 0 to 3
        #[arg(long, default_value_t = 2)]
        hop_depth: u32,
        /// What is done to them: edit, create, delete or refactor
        #[arg(long, default_value = "edit")]
        change_type: String,
    },
    /// Show what is indexed, and whether files changed since
    ///
    /// Of a large tree as many files are looked at as a few milliseconds allow, those near the last changes first; what
    /// that left out is told.
    Status {
        /// Look at every file, however long that takes
        #[arg(long)]
        check: bool,
    },
    /// Health of the index and its parts
    Stats,
    /// Check configuration, index and ledger
    Doctor,
    /// Look at files again
    Refresh {
        /// Files and folders; everything without them
        paths: Vec<String>,
        /// Read them even when they look unchanged
        #[arg(long)]
        force: bool,
    },
    /// Make the index anew
    Rebuild {
        /// Files and folders; everything without them
        paths: Vec<String>,
        /// The same, as an option
        #[arg(long = "paths", value_name = "PATHS", num_args = 1.., hide = true)]
        more: Vec<String>,
        /// Needed, because everything recorded is made anew
        #[arg(long, visible_alias = "force")]
        confirm: bool,
        /// Only say what would be done
        #[arg(long, visible_alias = "dry-run")]
        validate_only: bool,
        /// Keep recorded errors
        #[arg(long)]
        keep_errors: bool,
        /// Do not give unused space back
        #[arg(long)]
        no_vacuum: bool,
    },
    /// Rebuild jobs, or one of them
    Jobs {
        /// A job's id; without it the newest are listed
        job: Option<String>,
        /// Show the job's log
        #[arg(long, requires = "job")]
        logs: bool,
        /// Ask the job to stop
        #[arg(long, requires = "job")]
        cancel: bool,
    },
    /// Whether files are indexed, and the rule that decides
    CheckFile {
        /// Files, from the working folder or the root, or whole
        #[arg(required = true)]
        paths: Vec<String>,
    },
    /// Print the files that are indexed, one relative path a line
    ListIndexable {
        /// Most files
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Files by language, and what is left out
    ProjectStats,
    /// Check the configuration
    ValidateConfig,
    /// What was redacted
    Audit {
        /// What to look at
        what: AuditWhat,
    },
    /// Print the index as JSON lines: symbols, edges, chunks or files
    Export(export::ExportArgs),
    /// Say what was useful; list, explain, export and forget what was learned
    Feedback {
        #[command(subcommand)]
        command: learn::FeedbackCommand,
    },
    /// Report what of an answer was used, and tokens spent
    ReportUsage(learn::ReportArgs),
    /// Tokens saved against reading whole files; what each provider gave
    Savings(learn::SavingsArgs),
    /// Print the JSON schema of a wire type
    Schema {
        /// ContextPack, PackRequest, Hits, … or an operation
        name: String,
    },
    /// Measure retrieval quality on tasks
    Eval(eval::EvalArgs),
    /// Remove the index and its caches; stored packs, sessions, feedback and jobs go with it
    Clean,
    /// Serve agents and services
    Serve(ServeArgs),
    /// Register the server with the coding agents on this machine
    Init(init::InitArgs),
    /// Undo what `init` did, byte for byte
    Uninit(init::UninitArgs),
    /// Write the reference pages of the documentation
    #[command(hide = true)]
    Reference {
        /// Folder to write to
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of the program or of a command
    Man {
        /// Command whose page is printed, such as task
        command: Option<String>,
        /// Folder to write every page to
        #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

fn intent(name: &str) -> Result<contextd_pack::request::Intent, String> {
    contextd_pack::request::Intent::by_name(name)
        .ok_or_else(|| "known: answer, summarize, refactor, debug, impact, contract".to_owned())
}

/// Which results are wanted.
#[derive(Args, Clone, Default)]
pub struct ScopeArgs {
    /// What you expect in the code, with commas between: 5 to 12 identifiers, file names, messages or
    /// terms; guesses are welcome
    #[arg(long, value_name = "A, B, C", value_delimiter = ',', allow_hyphen_values = true)]
    pub names: Vec<String>,
    /// Folder or glob to look in; may be repeated
    #[arg(long)]
    pub path: Vec<String>,
    /// Language, such as rust; may be repeated
    #[arg(long)]
    pub lang: Vec<String>,
    /// Kind, such as function or class; may be repeated
    #[arg(long)]
    pub kind: Vec<String>,
    /// Folder or glob to leave out; may be repeated
    #[arg(long)]
    pub exclude: Vec<String>,
    /// Least score, from 0 to 1
    #[arg(long, value_parser = share)]
    pub min_score: Option<f64>,
    /// Most results
    #[arg(short, value_parser = clap::value_parser!(u32).range(1..))]
    pub k: Option<u32>,
    /// Relevance (1) against diversity (0)
    #[arg(long, value_parser = share)]
    pub mmr_lambda: Option<f64>,
    /// Weights: recall or precision
    #[arg(long)]
    pub profile: Option<String>,
    /// Project of the configuration to look in
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Look in all projects, which is the default
    #[arg(long, conflicts_with = "project")]
    pub all_projects: bool,
}

impl Command {
    /// Returns which results are wanted, where that can be said.
    pub fn scope(&self) -> Option<&ScopeArgs> {
        match self {
            Command::Task { scope, .. }
            | Command::Search { scope, .. }
            | Command::Ask { scope, .. }
            | Command::Files { scope, .. }
            | Command::ContextPack { scope, .. } => Some(scope),
            Command::Pack { command: PackCommand::Create { scope, .. } } => Some(scope),
            _ => None,
        }
    }
}

#[derive(Subcommand)]
pub enum PackCommand {
    /// Build a pack and store it under its id
    Create {
        /// The task or question; with --request it may be left out
        query: Option<String>,
        /// A PackRequest as a JSON file
        #[arg(long)]
        request: Option<PathBuf>,
        /// What the context is for: answer, summarize, refactor, debug, impact or contract
        #[arg(long, value_parser = intent)]
        intent: Option<contextd_pack::request::Intent>,
        /// Add it to the artifact context_packs.jsonl of the index, and print its id
        #[arg(long)]
        write: bool,
        /// A stored pack that the reader has; may be repeated
        #[arg(long, value_name = "PACK-ID")]
        held: Vec<String>,
        #[command(flatten)]
        scope: Box<ScopeArgs>,
    },
    /// Print a stored pack
    Get {
        /// The id, or its first digits
        id: String,
    },
    /// Write stored packs to a folder: context_packs.jsonl, in shards when it grows, with a manifest
    Export {
        /// Where they are written to
        folder: PathBuf,
        /// Packs by id; without any, all that are stored
        ids: Vec<String>,
    },
    /// Store the packs of an artifact
    Import {
        /// A folder, or a file with one pack a line
        place: PathBuf,
    },
    /// List stored packs, newest first
    List {
        /// Most packs
        #[arg(long)]
        limit: Option<usize>,
    },
    /// What entered and left between two packs
    Diff {
        /// The older pack's id, or its first digits
        from: String,
        /// The newer pack's id, or its first digits
        to: String,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub enum AuditWhat {
    /// Redacted secrets: file, line and rule
    Secrets,
}

#[derive(Args)]
pub struct ServeArgs {
    /// Speak MCP over standard input and output; the default
    #[arg(long, conflicts_with = "http")]
    pub stdio: bool,
    /// Serve HTTP on an address such as 127.0.0.1:8765; CONTEXTD_API_KEY sets a key, which other addresses need
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// Which tools agents see: core or all
    #[arg(long, default_value = "core")]
    pub tools: ToolSet,
    /// Log to stderr as JSON lines, one a request
    #[arg(long)]
    pub log_json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ToolSet {
    Core,
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_in_place_of_a_command_is_asked() {
        for (given, expected) in [
            ("contextd|find the cart|--json", "contextd|ask|find the cart|--json"),
            ("contextd|--repo|a b|-q|find the cart", "contextd|--repo|a b|-q|ask|find the cart"),
            ("contextd|search|find the cart", "contextd|search|find the cart"),
            ("contextd|serach", "contextd|serach"),
            ("contextd", "contextd"),
        ] {
            let words = Cli::with_command(given.split('|').map(OsString::from).collect());
            assert_eq!(words, expected.split('|').map(OsString::from).collect::<Vec<_>>());
        }
    }
}
