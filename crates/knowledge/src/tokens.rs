//! Code as tokens, so that formatting does not count: white space, comments and trailing commas are
//! left out, indentation is kept as structure where it has a meaning.

mod parens;

use contextd_model::ContentHash;
use parens::Style;

/// Hexadecimal digits that a baseline keeps: 64 bits.
const DIGITS: usize = 16;

/// How a language is written, as far as formatting goes.
#[derive(Clone, Copy, Debug, Default)]
struct Lexis {
    line_comments: &'static [&'static str],
    block_comments: &'static [(&'static str, &'static str)],
    /// Blocks are told by indentation.
    indents: bool,
    /// `'a'` and `"a"` are the same.
    same_quotes: bool,
    triple_quotes: bool,
    /// A `;` at the end of a line may be there or not.
    free_semicolons: bool,
    /// Parentheses around a whole expression may be there or not.
    free_parens: Option<Style>,
}

const C_LIKE: Lexis = Lexis {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    indents: false,
    same_quotes: false,
    triple_quotes: false,
    free_semicolons: false,
    free_parens: None,
};
const HASH: Lexis = Lexis { line_comments: &["#"], block_comments: &[], ..C_LIKE };
const DASH: Lexis = Lexis { line_comments: &["--"], block_comments: &[], ..C_LIKE };

fn lexis(language: &str) -> Lexis {
    match language {
        "python" => Lexis {
            indents: true,
            same_quotes: true,
            triple_quotes: true,
            free_parens: Some(Style::Lines),
            ..HASH
        },
        "javascript" | "typescript" | "tsx" | "jsx" => Lexis {
            same_quotes: true,
            free_semicolons: true,
            free_parens: Some(Style::Arrows),
            ..C_LIKE
        },
        "rust" | "go" | "java" | "kotlin" | "c" | "cpp" | "csharp" | "swift" | "scala" | "zig"
        | "protobuf" | "proto" | "css" => C_LIKE,
        "php" | "hcl" => Lexis { line_comments: &["//", "#"], ..C_LIKE },
        "ruby" | "bash" | "toml" | "dockerfile" | "elixir" => HASH,
        "yaml" => Lexis { indents: true, same_quotes: true, ..HASH },
        "lua" => Lexis { block_comments: &[("--[[", "]]")], same_quotes: true, ..DASH },
        "haskell" => Lexis { block_comments: &[("{-", "-}")], indents: true, ..DASH },
        "sql" => Lexis { block_comments: &[("/*", "*/")], ..DASH },
        _ => Lexis::default(),
    }
}

/// Returns the hash of some code without its formatting.
pub fn code_hash(text: &str, language: &str) -> String {
    let tokens = tokens(text, language);
    ContentHash::of(tokens.join("\u{0}").as_bytes()).to_hex()[..DIGITS].to_owned()
}

/// Returns the hash of prose without its line breaks.
pub fn prose_hash(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    ContentHash::of(words.join(" ").as_bytes()).to_hex()[..DIGITS].to_owned()
}

