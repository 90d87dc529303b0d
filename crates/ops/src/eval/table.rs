//! A table of named figures, for people and for programs.

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Rows of figures under named heads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the rows are.
    pub by: String,
    pub heads: Vec<String>,
    pub rows: Vec<Row>,
}

/// One row; a figure that does not apply is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub name: String,
    /// Tasks behind the figures.
    pub tasks: usize,
    pub values: Vec<Option<f64>>,
}

impl Table {
    /// Writes the table with aligned columns.
    pub fn text(&self) -> String {
        let width = self
            .rows
            .iter()
            .map(|row| row.name.chars().count())
            .chain([self.by.chars().count()])
            .max()
            .unwrap_or(0)
            + 2;
        let mut out = format!("{:<width$}{:>7}", self.by, "tasks");
        for head in &self.heads {
            let _ = write!(out, "{head:>w$}", w = column(head));
        }
        for row in &self.rows {
            let _ = write!(out, "\n{:<width$}{:>7}", row.name, row.tasks);
            for (head, value) in self.heads.iter().zip(&row.values) {
                let text = value.map_or(String::new(), |value| format!("{value:.3}"));
                let _ = write!(out, "{text:>w$}", w = column(head));
            }
        }
        out
    }

    /// Returns the rows by name, each with its figures by head.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            let mut fields = Map::from_iter([("tasks".to_owned(), json!(row.tasks))]);
            fields.extend(
                self.heads
                    .iter()
                    .zip(&row.values)
                    .filter_map(|(head, value)| Some((head.clone(), json!((*value)?)))),
            );
            Value::Object(fields)
        };
        Value::Object(self.rows.iter().map(|one| (one.name.clone(), row(one))).collect())
    }
}

fn column(head: &str) -> usize {
    head.chars().count().max(6) + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_under_their_heads() {
        let table = Table {
            by: "tier".to_owned(),
            heads: vec!["P@10".to_owned(), "p50_ms".to_owned()],
            rows: vec![Row { name: "easy".to_owned(), tasks: 2, values: vec![Some(0.25), None] }],
        };
        assert_eq!(
            table.text(),
            "tier    tasks     P@10   p50_ms\neasy        2    0.250         "
        );
        assert_eq!(table.json(), json!({"easy": {"tasks": 2, "P@10": 0.25}}));
    }
}
