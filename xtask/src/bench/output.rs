//! Reading what a contestant printed.

/// The CSV blocks of a program's output: each a line of names and the rows below it. Other lines are passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    cells: Vec<Cell>,
}

#[derive(Clone, Debug, PartialEq)]
struct Cell {
    row: String,
    column: String,
    value: f64,
}

impl Output {
    /// Reads all blocks.
    pub fn parse(text: &str) -> Output {
        let mut names: Vec<&str> = Vec::new();
        let mut cells = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.trim().split(',').collect();
            let is_number = |word: &&str| word.parse::<f64>().is_ok();
            if !words.iter().any(is_number) {
                names = words;
            } else if words.len() == names.len() {
                cells.extend(names.iter().zip(&words).filter_map(|(name, word)| {
                    let value = word.parse().ok()?;
                    Some(Cell { row: words[0].to_owned(), column: (*name).to_owned(), value })
                }));
            }
        }
        Output { cells }
    }

    /// The number in a column: of the row that starts with `row`, or of the first row where that is `None`.
    pub fn get(&self, row: Option<&str>, column: &str) -> Option<f64> {
        let matches = |cell: &&Cell| cell.column == column && row.is_none_or(|row| cell.row == row);
        self.cells.iter().find(matches).map(|cell| cell.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_number_by_row_and_column() {
        let text =
            "warm\nstage,count,p50_ns\nend-to-end,10,1.5\ncycle,5,3\n\nmessages,messages_per_s\n10,2e6\n";
        let output = Output::parse(text);
        assert_eq!(output.get(Some("cycle"), "p50_ns"), Some(3.0));
        assert_eq!(output.get(Some("end-to-end"), "count"), Some(10.0));
        assert_eq!(output.get(None, "messages_per_s"), Some(2e6));
        assert_eq!(output.get(Some("cycle"), "p90_ns"), None);
    }
}