/// Returns the tokens of some code.
pub fn tokens(text: &str, language: &str) -> Vec<String> {
    let mut lexer = Lexer {
        text,
        at: 0,
        lexis: lexis(language),
        out: Vec::new(),
        brackets: 0,
        opened: Vec::new(),
        indents: vec![0],
        fresh_line: true,
        first_indent: None,
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    match lexer.lexis.free_parens {
        Some(style) => parens::without_redundant(lexer.out, style),
        None => lexer.out,
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    lexis: Lexis,
    out: Vec<String>,
    brackets: u32,
    /// Places of brackets that are open.
    opened: Vec<usize>,
    indents: Vec<usize>,
    /// Nothing but white space since the line began.
    fresh_line: bool,
    /// Indentation of the first line: a definition may stand anywhere.
    first_indent: Option<usize>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(letter) = rest.chars().next() else {
            return;
        };
        if letter == '\n' {
            self.fresh_line = true;
            self.at += 1;
        } else if letter.is_whitespace() {
            self.at += letter.len_utf8();
        } else if let Some(end) = self.comment_end(rest) {
            self.at += end;
        } else {
            self.indentation();
            self.token(letter);
            self.fresh_line = false;
        }
    }

    /// Returns the length of the comment that starts here.
    fn comment_end(&self, rest: &str) -> Option<usize> {
        for (open, close) in self.lexis.block_comments {
            if let Some(inner) = rest.strip_prefix(open) {
                return Some(
                    inner.find(close).map_or(rest.len(), |end| open.len() + end + close.len()),
                );
            }
        }
        let starts = self.lexis.line_comments.iter().any(|leader| rest.starts_with(leader));
        starts.then(|| rest.find('\n').unwrap_or(rest.len()))
    }

    /// Writes how deep a line stands compared with the one before, in steps, not in columns.
    fn indentation(&mut self) {
        if !self.lexis.indents || !self.fresh_line || self.brackets > 0 {
            return;
        }
        let line = self.text[..self.at].rfind('\n').map_or(0, |at| at + 1);
        let width = self.text[line..self.at]
            .chars()
            .map(|letter| if letter == '\t' { 8 } else { 1 })
            .sum::<usize>();
        let base = *self.first_indent.get_or_insert(width);
        let width = width.saturating_sub(base);
        if self.out.is_empty() {
            return;
        }
        let top = *self.indents.last().unwrap_or(&0);
        if width > top {
            self.indents.push(width);
            self.out.push("\u{2}indent".to_owned());
        } else {
            while self.indents.len() > 1 && self.indents.last().is_some_and(|&own| own > width) {
                self.indents.pop();
                self.out.push("\u{2}dedent".to_owned());
            }
            self.out.push("\u{2}line".to_owned());
        }
    }

    fn token(&mut self, letter: char) {
        let rest = self.rest();
        if letter.is_alphanumeric() || letter == '_' {
            let end = rest
                .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .unwrap_or(rest.len());
            self.out.push(rest[..end].to_owned());
            self.at += end;
            return;
        }
        if let Some(end) = self.string(rest) {
            self.at += end;
            return;
        }
        self.at += letter.len_utf8();
        match letter {
            '(' | '[' | '{' => {
                self.brackets += 1;
                self.opened.push(self.out.len());
            }
            ')' | ']' | '}' => {
                self.brackets = self.brackets.saturating_sub(1);
                let open = self.opened.pop();
                // A comma before a closing bracket is the formatter's, unless it makes a tuple.
                let tuple = letter == ')' && open.is_some_and(|open| self.is_tuple(open));
                if !tuple && self.out.last().is_some_and(|last| last == ",") {
                    self.out.pop();
                }
            }
            ';' if self.lexis.free_semicolons
                && self.rest().trim_start_matches([' ', '\t', '\r']).starts_with('\n')
                    | self.rest().trim().is_empty() =>
            {
                return;
            }
            _ => {}
        }
        self.out.push(letter.to_string());
    }

    /// True when the parenthesis that opened there holds one element with a comma after it.
    fn is_tuple(&self, open: usize) -> bool {
        let inner = &self.out[open + 1..];
        self.lexis.free_parens == Some(Style::Lines)
            && !parens::is_call(&self.out[..open])
            && inner
                .split_last()
                .is_some_and(|(last, rest)| last == "," && !parens::has_comma(rest))
    }

    /// Takes a string whole, so that white space in it counts; returns its length.
    fn string(&mut self, rest: &str) -> Option<usize> {
        let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))?;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        if self.lexis.triple_quotes && rest.starts_with(&triple) {
            let inner = &rest[3..];
            let end = inner.find(&triple).unwrap_or(inner.len());
            let words: Vec<&str> = inner[..end].split_whitespace().collect();
            self.out.push(format!("\u{1}{}", words.join(" ")));
            return Some((3 + end + 3).min(rest.len()));
        }
        let end = string_end(rest, quote)?;
        let inner = &rest[1..end];
        let plain = self.lexis.same_quotes && quote != '`' && !inner.contains(['"', '\'', '\\']);
        self.out.push(if plain { format!("\u{1}{inner}") } else { rest[..=end].to_owned() });
        Some(end + 1)
    }
}

