//! The tables in plain SQL, and the methods beside files and jobs.

use crate::sample;
use contextd_model::{ContentHash, EdgeKind};
use contextd_store::*;
use rusqlite::Connection;

fn scalar<T: rusqlite::types::FromSql>(connection: &Connection, sql: &str) -> T {
    connection.query_row(sql, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[test]
fn a_layer_is_kept_on_request_and_reads_with_plain_sql() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(ledger.layer().expect("reads"), None);
    let records = [
        r#"{"record":"symbol","name":"f","qualifiedName":"T.f","kind":"method"}"#.to_owned(),
        r#"{"record":"edge","from":1,"to":0,"kind":"calls","confidence":95,"provenance":"ast","line":7}"#.to_owned(),
    ];
    ledger.replace_layer("one", &[]).expect("writes");
    ledger.replace_layer("two", &records).expect("writes");
    assert_eq!(ledger.layer().expect("reads"), Some(("two".to_owned(), records.to_vec())));
    let sql = Connection::open(&path).expect("opens");
    assert_eq!(scalar::<String>(&sql, "SELECT qualified_name FROM layer_symbols"), "T.f");
    assert_eq!(scalar::<i64>(&sql, "SELECT confidence + line FROM layer_edges"), 102);
    ledger.replace_layer("three", &[]).expect("writes");
    assert_eq!(ledger.layer().expect("reads"), None);
}

#[test]
fn files_are_found_at_paths_and_below_them() {
    let folder = tempfile::tempdir().expect("creates");
    let (mut ledger, _) = SqliteLedger::open(&folder.path().join("ledger.db")).expect("opens");
    let paths = ["a", "a-b/x.py", "a/b/c.py", "a/b.py", "a0", "b/a/x.py", "a/b/ü.py", "z.py"];
    let files: Vec<FileRecord> = paths.iter().map(|path| sample::file(path, 1)).collect();
    ledger.replace_files(&files, &[]).expect("writes");
    let at = |asked: &[&str]| -> Vec<String> {
        let found = ledger.file_states_at(asked).expect("reads");
        found.into_iter().map(|state| state.record.path).collect()
    };
    assert_eq!(at(&[]), [""; 0]);
    assert_eq!(at(&["a"]), ["a", "a/b.py", "a/b/c.py", "a/b/ü.py"]);
    assert_eq!(at(&["a/b", "z.py", "a/b/c.py", "gone"]), ["a/b/c.py", "a/b/ü.py", "z.py"]);
    assert_eq!(at(&["b"]), ["b/a/x.py"]);
}

#[test]
fn the_tables_read_with_plain_sql() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    let ids = ledger
        .replace_files(&[sample::file("a.py", 1), sample::file("b.rs", 1)], &[])
        .expect("writes");
    let chunks = (0..3).map(sample::chunk).collect();
    ledger.replace_chunks(&[FileChunks { file: ids[0], chunks }]).expect("writes");
    let link = LinkRecord {
        target: ids[1],
        kind: EdgeKind::Imports,
        source_chunk: None,
        target_chunk: None,
        count: 2,
    };
    ledger.replace_links(&[FileLinks { source: ids[0], links: vec![link, link] }]).expect("writes");
    ledger.bootstrap_start(&["a.py".to_owned()]).expect("writes");

    let sql = Connection::open(&path).expect("opens");
    let coverage = "SELECT lang || ' ' || COUNT(*) || ' ' || SUM(tokens_est) FROM chunks
                    JOIN file_state ON chunks.file_id = file_state.file_id GROUP BY lang ORDER BY COUNT(*) DESC";
    assert_eq!(scalar::<String>(&sql, coverage), "python 3 21");
    assert_eq!(
        scalar::<String>(&sql, "SELECT kind FROM chunks WHERE ordinal = 1"),
        "CODE_FUNCTION"
    );
    assert_eq!(scalar::<String>(&sql, "SELECT kind || ' ' || count FROM links"), "imports 4");
    assert_eq!(
        scalar::<String>(&sql, "SELECT status FROM bootstrap_progress WHERE file_path = 'a.py'"),
        "pending"
    );
    for (table, columns) in [
        ("embeddings", "chunk_id, model, vector"),
        ("usage_metrics", "ts, op, agent, task_id, tokens_input, tokens_output, notes"),
        (
            "project_config",
            "config_id, watch_paths, ignore_patterns, allowed_extensions, blocked_extensions, max_file_size_mb, follow_symlinks, created_at, updated_at",
        ),
        (
            "bootstrap_errors",
            "error_id, file_path, error_type, error_message, stack_trace, occurred_at, retry_count",
        ),
        ("bootstrap_progress", "file_path, status, started_at, completed_at, error_message"),
        (
            "jobs",
            "job_id, job_type, status, scope, files_total, files_processed, started_at, completed_at, error_message, metrics, created_by",
        ),
        (
            "chunks",
            "chunk_id, file_id, ordinal, kind, \"start\", \"end\", start_line, end_line, tokens_est, hash",
        ),
        ("links", "source_file, target_file, source_chunk, target_chunk, kind, count"),
    ] {
        sql.prepare(&format!("SELECT {columns} FROM {table}"))
            .unwrap_or_else(|error| panic!("{table}: {error}"));
    }
    ledger.bootstrap_finish().expect("drops");
    assert_eq!(
        scalar::<i64>(&sql, "SELECT count(*) FROM sqlite_schema WHERE name = 'bootstrap_progress'"),
        0
    );
}

