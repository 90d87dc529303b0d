//! Packs as an artifact: one record a line, split into shards when it grows, with a manifest.

use crate::error::PackError;
use crate::ids::hex;
use crate::pack::ContextPack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The file of records, when one is enough.
pub const RECORDS: &str = "context_packs.jsonl";
/// What lies in which shard.
pub const META: &str = "context_packs.meta.json";
/// The pointer to all of it.
pub const MANIFEST: &str = "context_packs.manifest.json";
/// Bytes from which on records are split into shards.
pub const MAX_SHARD: usize = 32 << 20;

/// What the shards are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackShards {
    pub format_version: u32,
    pub schema: String,
    pub records: u64,
    pub bytes: u64,
    pub shards: Vec<PackShard>,
}

/// One shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackShard {
    pub file: String,
    pub records: u64,
    pub bytes: u64,
    pub sha256: String,
}

/// The files of an artifact, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackManifest {
    pub format_version: u32,
    pub schema: String,
    pub schema_version: String,
    pub pieces: Vec<String>,
}

/// Returns the files of an artifact with their bytes: records in the order of their ids.
pub fn files(packs: &[ContextPack], max_shard: usize) -> Vec<(String, Vec<u8>)> {
    let lines: BTreeMap<&str, String> =
        packs.iter().map(|pack| (pack.pack_id.as_str(), pack.canonical() + "\n")).collect();
    let mut shards: Vec<(u64, Vec<u8>)> = Vec::new();
    for line in lines.values() {
        match shards.last_mut().filter(|(_, bytes)| bytes.len() + line.len() <= max_shard) {
            Some((count, bytes)) => {
                *count += 1;
                bytes.extend(line.as_bytes());
            }
            None => shards.push((1, line.clone().into_bytes())),
        }
    }
    let single = shards.len() <= 1;
    let name = |at: usize| {
        if single { RECORDS.to_owned() } else { format!("context_packs.part-{at:05}.jsonl") }
    };
    let rows: Vec<PackShard> = shards
        .iter()
        .enumerate()
        .map(|(at, (count, bytes))| PackShard {
            file: name(at),
            records: *count,
            bytes: bytes.len() as u64,
            sha256: hex(&Sha256::digest(bytes)),
        })
        .collect();
    let meta = PackShards {
        format_version: 1,
        schema: "ContextPack".to_owned(),
        records: rows.iter().map(|row| row.records).sum(),
        bytes: rows.iter().map(|row| row.bytes).sum(),
        shards: rows,
    };
    let pieces: Vec<String> =
        meta.shards.iter().map(|row| row.file.clone()).chain([META.to_owned()]).collect();
    let manifest = PackManifest {
        format_version: 1,
        schema: "ContextPack".to_owned(),
        schema_version: "1.0.0".to_owned(),
        pieces,
    };
    let mut files: Vec<(String, Vec<u8>)> =
        shards.into_iter().enumerate().map(|(at, (_, bytes))| (name(at), bytes)).collect();
    files.push((META.to_owned(), crate::canonical::to_string(&meta).into_bytes()));
    files.push((MANIFEST.to_owned(), crate::canonical::to_string(&manifest).into_bytes()));
    files
}

/// Reads records, one a line; a line that is no pack of this version is refused with its number.
pub fn read(text: &str, name: &str) -> Result<Vec<ContextPack>, PackError> {
    let mut packs = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        packs.push(parse(line.as_bytes()).map_err(|error| PackError::ContractVersion {
            message: format!("{name}:{}: {error}", at + 1),
        })?);
    }
    Ok(packs)
}

/// Reads one pack; another version of the contract is refused.
pub fn parse(bytes: &[u8]) -> Result<ContextPack, PackError> {
    let pack: ContextPack = serde_json::from_slice(bytes).map_err(|error| {
        PackError::ContractVersion { message: format!("this is no pack of version 1: {error}") }
    })?;
    if pack.format_version != 1 || pack.schema != "ContextPack" {
        return Err(PackError::ContractVersion {
            message: format!("the pack has version {} of {}", pack.format_version, pack.schema),
        });
    }
    Ok(pack)
}

/// Reads the meta file.
pub fn parse_shards(bytes: &[u8]) -> Result<PackShards, PackError> {
    serde_json::from_slice(bytes).map_err(|error| PackError::ContractVersion {
        message: format!("{META} cannot be read: {error}"),
    })
}

/// True when a shard's bytes are those that the meta file says.
pub fn is_whole(shard: &PackShard, bytes: &[u8]) -> bool {
    shard.bytes == bytes.len() as u64 && shard.sha256 == hex(&Sha256::digest(bytes))
}
