//! Golden queries: what must be among the first three, and how sure the scores are of it.

use contextd_engine::Reader;
use contextd_retrieve::{Weights, search, signals, task, understand};
use contextd_testkit::Fixture;

/// A query, what must be among the first three, and what must not look like a match.
struct Golden {
    query: &'static str,
    wanted: &'static [&'static str],
    others: &'static [&'static str],
}

const FILES: &[Golden] = &[
    Golden {
        query: "How do we validate JWT tokens?",
        wanted: &["src/auth/JwtValidator.kt"],
        others: &["src/mail/Mailer.kt", "web/invoices.ts", "db/migrations/V3__cancel_invoices.sql"],
    },
    Golden {
        query: "Database schema for users",
        wanted: &["db/schema.sql", "db/migrations/V2__add_email_to_users.sql"],
        others: &["src/mail/Mailer.kt", "web/invoices.ts"],
    },
    Golden {
        query: "Recent changes to authentication",
        wanted: &["src/auth/JwtValidator.kt", "src/auth/LoginService.kt"],
        others: &["web/invoices.ts", "db/migrations/V3__cancel_invoices.sql"],
    },
    Golden {
        query: "JwtValidator",
        wanted: &["src/auth/JwtValidator.kt"],
        others: &["src/mail/Mailer.kt", "web/invoices.ts"],
    },
    Golden {
        query: "where is mail sent",
        wanted: &["src/mail/Mailer.kt"],
        others: &["db/schema.sql"],
    },
];

const SYMBOLS: &[Golden] = &[
    Golden {
        query: "Reject JWT tokens that have expired",
        wanted: &["JwtValidator.isExpired"],
        others: &["renderInvoices", "Mailer.send"],
    },
    Golden {
        query: "Lock the account after three failed logins instead of five",
        wanted: &["LoginService.login"],
        others: &["renderInvoices"],
    },
    Golden {
        query: "Round the total of an invoice to whole cents",
        wanted: &["InvoiceService.total"],
        others: &["JwtValidator.validate", "LoginService.login"],
    },
];

fn check(golden: &Golden, ranked: &[(String, f64)], good: f64) {
    for wanted in golden.wanted {
        let place = ranked.iter().position(|(name, _)| name == wanted);
        assert!(
            place.is_some_and(|place| place < 3),
            "{}: {wanted} is not among the first three of {ranked:?}",
            golden.query
        );
    }
    assert!(ranked[0].1 > good, "{}: {ranked:?}", golden.query);
    for (name, score) in ranked.iter().filter(|(name, _)| golden.others.contains(&name.as_str())) {
        assert!(*score < good, "{}: {name} looks like a match: {score}", golden.query);
    }
    assert!(ranked.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
}

fn reader() -> Reader {
    Fixture::accounts().engine().reader().expect("a reader")
}

#[test]
fn questions_find_their_files() {
    let reader = reader();
    let weights = Weights::profile("recall").expect("a profile that ships");
    for golden in FILES {
        let ranked = search::rank(&reader.sources(None), &understand(golden.query), &weights, 10);
        let best = ranked.first().map_or(0.0, |file| file.score);
        let ranked: Vec<(String, f64)> = ranked
            .iter()
            .map(|file| {
                (
                    reader.snapshot.file(file.file).path().to_owned(),
                    weights.calibration.search.score(file.score, best),
                )
            })
            .collect();
        check(golden, &ranked, 0.7);
    }
}

#[test]
fn tasks_find_their_symbols() {
    let reader = reader();
    let weights = Weights::profile("recall").expect("a profile that ships");
    for golden in SYMBOLS {
        let ranked = task::rank(&reader.sources(None), &understand(golden.query), &weights);
        let history = ranked.iter().any(|hit| hit.signals[signals::at::GIT_FILE] > 0.0);
        let (map, best) =
            (weights.calibration.of_task(history), ranked.first().map_or(0.0, |hit| hit.score));
        let ranked: Vec<(String, f64)> = ranked
            .iter()
            .take(10)
            .map(|hit| {
                (
                    reader.snapshot.symbol(hit.symbol).qualified().into_owned(),
                    map.score(hit.score, best),
                )
            })
            .collect();
        // Many symbols serve a task, and each alone is less sure than the one file that answers a question.
        check(golden, &ranked, 0.6);
    }
}
