//! Owners of a path by the rules of a CODEOWNERS file.
//!
//! The last line that matches wins; a matching line without owners takes them away. In files with
//! sections (`[Name]`, `^[Name]`, `[Name][2] @default`) the last match of each section counts and
//! the sections add up.

/// Parsed CODEOWNERS file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    section: usize,
    pattern: Pattern,
    owners: Vec<String>,
    /// `!pattern`: takes the path out of its section.
    exclude: bool,
}

/// Returns the owners that a CODEOWNERS text gives a path.
pub fn owners(text: &str, path: &str) -> Vec<String> {
    Owners::parse(text).of(path)
}

impl Owners {
    /// Parses a CODEOWNERS text; lines that say nothing are passed over.
    pub fn parse(text: &str) -> Self {
        let mut rules = Vec::new();
        let mut names: Vec<String> = vec![String::new()];
        let (mut section, mut default) = (0, Vec::new());
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((name, owners)) = section_header(line) {
                section = names.iter().position(|known| *known == name).unwrap_or(names.len());
                if section == names.len() {
                    names.push(name);
                }
                default = owners;
                continue;
            }
            let words = split_words(line);
            let Some((first, rest)) = words.split_first() else {
                continue;
            };
            let (exclude, pattern) = match first.strip_prefix('!') {
                Some(pattern) => (true, pattern),
                None => (false, first.as_str()),
            };
            let owners = if rest.is_empty() { default.clone() } else { rest.to_vec() };
            rules.push(Rule { section, pattern: Pattern::parse(pattern), owners, exclude });
        }
        Self { rules }
    }

    /// Returns the owners of a path, each once, in the order of the file.
    pub fn of(&self, path: &str) -> Vec<String> {
        let parts: Vec<&str> =
            path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let mut last: std::collections::BTreeMap<usize, &Rule> = std::collections::BTreeMap::new();
        for rule in self.rules.iter().filter(|rule| rule.pattern.matches(&parts)) {
            last.insert(rule.section, rule);
        }
        let mut owners: Vec<String> = Vec::new();
        for owner in last.values().filter(|rule| !rule.exclude).flat_map(|rule| &rule.owners) {
            if !owners.contains(owner) {
                owners.push(owner.clone());
            }
        }
        owners
    }
}

/// Reads `[Name]`, `^[Name]`, `[Name][2]`, each with default owners behind it. A pattern that starts
/// with a bracket expression has no space before its path, so it cannot be told apart; sections win.
fn section_header(line: &str) -> Option<(String, Vec<String>)> {
    let (name, mut rest) =
        line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?.split_once(']')?;
    if let Some((count, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        count.trim().parse::<u32>().ok()?;
        rest = after;
    }
    let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
    is_end.then(|| (name.trim().to_lowercase(), split_words(rest)))
}

/// Splits at white space, with `\` protecting the next character; a word starting with `#` ends the line.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(next) if next.is_whitespace() || next == '#' => word.push(next),
                Some(next) => word.extend(['\\', next]),
                None => word.push('\\'),
            },
            '#' if word.is_empty() => break,
            _ if character.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(character),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Path pattern by parts: `**` stands for any number of folders, `*` and `?` stay within a part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    parts: Vec<String>,
    /// Also matches everything below what it names.
    covers_below: bool,
    /// Names a folder: the path itself must lie below.
    folder_only: bool,
}

impl Pattern {
    fn parse(text: &str) -> Self {
        let anchored = text.trim_end_matches('/').contains('/');
        let folder_only = text.ends_with('/');
        let mut parts: Vec<String> =
            text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if !anchored {
            parts.insert(0, "**".to_owned());
        }
        // `docs/*` means the files of the folder and not those further down; `*` alone means all.
        let covers_below = !(anchored && parts.last().is_some_and(|part| part == "*"));
        Self { parts, covers_below, folder_only }
    }

