//! Reading what a contestant printed.

/// The CSV blocks of a program's output: each a line of names and the rows below it. Other lines
/// are passed over.
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
        let rate = timeline_rate(text).map(|value| Cell {
            row: String::new(),
            column: "messages_per_s".into(),
            value,
        });
        cells.extend(rate);
        Output { cells }
    }

    /// The number in a column: of the row that starts with `row`, or of the first row where that is
    /// `None`.
    pub fn get(&self, row: Option<&str>, column: &str) -> Option<f64> {
        let matches = |cell: &&Cell| cell.column == column && row.is_none_or(|row| cell.row == row);
        self.cells.iter().find(matches).map(|cell| cell.value)
    }
}

/// Messages a second from the series `timeline` of `fourstamp report --csv=timeline`, which counts
/// messages in about a hundred bins: low by at most the parts of the first and last bin before and
/// after the messages.
fn timeline_rate(text: &str) -> Option<f64> {
    let bins: Vec<[f64; 3]> = text.lines().filter_map(timeline_bin).collect();
    let messages: f64 = bins.iter().map(|[_, _, count]| count).sum();
    let ([from_ns, ..], [_, to_ns, _]) = (bins.first()?, bins.last()?);
    Some(messages / (to_ns - from_ns) * 1e9)
}

/// Begin, end and messages of a bin, from `timeline,end-to-end,count,,FROM,TO,COUNT,messages`.
fn timeline_bin(line: &str) -> Option<[f64; 3]> {
    let numbers = line.strip_prefix("timeline,end-to-end,count,,")?.strip_suffix(",messages")?;
    let numbers: Vec<f64> = numbers.split(',').filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_gives_a_rate() {
        let text = "series,stage,group,scale,x_from,x_to,y,unit\n\
                    timeline,end-to-end,p50,,1000,2000,7,ns\n\
                    timeline,end-to-end,count,,1000,2000,30,messages\n\
                    timeline,end-to-end,count,,2000,3000,10,messages\n";
        assert_eq!(Output::parse(text).get(None, "messages_per_s"), Some(40.0 / 2e-6));
    }

    #[test]
    fn finds_a_number_by_row_and_column() {
        let text = "warm\nstage,count,p50_ns\nend-to-end,10,1.5\ncycle,5,3\n\n\
                    messages,messages_per_s\n10,2e6\n";
        let output = Output::parse(text);
        assert_eq!(output.get(Some("cycle"), "p50_ns"), Some(3.0));
        assert_eq!(output.get(Some("end-to-end"), "count"), Some(10.0));
        assert_eq!(output.get(None, "messages_per_s"), Some(2e6));
        assert_eq!(output.get(Some("cycle"), "p90_ns"), None);
    }
}
