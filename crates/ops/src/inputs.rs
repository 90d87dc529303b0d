//! Inputs of operations.

use contextd_pack::Tokenizer;
use contextd_pack::request::{Intent, Strictness};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Input of `context_for_task`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskInput {
    /// The work to do, in words; names of code help
    #[serde(alias = "query", alias = "description")]
    pub task: String,
    /// 5 to 12 identifiers, file names, messages or terms that you expect in the code; guesses are welcome
    pub names: Vec<String>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    pub intent: Intent,
    #[serde(flatten)]
    pub limits: Limits,
}

/// Input of `context_for_files`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FilesInput {
    /// Changed files, relative to the root
    #[serde(alias = "files")]
    pub paths: Vec<String>,
    /// What the change is about
    #[serde(alias = "query")]
    pub task: String,
    /// Identifiers, file names, messages or terms that you expect in the code; guesses are welcome
    pub names: Vec<String>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    #[schemars(skip)]
    #[serde(flatten)]
    pub limits: Limits,
}

/// Which results are wanted, and how they are counted and written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Folders or globs to look in
    #[serde(alias = "path")]
    pub within: Vec<String>,
    /// Folders or globs to leave out
    pub exclude: Vec<String>,
    /// Languages, such as `rust`
    #[serde(alias = "lang")]
    pub languages: Vec<String>,
    /// Kinds, such as `function`
    #[serde(alias = "kind")]
    pub kinds: Vec<String>,
    /// Least score, 0 to 1
    pub min_score: Option<f64>,
    /// Most seeds
    pub k: Option<u32>,
    /// Project of the configuration to look in.
    #[schemars(skip)]
    pub project: Option<String>,
    #[schemars(skip)]
    pub mmr_lambda: Option<f64>,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
    #[schemars(skip)]
    pub profile: Option<String>,
    #[schemars(skip)]
    pub strictness: Strictness,
    #[schemars(skip)]
    pub format: Option<String>,
    /// What the caller has: packs and items that are referred to, not sent again
    #[schemars(skip)]
    pub held: contextd_pack::request::Held,
}

/// Input of `query_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchInput {
    /// The question, in words or names
    pub query: String,
    /// Identifiers, file names, messages or terms that you expect in the code; guesses are welcome
    pub names: Vec<String>,
    /// Most hits, 12 by default
    pub k: Option<u32>,
    /// Where to look
    pub scope: SearchScope,
    pub filters: SearchFilters,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
    /// `json` when the budget is to count the JSON instead of the text.
    #[schemars(skip)]
    pub format: Option<String>,
}

/// Where to look.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchScope {
    /// Folders or globs
    pub paths: Vec<String>,
    pub languages: Vec<String>,
    /// Kinds such as `function` or `CODE_FUNCTION`
    pub kinds: Vec<String>,
    /// Folders or globs to leave out
    pub exclude: Vec<String>,
    /// Project of the configuration to look in.
    #[schemars(skip)]
    pub project: Option<String>,
}

/// What is good enough.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchFilters {
    /// Least score, 0 to 1
    pub min_score: Option<f64>,
    /// Most tokens of snippets
    pub max_tokens: Option<u64>,
}

/// Input of `symbol`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SymbolInput {
    /// `name`, `Type.method`, `path:line` or a symbolId
    #[serde(alias = "symbol")]
    pub name: String,
    /// Most relations of a sort, 20 by default
    pub limit: Option<u32>,
}

/// Input of `explain_symbol`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WhyInput {
    /// As for `symbol`
    #[serde(alias = "name")]
    pub symbol: String,
    /// The task it is ranked for
    #[serde(alias = "query")]
    pub task: String,
    /// The guesses that came with the task
    pub names: Vec<String>,
    #[schemars(skip)]
    pub profile: Option<String>,
}

/// Input of `impact`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImpactInput {
    /// A symbol or a file
    #[serde(alias = "symbol", alias = "path")]
    pub target: String,
    /// How far to follow, 3 by default, at most 6
    pub max_hops: Option<u32>,
}

/// Input of operations that need none.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NoInput {}

/// Input of `refresh_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RefreshInput {
    /// Files and folders to look at again
    pub paths: Vec<String>,
    /// Read them again even when they look unchanged
    pub force: bool,
    /// Answer before it is done; only where the process stays
    #[serde(rename = "async")]
    pub run_async: Option<bool>,
}

/// Input of `rebuild_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RebuildInput {
    /// Must be true: everything recorded is made anew
    pub confirm: bool,
    /// Answer before it is done; only where the process stays
    #[serde(rename = "async")]
    pub run_async: Option<bool>,
    /// Files and folders; empty for all
    pub paths: Vec<String>,
    pub options: RebuildOptions,
}

/// Options of `rebuild_context`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RebuildOptions {
    /// Forget recorded errors
    pub clear_errors: bool,
    /// Give unused space of the ledger back
    pub vacuum: bool,
    /// Only say what would be done
    pub validate_only: bool,
}

impl Default for RebuildOptions {
    fn default() -> Self {
        Self { clear_errors: true, vacuum: true, validate_only: false }
    }
}

/// Input of `get_rebuild_status`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct JobsInput {
    /// A job; without it, the newest ones are listed
    pub job_id: Option<String>,
    pub include_logs: bool,
    /// Ask the job to stop
    pub cancel: bool,
}

/// Input of `check_file`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckFileInput {
    pub paths: Vec<String>,
}

/// Input of operations that list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListInput {
    pub limit: Option<usize>,
}

/// Input of `context_pack_get`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PackGetInput {
    /// The id, or its first digits
    pub pack_id: String,
}

/// Input of `context_pack_write`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PackWriteInput {
    /// Stored packs, by id
    pub pack_ids: Vec<String>,
}

/// Input of `code_graph_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CodeGraphInput {
    /// Keys such as `src/user.rs-user-User`, symbolIds or names
    #[serde(alias = "baseEntities", alias = "base_entities")]
    pub entities: Vec<String>,
    /// 0 to 3, 2 by default
    #[serde(alias = "hop_depth")]
    pub hop_depth: Option<u32>,
    #[serde(alias = "change_type")]
    pub change_type: Option<contextd_pack::codegraph::ChangeType>,
    #[serde(alias = "focus_areas")]
    pub focus_areas: Option<Vec<contextd_pack::codegraph::FocusArea>>,
    /// Most tokens, at most 100,000
    #[serde(alias = "size_limit")]
    pub size_limit: Option<u64>,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
}

/// Input of `context_pack_diff`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PackDiffInput {
    pub from: String,
    pub to: String,
}

/// Input of `schema`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SchemaInput {
    pub name: String,
}

/// Input of `test_scope`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TestsInput {
    /// Files, folders or symbols; empty for what changed
    pub paths: Vec<String>,
    /// Compare the work tree with this revision; by default with the default branch
    pub since: Option<String>,
    /// A unified patch instead
    pub patch: Option<String>,
    /// Also tests that the change reaches only on long or doubtful ways
    pub all: bool,
    /// `names`, `files`, `pytest`, `cargo`, `go` or `jest` for lines that a runner takes
    pub format: Option<String>,
    /// Most tests
    pub limit: Option<u32>,
}

/// Input of `context_for_pr`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PrInput {
    /// `BASE` or `BASE..HEAD`; empty: the work tree since the default branch
    #[serde(alias = "base")]
    pub range: String,
    /// A unified patch instead
    pub patch: Option<String>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    #[schemars(skip)]
    pub tokenizer: Option<Tokenizer>,
    #[schemars(skip)]
    pub strictness: Strictness,
    #[schemars(skip)]
    pub format: Option<String>,
}
