//! Packs as files: `--write`, `pack export` and `pack import`.

use crate::args::{Cli, Command, PackCommand};
use crate::{query, ui};
use contextd_engine::{Engine, artifacts};
use contextd_ops::{Answer, Context, find};
use contextd_pack::{ContextPack, artifact};
use contextd_store::{Ledger as _, PackRecord, PackSummary};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Packs that are exported when none is named.
const ALL: usize = 1_000;

/// True when the answer is to be added to the artifact.
pub fn is_written(cli: &Cli) -> bool {
    matches!(
        &cli.command,
        Command::Pack { command: PackCommand::Create { write: true, .. } }
            | Command::ContextPack { write: true, .. }
    )
}

/// Adds a pack to the artifact and prints its id.
pub fn write(cli: &Cli, context: &Context, answer: &Answer) -> anyhow::Result<ExitCode> {
    let Answer::Pack(pack) = answer else { anyhow::bail!("the answer is no pack") };
    let Some(operation) = find("context_pack_write") else {
        anyhow::bail!("there is no operation to write packs")
    };
    match (operation.run)(context, json!({"packIds": [pack.pack_id]})) {
        Ok(written) if cli.json => ui::print(&written.to_json().to_string()),
        Ok(_) => ui::print(&pack.pack_id),
        Err(error) => return Ok(query::refuse(cli, &error)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes stored packs to a folder.
pub fn export(
    cli: &Cli,
    engine: &Engine,
    folder: &Path,
    ids: &[String],
) -> anyhow::Result<ExitCode> {
    let ledger = engine.ledger()?;
    let ids: Vec<String> = if ids.is_empty() {
        ledger.list_packs(ALL)?.into_iter().map(|summary| summary.pack_id).collect()
    } else {
        ids.to_vec()
    };
    let mut packs: Vec<ContextPack> = Vec::new();
    for id in &ids {
        match ledger.get_pack(id)? {
            Some(record) => packs.push(artifact::parse(&record.body)?),
            None => {
                ui::say(
                    false,
                    &format!("there is no stored pack `{id}`; list them with `contextd pack list`"),
                );
                return Ok(ExitCode::from(1));
            }
        }
    }
    let records = artifacts::write(folder, &packs, artifact::MAX_SHARD)?;
    ui::say(cli.quiet, &format!("{} packs written, {records} in the artifact", packs.len()));
    Ok(if packs.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Stores the packs of an artifact.
pub fn import(cli: &Cli, engine: &Engine, place: &Path) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(place.exists(), "there is no {}", place.display());
    let packs = artifacts::read(place)?;
    let mut ledger = engine.ledger()?;
    for pack in &packs {
        let text = |key: &str| pack.request[key].as_str().unwrap_or_default().to_owned();
        let summary = PackSummary {
            pack_id: pack.pack_id.clone(),
            created_at: crate::now(),
            intent: pack.request["intent"].as_str().unwrap_or("answer").to_owned(),
            task: engine.scrubber.scrub(&text("query"), "query").text.into_owned(),
            index_signature: pack.index_signature.clone(),
            request: contextd_pack::canonical::to_string(&pack.request),
            items: pack.stats.items,
            tokens: u32::try_from(pack.stats.tokens).unwrap_or(u32::MAX),
        };
        ledger.put_pack(&PackRecord { summary, body: pack.canonical().into_bytes() })?;
    }
    ui::say(cli.quiet, &format!("{} packs stored", packs.len()));
    Ok(if packs.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
