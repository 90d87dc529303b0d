//! Every section of `context.toml` with its keys, defaults and ranges.

use super::section::{choice, section};

/// Builds a list of owned texts.
fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

choice! {
    /// Where the engine runs.
    Mode ("\"embedded\", \"standalone\" or \"hybrid\"") {
        Embedded = "embedded",
        Standalone = "standalone",
        Hybrid = "hybrid",
    }
}

choice! {
    /// Which tests, beside the one on content, call a file binary.
    BinaryDetection ("\"content\", \"extension\", \"mime\" or \"all\"") {
        /// NUL bytes, no valid UTF-8, or more non-ASCII bytes than the threshold.
        Content = "content",
        /// Known extensions of binary formats as well.
        Extension = "extension",
        /// Known first bytes of binary formats as well.
        Mime = "mime",
        All = "all",
    }
}

choice! {
    /// How the lists of several providers become one.
    FusionStrategy ("\"fitted\", \"rrf\", \"weighted_average\" or \"cascade\"") {
        /// The sum of named signals whose weights were fitted, instead of lists.
        Fitted = "fitted",
        Rrf = "rrf",
        WeightedAverage = "weighted_average",
        Cascade = "cascade",
    }
}

section! {
    /// Settings of the whole system; they stand at the top, under `[context]` or under `[core]`.
    Core {
        /// Master switch; off, every request gets an empty answer.
        enabled: bool = true,
        /// Where the engine runs: in this process, as a service, or the first with the second behind it.
        mode: Mode = Mode::Embedded,
        /// Whether a failing engine yields an empty answer instead of an error.
        fallback_enabled: bool = true,
    }
}

section! {
    /// The service of the modes `standalone` and `hybrid`.
    Engine {
        /// Address to listen on and to connect to; any but a loopback address needs an API key.
        host: String = "localhost".to_owned(),
        /// Port to listen on and to connect to.
        port(1..=65535): u16 = 9090,
        /// Longest time a request may take, in milliseconds.
        timeout_ms(1..=3_600_000): u64 = 10_000,
        /// How often a failed request is tried again.
        retry_attempts(0..=100): u32 = 3,
        /// Key that clients must send; without one only loopback is served.
        api_key: Option<String> = None,
    }
}

section! {
    /// Where the index lies and how it is kept.
    Storage {
        /// Folder of the index; `.contextd/index` under the root when not set.
        path: Option<String> = None,
        /// File of the ledger; `ledger.db` in the index folder when not set.
        db_path: Option<String> = None,
        /// Whether the ledger is copied from time to time.
        backup_enabled: bool = false,
        /// Hours between two copies.
        backup_interval_hours(1..=8760): u64 = 24,
        /// Largest size of the facts that worktrees share, in megabytes; the oldest unused go first.
        facts_cache_max_mb(16..=1_048_576): u64 = 2048,
    }
}

section! {
    /// Watching for changes, and which paths belong to the project.
    Watcher {
        /// Whether changes are noticed while a server or `index --watch` runs.
        enabled: bool = true,
        /// How long a file must be quiet before it is indexed, in milliseconds.
        debounce_ms(0..=60_000): u64 = 500,
        /// Folders that are indexed, relative to the root; empty or `["auto"]` means the whole root.
        watch_paths: Vec<String> = Vec::new(),
        /// Patterns that are left out, as in `.gitignore`; a pattern that ends in `/` counts from the root.
        /// Outside git the built-in list applies when this is not set.
        ignore_patterns: Option<Vec<String>> = None,
        /// Whether `ignore_patterns` disregard upper and lower case.
        ignore_case: bool = true,
        /// Files larger than this are skipped; the smaller of this and `indexing.max_file_size_mb` counts.
        max_file_size_mb(0.0..=1024.0): Option<f64> = None,
        /// Whether `.gitignore` and git's other exclude files apply.
        use_gitignore: bool = true,
        /// Whether `.contextignore` files apply.
        use_contextignore: bool = true,
        /// Whether `.dockerignore` at the root applies; the same as `indexing.use_dockerignore`.
        use_dockerignore: bool = false,
        /// Seconds between two full scans that catch what events missed; 0 turns them off.
        full_scan_interval_seconds(0..=86_400): u64 = 300,
        /// Milliseconds between two looks at the tree when the system gives no events.
        poll_interval_ms(100..=3_600_000): u64 = 2_000,
    }
}

