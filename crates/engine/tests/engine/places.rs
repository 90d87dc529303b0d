//! Repositories that lead elsewhere: what lies outside of an index is neither removed nor written.

use crate::support::{FIXTURE, image, now, open, plant, refresh, write};
use contextd_engine::{Engine, EngineError, RefreshOptions, Silent};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Everything below a folder: its kind, and what it holds or leads to.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(&at).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            let held = if kind.is_dir() {
                left.push(entry.path());
                "folder".to_owned()
            } else if kind.is_symlink() {
                format!("link to {}", fs::read_link(entry.path()).unwrap().display())
            } else {
                format!("{:?}", fs::read(entry.path()).unwrap())
            };
            found.insert(entry.path(), held);
        }
    }
    found
}

/// A folder of somebody else's, with names that an index has as well.
fn victim(at: &Path) -> PathBuf {
    let victim = at.join("victim");
    for name in [
        "notes.txt",
        "CURRENT",
        "ledger.db",
        "segments/a.seg",
        "graph/b",
        "contextd/facts.db",
        "calm",
    ] {
        write(&victim.join(name), format!("mine: {name}").as_bytes());
    }
    victim
}

/// Does everything that writes or removes, as far as it may.
fn use_all(root: &Path) {
    let Ok(engine) = Engine::open(root, &Default::default(), &|_| None) else { return };
    let options = RefreshOptions { now: now(), ..RefreshOptions::default() };
    let _ = engine.refresh(&options, &Silent);
    let _ = engine.put_overlay("new.py", "def a(): pass\n", now());
    let _ = engine.refresh(&options, &Silent);
    let _ = engine.repo_id();
    let _ = engine.places.clean();
}

/// Plants a project beside a victim, lets `attack` change it, uses it, and returns whether it was opened.
fn attacked(attack: impl FnOnce(&Path, &Path)) -> bool {
    let place = tempfile::tempdir().unwrap();
    let place = fs::canonicalize(place.path()).unwrap();
    let (root, victim) = (place.join("project"), victim(&place));
    plant(&root);
    attack(&root, &victim);
    let before = contents(&victim);
    let opened = Engine::open(&root, &Default::default(), &|_| None);
    if let Err(error) = &opened {
        let told = format!("{error} {}", error.remedy());
        assert!(!told.is_empty());
    }
    use_all(&root);
    assert_eq!(contents(&victim), before, "the victim was changed");
    let _ = fs::remove_dir_all(place);
    opened.is_ok()
}

#[test]
fn a_link_in_the_place_of_the_index_is_not_followed() {
    assert!(!attacked(|root, _| {
        fs::create_dir(root.join(".contextd")).unwrap();
        symlink("../../victim", root.join(".contextd/index")).unwrap();
    }));
    assert!(!attacked(|root, victim| {
        fs::create_dir_all(victim.join("index/segments")).unwrap();
        symlink("../victim", root.join(".contextd")).unwrap();
    }));
}

#[test]
fn links_in_an_index_are_not_followed() {
    for (name, to) in [
        ("segments", ""),
        ("graph", ""),
        ("snapshots", ""),
        ("history", ""),
        ("asks", ""),
        ("watch", ""),
        ("ledger.db", "ledger.db"),
        ("ledger.db-wal", "absent"),
        ("facts.db", "contextd/facts.db"),
        ("CURRENT", "CURRENT"),
        ("calm", "calm"),
        ("lock", "absent"),
        ("repo-id", "absent"),
        ("contextd.index", "absent"),
    ] {
        // Brought along by the repository, or put into an index of ours by a later commit.
        for is_ours in [false, true] {
            let opened = attacked(|root, victim| {
                if is_ours {
                    refresh(root, 0);
                }
                let index = root.join(".contextd/index");
                fs::create_dir_all(&index).unwrap();
                let link = index.join(name);
                let _ = fs::remove_file(&link);
                let _ = fs::remove_dir_all(&link);
                symlink(victim.join(to), link).unwrap();
            });
            assert!(!opened, "{name}");
        }
    }
}