    fn matches(&self, path: &[&str]) -> bool {
        // reached[i]: the pattern parts so far can match the first i parts of the path.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for part in &self.parts {
            if part == "**" {
                let first = reached.iter().position(|&here| here).unwrap_or(reached.len());
                reached[first..].fill(true);
                continue;
            }
            for at in (0..path.len()).rev() {
                reached[at + 1] = reached[at] && wildcard(part, path[at]);
            }
            reached[0] = false;
        }
        let below = self.covers_below || self.folder_only;
        let end = if self.folder_only { path.len().saturating_sub(1) } else { path.len() };
        let from = if below { 1.min(end) } else { end };
        !path.is_empty() && reached.get(from..=end).is_some_and(|reached| reached.contains(&true))
    }
}

/// Matches `*` and `?` within one part, going back to the last `*` only, so the time is bounded.
fn wildcard(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut there) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while there < text.len() {
        let (literal, width) = match pattern.get(at) {
            Some('\\') if at + 1 < pattern.len() => (Some(pattern[at + 1]), 2),
            Some('*') => {
                star = Some((at + 1, there));
                at += 1;
                continue;
            }
            Some('?') => (Some(text[there]), 1),
            Some(&character) => (Some(character), 1),
            None => (None, 0),
        };
        if literal == Some(text[there]) {
            at += width;
            there += 1;
        } else if let Some((after, from)) = star {
            at = after;
            there = from + 1;
            star = Some((after, there));
        } else {
            return false;
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|&character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, path: &str, expected: &[&str]) {
        assert_eq!(owners(text, path), expected, "{path} in {text:?}");
    }

    #[test]
    fn the_last_match_wins() {
        let text = "* @all\n*.js @js # comment\n/build/ @build\ndocs/* docs@example.org\napps/ @apps\n/apps/free\n**/logs @logs\n";
        check(text, "src/main.rs", &["@all"]);
        check(text, "src/a.js", &["@js"]);
        check(text, "build/x/y.js", &["@build"]);
        check(text, "src/build/a.rs", &["@all"]);
        check(text, "docs/a.md", &["docs@example.org"]);
        check(text, "docs/deep/a.md", &["@all"]);
        check(text, "x/apps/y", &["@apps"]);
        check(text, "apps/free/y", &[]);
        check(text, "deep/logs/a/b", &["@logs"]);
    }

    #[test]
    fn escapes_and_odd_lines() {
        check("with\\ space/ @a", "with space/x", &["@a"]);
        check("\\#file @a", "#file", &["@a"]);
        check("# @a\n\n   \n", "x", &[]);
        check("/a/**/z @a @b", "a/z", &["@a", "@b"]);
        check("/a/**/z @a", "a/b/c/z", &["@a"]);
        check("foo @a", "bar/foo/baz", &["@a"]);
        check("/foo @a", "bar/foo", &[]);
        check("fo?.* @a", "x/foo.rs", &["@a"]);
        check("apps/ @a", "apps", &[]);
    }

    #[test]
    fn sections_add_up() {
        let text = "* @all\n[Docs] @writers\n*.md\nREADME.md @boss @all\n^[Optional][2]\n*.md @reader\n[docs]\n!/skip.md\n";
        check(text, "a.md", &["@all", "@writers", "@reader"]);
        check(text, "README.md", &["@all", "@boss", "@reader"]);
        check(text, "skip.md", &["@all", "@reader"]);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_a_plain_path_matches_itself(text in "[\\[\\]!^#*?/\\\\a-c \n@]{0,80}", path in "[a-c]{1,3}(/[a-c]{1,3}){0,3}") {
            owners(&text, &path);
            let rule = format!("/{path} @me");
            prop_assert_eq!(owners(&rule, &path), ["@me"]);
        }

        #[test]
        fn many_stars_take_bounded_time(stars in 1usize..60) {
            let pattern = "*a".repeat(stars) + "b";
            prop_assert_eq!(wildcard(&pattern, &"a".repeat(400)), false);
        }
    }
}
