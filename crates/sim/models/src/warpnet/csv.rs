//! A network as the text of two tables. Reading and writing files is the caller's.

use super::network::{Flaw, LineRow, Network, NodeRow, Row};
use super::{LINES_FILE, NODES_FILE};
use crate::ModelError;
use crate::table::{self, Table, line_number, wrong};
use ::csv::Trim;
use std::fmt::Write;

const NODE_COLUMNS: [&str; 6] = [
    "node",
    "initial_currency",
    "number_of_lines",
    "first_line_index",
    "creation_delay",
    "max_packet_size",
];
const LINE_COLUMNS: [&str; 5] = ["line_index", "node_from", "node_to", "send_time", "initial_load"];

impl Network {
    /// From the tables of nodes and of lines: a heading line that names the columns, then a line a
    /// row, in order of their numbers. Columns may come in any order; further ones are ignored.
    ///
    /// # Errors
    /// What is wrong, with file and line: a column, row or number is missing, or the network breaks
    /// a rule of [`Network::new`].
    pub fn read(nodes: Table<'_>, lines: Table<'_>) -> Result<Network, ModelError> {
        let node_rows = read(nodes, NODE_COLUMNS, "node")?;
        let line_rows = read(lines, LINE_COLUMNS, "line")?;
        let node = |r: &Numbers<6>| NodeRow {
            initial_currency: r.values[1],
            number_of_lines: r.values[2],
            first_line_index: r.values[3],
            creation_delay: r.values[4],
            max_packet_size: r.values[5],
        };
        let line = |r: &Numbers<5>| LineRow {
            node_from: r.values[1],
            node_to: r.values[2],
            send_time: r.values[3],
            initial_load: r.values[4],
        };
        let built = Network::build(
            &node_rows.iter().map(node).collect::<Vec<_>>(),
            &line_rows.iter().map(line).collect::<Vec<_>>(),
        );
        built.map_err(|Flaw { row, reason }| match row {
            Row::Node(row) => {
                wrong(nodes.file, line_number(&node_rows, row, |row| row.line), reason)
            }
            Row::Line(row) => {
                wrong(lines.file, line_number(&line_rows, row, |row| row.line), reason)
            }
        })
    }

    /// The tables of nodes and of lines that [`Network::read`] reads, under the names
    /// [`NODES_FILE`] and [`LINES_FILE`].
    pub fn write(&self) -> [(&'static str, String); 2] {
        let (node_rows, line_rows) = self.rows();
        let (mut nodes, mut lines) = (NODE_COLUMNS.join(","), LINE_COLUMNS.join(","));
        // Writing into a string cannot fail.
        for (number, n) in node_rows.iter().enumerate() {
            let (currency, count, first) =
                (n.initial_currency, n.number_of_lines, n.first_line_index);
            let _ = write!(
                nodes,
                "\n{number},{currency},{count},{first},{},{}",
                n.creation_delay, n.max_packet_size
            );
        }
        for (number, l) in line_rows.iter().enumerate() {
            let _ = write!(
                lines,
                "\n{number},{},{},{},{}",
                l.node_from, l.node_to, l.send_time, l.initial_load
            );
        }
        nodes.push('\n');
        lines.push('\n');
        [(NODES_FILE, nodes), (LINES_FILE, lines)]
    }
}

/// A row's numbers in the order of the columns asked for, and its line in the file.
struct Numbers<const N: usize> {
    line: u64,
    values: [i64; N],
}

/// The rows of a table whose first column must count them from 0.
fn read<const N: usize>(
    table: Table<'_>,
    columns: [&str; N],
    what: &str,
) -> Result<Vec<Numbers<N>>, ModelError> {
    let mut rows: Vec<Numbers<N>> = Vec::new();
    for row in table::rows(table, columns, Trim::All)? {
        let row = numbers(table.file, &row?, columns)?;
        let (expected, found) = (rows.len() as i64, row.values[0]);
        if found != expected {
            let reason = format!(
                "{what} {expected} is missing: here is {found}; rows count from 0 without a gap"
            );
            return Err(wrong(table.file, row.line, reason));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn numbers<const N: usize>(
    file: &str,
    row: &table::Row<N>,
    columns: [&str; N],
) -> Result<Numbers<N>, ModelError> {
    let mut values = [0; N];
    for ((value, column), field) in values.iter_mut().zip(columns).zip(&row.fields) {
        *value = field.parse().map_err(|_| {
            wrong(file, row.line, format!("{column} is {field:?}; give a whole number"))
        })?;
    }
    Ok(Numbers { line: row.line, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = "node,initial_currency,number_of_lines,first_line_index,creation_delay,\
                         max_packet_size\n\
                         0,99,1,0,50,100\n1,99,1,1,50,100\n";
    const LINES: &str =
        "line_index,node_from,node_to,send_time,initial_load\n0,0,1,5,100\n1,1,0,5,100\n";

    fn load(nodes: &str, lines: &str) -> Result<Network, ModelError> {
        Network::read(
            Table { file: "nodes.csv", text: nodes },
            Table { file: "lines.csv", text: lines },
        )
    }

    fn refused(nodes: &str, lines: &str) -> String {
        load(nodes, lines).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_file_and_line() {
        assert!(refused("", LINES).starts_with("nodes.csv, line 1: the column node is missing"));
        assert!(
            refused(NODES, "line_index,node_from\n")
                .starts_with("lines.csv, line 1: the column node_to is missing")
        );
        let gap = NODES.replace("\n1,", "\n2,");
        assert!(
            refused(&gap, LINES).starts_with("nodes.csv, line 3: node 1 is missing: here is 2")
        );
        let short = NODES.replace("1,99,1,1,50,100", "1,99,1");
        assert!(refused(&short, LINES).starts_with("nodes.csv, line 3: the row has 3 fields"));
        let word = LINES.replace("1,0,5,", "1,0,five,");
        assert_eq!(
            refused(NODES, &word),
            "lines.csv, line 3: send_time is \"five\"; give a whole number"
        );
        let unknown = LINES.replace("0,0,1,5", "0,0,7,5");
        assert!(refused(NODES, &unknown).starts_with("lines.csv, line 2: node_to is 7"));
        let one = &NODES[..NODES.len() - "1,99,1,1,50,100\n".len()];
        assert!(
            refused(one, LINES)
                .starts_with("nodes.csv, line 3: the network has fewer than 2 nodes")
        );
        let missing = &LINES[..LINES.len() - "1,1,0,5,100\n".len()];
        assert!(
            refused(NODES, missing).starts_with("nodes.csv, line 3: node 1 names lines 1 to 1")
        );
    }

    #[test]
    fn spreadsheets_may_write_it_their_way() {
        let windows = format!("\u{feff}{}", NODES.replace('\n', "\r\n"));
        let quoted = LINES.replace("0,0,1,5,100", "\"0\", 0 ,1,5,100");
        assert_eq!(load(&windows, &quoted), load(NODES, LINES));
        let turned = "node_to,note,node_from,line_index,initial_load,send_time\n\
                      1,a,0,0,100,5\n0,b,1,1,100,5\n";
        assert_eq!(load(NODES, turned), load(NODES, LINES));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let network = load(NODES, LINES).unwrap();
        let [nodes, lines] = network.write();
        assert_eq!(
            (nodes, lines),
            ((NODES_FILE, NODES.to_string()), (LINES_FILE, LINES.to_string()))
        );
        let generated = Network::generate(&Default::default()).unwrap();
        let [(_, nodes), (_, lines)] = generated.write();
        assert_eq!(load(&nodes, &lines).unwrap(), generated);
    }
}
