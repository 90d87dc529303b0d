//! Prints what the ledger and the facts cache cost: `cargo run --release -p contextd-store --example ledger_speed [FOLDER]`.
//!
//! Files under FOLDER, cut to 8 KB, stand for facts; without it, made-up ones do.
#![allow(clippy::print_stdout, reason = "an example reports on the terminal")]

use contextd_model::{ChunkKind, ContentHash, EdgeKind};
use contextd_store::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

const FILES: usize = 28_000;
const BLOBS: usize = 15_000;
const BLOB_LENGTH: usize = 8192;

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("contextd-ledger-speed-{}", std::process::id()));
    measure_cache(&folder, std::env::args().nth(1).map(PathBuf::from))?;
    measure_ledger(&folder)?;
    drop(std::fs::remove_dir_all(&folder));
    Ok(())
}

/// Prints wall and processor time; the second is what counts on a busy machine.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_ms());
    let value = work();
    let (wall, cpu) = (start.elapsed().as_secs_f64() * 1000.0, cpu_ms() - cpu);
    println!("{what:<40}{wall:>9.1} ms wall {cpu:>9.1} ms cpu");
    value
}

/// Returns the time this process ran, 0 where the system does not say.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

fn measure_cache(folder: &Path, source: Option<PathBuf>) -> Result<()> {
    let facts = facts(source);
    let keys: Vec<_> = (0..facts.len())
        .map(|at| FactsKey { content: ContentHash::of(&at.to_le_bytes()), extractor: 1 })
        .collect();
    let (mut cache, _) = FactsCache::open(&folder.join("facts.db"))?;
    let packed: Vec<_> = timed("compress", || facts.iter().map(|bytes| compress(bytes)).collect());
    let entries: Vec<_> =
        keys.iter().zip(&packed).map(|(key, packed): (_, &Vec<u8>)| (*key, &packed[..])).collect();
    timed("put, 500 at a time", || {
        entries.chunks(500).try_for_each(|batch| cache.put_many(batch))
    })?;
    timed("decompress", || {
        packed
            .iter()
            .filter_map(|packed| decompress(packed))
            .map(|bytes| bytes.len())
            .sum::<usize>()
    });
    timed("get_many, all at once", || cache.get_many(&keys))?;
    let reader = cache.reader()?;
    timed("visit, new connection", || reader.visit(&keys, |_, bytes| assert!(!bytes.is_empty())))?;
    timed("contains_many", || cache.contains_many(&keys))?;
    cache.advance()?;
    timed("touch", || cache.touch(&keys))?;
    let raw: usize = facts.iter().map(Vec::len).sum();
    let size = cache.size()?;
    println!(
        "{} blobs, {} bytes raw, {} packed, {} on disk",
        size.entries, raw, size.blob_bytes, size.file_bytes
    );
    timed("evict to half", || cache.evict(size.blob_bytes / 2))?;
    println!("{:?}", cache.size()?);
    Ok(())
}

fn measure_ledger(folder: &Path) -> Result<()> {
    let path = folder.join("ledger.db");
    let (mut ledger, _) = timed("open new ledger", || SqliteLedger::open(&path))?;
    let files: Vec<_> = (0..FILES).map(file).collect();
    let ids = timed("replace_files, 28,000", || ledger.replace_files(&files, &[]))?;
    let chunks: Vec<_> = ids
        .iter()
        .map(|id| FileChunks { file: *id, chunks: (0..10).map(chunk).collect() })
        .collect();
    timed("replace_chunks, 280,000", || ledger.replace_chunks(&chunks))?;
    let links: Vec<_> = ids
        .iter()
        .map(|id| FileLinks { source: *id, links: (0..15).map(|at| link(&ids, *id, at)).collect() })
        .collect();
    timed("replace_links, 420,000", || ledger.replace_links(&links))?;
    timed("one file: files, chunks, links", || {
        ledger.replace_files(&files[7..8], &[])?;
        ledger.replace_chunks(&chunks[7..8])?;
        ledger.replace_links(&links[7..8])
    })?;
    println!("{} bytes on disk", ledger.size_bytes());
    drop(ledger);
    println!("{} bytes when closed", std::fs::metadata(&path).map_or(0, |metadata| metadata.len()));
    let (mut ledger, _) = timed("open ledger", || SqliteLedger::open(&path))?;
    for _ in 0..3 {
        timed("file_states, 28,000", || ledger.file_states())?;
    }
    timed("stats", || ledger.stats())?;
    timed("backup", || ledger.backup_to(&folder.join("copy.db"), 1))?;
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    timed("bootstrap_start, 28,000", || ledger.bootstrap_start(&paths))?;
    let done: Vec<_> = paths
        .iter()
        .map(|path| BootstrapFile {
            path: path.clone(),
            status: BootstrapStatus::Completed,
            at: 1,
            error_message: None,
        })
        .collect();
    timed("bootstrap_mark, 28,000", || ledger.bootstrap_mark(&done))?;
    timed("bootstrap_finish", || ledger.bootstrap_finish())
}

fn file(at: usize) -> FileRecord {
    FileRecord {
        path: format!("pkg/{:03}/component{}/some_long_file_name_{at}.go", at / 100, at / 10),
        lang: "go".to_owned(),
        content_hash: ContentHash::of(&at.to_le_bytes()),
        size: at as u64 * 37,
        mtime_ns: 1_700_000_000_000_000_000 + at as i64,
        ctime_ns: 1_700_000_000_000_000_000 + at as i64,
        inode: 1_000_000 + at as u64,
        mode: 0o100644,
        status: FileStatus::Indexed,
        indexed_at: 1_700_000_000_000,
        project: String::new(),
        lines: 300,
        symbols: 20,
        chunks: 10,
        tokens: 3000,
    }
}

fn chunk(at: u32) -> ChunkRecord {
    let hash = ContentHash::of(&at.to_le_bytes()).0;
    ChunkRecord {
        kind: ChunkKind::CodeFunction,
        start: at * 1000,
        end: at * 1000 + 900,
        start_line: at * 30 + 1,
        end_line: at * 30 + 28,
        tokens_est: 250,
        hash: std::array::from_fn(|byte| hash[byte]),
    }
}

fn link(ids: &[FileId], source: FileId, at: usize) -> LinkRecord {
    let target = ids[(source.0 as usize * 31 + at * 97) % ids.len()];
    LinkRecord {
        target,
        kind: EdgeKind::ALL[at % 3],
        source_chunk: None,
        target_chunk: None,
        count: 3,
    }
}

fn facts(source: Option<PathBuf>) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    let mut folders: Vec<PathBuf> = source.into_iter().collect();
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| !path.is_symlink() && !path.ends_with(".git")) {
            match path.is_dir() {
                true => folders.push(path),
                false => texts
                    .extend(std::fs::read(path).ok().filter(|bytes| bytes.len() >= BLOB_LENGTH)),
            }
        }
        if texts.len() >= BLOBS {
            break;
        }
    }
    texts.iter_mut().for_each(|bytes| bytes.truncate(BLOB_LENGTH));
    let made_up = |at: usize| {
        (0..BLOB_LENGTH / 40)
            .flat_map(|run| ContentHash::of(&(at * 1000 + run).to_le_bytes()).0[..8].repeat(5))
            .collect()
    };
    texts.truncate(BLOBS);
    (texts.len()..BLOBS).map(made_up).for_each(|bytes| texts.push(bytes));
    texts
}
