//! Prints the facts of the files named on the command line.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example reports on the terminal")]

fn main() {
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let language = contextd_lang::detect(&path, &text);
                let facts = contextd_lang::extract(&text, language, &Default::default());
                println!("# {path} ({})\n{}", language.name(), contextd_lang::dump::dump(&facts));
            }
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}
