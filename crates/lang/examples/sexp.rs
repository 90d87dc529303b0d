//! Prints the syntax tree of a file with field names, to write a language table from.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example reports on the terminal")]

fn main() {
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => println!(
                "{}",
                contextd_lang::extract::syntax_tree(&text, contextd_lang::detect(&path, &text))
            ),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}
