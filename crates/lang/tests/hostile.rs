//! Text that means harm: every parse ends, within bounds, on the stack that a worker has, and never ends the program.

use contextd_lang::{LanguageId, extract};
use contextd_model::FileFacts;
use contextd_model::facts::file_flag;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What threads have that nobody said anything about.
const WORKER_STACK: usize = 2 << 20;
/// Bytes of each generated text: with a token for every two or three of them a recursion over them overflows the stack.
const LENGTH: usize = 40_000;
/// Far above what any of them takes, in a build without optimization on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(120);

fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("it ends")
    })
}

fn facts(language: &str, text: &str) -> FileFacts {
    let language = LanguageId::by_name(language).expect("a language");
    on_stack(WORKER_STACK, || extract(text, language, &Default::default()))
}

/// Every line is one deeper than the one before.
fn stairs(line: &str, steps: usize) -> String {
    (0..steps).map(|step| format!("{}{line}\n", " ".repeat(step))).collect()
}

/// What ended the program, by what did it.
fn killers() -> Vec<(&'static str, String)> {
    let word = "A".repeat(310);
    let f_strings = format!("{}{}f\"{{f'{{f\"{{", stairs("if a:", 520), " ".repeat(520));
    vec![
        // The scanner writes 2 bytes behind the 1,024 that it has.
        ("yaml", "- ".repeat(254)),
        ("yaml", stairs("a:", 300)),
        // One byte behind, where an odd number of strings is open.
        ("python", f_strings),
        // It keeps the length of a word in one byte, and aborts when it reads back another one.
        ("ruby", format!("<<{word}\nx\n{word}\n")),
        ("ruby", format!("x = <<~{0}, <<{0}\nx\n{0}\n{0}\n", "A".repeat(257))),
        // The library takes its stack apart by recursion.
        ("python", format!("def f():\n  x\n{}", ".. a::\n   ".repeat(20_000))),
    ]
}

#[test]
fn what_ended_the_program_is_known_by_its_text() {
    for (number, (language, text)) in killers().into_iter().enumerate() {
        let facts = facts(language, &text);
        assert_ne!(facts.flags & file_flag::UNPARSED, 0, "{number}: {language} was parsed");
        assert_eq!(facts.symbols.len(), 1);
        assert!(!facts.chunks.is_empty(), "{number}: {language} has no text");
        // The same on every machine: neither the stack nor what a thread did before plays a part.
        let language = LanguageId::by_name(language).expect("a language");
        let again = on_stack(64 << 20, || {
            extract("a: 1\n", language, &Default::default());
            extract(&text, language, &Default::default())
        });
        assert!(again == facts, "{number}: other facts on another stack");
    }
}

#[test]
fn what_is_deep_but_sound_is_parsed() {
    for (language, text) in [
        ("yaml", stairs("a:", 200)),
        ("yaml", "- ".repeat(200)),
        ("python", stairs("if a:", 300) + &" ".repeat(300) + "b()\n"),
        ("html", "<p>".repeat(5_000)),
        // Each comment is a node of the library's stack.
        ("rust", "// a\n".repeat(20_000) + "fn f() {}\n"),
        ("json", format!("{}{}", "[".repeat(3_000), "]".repeat(3_000))),
    ] {
        assert_eq!(facts(language, &text).flags & file_flag::UNPARSED, 0, "{language}");
    }
    let after_comments = facts("rust", &("// a\n".repeat(20_000) + "fn f() {}\n"));
    assert_eq!(after_comments.symbols.len(), 2);
}

/// What nests in some language or other, and what begins something that does not end.
const PIECES: &[&str] = &[
    "(",
    "[",
    "{",
    "<",
    "a(",
    "a[",
    "a{",
    "-",
    "- ",
    "!",
    "not ",
    "*",
    "&",
    "a.",
    "a?.",
    "a->",
    "a::",
    "a ? b : ",
    "if a ",
    "if (a) {",
    "if a:\n",
    "for (;;) {",
    "function f() {",
    "def f():\n",
    "def f\n",
    "class A {",
    "class A\n",
    "annotation class A b ",
    "a b ",
    "namespace a {",
    "<a>",
    "<a-b>",
    "\"${",
    "\"#{",
    "`${",
    "f\"{",
    "\"\\(",
    "$\"{",
    "$(",
    "\"",
    "'",
    "`",
    "/*",
    "{-",
    "--[[",
    "<<A\n",
    "<<~A\n",
    "<<<A\n",
    "$a$",
    "a = ",
    "a => ",
    "a -> ",
    "\\a -> ",
    "x + ",
    "x, ",
    "lambda: ",
    "(await ",
    "new ",
    "begin\n",
    "do\n",
    "case a of ",
    "let a = ",
    "where ",
    "- a: ",
    "? ",
    "a:\n ",
    "{a: ",
    "#if A\n",
    "#{",
    "@a(",
    "@",
    "template<",
    "A<",
    "select (",
    "case when ",
    "try {",
    "match a {",
    "> ",
    "* ",
    "#",
    ".. a::\n   ",
    "[a](",
    "%w(",
    "=begin\n",
    "impl A {",
    "a!{",
    "|a| ",
    "()=>{",
    "message A {",
    "@media a {",
    ":not(",
    "FROM a\n",
    "RUN <<A\n",
    "&a ",
    "| \n",
    "{% a ",
    "<?php ",
    "use a::{",
    "a, b = ",
    "[a, ",
];

/// What stands in front, where a language needs it.
fn head(language: &str) -> &'static str {
    match language {
        "php" => "<?php\n",
        "dockerfile" => "FROM a\n",
        _ => "",
    }
}

#[test]
fn every_language_survives_everything_nested() {
    let languages: Vec<&str> = LanguageId::all().map(LanguageId::name).collect();
    let next = AtomicUsize::new(0);
    let look = || {
        while let Some(language) = languages.get(next.fetch_add(1, Ordering::Relaxed)) {
            for piece in PIECES {
                let text = head(language).to_owned() + &piece.repeat(LENGTH / piece.len());
                let began = Instant::now();
                let facts = facts(language, &text);
                let took = began.elapsed();
                assert_eq!(facts.size as usize, text.len(), "{language}: {piece:?}");
                assert!(took < PATIENCE, "{language}: {piece:?} took {took:?}");
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..std::thread::available_parallelism().map_or(2, usize::from))
            .map(|_| scope.spawn(look))
            .collect();
        threads.into_iter().for_each(|thread| thread.join().expect("every text is survived"));
    });
}