#[test]
fn a_bootstrap_continues_where_it_stopped() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let mark = |path: &str, status| BootstrapFile {
        path: path.to_owned(),
        status,
        at: 5,
        error_message: None,
    };
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(ledger.bootstrap_pending().expect("reads"), None);
    ledger.bootstrap_start(&["c", "a", "b", "d"].map(str::to_owned)).expect("writes");
    let marks = [
        mark("a", BootstrapStatus::Completed),
        mark("b", BootstrapStatus::Processing),
        mark("d", BootstrapStatus::Failed),
    ];
    ledger.bootstrap_mark(&marks).expect("writes");
    drop(ledger);
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(
        ledger.bootstrap_pending().expect("reads"),
        Some(vec!["b".to_owned(), "c".to_owned()])
    );
    let counts = ledger.bootstrap_counts().expect("reads").expect("is there");
    assert_eq!(
        (counts.pending, counts.processing, counts.completed, counts.failed, counts.total()),
        (1, 1, 1, 1, 4)
    );
    ledger.bootstrap_finish().expect("drops");
    ledger.bootstrap_mark(&marks).expect("late news are ignored");
    assert_eq!(ledger.bootstrap_counts().expect("reads"), None);
}

#[test]
fn backups_are_whole_and_due_after_the_interval() {
    let folder = tempfile::tempdir().expect("creates");
    let (mut ledger, _) = SqliteLedger::open(&folder.path().join("ledger.db")).expect("opens");
    ledger.replace_files(&[sample::file("a.rs", 1)], &[]).expect("writes");
    assert!(ledger.backup_due(1000, 0).expect("reads"));
    let copy = folder.path().join("backups/ledger.db");
    ledger.backup_to(&copy, 10_000).expect("copies");
    assert!(!ledger.backup_due(1000, 10_999).expect("reads"));
    assert!(ledger.backup_due(1000, 11_000).expect("reads"));
    ledger.replace_files(&[sample::file("b.rs", 1)], &[]).expect("writes");
    ledger.backup_to(&copy, 11_000).expect("replaces");
    let (copied, problems) = SqliteLedger::open(&copy).expect("opens");
    assert_eq!(problems, []);
    assert_eq!(copied.file_states().expect("reads"), ledger.file_states().expect("reads"));
}

#[test]
fn a_changed_configuration_is_noticed_and_the_old_one_kept() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    let config = ProjectConfig {
        project: "backend".to_owned(),
        watch_paths: vec!["src/".to_owned(), "a \"quoted\" one".to_owned()],
        ignore_patterns: vec![],
        allowed_extensions: vec![".rs".to_owned()],
        blocked_extensions: vec![],
        max_file_size_mb: 2.5,
        follow_symlinks: true,
        fingerprint: ContentHash::of(b"1"),
    };
    assert!(ledger.set_project_config(&config, 1).expect("writes"));
    assert!(!ledger.set_project_config(&config, 2).expect("writes"));
    let changed = ProjectConfig { follow_symlinks: false, ..config.clone() };
    assert!(ledger.set_project_config(&changed, 3).expect("writes"));
    assert_eq!(ledger.project_config("backend").expect("reads"), Some(changed));
    assert_eq!(ledger.project_config("frontend").expect("reads"), None);
    let sql = Connection::open(&path).expect("opens");
    assert_eq!(
        scalar::<String>(
            &sql,
            "SELECT created_at || '-' || updated_at FROM project_config WHERE config_id = 1"
        ),
        "1-2"
    );
    assert_eq!(
        scalar::<i64>(&sql, "SELECT count(*) FROM project_config, json_each(watch_paths)"),
        4
    );
}

