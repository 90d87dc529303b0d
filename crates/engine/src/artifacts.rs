//! Packs as files that can be kept, sent and read elsewhere.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use contextd_pack::artifact::{self, MANIFEST, META, RECORDS};
use contextd_pack::{ContextPack, PackError};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl Engine {
    /// Returns the folder that holds the artifacts of this index.
    pub fn artifacts(&self) -> PathBuf {
        self.places.index.join("artifacts")
    }
}

/// Adds packs to the artifact in a folder; a pack that is there already stays once.
pub fn write(folder: &Path, packs: &[ContextPack], max_shard: usize) -> Result<usize> {
    let mut all: BTreeMap<String, ContextPack> =
        if folder.is_dir() { read(folder)? } else { Vec::new() }
            .into_iter()
            .map(|pack| (pack.pack_id.clone(), pack))
            .collect();
    all.extend(packs.iter().map(|pack| (pack.pack_id.clone(), pack.clone())));
    let all: Vec<ContextPack> = all.into_values().collect();
    fs::create_dir_all(folder).map_err(io_error("cannot make", folder))?;
    let files = artifact::files(&all, max_shard);
    // The manifest is written last: what it names is there.
    for (name, bytes) in &files {
        let temporary = folder.join(format!(".writing-{}-{name}", std::process::id()));
        crate::claim::write_new(&temporary, bytes)
            .and_then(|()| fs::rename(&temporary, folder.join(name)))
            .map_err(io_error("cannot write", &folder.join(name)))?;
    }
    for entry in fs::read_dir(folder).map_err(io_error("cannot read", folder))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours =
            name.starts_with("context_packs.") && !files.iter().any(|(kept, _)| *kept == name);
        if ours {
            fs::remove_file(entry.path()).map_err(io_error("cannot remove", &entry.path()))?;
        }
    }
    Ok(all.len())
}

/// Reads an artifact: a folder by its shards, or one file of records.
pub fn read(place: &Path) -> Result<Vec<ContextPack>> {
    if place.is_file() {
        return records(place);
    }
    let meta = match fs::read(place.join(META)) {
        Ok(bytes) => artifact::parse_shards(&bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if place.join(RECORDS).is_file() {
                records(&place.join(RECORDS))
            } else {
                Ok(Vec::new())
            };
        }
        Err(error) => return Err(io_error("cannot read", &place.join(META))(error)),
    };
    let mut packs = Vec::new();
    for shard in &meta.shards {
        // A name that leads elsewhere is none that was written here.
        if shard.file.contains(['/', '\\']) {
            return Err(PackError::ContractVersion {
                message: format!("{MANIFEST} names `{}`, which is no file beside it", shard.file),
            }
            .into());
        }
        let bytes = fs::read(place.join(&shard.file))
            .map_err(io_error("cannot read", &place.join(&shard.file)))?;
        if !artifact::is_whole(shard, &bytes) {
            return Err(PackError::ContractVersion {
                message: format!("{} is not what {META} says: it was cut or changed", shard.file),
            }
            .into());
        }
        packs.extend(artifact::read(&String::from_utf8_lossy(&bytes), &shard.file)?);
    }
    Ok(packs)
}

fn records(file: &Path) -> Result<Vec<ContextPack>> {
    let text = fs::read_to_string(file).map_err(io_error("cannot read", file))?;
    Ok(artifact::read(&text, &file.display().to_string())?)
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| EngineError::Io { what, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pack(id: &str) -> ContextPack {
        let value = json!({
            "formatVersion": 1, "schema": "ContextPack", "schemaVersion": "1.0.0", "indexSignature": "s", "packId": id, "packRoot": "r", "request": {"query": "q".repeat(60)},
            "budgets": {"maxTotalChars": 1, "maxTotalTokens": 1, "maxItems": 1, "maxItemsPerSection": 1, "maxBytesPerItem": 1, "maxHops": 1, "tokenizer": "o200k"},
            "seeds": [], "sections": [], "stats": {"items": 0, "tokens": 0, "sections": {}, "dropped": {}, "candidates": 0, "maxHop": 0},
        });
        serde_json::from_value(value).expect("a pack")
    }

    #[test]
    fn what_is_written_reads_back_whole_or_in_shards() {
        for max_shard in [1 << 20, 900] {
            let folder = tempfile::tempdir().expect("a folder");
            assert_eq!(
                write(folder.path(), &[pack("b"), pack("a")], max_shard).expect("written"),
                2
            );
            assert_eq!(
                write(folder.path(), &[pack("c"), pack("a")], max_shard).expect("written"),
                3
            );
            let ids: Vec<String> =
                read(folder.path()).expect("read").into_iter().map(|pack| pack.pack_id).collect();
            assert_eq!(ids, ["a", "b", "c"], "{max_shard}");
            assert_eq!(folder.path().join(RECORDS).is_file(), max_shard > 900);
        }
    }

    #[test]
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &[pack("a")], 1 << 20).expect("written");
        let file = folder.path().join(RECORDS);
        let text = fs::read_to_string(&file)
            .expect("read")
            .replace("\"packId\":\"a\"", "\"packId\":\"b\"");
        fs::write(&file, &text).expect("written");
        assert_eq!(read(folder.path()).expect_err("refused").code(), "POC_E_CONTRACT_VERSION");
        fs::write(&file, text.replace("\"formatVersion\":1", "\"formatVersion\":2"))
            .expect("written");
        assert_eq!(read(&file).expect_err("refused").code(), "POC_E_CONTRACT_VERSION");
    }
}
