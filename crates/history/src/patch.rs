//! Unified patch text → changed files and lines.

use crate::changes::{ChangeSet, FileChange, Hunk, LineRange};
use crate::rows::ChangeKind;
use contextd_model::Problem;

/// Reads a patch, as `git diff`, `git format-patch` and `diff -u` write it. Paths outside `prefix`
/// (the place of the root in the repository, empty or ending in `/`) are left out and counted.
///
/// Never fails: what cannot be read is passed over and named in the problems.
pub fn parse_patch(patch: &[u8], prefix: &str) -> (ChangeSet, Vec<Problem>) {
    let (files, outside, problems) = read_patch(patch, prefix);
    let set = ChangeSet {
        files: files.into_iter().map(|(file, _)| file).collect(),
        outside,
        ..ChangeSet::default()
    };
    (set, problems)
}

/// Lines that a patch takes out of a file and puts into it, in order, without line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatchLines {
    pub removed: Vec<Vec<u8>>,
    pub added: Vec<Vec<u8>>,
}

/// A patch taken apart: its files with their lines, how many lie outside, and what was wrong.
pub(crate) type ReadPatch = (Vec<(FileChange, PatchLines)>, u32, Vec<Problem>);

/// Does what [`parse_patch`] does and keeps the texts of changed lines.
pub(crate) fn read_patch(patch: &[u8], prefix: &str) -> ReadPatch {
    let mut parser = Parser::default();
    let lines: Vec<&[u8]> = patch.split(|&byte| byte == b'\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let after = lines.get(number + 1).copied().unwrap_or_default();
        parser.line(number as u32 + 1, line, after);
    }
    parser.end_file(lines.len() as u32);
    let (mut files, mut outside) = (Vec::new(), 0);
    for (file, lines) in parser.files {
        match placed(file, prefix) {
            Some(file) => files.push((file, lines)),
            None => outside += 1,
        }
    }
    files.sort_by(|(one, _), (two, _)| one.path.cmp(&two.path));
    (files, outside, parser.problems)
}

/// Makes the paths relative to the root; `None` for a file outside. A patch can come from anyone,
/// so paths that climb or start at the top of the file system are outside too.
fn placed(mut file: FileChange, prefix: &str) -> Option<FileChange> {
    let relative =
        |path: &str| path.strip_prefix(prefix).filter(|path| stays_inside(path)).map(str::to_owned);
    match (relative(&file.path), file.from.as_deref().map(relative)) {
        (Some(path), Some(Some(from))) => (file.path, file.from) = (path, Some(from)),
        (Some(path), None) => file.path = path,
        (Some(path), Some(None)) => {
            (file.path, file.from, file.kind) = (path, None, ChangeKind::Added)
        }
        (None, Some(Some(from))) => {
            (file.path, file.from, file.kind) = (from, None, ChangeKind::Deleted)
        }
        (None, _) => return None,
    }
    Some(file)
}

fn stays_inside(path: &str) -> bool {
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    !path.is_empty() && !is_absolute && path.split(['/', '\\']).all(|part| part != "..")
}

#[derive(Default)]
struct Parser {
    files: Vec<(FileChange, PatchLines)>,
    problems: Vec<Problem>,
    file: Option<Pending>,
    body: Option<Body>,
}

/// A file whose headers are being read.
#[derive(Default)]
struct Pending {
    /// From `diff --git`: the path when both sides agree.
    header: Option<String>,
    old: Option<String>,
    new: Option<String>,
    renamed: Option<(String, Option<String>)>,
    kind: Option<ChangeKind>,
    binary: bool,
    hunks: Vec<Hunk>,
    lines: PatchLines,
    /// Began with `diff --git`, so paths carry one folder in front.
    git: bool,
}

/// A hunk whose lines are being read.
struct Body {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
    open: Option<Hunk>,
}

