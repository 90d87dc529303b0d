//! Planted secrets are nowhere in the index folder, whatever form it keeps them in.

use crate::support;
use contextd_snapshot::{LinkRows, Wanted};
use std::fs;
use std::path::Path;

const ALNUM: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const HEX: &[u8] = b"0123456789abcdef";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A run of letters that looks random; put together at run time, so that this file holds no secret.
fn random(alphabet: &[u8], length: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[(state >> 33) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

/// Prefix, alphabet and length of key formats.
const KINDS: &[(&str, &[u8], usize)] = &[
    ("ghp_", ALNUM, 36),
    ("gho_", ALNUM, 36),
    ("ghu_", ALNUM, 36),
    ("ghs_", ALNUM, 36),
    ("ghr_", ALNUM, 36),
    ("github_pat_", ALNUM, 82),
    ("glpat-", ALNUM, 20),
    ("figd_", ALNUM, 40),
    ("lin_api_", ALNUM, 40),
    ("npm_", ALNUM, 36),
    ("rubygems_", HEX, 48),
    ("dckr_pat_", ALNUM, 27),
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("AIza", ALNUM, 35),
    ("GOCSPX-", ALNUM, 28),
    ("ya29.", ALNUM, 60),
    ("dop_v1_", HEX, 64),
    ("dapi", HEX, 32),
    ("hvs.", ALNUM, 90),
    ("dp.pt.", ALNUM, 43),
    ("pul-", HEX, 40),
];

/// Files of several languages that hold every secret in code, comment, document, string and data.
fn plant(root: &Path) -> Vec<String> {
    let mut secrets: Vec<String> = KINDS.iter().zip(1..).map(|((prefix, alphabet, length), seed)| format!("{prefix}{}", random(alphabet, *length, seed))).collect();
    secrets.push(random(ALNUM, 40, 900));
    let password = secrets.last().unwrap().clone();
    let (mut python, mut script, mut notes, mut data) = (String::new(), String::new(), String::from("# Keys\n"), String::new());
    for (number, secret) in secrets.iter().enumerate().take(KINDS.len()) {
        python += &format!("def use_{number}(key=\"{secret}\"):\n    \"\"\"Calls with {secret}.\"\"\"\n    return \"{secret}\"\n\n\n");
        script += &format!("// {secret}\nexport const k{number} = '{secret}';\n");
        notes += &format!("## Key {number}\n\nUse `{secret}` here.\n");
        data += &format!("key_{number}: {secret}\n");
    }
    data += &format!("database_password: {password}\n");
    script += &format!("const config = {{ api_secret: '{password}' }};\n");
    for (path, text) in [("a/use.py", python), ("a/keys.ts", script), ("NOTES.md", notes), ("conf/keys.yaml", data)] {
        support::write(&root.join(path), text.as_bytes());
    }
    secrets
}

fn every_file(folder: &Path, each: &mut impl FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => every_file(&entry.path(), each),
            _ => each(&entry.path(), &fs::read(entry.path()).unwrap()),
        }
    }
}

#[test]
fn planted_secrets_appear_nowhere_in_the_index_folder() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let secrets = plant(place.path());
    support::refresh(place.path(), 0);
    let engine = support::open(place.path());
    // Texts of a snapshot and facts of the cache lie compressed: both are read as their readers do.
    let mut haystack: Vec<(String, Vec<u8>)> = Vec::new();
    every_file(&engine.places.index, &mut |path, bytes| haystack.push((path.display().to_string(), bytes.to_vec())));
    let snapshot = engine.snapshot().unwrap().unwrap();
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let mut rows = LinkRows::default();
        let view = file.facts(Wanted::All, &mut rows).unwrap();
        haystack.push((format!("facts of {} in the snapshot", file.path()), view.strings.bytes.to_vec()));
        let facts = engine.cached_facts(file.path()).unwrap().unwrap();
        haystack.push((format!("cached facts of {}", file.path()), facts.encode()));
    }
    assert!(haystack.iter().any(|(_, bytes)| holds(bytes, b"use_0")), "what is looked for would be found");
    for (place, bytes) in &haystack {
        for secret in &secrets {
            assert!(!holds(bytes, secret.as_bytes()), "{place} holds {secret}");
            assert!(!holds(bytes, secret.to_lowercase().as_bytes()), "{place} holds {secret} in lower case");
        }
    }
    let audit = engine.audit_secrets().unwrap();
    assert!(audit.len() >= 4 * KINDS.len() && audit.iter().any(|entry| entry.path == "NOTES.md" && entry.rule == "github-pat" && entry.line == 4), "{audit:?}");
    let flagged = snapshot.find_file("a/use.py").map(|file| snapshot.file(file).flags());
    assert_eq!(flagged.unwrap() & contextd_model::facts::file_flag::REDACTED, contextd_model::facts::file_flag::REDACTED);
}

fn holds(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret)
}