#[test]
fn usage_is_summed_and_compared() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let day = 86_400_000;
    let usage = |ts, op: &str, task: &str, tokens| UsageRecord {
        ts,
        op: op.to_owned(),
        task_id: Some(task.to_owned()),
        tokens_input: Some(tokens),
        query_latency_ms: Some(tokens as f64 / 10.0),
        providers_used: vec!["symbol".to_owned()],
        cache_hit: Some(tokens > 1000),
        ..UsageRecord::default()
    };
    let records = [
        usage(0, "before_integration", "a", 1000),
        usage(1, "before_integration", "b", 2000),
        usage(day, "after_integration", "a", 200),
        usage(2 * day, "after_integration", "b", 1000),
        usage(2 * day + 1, "after_integration", "b", 1200),
    ];
    ledger.usage_record(&records).expect("writes");
    let savings = ledger.usage_savings(10).expect("reads");
    let shares: Vec<_> =
        savings.iter().map(|task| (task.task_id.as_str(), task.reduction_pct.round())).collect();
    assert_eq!(shares, [("a", 80.0), ("b", 45.0)]);
    let days = ledger.usage_by_day("after_integration").expect("reads");
    let means: Vec<_> =
        days.iter().map(|day| (day.day.as_str(), day.count, day.avg_tokens)).collect();
    assert_eq!(means, [("1970-01-02", 1, 200.0), ("1970-01-03", 2, 1100.0)]);
    let filter = UsageFilter { since: Some(1), until: Some(2 * day + 1), ..UsageFilter::default() };
    assert_eq!(ledger.usage_query(&filter).expect("reads"), records[1..4]);
    let newest = UsageFilter {
        limit: Some(2),
        op: Some("after_integration".to_owned()),
        ..UsageFilter::default()
    };
    assert_eq!(ledger.usage_query(&newest).expect("reads"), records[3..]);
    let summary = ledger.usage_summary(&filter).expect("reads");
    assert_eq!(
        (summary.count, summary.tokens_input, summary.cache_hit_rate),
        (3, 3200, Some(1.0 / 3.0))
    );
}

#[test]
fn packs_sessions_and_feedback_come_back() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let pack = |number: i64| PackRecord {
        summary: PackSummary {
            pack_id: format!("pack{number}"),
            created_at: number,
            intent: "task".to_owned(),
            task: "do it".to_owned(),
            index_signature: "sig".to_owned(),
            request: "{}".to_owned(),
            items: 3,
            tokens: 900,
        },
        body: format!("{{\"n\":{number}}}").repeat(100).into_bytes(),
    };
    (0..4).for_each(|number| ledger.put_pack(&pack(number)).expect("writes"));
    ledger.put_pack(&PackRecord { body: b"other".to_vec(), ..pack(1) }).expect("changes nothing");
    assert_eq!(ledger.get_pack("pack1").expect("reads"), Some(pack(1)));
    assert_eq!(ledger.list_packs(2).expect("reads"), [pack(3).summary, pack(2).summary]);
    assert_eq!(ledger.prune_packs(1).expect("prunes"), 3);
    assert_eq!(ledger.get_pack("pack1").expect("reads"), None);

    let session = Session {
        session_id: "s".to_owned(),
        started_at: 1,
        last_seen_at: 5,
        step: 2,
        state: vec![1, 2],
    };
    ledger.put_session(&session).expect("writes");
    assert_eq!(ledger.session("s").expect("reads"), Some(session));
    assert_eq!(ledger.expire_sessions(5).expect("expires"), 0);
    assert_eq!(ledger.expire_sessions(6).expect("expires"), 1);

    let feedback = Feedback {
        ts: 3,
        session_id: None,
        pack_id: Some("p".to_owned()),
        target: "t".to_owned(),
        verdict: Verdict::Unused,
        anchor: "a".to_owned(),
        words: vec!["cart".to_owned()],
        note: None,
        chance: Some(0.25),
    };
    ledger.put_feedback(std::slice::from_ref(&feedback)).expect("writes");
    let all = FeedbackFilter::default();
    let other = FeedbackFilter { target: Some("u".to_owned()), ..all.clone() };
    assert_eq!(ledger.feedback(&all).expect("reads"), [feedback]);
    assert_eq!(ledger.feedback(&other).expect("reads"), []);
    let stamp = ledger.feedback_stamp().expect("reads");
    assert_eq!(ledger.forget_feedback(&other).expect("forgets"), 0);
    assert_eq!(ledger.feedback_stamp().expect("reads"), stamp);
    assert_eq!(ledger.forget_feedback(&all).expect("forgets"), 1);
    assert_ne!(ledger.feedback_stamp().expect("reads"), stamp);
}