impl Parser {
    fn line(&mut self, number: u32, line: &[u8], after: &[u8]) {
        if self.body.is_some() && self.body_line(line) {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        if let Some(paths) = text.strip_prefix("diff --git ") {
            self.end_file(number);
            self.file = Some(Pending { header: same_path(paths), git: true, ..Pending::default() });
        } else if text.starts_with("--- ") && after.starts_with(b"+++ ") {
            self.old_path(number, &text[4..]);
        } else if let Some(ranges) = text.strip_prefix("@@ ") {
            self.hunk(number, ranges);
        } else if text.starts_with("@@@ ") {
            self.problem(number, "A combined diff of a merge has no single old side");
        } else if let Some(file) = &mut self.file {
            file.header_line(text);
        }
    }

    fn old_path(&mut self, number: u32, text: &str) {
        let is_open = self
            .file
            .as_ref()
            .is_some_and(|file| file.git && file.old.is_none() && file.hunks.is_empty());
        if !is_open {
            self.end_file(number);
        }
        self.file.get_or_insert_default().old = Some(path_of(text));
    }

    fn hunk(&mut self, number: u32, ranges: &str) {
        let Some(file) = &mut self.file else { return };
        let Some((old, new)) = parse_ranges(ranges) else {
            self.problem(number, "The ranges of a hunk cannot be read");
            return;
        };
        file.flush(self.body.take());
        let before = |range: LineRange| {
            if range.count == 0 { range.start.saturating_add(1) } else { range.start }
        };
        self.body = Some(Body {
            old: before(old),
            new: before(new),
            old_left: old.count,
            new_left: new.count,
            open: None,
        });
        self.close_full_body();
    }

    /// Takes a line of the open hunk; false when the line does not belong to it.
    fn body_line(&mut self, line: &[u8]) -> bool {
        let Some(body) = &mut self.body else {
            return false;
        };
        let taken = body.take(line.first().copied(), &mut self.file);
        if let Some(file) = self.file.as_mut().filter(|_| taken) {
            file.keep_line(line);
        }
        self.close_full_body();
        taken
    }

    fn close_full_body(&mut self) {
        if self.body.as_ref().is_some_and(|body| body.old_left == 0 && body.new_left == 0)
            && let Some(file) = &mut self.file
        {
            file.flush(self.body.take());
        }
    }

    fn end_file(&mut self, number: u32) {
        let body = self.body.take();
        let Some(mut file) = self.file.take() else {
            return;
        };
        if body.as_ref().is_some_and(|body| body.old_left > 0 || body.new_left > 0) {
            self.problem(number, "A hunk has fewer lines than it announces");
        }
        file.flush(body);
        let lines = std::mem::take(&mut file.lines);
        match file.finish() {
            Some(file) => self.files.push((file, lines)),
            None => self.problem(number, "A changed file has no path"),
        }
    }

    fn problem(&mut self, number: u32, message: &str) {
        let remedy = "Write the patch with `git diff`; the rest of it was read.";
        let problem = Problem::warning("CTX_W_PATCH", message, remedy);
        self.problems.push(Problem { line: Some(number), ..problem });
    }
}

impl Body {
    /// Counts a line of the hunk; false when it cannot be part of it.
    fn take(&mut self, mark: Option<u8>, file: &mut Option<Pending>) -> bool {
        match mark {
            Some(b'-') if self.old_left > 0 => self.run().old.count += 1,
            Some(b'+') if self.new_left > 0 => self.run().new.count += 1,
            // Some tools drop the space of an empty context line.
            Some(b' ' | b'\r') | None if self.old_left > 0 && self.new_left > 0 => {
                if let (Some(hunk), Some(file)) = (self.open.take(), file.as_mut()) {
                    file.hunks.push(hunk);
                }
            }
            Some(b'\\') => return true,
            _ => return false,
        }
        if mark != Some(b'+') {
            self.old = self.old.saturating_add(1);
            self.old_left -= 1;
        }
        if mark != Some(b'-') {
            self.new = self.new.saturating_add(1);
            self.new_left -= 1;
        }
        true
    }

    fn run(&mut self) -> &mut Hunk {
        let start = |start| LineRange { start, count: 0 };
        self.open.get_or_insert(Hunk { old: start(self.old), new: start(self.new) })
    }
}

impl Pending {
    fn flush(&mut self, body: Option<Body>) {
        self.hunks.extend(body.and_then(|body| body.open));
    }

    fn keep_line(&mut self, line: &[u8]) {
        match line.split_first() {
            Some((b'-', text)) => self.lines.removed.push(text.to_vec()),
            Some((b'+', text)) => self.lines.added.push(text.to_vec()),
            _ => {}
        }
    }

