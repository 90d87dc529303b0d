//! Places and code.

use super::Page;
use contextd_render::safe;
use owo_colors::OwoColorize as _;

impl Page {
    /// Writes where something stands, what it is, and a remark at the right edge.
    pub fn place(&mut self, file: &str, lines: (u32, u32), kind: &str, name: &str, right: &str) {
        let (file, name) = (safe(file), safe(name));
        let span = if lines.0 == lines.1 { format!(":{}", lines.0) } else { format!(":{}-{}", lines.0, lines.1) };
        let used = console::measure_text_width(&format!("{file}{span}  {kind} {name}")) + 2;
        let space = self.width.saturating_sub(used + console::measure_text_width(right)).max(1);
        self.line(format!("{}{}  {} {}  {}{}", file.bold(), span.dimmed(), kind.dimmed(), name.cyan(), " ".repeat(space - 1), right.dimmed()));
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
            let number = first.map_or(String::new(), |first| format!("{:>digits$} ", first as usize + at));
            let room = self.width.saturating_sub(digits + 5);
            self.line(format!("  {}{} {}", number.dimmed(), "│".dimmed(), console::truncate_str(&line, room, "…")));
        }
        if cut {
            self.line(format!("  {} {}", " ".repeat(digits), "…".dimmed()));
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

/// Returns how many bytes of white space may go: code from deep inside is moved to the left.
fn common_indent(lines: &[&str]) -> usize {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = |lines: &[&str]| lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    match lines {
        // Text that begins with a symbol has lost the white space before it; its end, or its body less a step, tells how much that was.
        [first, rest @ ..] if indent(first) == 0 && !first.is_empty() => {
            let closes = |line: &&&str| line.trim_start().starts_with(['}', ')', ']']) || line.trim() == "end";
            let body = least(rest).unwrap_or(0);
            let step = if rest.iter().filter(|line| indent(line) == body).any(|line| closes(&line)) { 0 } else if rest.iter().any(|line| line.starts_with('\t')) { 1 } else { 4 };
            body.saturating_sub(step)
        }
        lines => least(lines).unwrap_or(0),
    }
}
