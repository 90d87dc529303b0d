//! A watcher is believed only while the published snapshot holds everything that happened before the question.

use crate::support::{now, open, write};
use contextd_engine::{RefreshOptions, Silent};
use contextd_model::ContentHash;
use contextd_snapshot::current;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Long enough for a busy machine; a test waits so long only when it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `test` while a watcher keeps the index of `root` fresh; it is given the number of refreshes.
fn watched(root: &Path, test: impl FnOnce(&AtomicUsize)) {
    write(
        &root.join("context.toml"),
        b"[watcher]\ndebounce_ms = 15\n[indexing]\nuse_gitignore = true\n",
    );
    let (stop, refreshes) = (AtomicBool::new(false), AtomicUsize::new(0));
    /// Lets the watcher end when the test fails, too.
    struct Stop<'s>(&'s AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            Arc::new(open(root))
                .watch(&stop, &now, &mut |_| {
                    refreshes.fetch_add(1, Ordering::Relaxed);
                })
                .unwrap()
        });
        let _stop = Stop(&stop);
        test(&refreshes);
    });
}

/// Asks as a new process does. When the answer is calm, what is published must be the tree as it stands.
fn ask(root: &Path, what: &str) -> bool {
    let engine = open(root);
    let Some(name) = current(&engine.places.index).unwrap() else { return false };
    // What is compared is the tree before the question: nobody else writes.
    let is_calm = engine.is_confirmed(name);
    if is_calm {
        assert_eq!(indexed(root), on_disk(root), "calm, but wrong: {what}");
    }
    is_calm
}

