//! The table of operations.

use crate::answer::Answer;
use crate::ask::{self, AskInput};
use crate::context::Context;
use crate::error::OpError;
use crate::feedback::FeedbackInput;
use crate::grep::GrepInput;
use crate::inputs::*;
use crate::oracle;
use crate::oracle::inputs::*;
use crate::overlay::{AddInput, DeleteInput};
use crate::recent::RecentInput;
use crate::report::ReportInput;
use crate::savings::SavingsInput;
use crate::show::ShowInput;
use crate::task_context::TaskContextInput;
use crate::{
    accounts, codegraph, doctor, feedback, files, grep, impact, index, overlay, packs, pr, rebuild,
    recent, report, savings, schema, search, show, stats, symbol, task_context, tests, why,
};
use contextd_pack::PackRequest;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One thing that can be asked for.
pub struct Operation {
    /// Name as a tool and route.
    pub name: &'static str,
    /// Name as a command.
    pub command: &'static str,
    /// What it does, when to use it, and when not.
    pub about: &'static str,
    /// Part of the small set that agents see by default.
    pub core: bool,
    pub read_only: bool,
    pub destructive: bool,
    pub schema: fn() -> Value,
    pub run: fn(&Context, Value) -> Result<Answer, OpError>,
}

/// Returns the operation with that name; dots are read as underscores.
pub fn find(name: &str) -> Option<&'static Operation> {
    let name = name.replace('.', "_");
    OPERATIONS.iter().find(|operation| operation.name == name || operation.command == name)
}

fn input<T: DeserializeOwned + Default>(value: Value) -> Result<T, OpError> {
    if value.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(value).map_err(|error| {
        OpError::request(
            format!("the input cannot be read: {error}"),
            "Compare it with the operation's schema: `contextd schema NAME`.",
        )
    })
}

/// Declares operations, a line each.
macro_rules! operations {
    ($($name:literal $command:literal $input:ty => $run:path, [$($flag:ident),*], $about:literal;)+) => {
        /// Every operation.
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            name: $name,
            command: $command,
            about: $about,
            core: has(&[$(stringify!($flag)),*], "core"),
            read_only: !has(&[$(stringify!($flag)),*], "writes"),
            destructive: has(&[$(stringify!($flag)),*], "destructive"),
            schema: schema::of::<$input>,
            run: |context, value| accounts::asked(context, $name, value, |context, value| $run(context, input::<$input>(value)?)),
        }),+];
    };
}