#[test]
fn answers_are_measured_by_provider_and_by_what_was_used() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let item = |target: &str, provider: &str, score| ReturnedItem {
        target: target.to_owned().into(),
        name: target.to_uppercase().into(),
        path: "a.rs".into(),
        provider: provider.to_owned().into(),
        score,
        chance: (score < 1.0).then_some(score),
    };
    let answer = |pack: &str, op: &str, tokens, baseline| Answered {
        usage: UsageRecord {
            op: op.to_owned(),
            pack_id: Some(pack.to_owned()),
            session_id: Some("s".to_owned()),
            context_tokens: Some(tokens),
            baseline_tokens: baseline,
            query_latency_ms: Some(2.0),
            ..UsageRecord::default()
        },
        words: vec!["cart".to_owned()],
        items: vec![
            item("x", "symbol", 1.0),
            item("y", "symbol", 0.5),
            item("z", "dependency", 0.25),
        ],
    };
    let answers = [
        answer("p", "task", 100, Some(1000)),
        answer("q", "task", 50, None),
        answer("r", "search", 10, Some(40)),
    ];
    ledger.usage_answered(&answers).expect("writes");
    assert_eq!(
        ledger.returned("p").expect("reads"),
        Some((answers[0].words.clone(), answers[0].items.clone()))
    );
    assert_eq!(ledger.returned("none").expect("reads"), None);
    assert_eq!(ledger.last_returned("s").expect("reads").as_deref(), Some("r"));
    ledger.usage_used("p", &["y".to_owned(), "z".to_owned()].into()).expect("writes");
    let providers = ledger.usage_providers().expect("reads");
    let rows: Vec<_> = providers
        .iter()
        .map(|row| {
            (
                row.provider.as_str(),
                row.queries,
                row.provided,
                row.reported,
                row.used,
                row.avg_score,
            )
        })
        .collect();
    assert_eq!(rows, [("symbol", 3, 6, 2, 1, 0.75), ("dependency", 3, 3, 1, 1, 0.25)]);
    let groups = ledger.usage_groups(UsageBy::Kind, &UsageFilter::default()).expect("reads");
    let rows: Vec<_> = groups
        .iter()
        .map(|row| {
            (
                row.key.as_str(),
                row.queries,
                row.context_tokens,
                row.baseline_tokens,
                row.compared_tokens,
                row.used,
            )
        })
        .collect();
    assert_eq!(rows, [("search", 1, 10, 40, 10, 0), ("task", 2, 150, 1000, 100, 2)]);
}

#[test]
fn a_session_is_changed_as_one_step() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let mut step = |old: Option<Session>| {
        let mut session = old.unwrap_or(Session {
            session_id: "s".to_owned(),
            started_at: 1,
            last_seen_at: 1,
            step: 0,
            state: Vec::new(),
        });
        session.step += 1;
        session
    };
    assert_eq!(ledger.update_session("s", &mut step).expect("writes").step, 1);
    assert_eq!(ledger.update_session("s", &mut step).expect("writes").step, 2);
    assert_eq!(ledger.sessions(5).expect("reads").len(), 1);
    assert_eq!(ledger.forget_session("s").expect("forgets"), 1);
}

