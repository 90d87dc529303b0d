//! Counting tokens: the tables of the program against the crate they are made from.

use std::time::Instant;

/// Counts the tokens of the listed files both ways, and says how long the first count and all of them took.
pub fn run(words: &[String]) -> Result<String, String> {
    let [list, root] = words else { return Err("name a list of files and their root".to_owned()) };
    let paths = std::fs::read_to_string(list).map_err(|error| format!("{list}: {error}"))?;
    let texts: Vec<String> = paths
        .lines()
        .filter_map(|path| std::fs::read_to_string(format!("{root}/{path}")).ok())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let ours = timed(&texts, |text| contextd_tokens::O200K.count(text));
    let theirs = timed(&texts, |text| bpe_openai::o200k_base().count(text));
    if ours.2 != theirs.2 {
        return Err("the counts differ".to_owned());
    }
    let line = |name: &str, (first, all, _): (f64, f64, Vec<usize>)| {
        format!("{name}: first count {:.2} ms, {:.1} MB/s", first * 1e3, bytes as f64 / 1e6 / all)
    };
    Ok(format!(
        "{} files, {:.1} MB, {} tokens\n{}\n{}",
        texts.len(),
        bytes as f64 / 1e6,
        ours.2.iter().sum::<usize>(),
        line("tables", ours),
        line("bpe-openai", theirs)
    ))
}

/// Returns the seconds of the first count, the seconds of counting all, and the counts.
fn timed(texts: &[String], count: impl Fn(&str) -> usize) -> (f64, f64, Vec<usize>) {
    let start = Instant::now();
    count("the first count loads what is to be loaded");
    let first = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let counts = texts.iter().map(|text| count(text)).collect();
    (first, start.elapsed().as_secs_f64(), counts)
}