/// Returns the offset of the closing quote; none when the line ends before (a lifetime, an apostrophe).
fn string_end(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' && quote != '"' => return None,
            letter if letter == quote => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(language: &str, one: &str, two: &str) {
        assert_eq!(tokens(one, language), tokens(two, language), "{language}: {one} / {two}");
    }

    fn differ(language: &str, one: &str, two: &str) {
        assert_ne!(code_hash(one, language), code_hash(two, language), "{language}: {one} / {two}");
    }

    #[test]
    fn formatting_does_not_count() {
        same(
            "rust",
            "fn f(a: u8, b: u8) -> u8 { a + b }",
            "fn f(\n    a: u8,\n    b: u8,\n) -> u8 {\n    // adds\n    a + b\n}",
        );
        same(
            "python",
            "def f(a, b):\n    if a:\n        return 'x'\n    return g(a, b)\n",
            "    def f(\n        a,\n        b,\n    ):\n      # why\n      if a:\n          return \"x\"\n\n      return g(\n          a, b,\n      )\n",
        );
        same("typescript", "const a = {b: 'c'}\nf(a)", "const a = {\n  b: \"c\",\n};\nf(a);\n");
        same(
            "python",
            "def f():\n    \"\"\"Does\n    it.\"\"\"\n",
            "def f():\n  \"\"\"Does it.\"\"\"\n",
        );
    }

    #[test]
    fn redundant_parentheses_do_not_count() {
        for (one, two) in [
            ("return a or b", "return (\n    a or b\n)"),
            ("x = f(a) + 1\ny = 2", "x = (\n    f(a) + 1\n)\ny = 2"),
            ("if a and b:\n    c()", "if (a and b):\n    c()"),
        ] {
            same("python", one, two);
        }
        for (one, two) in [
            ("f(x => x + 1)", "f((x) => x + 1)"),
            ("const g = async x => x", "const g = async (x) => x"),
            ("return a && b\n", "return (\n  a &&\n  b\n);\n"),
            ("f(x => x ? 1 : 2)", "f((x) => (x ? 1 : 2))"),
        ] {
            same("typescript", one, two);
        }
    }

    #[test]
    fn parentheses_with_a_meaning_count() {
        for (one, two) in [
            ("x = (a,)", "x = a"),
            ("x = (a,)", "x = (a)"),
            ("return (a,)", "return a"),
            ("x == (a and b)", "x == a and b"),
            ("return (a or b) and c", "return a or b and c"),
            ("return not (a or b)", "return not a or b"),
            ("x = ()", "x ="),
            ("x = y if (a or b) else c", "x = y if a or b else c"),
            ("return (a)(b)", "return a (b)"),
            ("return f(a)", "return f"),
        ] {
            differ("python", one, two);
        }
        for (one, two) in [
            ("x => ({})", "x => {}"),
            ("return (a, b)", "return a, b"),
            ("return (a || b) && c", "return a || b && c"),
            ("return (a || b) in c", "return a || b in c"),
            ("return (a + b).c", "return a + b.c"),
            ("(x, y) => x", "x, y => x"),
            ("const f = (x = 1) => x", "const f = x = 1 => x"),
        ] {
            differ("typescript", one, two);
        }
        differ("rust", "x = (a);", "x = a;");
    }

    #[test]
    fn meaning_counts() {
        differ("rust", "fn f() { a + b }", "fn f() { a - b }");
        differ("rust", "x(\"a b\")", "x(\"a  b\")");
        differ("python", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n");
        differ("rust", "let c = 'a';", "let c = \"a\";");
        differ("rust", "fn f<'a>(x: &'a str) {}", "fn f<'b>(x: &'a str) {}");
        differ("go", "x := 1 // one", "x := 2 // one");
    }

    proptest! {
        #[test]
        fn any_text_becomes_tokens(text in "(?s).{0,200}", language in prop::sample::select(vec!["python", "rust", "typescript", "lua", "text"])) {
            let _ = tokens(&text, language);
        }

        #[test]
        fn white_space_between_words_does_not_count(words in prop::collection::vec("[a-z]{1,5}|[0-9]{1,3}|\\+|\\(|\\)|,", 1..40), gaps in prop::collection::vec(prop::sample::select(vec![" ", "\n", "\t", "  \n  "]), 40)) {
            let plain = words.join(" ");
            let spread: String = words.iter().zip(&gaps).map(|(word, gap)| format!("{word}{gap}")).collect();
            prop_assert_eq!(code_hash(&plain, "rust"), code_hash(&spread, "rust"));
        }
    }
}