#[test]
fn a_rebuild_clears_what_it_covers() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let paths = ["src", "src.rs", "src/a.rs", "src/b/c.rs", "src0/d.rs", "docs/e.md"];
    let files: Vec<_> = paths.iter().map(|path| sample::file(path, 1)).collect();
    ledger.replace_files(&files, &[]).expect("writes");
    let error = |path: &str| ErrorRecord {
        file_path: path.to_owned(),
        error_type: "io".to_owned(),
        error_message: "gone".to_owned(),
        stack_trace: None,
        occurred_at: 1,
    };
    ledger
        .record_errors(&[error("src/a.rs"), error("docs/e.md"), error("docs/e.md")])
        .expect("writes");
    assert_eq!(ledger.retryable(1).expect("reads"), ["src/a.rs"]);
    assert_eq!(
        ledger.clear_files(&JobScope::Paths(vec!["src/".to_owned()]), true).expect("clears"),
        3
    );
    let left: Vec<_> =
        ledger.file_states().expect("reads").into_iter().map(|state| state.record.path).collect();
    assert_eq!(left, ["docs/e.md", "src.rs", "src0/d.rs"]);
    assert_eq!(ledger.errors().expect("reads")[0].retry_count, 1);
    assert_eq!(ledger.clear_files(&JobScope::All, false).expect("clears"), 3);
    assert_eq!(ledger.errors().expect("reads").len(), 1);
    assert_eq!(ledger.clear_errors(Some(&["docs/e.md".to_owned()])).expect("clears"), 1);
}

#[test]
fn vectors_go_with_their_chunks_and_models() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let ids = ledger
        .replace_files(&[sample::file("a.rs", 1), sample::file("b.rs", 1)], &[])
        .expect("writes");
    let chunks = |file| FileChunks { file, chunks: vec![sample::chunk(1); 2] };
    ledger.replace_chunks(&[chunks(ids[0]), chunks(ids[1])]).expect("writes");
    let id = |file, ordinal| ChunkId::new(file, ordinal).expect("is in range");
    let vector = |chunk, model: &str| Embedding {
        chunk,
        model: model.to_owned(),
        dimension: 2,
        encoding: VectorEncoding::F16,
        vector: vec![1, 2, 3, 4],
    };
    let (one, two) = (id(ids[0], 1), id(ids[1], 0));
    ledger
        .put_embeddings(&[vector(one, "m"), vector(two, "m"), vector(two, "old")])
        .expect("writes");
    assert_eq!(
        ledger.embeddings("m", &[two, one, id(ids[1], 1)]).expect("reads"),
        [Some(vector(two, "m")), Some(vector(one, "m")), None]
    );
    assert_eq!(ledger.keep_embeddings_of("m").expect("clears"), 1);
    ledger.replace_chunks(&[chunks(ids[0])]).expect("writes");
    assert_eq!(ledger.embeddings("m", &[one, two]).expect("reads"), [None, Some(vector(two, "m"))]);
    ledger.replace_files(&[], &["b.rs".to_owned()]).expect("removes");
    assert_eq!(ledger.stats().expect("reads").embeddings, 0);
    let unknown = ledger.replace_chunks(&[chunks(ids[1])]).expect_err("the file is gone");
    assert!(matches!(unknown, StoreError::FileUnknown { .. }));
    assert_eq!(ChunkId::new(ids[0], 1 << 20), None);
    assert_eq!((one.file(), one.ordinal()), (ids[0], 1));
}

#[test]
fn rows_are_kept_however_many_are_written_together() {
    for count in [1, 15, 16, 17, 40] {
        let mut ledger = SqliteLedger::in_memory().expect("opens");
        let ids = ledger
            .replace_files(&[sample::file("a.rs", 1), sample::file("b.rs", 1)], &[])
            .expect("writes");
        let chunks = |file, first: u32| FileChunks {
            file,
            chunks: (first..first + count).map(sample::chunk).collect(),
        };
        let links = |source, first: u32| FileLinks {
            source,
            links: (first..first + count)
                .map(|number| LinkRecord {
                    target: ids[1],
                    kind: EdgeKind::Calls,
                    source_chunk: ChunkId::new(source, number),
                    target_chunk: None,
                    count: number,
                })
                .collect(),
        };
        // The last word on a file counts, also within one call.
        ledger
            .replace_chunks(&[chunks(ids[0], 1), chunks(ids[1], 2), chunks(ids[0], 3)])
            .expect("writes");
        ledger
            .replace_links(&[links(ids[0], 1), links(ids[1], 2), links(ids[0], 3)])
            .expect("writes");
        for (file, first) in [(ids[0], 3), (ids[1], 2)] {
            let stored: Vec<_> = ledger
                .chunks(file)
                .expect("reads")
                .into_iter()
                .map(|stored| stored.record)
                .collect();
            assert_eq!(stored, chunks(file, first).chunks, "{count}");
            assert_eq!(ledger.links(file).expect("reads"), links(file, first).links, "{count}");
        }
    }
}
