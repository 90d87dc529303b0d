//! Records to fill tables with.

use contextd_model::{ChunkKind, ContentHash};
use contextd_store::{
    ChunkRecord, FactsKey, FileRecord, FileStatus, JobKind, JobOwner, JobScope, NewJob,
};

pub fn file(path: &str, version: u64) -> FileRecord {
    FileRecord {
        path: path.to_owned(),
        lang: if path.ends_with(".py") { "python" } else { "rust" }.to_owned(),
        content_hash: ContentHash::of(format!("{path} {version}").as_bytes()),
        size: 100 + version,
        mtime_ns: 1_700_000_000_000_000_000 + version as i64,
        ctime_ns: -1,
        inode: u64::MAX - version,
        mode: 0o100644,
        status: FileStatus::Indexed,
        indexed_at: version as i64,
        project: String::new(),
        lines: 10,
        symbols: 3,
        chunks: 2,
        tokens: 50,
    }
}

pub fn chunk(version: u32) -> ChunkRecord {
    ChunkRecord {
        kind: ChunkKind::ALL[version as usize % ChunkKind::ALL.len()],
        start: version,
        end: version + 10,
        start_line: 1,
        end_line: 2,
        tokens_est: 7,
        hash: [version as u8; 8],
    }
}

pub fn key(number: u64) -> FactsKey {
    FactsKey { content: ContentHash::of(&number.to_le_bytes()), extractor: number % 3 }
}

/// Facts that compress about as well as real ones.
pub fn facts(number: u64, length: usize) -> Vec<u8> {
    let run = |at: u64| ContentHash::of(&(number * 1000 + at).to_le_bytes()).0[..8].repeat(5);
    (0..).flat_map(run).take(length).collect()
}

pub fn job(job_id: &str) -> NewJob {
    NewJob {
        job_id: job_id.to_owned(),
        kind: JobKind::RebuildFull,
        scope: JobScope::All,
        files_total: Some(10),
        created_by: Some("test".to_owned()),
        exclusive: true,
        owner: JobOwner::current(),
    }
}
