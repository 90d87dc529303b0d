//! Ranking code and its data know no repository, no framework and no phrase of a benchmark.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Repositories of the public benchmarks, by every word of their names.
const REPOSITORIES: &str = "abseil aeson alamofire axum bats caddy cargo cats chi click cobra coroutines curl django express flask fmtlib gson jekyll kafka kotlinx kubernetes lazy libuv monolog newtonsoft nvim ocelot plug pydantic redux requests serde sinatra vitest zls zod";
/// Frameworks, libraries and products that many repositories are built with, and their own vocabulary.
const FRAMEWORKS: &str = "actix airflow akka angular ansible babel backbone blazor bundler caddyfile cakephp celery cypress dagger dask dropwizard ecto elasticsearch electron ember envoy eslint fastapi fiber gatsby gin gradle grafana graphql grpc guice gunicorn guzzle hapi hibernate hono htmx istio jackson jaeger jest jetty jinja jquery junit keras ktor laravel liquid lodash lombok meteor micronaut middleware mocha mockito mongodb mongoose mysql nestjs netty nextjs nginx numpy nuxt okhttp openapi orm pandas phoenix postgres postgresql prisma prometheus pyramid pytest pytorch quarkus queryset rabbitmq rails react redis retrofit rocket rspec rxjs sequelize sidekiq spark spring springboot sqlalchemy starlette struts svelte swagger symfony tailwind tensorflow terraform tokio tornado traefik twisted typeorm vite vue webpack werkzeug wordpress";

/// Words that may stand where they stand: the word, what the line must hold, and why.
const REVIEWED: &[(&str, &str, &str)] = &[
    ("serde", "serde", "the library that reads the weights"),
    ("requests", "requests", "English: what callers ask; never inside quotes"),
    ("pytest", "| \"pytest\"", "a name of testing, by which a request about tests is known"),
];

fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources").flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("rs" | "toml" | "json" | "txt" | "tsv") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn words(line: &str) -> impl Iterator<Item = String> {
    line.split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// Returns each forbidden word of a text with its line.
fn forbidden(text: &str) -> Vec<(usize, String)> {
    let names: BTreeSet<&str> = REPOSITORIES.split(' ').chain(FRAMEWORKS.split(' ')).collect();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let quoted = |word: &str| line.to_lowercase().contains(&format!("\"{word}\""));
        let reviewed = |word: &str| {
            REVIEWED.iter().any(|(name, context, _)| {
                *name == word && line.contains(context) && (word == "pytest" || !quoted(word))
            })
        };
        found.extend(
            words(line)
                .filter(|word| names.contains(word.as_str()) && !reviewed(word))
                .map(|word| (number + 1, word)),
        );
    }
    found
}

#[test]
fn no_repository_and_no_framework_is_known() {
    let files = files();
    assert!(files.len() > 10);
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source");
        assert_eq!(forbidden(&text), [], "{}", path.display());
    }
}

#[test]
fn a_planted_word_is_found() {
    assert_eq!(forbidden("let a = 1;\nif name == \"Django\" {}"), [(2, "django".to_owned())]);
    assert_eq!(forbidden("boost(\"requests\")").len(), 1);
    assert_eq!(forbidden("let flask_app = 1").len(), 1);
    assert_eq!(forbidden("/// Counts requests. use serde::Deserialize;"), []);
}

fn hashes() -> BTreeSet<u32> {
    let bytes = include_bytes!("phrases.bin");
    let (numbers, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty() && numbers.len() > 1_000);
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}

fn hash(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Returns the phrases and names of a text that the hashes know.
fn phrases(text: &str, known: &BTreeSet<u32>) -> Vec<String> {
    let words: Vec<String> = words(text).collect();
    let runs = words.windows(4).map(|run| run.join(" "));
    runs.chain(words.iter().filter(|word| word.len() >= 10).cloned())
        .filter(|phrase| known.contains(&hash(phrase)))
        .collect()
}

#[test]
fn no_phrase_of_the_tasks_is_known() {
    let known = hashes();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a source");
        assert_eq!(phrases(&text, &known), [] as [String; 0], "{}", path.display());
    }
}

#[test]
fn a_planted_phrase_is_found() {
    let known = BTreeSet::from([hash("the carts of others"), hash("cartrepository")]);
    assert_eq!(phrases("all the carts of others are", &known), ["the carts of others"]);
    assert_eq!(phrases("let x = \"CartRepository\";", &known), ["cartrepository"]);
}
