//! Documents in sections, each with its class.

/// Longest piece of a section that is shown as one, in characters.
pub const MAX_CHUNK: usize = 2_000;

/// What a section is for; the order is the order in which sections are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Spec,
    Invariants,
    Constraints,
    Api,
    Tests,
    Other,
}

impl Class {
    /// Returns the name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Class::Spec => "spec",
            Class::Invariants => "invariants",
            Class::Constraints => "constraints",
            Class::Api => "api",
            Class::Tests => "tests",
            Class::Other => "other",
        }
    }

    /// Returns the class that a heading speaks of.
    pub fn of(heading: &str) -> Class {
        let lower = heading.to_lowercase();
        let words: Vec<&str> = lower
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let has = |stems: &[&str]| {
            words.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)))
        };
        if has(&["invariant"]) {
            Class::Invariants
        } else if has(&["constraint", "limitation", "limit"]) {
            Class::Constraints
        } else if has(&["test"]) {
            Class::Tests
        } else if words.contains(&"api")
            || words.contains(&"apis")
            || has(&["interface", "endpoint", "signature"])
        {
            Class::Api
        } else if has(&["spec", "requirement", "behavior", "behaviour"]) {
            Class::Spec
        } else {
            Class::Other
        }
    }
}

/// A run of lines under one heading of the first or second level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'t> {
    /// Empty before the first heading.
    pub heading: String,
    pub class: Class,
    /// Lines from 1, the last included.
    pub start_line: u32,
    pub end_line: u32,
    pub text: &'t str,
}

/// Splits a document at its headings of the first and second level; every byte is in one section.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let lines = lines(text);
    let mut starts: Vec<(usize, String)> = Vec::new();
    let code = fenced(&lines);
    for (at, is_code) in code.into_iter().enumerate() {
        if !is_code && let Some(title) = heading(&lines, at) {
            starts.push((at, title));
        }
    }
    if starts.first().is_none_or(|&(line, _)| line > 0) {
        starts.insert(0, (0, String::new()));
    }
    let end_of = |number: usize| starts.get(number + 1).map_or(lines.len(), |&(line, _)| line);
    let offset = |line: usize| lines.get(line).map_or(text.len(), |&(start, _)| start);
    let made = starts.iter().enumerate().map(|(number, (line, heading))| Section {
        heading: heading.clone(),
        class: Class::of(heading),
        start_line: *line as u32 + 1,
        end_line: end_of(number).max(line + 1) as u32,
        text: &text[offset(*line)..offset(end_of(number))],
    });
    made.filter(|section| !section.text.trim().is_empty()).collect()
}

/// Splits a section into pieces of at most [`MAX_CHUNK`] characters, between paragraphs where it can.
pub fn chunks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_end();
    while rest.chars().count() > MAX_CHUNK {
        let limit = rest.char_indices().nth(MAX_CHUNK).map_or(rest.len(), |(at, _)| at);
        let head = &rest[..limit];
        let cut =
            head.rfind("\n\n").or_else(|| head.rfind('\n')).filter(|&at| at > 0).unwrap_or(limit);
        found.push(rest[..cut].trim_end());
        rest = rest[cut..].trim_start_matches('\n');
    }
    found.push(rest);
    found.retain(|chunk| !chunk.trim().is_empty());
    found
}

/// Returns for each line whether it stands in a fence.
pub(crate) fn fenced(lines: &[(usize, &str)]) -> Vec<bool> {
    let mut open: Option<char> = None;
    lines
        .iter()
        .map(|(_, line)| {
            let trimmed = line.trim_start();
            let mark = ['`', '~']
                .into_iter()
                .find(|mark| trimmed.starts_with(&mark.to_string().repeat(3)));
            match (open, mark) {
                (None, Some(mark)) => {
                    open = Some(mark);
                    true
                }
                (Some(own), Some(mark)) if own == mark => {
                    open = None;
                    true
                }
                (open, _) => open.is_some(),
            }
        })
        .collect()
}

/// Returns the lines with their offsets, line ends off.
pub(crate) fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let at = start;
            start += line.len();
            (at, line.trim_end_matches(['\n', '\r']))
        })
        .collect()
}

/// Returns the title when a line starts a section: `#`, `##`, `=`, `==`, or a line underlined.
fn heading(lines: &[(usize, &str)], at: usize) -> Option<String> {
    let line = lines[at].1;
    for mark in ["# ", "## ", "= ", "== "] {
        if let Some(title) = line.strip_prefix(mark) {
            let title = title.trim().trim_end_matches('#').trim();
            return (!title.is_empty()).then(|| title.to_owned());
        }
    }
    let under = lines.get(at + 1)?.1.trim_end();
    let mark = under.chars().next().filter(|mark| "=-~".contains(*mark))?;
    let underlined = under.len() >= 3
        && under.chars().all(|letter| letter == mark)
        && under.len() + 2 >= line.trim_end().chars().count();
    let is_title = line.chars().next().is_some_and(char::is_alphanumeric)
        && line.len() < 120
        && (at == 0 || lines[at - 1].1.trim().is_empty());
    (underlined && is_title).then(|| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_follow_the_heading() {
        for (heading, class) in [
            ("Specification", "spec"),
            ("Invariants", "invariants"),
            ("Known limitations", "constraints"),
            ("Public API", "api"),
            ("Testing", "tests"),
            ("History", "other"),
            ("Capital", "other"),
        ] {
            assert_eq!(Class::of(heading).name(), class, "{heading}");
        }
        assert!(
            Class::Spec < Class::Invariants
                && Class::Api < Class::Tests
                && Class::Tests < Class::Other
        );
    }

    #[test]
    fn documents_split_at_headings_outside_of_code() {
        let text = "intro\n\n# Title\nwords\n```\n## not one\n```\n## API\nx\n### deeper\n\nTests\n-----\ny\n";
        let found: Vec<(String, u32, u32)> = sections(text)
            .into_iter()
            .map(|section| (section.heading, section.start_line, section.end_line))
            .collect();
        assert_eq!(
            found,
            [
                (String::new(), 1, 2),
                ("Title".into(), 3, 7),
                ("API".into(), 8, 11),
                ("Tests".into(), 12, 14)
            ]
        );
    }

    proptest! {
        #[test]
        fn sections_cover_the_text_and_chunks_are_short(text in "(?s)(# a\n|## b\n|words? \n|\n|```\n|é){0,60}") {
            let found = sections(&text);
            let joined: usize = found.iter().map(|section| section.text.len()).sum();
            prop_assert!(joined <= text.len());
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
            prop_assert_eq!(found.iter().map(|section| letters(section.text)).sum::<usize>(), letters(&text));
        }

        #[test]
        fn chunks_keep_every_letter(text in "(?s)(word |\n\n|\n|longer){0,900}") {
            let found = chunks(&text);
            prop_assert!(found.iter().all(|chunk| chunk.chars().count() <= MAX_CHUNK));
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&found.concat()), letters(&text));
        }
    }
}