section! {
    /// Which files are indexed.
    Indexing {
        /// Extensions that are indexed, such as `".rs"`; empty means all.
        allowed_extensions: Vec<String> = Vec::new(),
        /// Extensions that are skipped.
        blocked_extensions: Vec<String> = Vec::new(),
        /// Files larger than this are skipped, in megabytes of 1,048,576 bytes.
        max_file_size_mb(0.0..=1024.0): f64 = 5.0,
        /// Files larger than this are reported.
        warn_file_size_mb(0.0..=1024.0): f64 = 2.0,
        /// Files that may be larger, as paths or patterns from the root.
        size_exceptions: Vec<String> = Vec::new(),
        /// Whether symbolic links inside the root are followed; links that lead out never are.
        follow_symlinks: bool = false,
        /// How many links may lie on the way to a file.
        max_symlink_depth(0..=64): u32 = 3,
        /// Which tests call a file binary; NUL bytes and invalid UTF-8 always do, but for UTF-16 with a byte order mark.
        binary_detection: BinaryDetection = BinaryDetection::Content,
        /// Percentage of non-ASCII bytes in the first 8 KB above which a file is binary; 100 turns it off.
        binary_threshold(0..=100): u32 = 100,
        /// Whether `.dockerignore` at the root applies.
        use_dockerignore: bool = false,
    }
}

section! {
    /// Vectors for search by meaning.
    Embedding {
        /// Name of the model; `builtin` needs no download.
        model: String = "builtin".to_owned(),
        /// Length of a vector; 0 means the model's own.
        dimension(0..=8192): u32 = 0,
        /// Texts that are embedded in one call.
        batch_size(1..=4096): u32 = 128,
        /// Whether vectors are scaled to length one.
        normalize: bool = true,
        /// Whether vectors are kept for texts seen before.
        cache_enabled: bool = true,
        /// Address of a remote model; nothing leaves the machine without it.
        endpoint: Option<String> = None,
        /// Key for the remote model.
        api_key: Option<String> = None,
    }
}

section! {
    /// How files of one language are cut into chunks.
    ChunkRules {
        /// Largest chunk, in estimated tokens.
        max_tokens(16..=100_000): u32 = 600,
        /// How much of a piece the next one repeats when a long symbol is split, in percent.
        overlap_percent(0..=90): u32 = 0,
        /// Whether headings start a chunk.
        split_by_headings: bool = true,
        /// Whether functions and methods are chunks of their own.
        split_by_function: bool = true,
        /// Whether classes and other types are chunks of their own.
        split_by_class: bool = true,
        /// Whether exported declarations are chunks of their own.
        split_by_export: bool = true,
        /// Whether fenced code stays in one piece.
        preserve_code_blocks: bool = true,
        /// Whether docstrings stay with their code.
        preserve_docstrings: bool = true,
        /// Whether KDoc stays with its code.
        preserve_kdoc: bool = true,
        /// Whether JSDoc stays with its code.
        preserve_jsdoc: bool = true,
    }
}

section! {
    /// How questions are answered.
    Query {
        /// Number of results.
        default_k(1..=1000): u32 = 12,
        /// Relevance (1.0) against diversity (0.0).
        mmr_lambda(0.0..=1.0): f64 = 0.5,
        /// Results below this score are left out.
        min_score_threshold(0.0..=1.0): f64 = 0.3,
        /// Whether results are re-ranked for diversity.
        rerank_enabled: bool = true,
        /// Ranking profile.
        profile: String = "recall".to_owned(),
    }
}

section! {
    /// Token budgets.
    Budget {
        /// Base budget of `task_context`.
        default_max_tokens(1..=1_000_000): u32 = 1500,
        /// Tokens held back for the prompt around the context.
        reserve_for_prompt(0..=1_000_000): u32 = 500,
        /// Share of the budget above which a warning is given, in percent.
        warn_threshold_percent(0..=100): u32 = 80,
        /// Budget of `task` as text; formats that name every field get six times as much.
        task_tokens(1..=1_000_000): u32 = 1000,
        /// Budget of `search`.
        search_tokens(1..=1_000_000): u32 = 3000,
        /// Budget of `files`.
        files_tokens(1..=1_000_000): u32 = 6000,
        /// Budget of `pr`.
        pr_tokens(1..=1_000_000): u32 = 8000,
        /// Tokenizer that counts: `o200k`, `cl100k` or `estimate`.
        tokenizer: String = "o200k".to_owned(),
    }
}