#[test]
fn a_link_in_the_place_of_the_ignore_file_is_not_written_through() {
    assert!(attacked(|root, victim| {
        fs::create_dir(root.join(".contextd")).unwrap();
        symlink(victim.join("new"), root.join(".contextd/.gitignore")).unwrap();
    }));
}

#[test]
fn a_git_folder_that_is_only_named_is_not_used() {
    let git = |victim: &Path| {
        write(&victim.join("HEAD"), b"ref: refs/heads/main\n");
        fs::create_dir_all(victim.join("objects")).unwrap();
    };
    assert!(attacked(|root, victim| {
        git(victim);
        write(&root.join(".git"), format!("gitdir: {}\n", victim.display()).as_bytes());
    }));
    assert!(attacked(|root, victim| {
        git(victim);
        symlink(victim, root.join(".git")).unwrap();
    }));
    // Its own folder of git, that names another one as the common one.
    assert!(attacked(|root, victim| {
        let own = root.join("own");
        write(&own.join("gitdir"), root.join(".git").as_os_str().as_encoded_bytes());
        write(&own.join("commondir"), victim.as_os_str().as_encoded_bytes());
        write(&root.join(".git"), b"gitdir: own\n");
    }));
    // The folder of facts in a real one is a link.
    assert!(attacked(|root, victim| {
        git(&root.join(".git"));
        symlink(victim.join("contextd"), root.join(".git/contextd")).unwrap();
    }));
}

#[test]
fn a_configured_folder_without_our_mark_is_left_alone() {
    let configure = |root: &Path, folder: &Path| {
        write(&root.join("context.toml"), format!("[storage]\npath = {folder:?}\n").as_bytes());
    };
    // What other databases look like.
    assert!(!attacked(|root, victim| {
        let level = victim.join("level");
        for name in ["CURRENT", "LOCK", "LOG", "MANIFEST-000001", "000005.ldb"] {
            write(&level.join(name), name.as_bytes());
        }
        configure(root, &level);
    }));
    for names in
        [&["CURRENT", "lock"][..], &["graph/a.dot", "links"], &["ledger.db"], &["history/1066"]]
    {
        assert!(
            !attacked(|root, victim| {
                let other = victim.join("other");
                names.iter().for_each(|name| write(&other.join(name), b"mine"));
                configure(root, &other);
            }),
            "{names:?}"
        );
    }
    // A link on a way that the configuration gives from the root.
    assert!(!attacked(|root, victim| {
        symlink(victim, root.join("cache")).unwrap();
        configure(root, Path::new("cache/new"));
    }));
}

#[test]
fn an_index_without_a_mark_is_made_anew() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    plant(&root);
    refresh(&root, 0);
    let before = image(&root);
    let index = root.join(".contextd/index");
    fs::remove_file(index.join("contextd.index")).unwrap();
    write(&index.join("segments/old.seg"), b"of an earlier version");
    let refreshed = refresh(&root, 0);
    assert_eq!(refreshed.extracted as usize, FIXTURE.len(), "nothing of it was believed");
    assert_eq!(image(&root), before);
    assert!(index.join("contextd.index").exists() && !index.join("segments/old.seg").exists());
    // One that is marked is taken as it is.
    assert_eq!(refresh(&root, 0).extracted, 0);
}

#[test]
fn an_unmarked_index_with_other_things_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    plant(&root);
    write(&root.join(".contextd/index/thesis.txt"), b"mine");
    let Err(error) = Engine::open(&root, &Default::default(), &|_| None) else {
        panic!("it was opened")
    };
    assert!(matches!(error, EngineError::NotOurs { .. }), "{error}");
    assert!(error.to_string().contains("thesis.txt"), "{error}");
    assert!(error.remedy().contains("storage.path"));
}

#[test]
fn cleaning_leaves_what_is_not_ours() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    plant(&root);
    refresh(&root, 0);
    write(&root.join(".contextd/index/thesis.txt"), b"mine");
    write(&root.join(".contextd/.gitignore"), b"# mine\n");
    open(&root).places.clean().unwrap();
    let left = contents(&root.join(".contextd"));
    let names: Vec<_> = left.keys().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(names, [".gitignore", "index", "thesis.txt"]);
}
