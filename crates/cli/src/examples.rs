//! Examples of every command: shown by `--help`, printed in the reference and run by a test in a small shop's repository.

/// Commands by what they are for; a command that is named nowhere comes last.
pub const GROUPS: &[(&str, &[&str])] = &[
    (
        "Ask",
        &[
            "ask",
            "task",
            "search",
            "show",
            "grep",
            "files",
            "pr",
            "recent",
            "symbol",
            "impact",
            "tests",
            "why",
            "ref",
            "codegraph",
            "prime",
            "graph",
        ],
    ),
    ("Keep", &["pack", "feedback", "report-usage", "savings", "export", "schema"]),
    ("Index", &["index", "status", "stats", "doctor", "refresh", "rebuild", "jobs", "clean"]),
    (
        "Check",
        &[
            "check-file",
            "list-indexable",
            "project-stats",
            "validate-config",
            "audit",
            "docs",
            "lint",
            "eval",
        ],
    ),
    ("Connect", &["init", "uninit", "serve", "completions", "man"]),
];

/// A command, and command lines with what they do.
pub const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "index",
        &[
            ("contextd index", "build the index, or read what changed"),
            ("contextd index --full", "read every file again"),
            ("contextd index --json", "the same numbers for programs"),
        ],
    ),
    (
        "task",
        &[
            (
                "contextd task \"charge the card only once\" --names \"charge, idempotency_key, Payment\"",
                "the places to change; guesses of what the code says make it sharper",
            ),
            ("contextd task \"charge the card only once\"", "the same from the words alone"),
            (
                "contextd task \"give refunds a reason\" --budget 2000 --format markdown",
                "less of it, ready for a prompt",
            ),
            (
                "contextd task \"sign payments\" --path shop --exclude tests",
                "look in one folder, leave another out",
            ),
        ],
    ),
    (
        "ask",
        &[
            ("contextd ask \"receipts are signed twice\"", "work to do is answered like task"),
            ("contextd ask \"where are sessions expired?\"", "a question is answered like search"),
            ("contextd \"receipts are signed twice\"", "a sentence needs no command"),
        ],
    ),
    (
        "search",
        &[
            ("contextd search \"where are sessions expired\"", "places that answer a question"),
            (
                "contextd search \"total of the cart\" --lang python -k 3",
                "three of them, in one language",
            ),
            ("contextd search refund --json", "symbols, lines and scores for programs"),
        ],
    ),
    (
        "show",
        &[
            ("contextd show shop/payment.py:9", "the definition around a line, numbered"),
            ("contextd show shop/cart.py:1-20 Cart.total", "a range and a symbol at once"),
        ],
    ),
    (
        "grep",
        &[
            ("contextd grep refund", "matches, each under the definition that holds it"),
            ("contextd grep -F \"charge(\" shop", "plain text, in one folder"),
        ],
    ),
    (
        "files",
        &[
            ("contextd files shop/payment.py", "what belongs to a changed file"),
            (
                "contextd files shop/cart.py --task \"count discounts\" --budget 1500",
                "ranked for what the change is about",
            ),
        ],
    ),
    (
        "symbol",
        &[
            ("contextd symbol Cart.total", "definition, callers, callees, tests"),
            ("contextd symbol shop/payment.py:9", "the symbol at a line"),
        ],
    ),
    (
        "why",
        &[(
            "contextd why checkout --task \"charge the card\"",
            "the score of one symbol, term by term",
        )],
    ),
    (
        "ref",
        &[
            ("contextd ref payments", "a declared part: its graph, docs, code, rules and tests"),
            ("contextd ref payments cart --depth 1 --json", "the bundle of two parts for programs"),
        ],
    ),
    (
        "docs",
        &[
            ("contextd docs check", "which documents no longer agree with the code"),
            ("contextd docs update --all", "record that they all agree"),
        ],
    ),
    (
        "docs check",
        &[
            ("contextd docs check", "exit 0 fresh, 1 error, 2 stale"),
            ("contextd docs check --since main", "against a revision, for a pull request"),
            ("contextd docs check --porcelain", "one line a document, for hooks"),
        ],
    ),
    (
        "docs update",
        &[
            ("contextd docs update payments", "the documents of a declared part agree again"),
            ("contextd docs update docs/payments.md", "one document"),
            ("contextd docs update --all", "everything as it is"),
        ],
    ),
    (
        "lint",
        &[
            ("contextd lint", "architecture rules that do not hold, with evidence and remedy"),
            ("contextd lint --format sarif", "for code hosts; github for workflow annotations"),
        ],
    ),
    (
        "graph",
        &[
            ("contextd graph shop/", "which files of a folder use which"),
            (
                "contextd graph charge --depth 2 --format dot",
                "what lies around a symbol, for Graphviz",
            ),
        ],
    ),
    (
        "prime",
        &[
            ("contextd prime", "what the project is, where it starts, how it is tested, its parts"),
            ("contextd prime --budget 600", "the same, shorter"),
        ],
    ),
    (
        "pr",
        &[
            ("contextd pr", "what belongs to the change of this branch"),
            ("contextd pr main --budget 3000", "against a revision, in fewer tokens"),
        ],
    ),
    (
        "recent",
        &[
            ("contextd recent", "the newest commits with the symbols they touched"),
            ("contextd recent shop/cart.py -k 3", "the last three that touched a file"),
            ("contextd recent Cart.total", "the history of a symbol"),
        ],
    ),
    (
        "tests",
        &[
            ("contextd tests shop/payment.py", "tests that a change of a file reaches"),
            ("contextd tests --json", "tests that the change of this branch reaches, for programs"),
        ],
    ),
    (
        "impact",
        &[
            ("contextd impact charge", "what leans on a symbol"),
            ("contextd impact shop/cart.py --max-hops 2", "what leans on a file, two steps far"),
        ],
    ),
    (
        "pack",
        &[
            (
                "contextd pack create \"charge the card\" --format text",
                "build a pack and store it under its id",
            ),
            ("contextd pack list", "what is stored"),
        ],
    ),
    (
        "pack create",
        &[(
            "contextd pack create \"charge the card\" --intent refactor --budget 3000",
            "a pack for a purpose, inside a budget",
        )],
    ),
    (
        "pack get",
        &[(
            "contextd pack get 3f6c1a --format markdown",
            "a stored pack by the first digits of its id",
        )],
    ),
    (
        "pack export",
        &[("contextd pack export kept-packs", "all stored packs as files, with a manifest")],
    ),
    (
        "pack import",
        &[("contextd pack import kept-packs", "the packs of such a folder, stored here")],
    ),
    (
        "codegraph",
        &[(
            "contextd codegraph shop/payment.py-shop-charge --hop-depth 1",
            "what a change of one function touches, by its interfaces",
        )],
    ),
    ("pack list", &[("contextd pack list --limit 5", "the newest five")]),
    ("pack diff", &[("contextd pack diff 3f6c1a 9b20d4", "what entered and what left")]),
    (
        "status",
        &[
            ("contextd status", "what is indexed"),
            ("contextd status --json", "the same for scripts"),
            ("contextd status --check", "look at every file, in a large tree too"),
        ],
    ),
    ("stats", &[("contextd stats", "health of the index and its parts")]),
    ("doctor", &[("contextd doctor", "what is wrong, and what to do about it")]),
    (
        "refresh",
        &[
            ("contextd refresh", "read what changed"),
            ("contextd refresh shop --force", "read a folder again even if nothing seems changed"),
        ],
    ),
    (
        "rebuild",
        &[
            ("contextd rebuild --dry-run", "what would be done"),
            ("contextd rebuild --confirm", "make the index anew"),
            ("contextd rebuild shop --confirm", "only a folder of it"),
        ],
    ),
    (
        "jobs",
        &[
            ("contextd jobs", "the newest rebuilds"),
            ("contextd jobs --json", "the same for scripts"),
        ],
    ),
    (
        "check-file",
        &[(
            "contextd check-file shop/cart.py",
            "whether a file is indexed, and the rule that decides",
        )],
    ),
    (
        "list-indexable",
        &[("contextd list-indexable --limit 5", "the first five files that are indexed")],
    ),
    (
        "project-stats",
        &[("contextd project-stats", "files by language, and what is left out by which rule")],
    ),
    ("validate-config", &[("contextd validate-config", "what is wrong with the configuration")]),
    ("audit", &[("contextd audit secrets", "what was redacted where, never the value")]),
    (
        "export",
        &[
            ("contextd export symbols --out ../symbols.jsonl", "symbols as JSON lines"),
            ("contextd export --sql ../index.sql", "everything as a script for a database"),
        ],
    ),
    (
        "schema",
        &[
            ("contextd schema ContextPack", "the schema of a pack"),
            ("contextd schema query_context", "the schema of a tool's input"),
        ],
    ),
    (
        "feedback",
        &[
            (
                "contextd feedback useful refund --query \"give the money back\"",
                "a symbol that was needed; later answers in a session learn from it",
            ),
            ("contextd feedback list", "everything that was learned, and what of it still counts"),
            ("contextd feedback forget --all", "forget it"),
        ],
    ),
    (
        "feedback useful",
        &[(
            "contextd feedback useful refund charge --query \"give the money back\"",
            "two symbols that were needed",
        )],
    ),
    (
        "feedback not-useful",
        &[(
            "contextd feedback not-useful sign --query \"give the money back\"",
            "a symbol that was in the way",
        )],
    ),
    (
        "feedback list",
        &[("contextd feedback list --json", "judgements, vocabulary and sessions for programs")],
    ),
    (
        "feedback explain",
        &[(
            "contextd feedback explain refund --query \"give the money back\"",
            "what was learned about a symbol, and what it adds",
        )],
    ),
    ("feedback export", &[("contextd feedback export", "every judgement as JSON lines")]),
    (
        "feedback import",
        &[("contextd feedback import judgements.jsonl", "take judgements of another checkout in")],
    ),
    (
        "feedback forget",
        &[
            ("contextd feedback forget refund", "forget what was learned about a symbol"),
            ("contextd feedback forget --all", "forget everything"),
        ],
    ),
    (
        "report-usage",
        &[
            (
                "contextd report-usage refund shop/payment.py --query \"give the money back\"",
                "what was read or edited for a request",
            ),
            (
                "contextd report-usage --task-id T-1 --tokens-input 900 --tokens-output 200",
                "what a task cost",
            ),
        ],
    ),
    (
        "savings",
        &[
            ("contextd savings", "tokens saved, by day"),
            ("contextd savings --by provider", "what each provider gave"),
            ("contextd savings --by kind --json", "by operation, for programs"),
        ],
    ),
    (
        "eval",
        &[(
            "contextd eval --tasks tasks.jsonl --out results.jsonl",
            "answers to many tasks, and how good they are",
        )],
    ),
    ("clean", &[("contextd clean", "remove the index; the next question makes it again")]),
    (
        "serve",
        &[
            ("contextd serve --stdio", "an MCP server for a coding agent"),
            ("contextd serve --http 127.0.0.1:8765", "HTTP for services on this machine"),
        ],
    ),
    (
        "init",
        &[
            ("contextd init --dry-run", "show what would be registered where"),
            ("contextd init --list", "the agents that are known"),
            ("contextd init --agent cursor,codex --yes", "register with two of them"),
        ],
    ),
    (
        "uninit",
        &[
            ("contextd uninit --dry-run", "show what would be undone"),
            ("contextd uninit --yes", "undo everything"),
        ],
    ),
    (
        "completions",
        &[(
            "contextd completions bash",
            "the script for a shell: bash, zsh, fish, powershell or elvish",
        )],
    ),
    (
        "man",
        &[
            ("contextd man", "the manual page"),
            ("contextd man --out man", "a page a command, as files"),
        ],
    ),
];

/// Command lines that wait for somebody, or need an id that only their user has.
const NOT_ANYWHERE: &[&str] = &[
    "contextd serve",
    "contextd pack get",
    "contextd pack diff",
    "contextd pack export",
    "contextd pack import",
];

/// True when an example can be run in any repository.
pub fn runs_anywhere(line: &str) -> bool {
    !NOT_ANYWHERE.iter().any(|start| line.starts_with(start))
}

/// Returns the help text that shows the examples of a command.
pub fn text(examples: &[(&str, &str)]) -> String {
    let lines: Vec<String> =
        examples.iter().map(|(line, about)| format!("  {line}\n      {about}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}
