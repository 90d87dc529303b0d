//! Documentation text: comment markers off, cut to what is kept.

use contextd_model::facts::MAX_DOC;

/// Returns the words of comments or of a docstring, without their markers.
pub fn clean(text: &str) -> String {
    let body = unquote(text.trim());
    let mut out = String::with_capacity(body.len().min(MAX_DOC));
    for line in body.lines() {
        let line = strip_markers(line.trim());
        if line.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
        if out.len() > MAX_DOC {
            break;
        }
    }
    truncate(&mut out, MAX_DOC);
    out
}

/// Cuts at a character boundary.
pub fn truncate(text: &mut String, max: usize) {
    if text.len() > max {
        let mut end = max;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
}

fn unquote(text: &str) -> &str {
    let bare = text.trim_start_matches(['r', 'R', 'b', 'B', 'u', 'U', 'f', 'F']);
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = bare.strip_prefix(quote) {
            return inner.strip_suffix(quote).unwrap_or(inner);
        }
    }
    text
}

fn strip_markers(line: &str) -> &str {
    let mut line = line;
    for marker in [
        "/**", "/*!", "/*", "///", "//!", "//", "*/", "*", "##", "#!", "#", "---", "--[[", "-- |",
        "-- ^", "--", ";;", ";", "%", "{-|", "{-", "<!--", "=begin", "=end",
    ] {
        if let Some(rest) = line.strip_prefix(marker) {
            line = rest.trim_start();
            break;
        }
    }
    for marker in ["*/", "-}", "-->", "]]"] {
        line = line.strip_suffix(marker).unwrap_or(line).trim_end();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_go() {
        assert_eq!(clean("/** Does it.\n *\n * @param x the x\n */"), "Does it.\n@param x the x");
        assert_eq!(clean("/// One\n/// two"), "One\ntwo");
        assert_eq!(clean("r\"\"\"Doc.\n\n    More.\n    \"\"\""), "Doc.\nMore.");
        assert_eq!(clean("# comment"), "comment");
    }
}
