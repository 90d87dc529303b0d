//! Environment variables in texts: `${NAME}` and `${NAME:-default}`; `$${` stands for `${` itself.

/// A text with its variables filled in.
pub(super) struct Substitution {
    pub text: String,
    /// True when at least one variable was filled in.
    pub changed: bool,
    /// Variables without a value and without a default; they read as nothing.
    pub missing: Vec<String>,
}

/// Fills in the variables of `text`. What does not have the form of a variable stays as it is.
pub(super) fn substitute(text: &str, lookup_env: &dyn Fn(&str) -> Option<String>) -> Substitution {
    let mut out = Substitution {
        text: String::with_capacity(text.len()),
        changed: false,
        missing: Vec::new(),
    };
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.text.push_str(&rest[..at - 1]);
            out.text.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        out.text.push_str(&rest[..at]);
        let Some((name, default, after)) = variable(&rest[at + 2..]) else {
            out.text.push_str("${");
            rest = &rest[at + 2..];
            continue;
        };
        out.changed = true;
        // As in a shell, `:-` also replaces a variable that is set but empty.
        match (lookup_env(name).filter(|value| default.is_none() || !value.is_empty()), default) {
            (Some(value), _) => out.text.push_str(&value),
            (None, Some(default)) => out.text.push_str(default),
            (None, None) => out.missing.push(name.to_owned()),
        }
        rest = after;
    }
    out.text.push_str(rest);
    out
}

/// Splits `NAME}rest` or `NAME:-default}rest`.
fn variable(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (inside, after) = text.split_once('}')?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let holds = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (starts && holds).then_some((name, default, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, missing: &[&str]) {
        let lookup = |name: &str| match name {
            "HOST" => Some("db".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let substitution = substitute(text, &lookup);
        assert_eq!(substitution.text, expected, "{text}");
        assert_eq!(substitution.missing, missing, "{text}");
    }

    #[test]
    fn variables_are_filled_in() {
        check("a ${HOST} b", "a db b", &[]);
        check("${NOPE:-x}${HOST:-y}", "xdb", &[]);
        check("${NOPE}", "", &["NOPE"]);
        check("${EMPTY:-d}/${EMPTY}", "d/", &[]);
    }

    #[test]
    fn what_is_no_variable_stays() {
        check("$${HOST}", "${HOST}", &[]);
        check("a${2}$ {HOST} ${", "a${2}$ {HOST} ${", &[]);
        check("${}${HO-ST}", "${}${HO-ST}", &[]);
        check("$HOST", "$HOST", &[]);
    }
}
