//! Trees made to crash, hang or mislead: none may, and each oddity is listed.

use crate::sandbox::{Sandbox, git_files, scanned};
use contextd_scan::{ReadFailure, Rule, Scan, Verdict};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn rejected(scan: &Scan, rel: &str) -> Option<Rule> {
    scan.rejected.iter().find(|rejected| rejected.rel == rel).map(|rejected| rejected.rule)
}

fn rule(sandbox: &Sandbox, config: &str, file: &str) -> Option<Rule> {
    match sandbox.configured(config).0.check(Path::new(file)).verdict {
        Verdict::Included => None,
        Verdict::Excluded { rule, .. } => Some(rule),
    }
}

#[test]
fn pipes_and_sockets_are_listed_and_never_opened() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]);
    pipe(&sandbox.path("pipe.c"));
    let _listener = UnixListener::bind(sandbox.path("socket.c")).unwrap();
    let scanner = sandbox.scanner();
    let (listed, scan) = scanner.list_indexable();
    assert_eq!(listed, ["a.c"]);
    for file in ["pipe.c", "socket.c"] {
        assert_eq!(rejected(&scan, file), Some(Rule::NotRegular));
        assert_eq!(rule(&sandbox, "", file), Some(Rule::NotRegular));
        assert!(matches!(scanner.read(file), Err(ReadFailure::NotRegular { .. })), "{file}");
    }
}

#[test]
fn pipes_in_the_place_of_ignore_files_do_not_hang() {
    for outside_git in [false, true] {
        let sandbox = if outside_git { Sandbox::new() } else { Sandbox::git() };
        sandbox.files(&["a.c", "sub/b.c"]);
        for name in [".gitignore", ".contextignore", ".dockerignore", "sub/.gitignore", "sub/.git"]
        {
            pipe(&sandbox.path(name));
        }
        let (scanner, _) = sandbox.configured("[indexing]\nuse_dockerignore = true\n");
        assert_eq!(scanner.list_indexable().0, ["a.c", "sub/b.c"]);
    }
}

#[test]
fn pipes_inside_the_git_folder_do_not_hang() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]);
    for name in [".git/index", ".git/info/exclude"] {
        let _ = fs::remove_file(sandbox.path(name));
        pipe(&sandbox.path(name));
    }
    let scan = sandbox.scanner().scan();
    assert_eq!(scan.files.len(), 1);
    assert_eq!(scan.problems.len(), 1, "{:?}", scan.problems);
}

#[test]
fn a_repository_of_pipes_does_not_hang() {
    for name in ["HEAD", "config"] {
        let sandbox = Sandbox::git();
        sandbox.files(&["a.c", "sub/b.c"]);
        fs::remove_file(sandbox.path(".git").join(name)).unwrap();
        pipe(&sandbox.path(".git").join(name));
        let scan = sandbox.scanner().scan();
        assert_eq!((scan.files.len(), scan.problems.len()), (2, 1), "{name}: {:?}", scan.problems);
    }
}

#[test]
fn a_git_that_is_a_pipe_does_not_hang() {
    let sandbox = Sandbox::new();
    sandbox.files(&["a.c"]);
    pipe(&sandbox.path(".git"));
    assert_eq!(scanned(&sandbox.scanner()), ["a.c"]);
}

#[test]
fn links_are_not_followed_by_default() {
    let sandbox = Sandbox::git();
    let outside = sandbox.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.c"), "secret").unwrap();
    sandbox.files(&["real/a.c"]);
    symlink("../outside", sandbox.path("folder")).unwrap();
    symlink(outside.join("secret.c"), sandbox.path("file.c")).unwrap();
    symlink(".", sandbox.path("real/loop")).unwrap();
    symlink("gone", sandbox.path("dangling")).unwrap();
    let scanner = sandbox.scanner();
    assert_eq!(scanned(&scanner), git_files(&sandbox.root));
    assert_eq!(scanned(&scanner), ["real/a.c"]);
    for file in ["folder/secret.c", "file.c", "real/loop/a.c", "real/loop/loop/a.c"] {
        assert!(scanner.read(file).is_err(), "{file}");
        assert_eq!(rule(&sandbox, "", file), Some(Rule::Symlink), "{file}");
    }
}

#[test]
fn followed_links_stay_inside_and_end() {
    let follow = "[indexing]\nfollow_symlinks = true\n";
    let sandbox = Sandbox::new();
    let outside = sandbox.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.c"), "secret").unwrap();
    sandbox.files(&["a/x.c", "build/gen.c", "build/deep/y.c", "key.secret"]);
    symlink("../build", sandbox.path("a/gen")).unwrap();
    symlink("..", sandbox.path("a/up")).unwrap();
    symlink("../../outside", sandbox.path("a/out")).unwrap();
    symlink(outside.join("secret.c"), sandbox.path("a/out.c")).unwrap();
    symlink("x.c", sandbox.path("a/twin.c")).unwrap();
    symlink("../key.secret", sandbox.path("a/innocent.txt")).unwrap();
    symlink("me", sandbox.path("a/me")).unwrap();
    symlink("..", sandbox.path("build/deep/back")).unwrap();
    let (scanner, _) = sandbox.configured(follow);
    let (listed, scan) = scanner.list_indexable();
    assert_eq!(listed, ["a/gen/deep/y.c", "a/gen/gen.c", "a/x.c"]);
    assert_eq!(rejected(&scan, "a/out"), Some(Rule::SymlinkEscape));
    assert_eq!(rejected(&scan, "a/out.c"), Some(Rule::SymlinkEscape));
    assert_eq!(rejected(&scan, "a/up"), Some(Rule::SymlinkEscape));
    assert_eq!(rejected(&scan, "a/me"), Some(Rule::SymlinkEscape));
    assert_eq!(rejected(&scan, "a/twin.c"), Some(Rule::Symlink));
    assert_eq!(rejected(&scan, "a/innocent.txt"), Some(Rule::PrivateName));
    assert_eq!(scanner.read("a/gen/gen.c").unwrap().text, "build/gen.c\n");
    for file in ["a/out/secret.c", "a/out.c", "a/me"] {
        assert!(scanner.read(file).is_err(), "{file}");
    }
    assert_eq!(rule(&sandbox, follow, "a/gen/gen.c"), None);
    assert_eq!(rule(&sandbox, follow, "a/out/secret.c"), Some(Rule::SymlinkEscape));
}

