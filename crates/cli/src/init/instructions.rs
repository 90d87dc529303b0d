//! The section that `--instructions` adds to AGENTS.md.

use super::edit::Edit;

/// Name of the section in receipts.
pub const ID: &str = "instructions";

const START: &str = "<!-- contextd -->";
const END: &str = "<!-- /contextd -->";

const LINES: &[&str] = &[
    START,
    "## Finding code",
    "",
    "This repository is indexed by contextd, an MCP server. Prefer its tools to reading files one after the other:",
    "",
    "- `context_for_task` when work begins: the places to change, with numbered bodies. Give it `names`: 5 to 12 identifiers, file names, messages or terms that you expect in the code. Guesses are welcome; a miss costs nothing.",
    "- `show` reads several places at once (`path:line` gives the definition around it); `grep` lists matches under their definitions.",
    "- `query_context` for questions such as where or how something is done.",
    "- `symbol` for a definition with its callers, callees and tests; `context_for_files` before changing files.",
    "- Results marked `stale` changed since: read the file.",
    END,
];

/// Returns the edit that adds the section at the end, unless it is there.
pub fn put(text: &str) -> Option<Edit> {
    if text.contains(START) {
        return None;
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    Some(Edit::insert(text.len(), format!("{gap}{}{newline}", LINES.join(newline))))
}

/// Returns the text without the section and the blank line before it, when it has one.
pub fn take(text: &str) -> Option<String> {
    let start = text.find(START)?;
    let end = start + text[start..].find(END)? + END.len();
    let rest = text[end..]
        .strip_prefix("\r\n")
        .or_else(|| text[end..].strip_prefix('\n'))
        .unwrap_or(&text[end..]);
    let before = &text[..start];
    let before = before
        .strip_suffix("\r\n\r\n")
        .map(|own| &before[..own.len() + 2])
        .or_else(|| before.strip_suffix("\n\n").map(|own| &before[..own.len() + 1]))
        .unwrap_or(before);
    Some(format!("{before}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::edit;

    #[test]
    fn the_section_goes_in_once_and_out_again() {
        for text in ["", "# Rules\n", "# Rules", "# Rules\r\n\r\nBe kind.\r\n"] {
            let edits = [put(text).unwrap()];
            let after = edit::apply(text, &edits).unwrap();
            assert!(put(&after).is_none(), "{after}");
            assert_eq!(after.contains("\r\n"), text.contains("\r\n"));
            assert_eq!(edit::apply(&after, &edit::inverse(&edits)).as_deref(), Some(text));
            assert_eq!(
                take(&after).unwrap().trim_end(),
                text.trim_end(),
                "without a receipt the words are the same"
            );
        }
        assert_eq!(take("no section"), None);
    }
}