    fn header_line(&mut self, text: &str) {
        if let Some(path) = text.strip_prefix("+++ ") {
            if self.new.is_none() && self.old.is_some() {
                self.new = Some(path_of(path));
            }
        } else if text.starts_with("new file mode ") {
            self.kind = Some(ChangeKind::Added);
        } else if text.starts_with("deleted file mode ") {
            self.kind = Some(ChangeKind::Deleted);
        } else if let Some(path) = text.strip_prefix("rename from ") {
            self.renamed = Some((unquote(path), None));
        } else if let Some(path) = text.strip_prefix("rename to ") {
            if let Some((_, to)) = &mut self.renamed {
                *to = Some(unquote(path));
            }
        } else if let Some(path) = text.strip_prefix("copy to ") {
            self.kind = Some(ChangeKind::Added);
            self.header = Some(unquote(path));
        } else if (text.starts_with("Binary files ") && text.ends_with(" differ"))
            || text == "GIT binary patch"
        {
            self.binary = true;
        }
    }

    fn finish(mut self) -> Option<FileChange> {
        if let Some((from, Some(path))) = self.renamed {
            let change = FileChange {
                path,
                from: Some(from),
                kind: ChangeKind::Renamed,
                hunks: self.hunks,
                binary: self.binary,
            };
            return (!change.path.is_empty()).then_some(change);
        }
        let strip =
            self.git || [&self.old, &self.new].into_iter().flatten().all(|path| has_side(path));
        let clean = |path: Option<String>| {
            path.filter(|path| path != "/dev/null").map(|path| without_side(path, strip))
        };
        let absent = |path: &Option<String>| path.as_deref() == Some("/dev/null");
        if self.kind.is_none() {
            self.kind = match (absent(&self.old), absent(&self.new)) {
                (true, false) => Some(ChangeKind::Added),
                (false, true) => Some(ChangeKind::Deleted),
                _ => None,
            };
        }
        let kind = self.kind.unwrap_or(ChangeKind::Modified);
        let (old, new) = (clean(self.old), clean(self.new));
        let path =
            if kind == ChangeKind::Deleted { old.or(new) } else { new.or(old) }.or(self.header)?;
        (!path.is_empty()).then_some(FileChange {
            path,
            from: None,
            kind,
            hunks: self.hunks,
            binary: self.binary,
        })
    }
}

/// Returns the path of `a/PATH b/PATH`, also with spaces in it; `None` when the sides differ.
fn same_path(paths: &str) -> Option<String> {
    if let Some(quoted) = paths.strip_prefix('"') {
        let end = quoted.find("\" ")?;
        return Some(without_side(unquote(&paths[..end + 2]), true));
    }
    let middle = paths.len() / 2;
    let (old, new) = (paths.get(..middle)?, paths.get(middle..)?.strip_prefix(' ')?);
    let (old, new) = (without_side(old.to_owned(), true), without_side(new.to_owned(), true));
    (old == new).then_some(old)
}

/// Reads the path of a `---` or `+++` line, which can end in a tab and a time.
fn path_of(text: &str) -> String {
    if text.starts_with('"') {
        return unquote(text);
    }
    text.split('\t').next().unwrap_or_default().trim_end().to_owned()
}

/// Prefixes that git puts in front of the paths of the two sides.
fn has_side(path: &str) -> bool {
    path == "/dev/null"
        || matches!(path.as_bytes(), [b'a' | b'b' | b'c' | b'i' | b'o' | b'w', b'/', ..])
}

fn without_side(path: String, strip: bool) -> String {
    if strip && has_side(&path) && path != "/dev/null" { path[2..].to_owned() } else { path }
}

/// Takes off the quotes and escapes that git writes around unusual paths.
fn unquote(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else {
        return text.trim_end().to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(digit @ b'0'..=b'7') => {
                    let mut value = u32::from(digit - b'0');
                    for digit in rest.by_ref().take(2) {
                        value = value * 8 + u32::from(digit.wrapping_sub(b'0') & 7);
                    }
                    bytes.push(value as u8);
                }
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'r') => bytes.push(b'\r'),
                Some(other) => bytes.push(other),
                None => break,
            },
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads `-a,b +c,d @@…`; a count that is left out is one.
fn parse_ranges(text: &str) -> Option<(LineRange, LineRange)> {
    let mut words = text.split(' ');
    let range = |word: &str, mark: char| -> Option<LineRange> {
        let word = word.strip_prefix(mark)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some(LineRange { start: start.parse().ok()?, count: count.parse().ok()? })
    };
    let ranges = (range(words.next()?, '-')?, range(words.next()?, '+')?);
    words.next()?.starts_with("@@").then_some(ranges)
}