#[test]
fn long_chains_of_links_end() {
    let sandbox = Sandbox::new();
    for at in 0..6 {
        sandbox.files(&[&format!("build/d{at}/f.c")]);
        symlink(format!("../d{}", at + 1), sandbox.path(&format!("build/d{at}/next"))).unwrap();
    }
    symlink("build/d0", sandbox.path("start")).unwrap();
    let listed = sandbox.listed("[indexing]\nfollow_symlinks = true\nmax_symlink_depth = 3\n");
    assert_eq!(listed, ["start/f.c", "start/next/f.c", "start/next/next/f.c"]);
}

#[test]
fn names_that_are_not_text_are_listed() {
    let sandbox = Sandbox::git();
    sandbox.files(&["ok.c", "line\nbreak.c", "..a", "a..", "...", "back\\slash.c", "tab\tname"]);
    fs::write(sandbox.root.join(OsStr::from_bytes(b"bad\xff.c")), "x").unwrap();
    fs::create_dir(sandbox.root.join(OsStr::from_bytes(b"dir\xff"))).unwrap();
    fs::write(sandbox.root.join(OsStr::from_bytes(b"dir\xff/in.c")), "x").unwrap();
    let (listed, scan) = sandbox.scanner().list_indexable();
    assert_eq!(listed, git_files(&sandbox.root));
    assert_eq!(listed.len(), 7);
    assert_eq!(scan.counts.get(&Rule::InvalidName), Some(&2));
    let check = sandbox.scanner().check(Path::new(OsStr::from_bytes(b"bad\xff.c")));
    assert!(matches!(check.verdict, Verdict::Excluded { rule: Rule::InvalidName, .. }));
}

#[test]
fn unreadable_files_and_folders_are_problems() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", "shut.c", "closed/b.c"]);
    for path in ["shut.c", "closed"] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o0)).unwrap();
    }
    let everything_is_readable = fs::read(sandbox.path("shut.c")).is_ok();
    let (listed, scan) = sandbox.scanner().list_indexable();
    fs::set_permissions(sandbox.path("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    // The superuser reads everything, so there is nothing to see then.
    if everything_is_readable {
        return;
    }
    assert_eq!(listed, ["a.c"]);
    assert_eq!(
        scan.problems.iter().map(|problem| problem.path.as_deref()).collect::<Vec<_>>(),
        [Some("closed"), Some("shut.c")]
    );
    assert_eq!(scan.counts.get(&Rule::Unreadable), Some(&2));
}

#[test]
fn folders_deeper_than_the_system_names_are_a_problem() {
    let sandbox = Sandbox::new();
    sandbox.files(&["a.c"]);
    let script = "for i in $(seq 1 60); do mkdir -p $(printf 'd%.0s' $(seq 1 100)) && cd d*; echo x > f.c; done";
    assert!(
        Command::new("bash")
            .args(["-c", script])
            .current_dir(&sandbox.root)
            .status()
            .unwrap()
            .success()
    );
    let scan = sandbox.scanner().scan();
    assert!(scan.files.len() > 30, "{}", scan.files.len());
    assert!(
        scan.problems.iter().any(|problem| problem.code == "CTX_W_SCAN_UNREADABLE"),
        "{:?}",
        scan.problems
    );
    // The standard library removes it step by step where plain paths are too long.
    let _ = Command::new("rm").arg("-rf").arg(&sandbox.root).status();
}

#[test]
fn huge_files_are_not_read() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]);
    fs::File::create(sandbox.path("huge.sql")).unwrap().set_len(1 << 31).unwrap();
    let (listed, scan) =
        sandbox.configured("[indexing]\nsize_exceptions = [\"huge.sql\"]\n").0.list_indexable();
    assert_eq!(listed, ["a.c"]);
    assert_eq!(rejected(&scan, "huge.sql"), Some(Rule::TooLarge));
    assert!(matches!(sandbox.scanner().read("huge.sql"), Err(ReadFailure::TooLarge { .. })));
}

#[test]
fn a_tree_that_changes_while_it_is_scanned_does_no_harm() {
    let sandbox = Sandbox::git();
    let scanner = sandbox.scanner();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..40 {
                for file in 0..20 {
                    sandbox.write(&format!("d{}/f{file}", round % 3), vec![b'x'; round * 50]);
                }
                let _ = fs::remove_dir_all(sandbox.path(&format!("d{}", (round + 1) % 3)));
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let (listed, _) = scanner.list_indexable();
            assert!(listed.is_sorted());
        }
    });
    assert_eq!(scanned(&scanner), git_files(&sandbox.root));
}

#[test]
fn hostile_patterns_end() {
    let sandbox = Sandbox::new();
    let pattern = format!("{}b\n", "*a".repeat(40));
    sandbox.write(".gitignore", pattern.repeat(20));
    for at in 0..50 {
        sandbox.files(&[&format!("{}{at}", "a".repeat(150))]);
    }
    assert_eq!(scanned(&sandbox.scanner()).len(), 51);
}