section! {
    /// Search by meaning.
    SemanticProvider {
        /// Whether the provider is asked.
        enabled: bool = true,
        /// Weight among the providers.
        weight(0.0..=1000.0): f64 = 0.6,
    }
}

section! {
    /// Search by names and structure.
    SymbolProvider {
        /// Whether the provider is asked.
        enabled: bool = true,
        /// Weight among the providers.
        weight(0.0..=1000.0): f64 = 0.3,
        /// Whether the syntax tree is indexed.
        index_ast: bool = true,
    }
}

section! {
    /// Search by words.
    FullTextProvider {
        /// Whether the provider is asked by itself; `hybrid` covers it.
        enabled: bool = false,
        /// Weight among the providers.
        weight(0.0..=1000.0): f64 = 0.1,
    }
}

section! {
    /// Search in commit messages and changes.
    GitHistoryProvider {
        /// Whether the provider is asked.
        enabled: bool = true,
        /// Weight among the providers.
        weight(0.0..=1000.0): f64 = 0.2,
        /// Most commits that one answer looks at.
        max_commits(1..=1_000_000): u32 = 100,
    }
}

section! {
    /// Search along the edges of the code graph.
    DependencyProvider {
        /// Whether the provider is asked.
        enabled: bool = true,
        /// Weight among the providers.
        weight(0.0..=1000.0): f64 = 0.2,
    }
}

section! {
    /// Several providers as one.
    HybridProvider {
        /// Whether the provider is asked.
        enabled: bool = true,
        /// Providers that it combines.
        combines: Vec<String> = texts(&["semantic", "symbol", "git_history"]),
        /// How their lists become one.
        fusion_strategy: FusionStrategy = FusionStrategy::Fitted,
    }
}

section! {
    /// What is measured while answering.
    Metrics {
        /// Whether anything is measured.
        enabled: bool = true,
        /// Whether times are kept.
        track_latency: bool = true,
        /// Whether token counts are kept.
        track_token_usage: bool = true,
        /// Whether cache hits are kept.
        track_cache_hits: bool = true,
        /// Minutes between two exports.
        export_interval_minutes(1..=10_080): u64 = 5,
    }
}

section! {
    /// The first indexing of a folder.
    Bootstrap {
        /// Whether a folder without an index is indexed by itself.
        enabled: bool = true,
        /// Files that are worked on at once; 0 means one for each core.
        parallel_workers(0..=1024): u32 = 0,
        /// Chunks that are embedded in one call.
        batch_size(1..=4096): u32 = 128,
        /// Extensions that are indexed first.
        priority_extensions: Vec<String> = texts(&[".kt", ".py", ".ts", ".java", ".md"]),
        /// Most files that are indexed, for trials; 0 means all.
        max_initial_files(0..=100_000_000): u64 = 0,
        /// Whether the first failing file ends the run.
        fail_fast: bool = false,
        /// Whether progress is shown.
        show_progress: bool = true,
        /// Seconds between two progress messages.
        progress_interval_seconds(1..=3600): u64 = 30,
    }
}

section! {
    /// What must not be stored or shown.
    Security {
        /// Whether secrets are replaced before anything is stored.
        scrub_secrets: bool = true,
        /// Regular expressions for secrets, in addition to the built-in ones.
        secret_patterns: Vec<String> = Vec::new(),
        /// File names that are never indexed.
        private_patterns: Vec<String> = texts(&["*.private", "*.secret"]),
        /// Whether the index is encrypted at rest.
        encrypt_db: bool = false,
        /// Environment variable that holds the key of the encryption.
        encryption_key_env: String = "CONTEXTD_KEY".to_owned(),
        /// File that holds the key of the encryption; it goes before the variable.
        encryption_key_file: Option<String> = None,
    }
}

section! {
    /// What is read from git's history.
    History {
        /// Most commits that are read, newest first; 0 for all.
        max_commits(0..=10_000_000): u32 = 5000,
    }
}

section! {
    /// The block of context in a task's prompt.
    Prompt {
        /// Whether prompts get a block of context.
        enabled: bool = true,
        /// Most tokens in the block.
        max_tokens(1..=1_000_000): u32 = 1500,
    }
}

section! {
    /// One project of several under the root.
    Project {
        /// Folders of the project, relative to the root.
        watch_paths: Vec<String> = Vec::new(),
        /// Patterns that do not belong to it, as in `.gitignore`, relative to the root.
        ignore_patterns: Vec<String> = Vec::new(),
    }
}
