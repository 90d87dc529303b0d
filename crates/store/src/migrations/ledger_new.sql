-- The ledger's tables as all the steps leave them, for a file that is made now. A new step is added here, too: a test
-- compares the two.
CREATE TABLE file_state (
    file_id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused, so links to removed files stay recognisable
    path         TEXT NOT NULL UNIQUE,
    lang         TEXT NOT NULL,
    content_hash BLOB NOT NULL,                      -- BLAKE3 of the original bytes
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    ctime_ns     INTEGER NOT NULL,
    inode        INTEGER NOT NULL,
    mode         INTEGER NOT NULL,
    status       TEXT NOT NULL,
    indexed_at   INTEGER NOT NULL,
    project      TEXT NOT NULL,
    lines        INTEGER NOT NULL,
    symbols      INTEGER NOT NULL,
    chunks       INTEGER NOT NULL,
    tokens       INTEGER NOT NULL
);
CREATE TABLE chunks (
    chunk_id   INTEGER PRIMARY KEY,                  -- file_id * 2^20 + ordinal
    kind_id    INTEGER NOT NULL,
    "start"    INTEGER NOT NULL,                     -- bytes
    "end"      INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    tokens_est INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    file_id    INTEGER GENERATED ALWAYS AS (chunk_id >> 20) VIRTUAL,
    ordinal    INTEGER GENERATED ALWAYS AS (chunk_id & 1048575) VIRTUAL,
    kind       TEXT GENERATED ALWAYS AS (CASE kind_id
        WHEN 0 THEN 'PARAGRAPH' WHEN 1 THEN 'CODE_FUNCTION' WHEN 2 THEN 'CODE_CLASS' WHEN 3 THEN 'CODE_BLOCK'
        WHEN 4 THEN 'YAML_BLOCK' WHEN 5 THEN 'SQL_STATEMENT' WHEN 6 THEN 'MARKDOWN_SECTION' WHEN 7 THEN 'DOCSTRING'
        WHEN 8 THEN 'COMMENT' END) VIRTUAL
);
CREATE TABLE embeddings (
    chunk_id  INTEGER NOT NULL,
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    encoding  TEXT NOT NULL,
    vector    BLOB NOT NULL,
    PRIMARY KEY (chunk_id, model)
) WITHOUT ROWID;
CREATE TABLE links (
    source_file  INTEGER NOT NULL,
    target_file  INTEGER NOT NULL,
    kind_id      INTEGER NOT NULL,
    source_chunk INTEGER NOT NULL,
    target_chunk INTEGER NOT NULL,
    count        INTEGER NOT NULL,
    kind         TEXT GENERATED ALWAYS AS (CASE kind_id
        WHEN 0 THEN 'calls' WHEN 1 THEN 'references' WHEN 2 THEN 'imports' WHEN 3 THEN 'exports' WHEN 4 THEN 'extends'
        WHEN 5 THEN 'implements' WHEN 6 THEN 'overrides' WHEN 7 THEN 'contains' WHEN 8 THEN 'member_of'
        WHEN 9 THEN 'tests' WHEN 10 THEN 'type_hint_of' WHEN 11 THEN 'accesses_field' WHEN 12 THEN 'decorates'
        WHEN 13 THEN 'throws' WHEN 14 THEN 'documents' WHEN 15 THEN 'handles_route' WHEN 16 THEN 'reads_env'
        WHEN 17 THEN 'executes_process' WHEN 18 THEN 'co_tested_with' WHEN 19 THEN 'owned_by' WHEN 20 THEN 'dataflow'
        WHEN 21 THEN 'part_of' WHEN 22 THEN 'touches_entity' WHEN 23 THEN 'uses' WHEN 24 THEN 'depends_on'
        WHEN 25 THEN 'touches_code' WHEN 26 THEN 'produces' WHEN 27 THEN 'consumes' END) VIRTUAL,
    PRIMARY KEY (source_file, target_file, kind_id, source_chunk, target_chunk)
) WITHOUT ROWID;
CREATE TABLE usage_metrics (
    metric_id        INTEGER PRIMARY KEY,
    ts               INTEGER NOT NULL,
    op               TEXT NOT NULL,
    agent            TEXT,
    task_id          TEXT,
    tokens_input     INTEGER,
    tokens_output    INTEGER,
    context_tokens   INTEGER,
    query_latency_ms REAL,
    snippets_count   INTEGER,
    snippets_used    INTEGER,
    providers_used   TEXT NOT NULL,                  -- JSON array
    cache_hit        INTEGER,
    notes            TEXT
, surface TEXT, session_id TEXT, pack_id TEXT, query TEXT, baseline_tokens INTEGER);
CREATE INDEX idx_usage_metrics_ts ON usage_metrics (ts);
CREATE TABLE project_config (
    config_id          INTEGER PRIMARY KEY,
    project            TEXT NOT NULL,
    watch_paths        TEXT NOT NULL,                -- JSON arrays
    ignore_patterns    TEXT NOT NULL,
    allowed_extensions TEXT NOT NULL,
    blocked_extensions TEXT NOT NULL,
    max_file_size_mb   REAL NOT NULL,
    follow_symlinks    INTEGER NOT NULL,
    fingerprint        BLOB NOT NULL,                -- hash of every setting that affects the index
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL
);
CREATE INDEX idx_project_config_project ON project_config (project, config_id);
CREATE TABLE bootstrap_errors (
    error_id      INTEGER PRIMARY KEY AUTOINCREMENT,
    file_path     TEXT NOT NULL,
    error_type    TEXT NOT NULL,
    error_message TEXT NOT NULL,
    stack_trace   TEXT,
    occurred_at   INTEGER NOT NULL,
    retry_count   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (file_path, error_type)
);
CREATE TABLE jobs (
    job_id           TEXT PRIMARY KEY,
    job_type         TEXT NOT NULL,
    status           TEXT NOT NULL,
    scope            TEXT NOT NULL,                  -- 'all' or a JSON array of paths
    files_total      INTEGER,
    files_processed  INTEGER NOT NULL DEFAULT 0,
    started_at       INTEGER NOT NULL,
    completed_at     INTEGER,
    error_message    TEXT,
    metrics          TEXT,                           -- JSON
    created_by       TEXT,
    current_file     TEXT,
    updated_at       INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    exclusive        INTEGER NOT NULL DEFAULT 0,
    owner_pid        INTEGER NOT NULL,
    owner_started    INTEGER NOT NULL,
    owner_space      INTEGER NOT NULL
);
CREATE INDEX idx_jobs_status ON jobs (status);
CREATE INDEX idx_jobs_created ON jobs (started_at DESC);
CREATE TABLE job_logs (
    log_id  INTEGER PRIMARY KEY,
    job_id  TEXT NOT NULL,
    ts      INTEGER NOT NULL,
    level   TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX idx_job_logs_job ON job_logs (job_id, log_id);
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE packs (
    pack_id         TEXT PRIMARY KEY,
    created_at      INTEGER NOT NULL,
    intent          TEXT NOT NULL,
    task            TEXT NOT NULL,
    index_signature TEXT NOT NULL,
    request         TEXT NOT NULL,                   -- JSON, normalised
    items           INTEGER NOT NULL,
    tokens          INTEGER NOT NULL,
    body            BLOB NOT NULL                    -- compressed canonical JSON
);
CREATE INDEX idx_packs_created ON packs (created_at DESC);
CREATE TABLE sessions (
    session_id   TEXT PRIMARY KEY,
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    step         INTEGER NOT NULL,                   -- counted requests: what decay is measured in
    state        BLOB NOT NULL
);
CREATE TABLE feedback (
    feedback_id INTEGER PRIMARY KEY,
    ts          INTEGER NOT NULL,
    session_id  TEXT,
    pack_id     TEXT,
    target      TEXT NOT NULL,                       -- symbolId, chunkUid or path
    value       REAL NOT NULL,                       -- 1 useful, -1 not
    note        TEXT
, verdict TEXT NOT NULL DEFAULT 'useful', anchor TEXT NOT NULL DEFAULT '', words TEXT NOT NULL DEFAULT '[]', chance REAL);
CREATE INDEX idx_feedback_target ON feedback (target);
CREATE TABLE returned (
    pack_id   TEXT PRIMARY KEY,
    metric_id INTEGER NOT NULL,
    words     TEXT NOT NULL,                          -- JSON array
    items     TEXT NOT NULL                           -- JSON array of [symbolId, name, path, provider, score]
);
CREATE INDEX idx_returned_metric ON returned (metric_id);
CREATE TABLE usage_providers (
    metric_id INTEGER NOT NULL,
    provider  TEXT NOT NULL,
    provided  INTEGER NOT NULL,
    used      INTEGER NOT NULL DEFAULT 0,
    score     REAL NOT NULL,                          -- sum over the items
    PRIMARY KEY (metric_id, provider)
) WITHOUT ROWID;
CREATE TABLE layer (
    number INTEGER PRIMARY KEY,
    record TEXT NOT NULL                              -- JSON, as `contextd schema LayerLine` says
);
CREATE VIEW layer_symbols AS SELECT
    number,
    record ->> '$.name' AS name, record ->> '$.qualifiedName' AS qualified_name, record ->> '$.kind' AS kind,
    record ->> '$.startLine' AS start_line, record ->> '$.endLine' AS end_line, record ->> '$.signature' AS signature
    FROM layer WHERE record ->> '$.record' = 'symbol';
CREATE VIEW layer_edges AS SELECT
    record ->> '$.from' AS source, record ->> '$.to' AS target, record ->> '$.kind' AS kind,
    record ->> '$.confidence' AS confidence, record ->> '$.provenance' AS provenance, record ->> '$.line' AS line
    FROM layer WHERE record ->> '$.record' = 'edge';