/// True when `flags` has `flag`; evaluated while compiling.
const fn has(flags: &[&str], flag: &str) -> bool {
    let mut at = 0;
    while at < flags.len() {
        if same(flags[at].as_bytes(), flag.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(one: &[u8], two: &[u8]) -> bool {
    if one.len() != two.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != two[at] {
            return false;
        }
        at += 1;
    }
    true
}

operations! {
    "context_for_task" "task" TaskInput => packs::task, [core],
        "The places to change for a task in words: probable files, definitions with their lines, numbered bodies of the best. Use it first when work begins, with `names`: 5 to 12 identifiers, file names, messages or terms that you expect in the code, guesses welcome. Plain text search is enough to find one exact string.";
    "query_context" "search" SearchInput => search::search, [core],
        "Ranked places that answer a question about the code (where is…, how does…). Use it when the words may differ from the code's. Plain text search is enough for an exact identifier or message.";
    "ask" "ask" AskInput => ask::ask, [],
        "A request that may be work to do, a question or a name: its shape decides between context_for_task and query_context. Name the operation yourself when you know which you want.";
    "context_for_files" "files" FilesInput => packs::files, [core],
        "What belongs to changed files: who uses them, what they use, their tests. Use it before editing or reviewing files. Not needed to just read one file.";
    "context_for_pr" "pr" PrInput => pr::pr, [core],
        "A branch, commit range or patch: changed symbols, who uses them, tests to run, owners, docs to check, files usually changed too, risk. Use it to review or finish a change. A plain diff is enough for its text.";
    "recent_changes" "recent" RecentInput => recent::recent, [],
        "What changed lately in a part, file or symbol: commits, the symbols they touched, their diffs. Use it to learn why code is as it is, or who works on it. For one known range, context_for_pr.";
    "show" "show" ShowInput => show::show, [core],
        "Numbered lines of several places at once: `path:line` gives the definition around it, `path:10-40` a range, a name its body. Use it to read code that an answer names. For a whole file, read the file.";
    "grep" "grep" GrepInput => grep::grep, [core],
        "Plain matches of a pattern, each under the definition that holds it, with its range. Use it for an exact string, and to see whether a place is the only one. For words that may differ from the code's, query_context.";
    "symbol" "symbol" SymbolInput => symbol::symbol, [core],
        "One symbol: definition, callers, callees, tests, each edge known or guessed. Use it instead of searching for uses by name. Plain text search is enough for strings and comments.";
    "explain_symbol" "why" WhyInput => why::why, [core],
        "Why a symbol ranks where it does for a task, term by term. Use it when an answer surprises.";
    "get_context_stats" "stats" NoInput => stats::stats, [core],
        "Health of the index, what is indexed, running rebuilds. Use it when answers seem incomplete or old.";
    "impact" "impact" ImpactInput => impact::impact, [],
        "What may break when a symbol or file changes, nearest first, with tests. Use it before changing something shared. Plain text search misses indirect users.";
    "test_scope" "tests" TestsInput => tests::tests, [],
        "Tests that a change reaches, with the way to each, as a runner takes them. Use it to run few tests after an edit. Run the whole suite before releasing.";
    "status" "status" NoInput => stats::status, [],
        "The state of the index in numbers.";
    "refresh_context" "refresh" RefreshInput => index::refresh, [writes],
        "Looks at files again and brings the index up to date. Seldom needed: changes are noticed.";
    "rebuild_context" "rebuild" RebuildInput => rebuild::rebuild, [writes, destructive],
        "Makes the index anew, all of it or some paths; needs confirm. Use it only when the index is damaged.";
    "get_rebuild_status" "jobs" JobsInput => rebuild::jobs, [],
        "Rebuild jobs: progress, result, log.";
    "check_file" "check-file" CheckFileInput => files::check_file, [],
        "Whether files are indexed, and the rule that decides.";
    "list_indexable" "list-indexable" ListInput => files::list_indexable, [],
        "The files that are indexed.";
    "project_stats" "project-stats" NoInput => files::project_stats, [],
        "Files by language and what is left out, by rule.";
    "validate_config" "validate-config" NoInput => files::validate_config, [],
        "Whether the configuration is valid, and what is wrong with it.";
    "doctor" "doctor" NoInput => doctor::doctor, [],
        "Checks configuration, index and ledger.";
    "context_pack_create" "pack-create" PackRequest => packs::create, [writes],
        "Builds a pack from an explicit request and stores it under its id. Use it for reproducible context; else context_for_task.";
    "context_pack_get" "pack-get" PackGetInput => packs::get, [],
        "A stored pack by id.";
    "context_pack_list" "pack-list" ListInput => packs::list, [],
        "Stored packs, newest first.";
    "context_pack_diff" "pack-diff" PackDiffInput => packs::diff, [],
        "What entered and left between two stored packs.";
    "get_context" "ref" RefInput => oracle::get_context, [],
        "Everything around a declared part (ref_id): its graph, docs, symbols, rules, tests, stale docs. Use it when the project declares a graph and you know the ref; else context_for_task.";
    "sync_check" "docs" SyncInput => oracle::sync_check, [],
        "Which documents no longer agree with the code they cover, and why. Use it before a commit, or before trusting a document.";
    "sync_update" "docs-update" SyncUpdateInput => oracle::sync_update, [writes],
        "Records that documents agree with the code again, in .contextd/sync.lock. Use it after reading or editing them.";
    "lint" "lint" LintInput => oracle::lint, [],
        "Architecture rules that do not hold, with evidence and remedy. Use it after changing what depends on what.";
    "graph" "graph" GraphInput => oracle::graph, [],
        "Nodes and edges around a ref, symbol, file or folder, to draw. Use it to see structure; for one symbol's uses, symbol.";
    "prime" "prime" PrimeInput => oracle::prime, [],
        "A brief of the project under 2,000 tokens: what it is, entry points, commands, parts, rules, hot spots. Use it once, at the start.";
    "context_pack_write" "pack-write" PackWriteInput => packs::write, [writes],
        "Adds stored packs to the artifact of the index, context_packs.jsonl.";
    "code_graph_context" "codegraph" CodeGraphInput => codegraph::run, [],
        "Entities around a change by their interfaces, relationships, testability and risk, without code. Use it to plan a change of known entities; for a task in words use context_for_task.";
    "audit_secrets" "audit" NoInput => files::audit_secrets, [],
        "What was redacted, by file, line and rule; never the value.";
    "feedback" "feedback" FeedbackInput => feedback::feedback, [writes],
        "Says which symbols of an answer were useful or not, or lists, explains, exports and forgets what was learned. Use it when an answer held something wrong or missed something.";
    "report_usage" "report-usage" ReportInput => report::report, [writes],
        "Reports what of an answer was read or edited, and tokens spent. Later answers in this project learn from it.";
    "savings" "savings" SavingsInput => savings::savings, [],
        "Tokens saved against reading whole files, by day, task or kind; what each provider gave.";
    "task_context" "task-context" TaskContextInput => task_context::task_context, [],
        "Context block and prompt for a task of an orchestrator, inside a budget that follows type and complexity. Agents use context_for_task instead.";
    "add_context" "add-context" AddInput => overlay::add, [writes],
        "Indexes one file now; a given text counts instead of the file's until it is deleted. Use it for unsaved editors.";
    "delete_context" "delete-context" DeleteInput => overlay::delete, [writes, destructive],
        "Takes one file out of the index until it is refreshed.";
    "schema" "schema" SchemaInput => schema::schema, [],
        "The JSON schema of a wire type or of an operation's input.";
}
