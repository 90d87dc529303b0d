//! Planted secrets are nowhere in the index folder, whatever form it keeps them in.

use crate::support;
use contextd_engine::Engine;
use std::fs;
use std::path::Path;
use std::process::Command;

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
    ("glrt-", ALNUM, 20),
    ("ATATT3xFfGF0", ALNUM, 180),
    ("figd_", ALNUM, 40),
    ("lin_api_", ALNUM, 40),
    ("npm_", ALNUM, 36),
    ("pypi-AgEIcHlwaS5vcmc", ALNUM, 120),
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
    ("tskey-auth-", ALNUM, 30),
    ("glsa_", ALNUM, 41),
    ("NRAK-", UPPER, 27),
    ("sntrys_", ALNUM, 80),
    ("sk_live_", ALNUM, 24),
    ("rk_live_", ALNUM, 24),
    ("whsec_", ALNUM, 32),
    ("sq0atp-", ALNUM, 22),
    ("shpat_", HEX, 32),
    ("key-", HEX, 32),
    ("SK", HEX, 32),
    ("xoxb-123456789012-", ALNUM, 24),
    ("xoxp-123456789012-", ALNUM, 40),
    ("sk-ant-api03-", ALNUM, 93),
    ("sk-", ALNUM, 48),
    ("sk-proj-", ALNUM, 60),
    ("hf_", ALNUM, 34),
    ("gsk_", ALNUM, 52),
    ("r8_", ALNUM, 37),
    ("secret_", ALNUM, 43),
    ("ntn_", ALNUM, 46),
    ("sl.", ALNUM, 135),
    ("PMAK-", ALNUM, 59),
    ("pscale_tkn_", ALNUM, 43),
    ("AGE-SECRET-KEY-1", UPPER, 58),
    ("sbp_", HEX, 40),
    ("nfp_", ALNUM, 36),
    ("CCIPAT_", ALNUM, 60),
];

/// Files of several languages that hold every secret in code, comment, document, string and data.
fn plant(root: &Path) -> Vec<String> {
    let mut secrets: Vec<String> = KINDS
        .iter()
        .zip(1..)
        .map(|((prefix, alphabet, length), seed)| {
            format!("{prefix}{}", random(alphabet, *length, seed))
        })
        .collect();
    secrets.push(random(ALNUM, 40, 900));
    let password = secrets.last().unwrap().clone();
    let (mut python, mut script, mut notes, mut data) =
        (String::new(), String::new(), String::from("# Keys\n"), String::new());
    for (number, secret) in secrets.iter().enumerate().take(KINDS.len()) {
        python += &format!(
            "def use_{number}(key=\"{secret}\"):\n    \"\"\"Calls with {secret}.\"\"\"\n    return \"{secret}\"\n\n\n"
        );
        script += &format!("// {secret}\nexport const k{number} = '{secret}';\n");
        notes += &format!("## Key {number}\n\nUse `{secret}` here.\n");
        data += &format!("key_{number}: {secret}\n");
    }
    data += &format!("database_password: {password}\n");
    script += &format!("const config = {{ api_secret: '{password}' }};\n");
    for (path, text) in
        [("a/use.py", python), ("a/keys.ts", script), ("NOTES.md", notes), ("conf/keys.yaml", data)]
    {
        support::write(&root.join(path), text.as_bytes());
    }
    secrets
}

/// Values that look like secrets and are none: hashes, ids, versions, names.
const LOOK_ALIKES: &[&str] = &[
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "123e4567e89b12d3a456426614174000",
    "password_reset_token_generator",
    "getSecretKeyFromEnvironment",
];

fn plant_look_alikes(root: &Path) {
    let lines = LOOK_ALIKES
        .iter()
        .enumerate()
        .map(|(number, value)| format!("def alike_{number}():\n    return \"{value}\"\n\n\n"));
    support::write(&root.join("a/alike.py"), lines.collect::<String>().as_bytes());
}

