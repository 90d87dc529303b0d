//! The words of a README and of comments.

/// Longest description taken from a README, in characters.
const ABOUT: usize = 420;

/// Returns the first paragraph of a README that says something: no badges, no markup, no headings.
pub fn about(text: &str) -> String {
    let mut paragraph = String::new();
    let mut fence = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fence = !fence;
            continue;
        }
        if fence || is_markup(line) {
            if !paragraph.is_empty() && is_said(&paragraph) {
                break;
            }
            paragraph.clear();
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    if is_said(&paragraph) { clip(&plain(&paragraph), ABOUT) } else { String::new() }
}

fn is_said(paragraph: &str) -> bool {
    plain(paragraph).split_whitespace().count() >= 5
}

fn is_markup(line: &str) -> bool {
    let only_badges = line.starts_with("[![")
        || line.starts_with("![")
        || line.starts_with('<')
        || line.starts_with("[!");
    let rule = !line.is_empty() && line.chars().all(|letter| "=-~*_#^+".contains(letter));
    line.is_empty()
        || only_badges
        || rule
        || line.starts_with('#')
        || line.starts_with("..")
        || line.starts_with("= ")
        || line.starts_with(":")
        || line.starts_with('|')
        || line.starts_with('>')
        || line.starts_with("[") && line.contains("]:")
}

/// Takes links and emphasis off.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest.find(']') else { break };
        out.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        for (open, close) in [('(', ')'), ('[', ']')] {
            if let Some(inner) = rest.strip_prefix(open) {
                rest = inner.find(close).map_or("", |end| &inner[end + 1..]);
            }
        }
    }
    out.push_str(rest);
    out.replace("**", "").replace("__", "")
}

/// Cuts at a word so that at most `most` characters are left.
pub fn clip(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{}…", text[..cut].trim_end_matches([',', ';', ':']))
}

/// Returns the first sentence of the comment or docstring that a file starts with; licences say nothing.
pub fn file_comment(text: &str) -> String {
    let mut blocks: Vec<String> = vec![String::new()];
    let mut quoted: Option<&str> = None;
    for line in text.lines().take(60) {
        let line = line.trim();
        if let Some(quote) = quoted {
            let (said, ended) =
                line.split_once(quote).map_or((line, false), |(said, _)| (said, true));
            match said {
                "" => blocks.push(String::new()),
                // The line above was a title.
                _ if is_rule(said) => drop(blocks.pop()),
                _ => push(&mut blocks, said),
            }
            if blocks.is_empty() {
                blocks.push(String::new());
            }
            if ended {
                break;
            }
            continue;
        }
        if let Some(quote) = ["\"\"\"", "'''"]
            .into_iter()
            .find(|quote| line.trim_start_matches(['r', 'u']).starts_with(quote))
        {
            let inner = line.trim_start_matches(['r', 'u']).trim_start_matches(quote);
            let (said, ended) =
                inner.split_once(quote).map_or((inner, false), |(said, _)| (said, true));
            push(&mut blocks, said);
            if ended {
                break;
            }
            quoted = Some(quote);
            continue;
        }
        match comment(line) {
            // Annotations speak to programs.
            Some(said)
                if ["contextd:", "beadloom:", "go:", "+build", "@ts-", "@flow"]
                    .iter()
                    .any(|start| said.starts_with(start)) => {}
            Some(said) => push(&mut blocks, said),
            None if line.is_empty() => blocks.push(String::new()),
            None if blocks.iter().all(|block| block.trim().is_empty())
                && (line.starts_with("'use")
                    || line.starts_with("\"use")
                    || line.starts_with("from __future__")
                    || line.starts_with("package ")
                    || line.starts_with("@file")) => {}
            None => break,
        }
    }
    let wanted = blocks
        .iter()
        .map(|block| block.trim())
        .find(|block| is_sentence(block) && !is_licence(block));
    wanted.map(sentence).unwrap_or_default()
}

/// True for a line that underlines a title.
fn is_rule(line: &str) -> bool {
    line.len() > 2 && line.chars().all(|letter| "=-~*^+#".contains(letter))
}

/// True for words: a title is one, a drawing has none.
fn is_sentence(block: &str) -> bool {
    let letters = block.chars().filter(|letter| letter.is_alphabetic()).count();
    block.split_whitespace().count() > 1 && letters * 2 > block.chars().count()
}

fn push(blocks: &mut [String], said: &str) {
    if let Some(block) = blocks.last_mut() {
        block.push_str(said);
        block.push(' ');
    }
}

fn comment(line: &str) -> Option<&str> {
    for leader in
        ["//!", "///", "//", "/**", "/*!", "/*", "*/", "*", "##", "#", "--", ";;", "%", "{-", "-}"]
    {
        if let Some(rest) = line.strip_prefix(leader) {
            return (!line.starts_with("#!")
                && !line.starts_with("#include")
                && !line.starts_with("#[")
                && !line.starts_with("#if")
                && !line.starts_with("#pragma")
                && !line.starts_with("#define"))
            .then(|| rest.trim_end_matches("*/").trim());
        }
    }
    None
}

fn is_licence(block: &str) -> bool {
    let lower = block.to_lowercase();
    ["copyright", "licen", "spdx", "all rights", "eslint", "coding:", "-*-", "vim:"]
        .iter()
        .any(|word| lower.contains(word))
}

/// Returns the first sentence, markup off.
pub fn sentence(text: &str) -> String {
    let text = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    // Tags of comments (`@author`) are no part of what is said.
    let tag = text
        .match_indices(" @")
        .map(|(at, _)| at)
        .find(|&at| text[at + 2..].starts_with(|letter: char| letter.is_ascii_lowercase()))
        .unwrap_or(text.len());
    let text = &text[..tag];
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    clip(text[..end].trim(), 110)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_that_says_something_is_taken() {
        let text = "<div><img src=x></div>\n\n# Title\n\n[![Build](x)](y)\n\nThe `x` is a [fast](http://y) **tool**\nfor reading and writing things.\n\nMore.\n";
        assert_eq!(about(text), "The `x` is a fast tool for reading and writing things.");
        assert_eq!(about("# Only\n\n## Headings\n"), "");
    }

    #[test]
    fn comments_speak_for_files() {
        for (text, expected) in [
            (
                "// Copyright 2020\n// Licensed so\n\n// Package x does it. More.\npackage x\n",
                "Package x does it.",
            ),
            ("\"\"\"Reads things.\n\nMore.\n\"\"\"\n", "Reads things."),
            ("//! Does a\n//! thing.\nuse x;\n", "Does a thing."),
            ("\"\"\"\npkg.mod\n~~~~~~~\n\nHolds the things.\n\"\"\"\n", "Holds the things."),
            ("//go:build windows\n// +build windows\n\npackage x\n", ""),
            ("#   __\n#  /  ) _ _\n\n# A log channel. @author Ann\n", "A log channel."),
            ("// functions\nimport x\n", ""),
            ("\"\"\"Does it.\n\nHow to use\n----------\nSo.\n\"\"\"\n", "Does it."),
            ("import x\n", ""),
            ("#!/usr/bin/env python\n", ""),
        ] {
            assert_eq!(file_comment(text), expected, "{text}");
        }
    }
}