fn wait_for_calm(root: &Path, what: &str) {
    let started = Instant::now();
    while !ask(root, what) {
        assert!(started.elapsed() < PATIENCE, "never calm: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn indexed(root: &Path) -> BTreeMap<String, ContentHash> {
    let snapshot = open(root).snapshot().unwrap().unwrap();
    (0..snapshot.file_count())
        .map(|file| snapshot.file(file))
        .map(|file| (file.path().to_owned(), file.hash()))
        .collect()
}

/// What a scan of its own finds, with the hashes of what is read.
fn on_disk(root: &Path) -> BTreeMap<String, ContentHash> {
    let scanner = open(root).scanner;
    scanner
        .scan()
        .files
        .into_iter()
        .filter_map(|file| Some((scanner.read(&file.rel).ok()?.hash, file.rel)))
        .map(|(hash, path)| (path, hash))
        .collect()
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Folders and files below the root, without the index.
fn entries(root: &Path, folders: bool) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = waiting.pop() {
        let mut inside: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| !path.ends_with(".contextd") && !path.ends_with("context.toml"))
            .collect();
        inside.sort();
        found.extend(inside.iter().filter(|path| path.is_dir() == folders).cloned());
        waiting.extend(inside.into_iter().filter(|path| path.is_dir()));
    }
    found
}

/// Does one thing to the tree and says what.
fn disturb(root: &Path, numbers: &mut Numbers, round: usize) -> String {
    let (files, folders) = (entries(root, false), entries(root, true));
    let text =
        |numbers: &mut Numbers| format!("def f{}(): pass\n", 100_000 + numbers.below(900_000));
    let file = files
        .get(numbers.below(files.len().max(1)))
        .cloned()
        .unwrap_or_else(|| root.join("first.py"));
    let folder = folders
        .get(numbers.below(folders.len().max(1)))
        .cloned()
        .unwrap_or_else(|| root.join("made"));
    match numbers.below(11) {
        0 | 1 => {
            fs::write(&file, text(numbers)).unwrap();
            format!("written {file:?}")
        }
        2 | 3 => {
            let new = folder.join(format!("new{round}.py"));
            write(&new, text(numbers).as_bytes());
            format!("added {new:?}")
        }
        4 => {
            let new = folder.join(format!("d{round}/e/f/deep.py"));
            write(&new, text(numbers).as_bytes());
            format!("added with folders {new:?}")
        }
        5 if files.len() > 4 => {
            fs::remove_file(&file).unwrap();
            format!("removed {file:?}")
        }
        6 => {
            // The way editors save: another file takes the name.
            let other = file.with_extension("tmp");
            write(&other, text(numbers).as_bytes());
            fs::rename(&other, &file).unwrap();
            format!("replaced {file:?}")
        }
        7 | 8 if folder.exists() => {
            // Into a folder that was made in the same moment, which nobody watches yet.
            let target = root.join(format!("m{round}"));
            fs::create_dir(&target).unwrap();
            fs::rename(&folder, target.join("in")).unwrap();
            if numbers.below(2) == 0 {
                write(&folder.join("again.py"), text(numbers).as_bytes());
            }
            format!("moved {folder:?} to {target:?}")
        }
        9 if folders.len() > 6 => {
            fs::remove_dir_all(&folder).unwrap();
            write(&folder.join("back.py"), text(numbers).as_bytes());
            format!("removed and made again {folder:?}")
        }
        10 => {
            let name = folder
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            write(&root.join(".contextignore"), format!("{name}/\n").as_bytes());
            format!("ignored {name}")
        }
        _ => {
            let at = if file.exists() { file } else { root.join("first.py") };
            write(&at, text(numbers).as_bytes());
            format!("written {at:?}")
        }
    }
}

#[test]
fn calm_never_misses_what_was_done_before_the_question() {
    for seed in 0..3 {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("tree");
        for number in 0..12 {
            write(
                &root.join(format!("a{}/b{}/f{number}.py", number % 3, number % 2)),
                format!("def start{number}(): pass\n").as_bytes(),
            );
        }
        watched(&root, |_| {
            let mut numbers = Numbers(seed);
            wait_for_calm(&root, "the first index");
            for round in 0..60 {
                let what = disturb(&root, &mut numbers, round);
                ask(&root, &what);
                // Sometimes many things happen before it can rest, and sometimes it is asked while it works.
                match numbers.below(4) {
                    0 => wait_for_calm(&root, &what),
                    1 => std::thread::sleep(Duration::from_millis(numbers.below(40) as u64)),
                    _ => {}
                }
                ask(&root, &what);
            }
            wait_for_calm(&root, "the end");
        });
    }
}

#[test]
fn what_decides_elsewhere_is_looked_at() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    write(&root.join("src/a.py"), b"def a(): pass\n");
    write(&root.join("src/b.py"), b"def b(): pass\n");
    write(&root.join("build/c.py"), b"def c(): pass\n");
    write(&root.join(".gitignore"), b"build/\n");
    assert!(Command::new("git").current_dir(root).args(["init", "-q"]).status().unwrap().success());
    type Change = (&'static str, fn(&Path));
    let changes: &[Change] = &[
        ("excluded in git's own file", |root| write(&root.join(".git/info/exclude"), b"b.py\n")),
        ("no longer ignored", |root| fs::write(root.join(".gitignore"), "").unwrap()),
        ("written where it was ignored before", |root| {
            fs::write(root.join("build/c.py"), "def other(): pass\n").unwrap()
        }),
        ("added where it was ignored before", |root| {
            fs::write(root.join("build/d.py"), "def d(): pass\n").unwrap()
        }),
        ("ignored again", |root| fs::write(root.join(".gitignore"), "build/\n").unwrap()),
        ("a repository inside", |root| {
            assert!(
                Command::new("git")
                    .current_dir(root.join("src"))
                    .args(["init", "-q"])
                    .status()
                    .unwrap()
                    .success()
            )
        }),
        ("no repository any more", |root| fs::remove_dir_all(root.join("src/.git")).unwrap()),
    ];
    watched(root, |refreshes| {
        for (what, change) in changes {
            wait_for_calm(root, what);
            change(root);
            ask(root, what);
        }
        wait_for_calm(root, "the end");
        // What is ignored disturbs nobody: it is not even looked at.
        let before = refreshes.load(Ordering::Relaxed);
        fs::write(root.join("build/c.py"), "ignored").unwrap();
        std::thread::sleep(Duration::from_millis(200));
        wait_for_calm(root, "ignored");
        assert_eq!(refreshes.load(Ordering::Relaxed), before);
    });
}

#[test]
fn nobody_is_asked_when_nobody_watches() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    write(&root.join("a.py"), b"def a(): pass\n");
    watched(root, |_| wait_for_calm(root, "the first index"));
    let (engine, asks) = (open(root), root.join(".contextd/index/asks"));
    assert!(!asks.exists(), "the folder goes with the watcher");
    let name = current(&engine.places.index).unwrap().unwrap();
    // A watcher that was killed leaves the folder.
    fs::create_dir(&asks).unwrap();
    assert!(!engine.is_confirmed(name));
    assert_eq!(fs::read_dir(&asks).unwrap().count(), 0);
}

#[test]
fn a_question_on_a_large_tree_waits_for_the_watcher() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    (0..1_600).for_each(|number| {
        write(&root.join(format!("f{number}.py")), format!("def f{number}(): pass\n").as_bytes())
    });
    watched(root, |_| {
        wait_for_calm(root, "the first index");
        let mut waited = 0;
        for round in 0..10 {
            write(&root.join("f0.py"), format!("def changed{round}(): pass\n").as_bytes());
            let engine = open(root);
            // Nobody is waited for by a lock; on a busy machine the watcher may be too late.
            if let Ok(refreshed) = engine.refresh(
                &RefreshOptions { quick: true, now: now(), ..RefreshOptions::default() },
                &Silent,
            ) {
                assert_eq!(indexed(root), on_disk(root), "round {round}");
                waited += usize::from(!refreshed.changed);
            }
            wait_for_calm(root, "a round");
        }
        assert!(waited > 2, "{waited} of 10");
    });
}