fn every_file(folder: &Path, each: &mut impl FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => every_file(&entry.path(), each),
            _ => each(&entry.path(), &fs::read(entry.path()).unwrap()),
        }
    }
}

/// Commits the work tree with a message that quotes secrets.
fn commit(root: &Path, secrets: &[String]) {
    let message = format!("Rotate keys\n\nOld ones: {}\n", secrets[..8].join(" "));
    for words in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", &message],
    ] {
        assert!(Command::new("git").current_dir(root).args(words).status().unwrap().success());
    }
}

/// Gathers everything that the index keeps. Texts of a snapshot and archived facts lie compressed: both
/// are read as their readers do.
fn haystack(engine: &Engine) -> Vec<(String, Vec<u8>)> {
    let mut haystack: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in [&engine.places.index, &engine.places.facts] {
        every_file(folder, &mut |path, bytes| {
            haystack.push((path.display().to_string(), bytes.to_vec()))
        });
    }
    let snapshot = engine.snapshot().unwrap().unwrap();
    for number in 0..snapshot.file_count() {
        let path = snapshot.file(number).path().to_owned();
        let facts = engine.facts_of(&path).unwrap().unwrap();
        haystack.push((format!("facts of {path}"), facts.encode()));
    }
    let (history, _) = engine.history();
    haystack.push(("history".into(), history.bytes().to_vec()));
    let cache = archived(&engine.places.facts_cache());
    haystack.extend(cache.into_iter().map(|bytes| ("archived facts".into(), bytes)));
    haystack
}

/// Returns the contents of all archived blobs.
fn archived(path: &Path) -> Vec<Vec<u8>> {
    contextd_store::FactsCache::open(path).unwrap().0.contents().unwrap()
}

#[test]
fn planted_secrets_appear_nowhere_in_the_index_folder() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let secrets = plant(place.path());
    assert!(secrets.len() >= 40);
    plant_look_alikes(place.path());
    commit(place.path(), &secrets);
    support::refresh(place.path(), 60_000);
    // What leaves the snapshot goes into the archive.
    let script = fs::read(place.path().join("a/keys.ts")).unwrap();
    support::write(&place.path().join("a/keys.ts"), b"export const none = 1;\n");
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    let haystack = haystack(&engine);
    assert!(
        haystack.iter().any(|(place, bytes)| place == "archived facts" && holds(bytes, b"k0")),
        "facts that left are archived"
    );
    for alike in LOOK_ALIKES {
        // Words are kept in lower case, compounds without their separators.
        let term = alike.to_lowercase().replace('_', "");
        assert!(haystack.iter().any(|(_, bytes)| holds(bytes, term.as_bytes())), "{alike} is gone");
    }
    assert!(
        haystack.iter().any(|(_, bytes)| holds(bytes, b"use_0")),
        "what is looked for would be found"
    );
    for (place, bytes) in &haystack {
        for secret in &secrets {
            assert!(!holds(bytes, secret.as_bytes()), "{place} holds {secret}");
            assert!(
                !holds(bytes, secret.to_lowercase().as_bytes()),
                "{place} holds {secret} in lower case"
            );
        }
    }
    support::write(&place.path().join("a/keys.ts"), &script);
    support::refresh(place.path(), 60_000);
    let audit = engine.audit_secrets().unwrap();
    assert!(
        audit.len() >= 4 * KINDS.len()
            && audit.iter().any(|entry| entry.path == "NOTES.md"
                && entry.rule == "github-pat"
                && entry.line == 4),
        "{audit:?}"
    );
    let snapshot = engine.snapshot().unwrap().unwrap();
    let flagged = snapshot.find_file("a/use.py").map(|file| snapshot.file(file).flags());
    assert_eq!(
        flagged.unwrap() & contextd_model::facts::file_flag::REDACTED,
        contextd_model::facts::file_flag::REDACTED
    );
}

fn holds(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret)
}
