//! Parentheses that a formatter adds or takes away without a change of meaning: around a whole
//! expression, and around the only parameter of an arrow function.

/// How a language lets parentheses go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Statements end where a line ends.
    Lines,
    /// Statements end where no operator follows; functions may be arrows.
    Arrows,
}

/// Words before a parenthesis that make no call of it.
const KEYWORDS: &[&str] = &[
    "return", "if", "elif", "else", "while", "in", "is", "and", "or", "not", "assert", "yield",
    "await", "lambda", "for", "del", "raise", "from", "import", "except", "with", "as",
];
/// Words that go on with an expression.
const OPERATORS: &[&str] = &["in", "instanceof", "of", "as", "satisfies"];

/// Leaves the parentheses out that say nothing.
pub fn without_redundant(tokens: Vec<String>, style: Style) -> Vec<String> {
    let closes = matching(&tokens);
    let mut dropped = vec![false; tokens.len()];
    for (open, close) in closes {
        if is_redundant(&tokens, open, close, style) {
            (dropped[open], dropped[close]) = (true, true);
        }
    }
    let kept = tokens.into_iter().zip(dropped);
    kept.filter(|(_, dropped)| !dropped).map(|(token, _)| token).collect()
}

/// True when a parenthesis that opens after these tokens holds arguments, not an expression.
pub fn is_call(before: &[String]) -> bool {
    before.last().is_some_and(|last| {
        let word = last.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        word && !KEYWORDS.contains(&last.as_str()) || last == ")" || last == "]"
    })
}

/// Returns the places of parentheses that belong together.
fn matching(tokens: &[String]) -> Vec<(usize, usize)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" => open.push(at),
            ")" => found.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    found
}

fn is_redundant(tokens: &[String], open: usize, close: usize, style: Style) -> bool {
    let inner = &tokens[open + 1..close];
    let token = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", String::as_str);
    let (before, earlier) = (token(open.checked_sub(1)), token(open.checked_sub(2)));
    let (after, later) = (token(Some(close + 1)), token(Some(close + 2)));
    if style == Style::Arrows && (after, later) == ("=", ">") {
        let free = before == "async" || !is_call(&tokens[..open]);
        return free && inner.len() == 1 && is_word(&inner[0]);
    }
    if inner.is_empty() || has_comma(inner) {
        return false;
    }
    let assigned = before == "=" && !["=", "!", "<", ">"].contains(&earlier);
    match style {
        Style::Lines => {
            let ended = after.is_empty() || after.starts_with('\u{2}');
            ended && (assigned || before == "return")
                || after == ":" && ["if", "elif", "while"].contains(&before)
        }
        Style::Arrows => {
            let arrow = before == ">" && earlier == "=" && inner[0] != "{";
            let ended =
                ["", "}", ";"].contains(&after) || is_word(after) && !OPERATORS.contains(&after);
            ended && (assigned || arrow || before == "return")
                || arrow && [")", ",", "]"].contains(&after)
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_' || letter == '$')
}

/// True when a comma stands outside of inner brackets.
pub fn has_comma(tokens: &[String]) -> bool {
    let mut depth = 0_i32;
    tokens.iter().any(|token| {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && token == ","
    })
}
