//! Places and code.

use super::Page;
use contextd_render::safe;
use owo_colors::OwoColorize as _;

impl Page {
    /// Writes where something stands, what it is, and a remark at the right edge.
    pub fn place(&mut self, file: &str, lines: (u32, u32), kind: &str, name: &str, right: &str) {
        let (file, name) = (safe(file), safe(name));
        let span = match lines {
            (0, _) => String::new(),
            (first, last) if first == last => format!(":{first}"),
            (first, last) => format!(":{first}-{last}"),
        };
        let used = console::measure_text_width(&format!("{file}{span}  {kind} {name}")) + 2;
        let space = self.width.saturating_sub(used + console::measure_text_width(right)).max(1);
        self.line(format!(
            "{}{}  {} {}  {}{}",
            file.bold(),
            span.dimmed(),
            kind.dimmed(),
            name.cyan(),
            " ".repeat(space - 1),
            right.dimmed()
        ));
    }

    /// Writes lines of code; with the number of the first one they are numbered.
    pub fn code(&mut self, text: &str, first: Option<u32>, cut: bool) {
        let text = safe(text);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let margin = common_indent(&lines);
        let digits = first.map_or(0, |first| (first as usize + lines.len()).to_string().len());
        for (at, line) in lines.iter().enumerate() {
            let cut = margin.min(line.len() - line.trim_start_matches([' ', '\t']).len());
            let line = line[cut..].replace('\t', "    ");
            let number =
                first.map_or(String::new(), |first| format!("{:>digits$} ", first as usize + at));
            let room = self.width.saturating_sub(digits + 5);
            self.line(format!(
                "  {}{} {}",
                number.dimmed(),
                "│".dimmed(),
                console::truncate_str(&line, room, "…")
            ));
        }
        if cut {
            self.line(format!("  {} {}", " ".repeat(digits), "…".dimmed()));
        }
    }

    /// Writes the first lines of some code, and says how many more there are.
    pub fn some_code(&mut self, text: &str, first: Option<u32>, cut: bool, most: usize) {
        let text = text.trim_end();
        let count = text.lines().count();
        // Leaving out a line or two to say so instead helps nobody.
        if count <= most + 2 {
            return self.code(text, first, cut);
        }
        let head: Vec<&str> = text.lines().take(most).collect();
        self.code(&head.join("\n"), first, false);
        self.remark(&format!("… {} more lines", count - most));
    }

    /// Writes a difference: marks first, then the numbers that lines have after it.
    pub fn difference(&mut self, text: &str, numbered: bool, most: usize) {
        let text = safe(text);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let inner: Vec<&str> = lines
            .iter()
            .filter(|line| !line.starts_with("@@"))
            .filter_map(|line| line.get(1..))
            .collect();
        let margin = inner
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
            .min()
            .unwrap_or(0);
        let numbers = new_numbers(&lines);
        let digits = numbers.iter().flatten().max().map_or(1, |last| last.to_string().len());
        let shown = if lines.len() <= most + 2 { lines.len() } else { most };
        for (at, line) in lines.iter().take(shown).enumerate() {
            if line.starts_with("@@") {
                if at > 0 || !numbered {
                    let gap = if numbered { "⋮" } else { line };
                    self.line(format!("  {}", gap.dimmed()));
                }
                continue;
            }
            let (mark, code) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
            let code = code.get(margin..).unwrap_or("").replace('\t', "    ");
            let number =
                numbers[at].filter(|_| numbered).map_or(String::new(), |number| number.to_string());
            let code = console::truncate_str(&code, self.width.saturating_sub(digits + 7), "…")
                .into_owned();
            let start = format!("  {mark} {number:>digits$} │");
            match mark {
                "+" => self.line(format!("{} {}", start.green(), code.green())),
                "-" => self.line(format!("{} {}", start.red(), code.red())),
                _ => self.line(format!("{} {code}", start.dimmed())),
            }
        }
        if shown < lines.len() {
            self.remark(&format!("… {} more lines", lines.len() - shown));
        }
    }

    /// Writes a line of plain words.
    pub fn prose(&mut self, text: &str) {
        self.line(format!("  {}", console::truncate_str(text, self.width.saturating_sub(2), "…")));
    }

    /// Says how much is not shown, and how to get it.
    pub fn more(&mut self, count: usize, what: &str, how: &str) {
        if count > 0 {
            self.line(format!("  {}", format!("… {count} more {what}; {how}").dimmed()));
        }
    }

    /// Writes a remark below something.
    pub fn remark(&mut self, text: &str) {
        self.line(format!("  {}", safe(text).dimmed()));
    }

    /// Writes the heading of a part.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        self.line(format!("{}", text.bold().underline()));
    }
}

/// Returns the first changed line that the heading of a difference names.
pub fn first_change(text: &str) -> Option<u32> {
    text.strip_prefix("@@ ")?.split('+').nth(1)?.split([' ', ',']).next()?.parse().ok()
}

/// Returns the number that each line of a difference has on its new side; removed ones have none.
fn new_numbers(lines: &[&str]) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut numbers = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if let Some(start) = first_change(line) {
            // The heading names the first changed line; what stands before it is context.
            let before =
                lines[at + 1..].iter().take_while(|line| line.starts_with(' ')).count() as u32;
            next = start.saturating_sub(before);
            numbers.push(None);
        } else if line.starts_with('-') {
            numbers.push(None);
        } else {
            numbers.push((next > 0).then_some(next));
            next += u32::from(next > 0);
        }
    }
    numbers
}

/// Returns how many bytes of white space may go: code from deep inside is moved to the left.
fn common_indent(lines: &[&str]) -> usize {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = |lines: &[&str]| {
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min()
    };
    match lines {
        // Text that begins with a symbol has lost the white space before it; its end, or its body less a step, tells how much that was.
        [first, rest @ ..] if indent(first) == 0 && !first.is_empty() => {
            let closes = |line: &&&str| {
                line.trim_start().starts_with(['}', ')', ']']) || line.trim() == "end"
            };
            let body = least(rest).unwrap_or(0);
            let step = if rest.iter().filter(|line| indent(line) == body).any(|line| closes(&line))
            {
                0
            } else if rest.iter().any(|line| line.starts_with('\t')) {
                1
            } else {
                4
            };
            body.saturating_sub(step)
        }
        lines => least(lines).unwrap_or(0),
    }
}
