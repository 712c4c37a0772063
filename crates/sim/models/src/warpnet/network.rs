//! The map: nodes, and directed lines between them.
//!
//! Checked once, so that the model need not: lines belong to their nodes, every node can reach
//! every other, and all numbers fit the fields that carry them.

use crate::ModelError;

/// Most lines that leave a node.
pub(super) const LINES_PER_NODE: usize = 4;

/// Most nodes: a node's number has 15 bits in an update.
pub(super) const NODES_MAX: usize = 32_767;

/// A node, as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Virtual time at which everybody knew its lines.
    pub initial_currency: i64,
    /// Lines that leave it, 1 to 4.
    pub number_of_lines: i64,
    /// The first of them.
    pub first_line_index: i64,
    /// Longest time from one packet that it creates to the next, simtime.
    pub creation_delay: i64,
    /// Largest packet that it creates.
    pub max_packet_size: i64,
}

/// A line, as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Node that it leaves.
    pub node_from: i64,
    /// Node that it leads to.
    pub node_to: i64,
    /// What a packet takes along it, simtime.
    pub send_time: i64,
    /// Virtual time up to which it is busy at first.
    pub initial_load: i64,
}

/// A network that packets can cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) nodes: Vec<Node>,
    pub(super) lines: Vec<Line>,
    pub(super) initial_loads: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub first_line: u32,
    pub lines: u32,
    pub creation_delay: i32,
    pub max_packet_size: i32,
    pub initial_currency: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub to: u16,
    pub send_time: u16,
}

/// A row in which something is wrong, and what.
pub(super) struct Flaw {
    pub row: Row,
    pub reason: String,
}

/// Which row of which table; a place behind the last is the end of the table.
#[derive(Clone, Copy)]
pub(super) enum Row {
    Node(usize),
    Line(usize),
}

impl Network {
    /// Of these rows, in order of their numbers.
    ///
    /// # Errors
    /// The first row that breaks a rule: 2 to 32767 nodes; each with 1 to 4 lines that lie
    /// together, none to itself, no two to one node; delays, sizes and send times from 1 and
    /// currencies and loads from 0 to 32767; every node reachable from every other.
    pub fn new(nodes: &[NodeRow], lines: &[LineRow]) -> Result<Network, ModelError> {
        Network::build(nodes, lines).map_err(|flaw| ModelError::Data {
            place: match flaw.row {
                Row::Node(node) => format!("network node {node}"),
                Row::Line(line) => format!("network line {line}"),
            },
            reason: flaw.reason,
        })
    }

    pub(super) fn build(nodes: &[NodeRow], lines: &[LineRow]) -> Result<Network, Flaw> {
        check_size(nodes)?;
        for (number, node) in nodes.iter().enumerate() {
            check_node(number, node)?;
        }
        for (number, line) in lines.iter().enumerate() {
            check_line(number, line, nodes.len())?;
        }
        check_ownership(nodes, lines)?;
        let network = Network {
            nodes: nodes.iter().map(Node::from).collect(),
            lines: lines.iter().map(Line::from).collect(),
            initial_loads: lines.iter().map(|line| line.initial_load as i32).collect(),
        };
        check_connected(&network)?;
        Ok(network)
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Directed lines.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The lines of a node: their numbers.
    #[inline]
    pub(super) fn lines_of(&self, node: usize) -> std::ops::Range<usize> {
        let Node { first_line, lines, .. } = self.nodes[node];
        first_line as usize..(first_line + lines) as usize
    }

    /// The rows of which it was made.
    pub fn rows(&self) -> (Vec<NodeRow>, Vec<LineRow>) {
        let nodes = self.nodes.iter().map(NodeRow::from).collect();
        let line = |from: usize, line: usize| LineRow {
            node_from: from as i64,
            node_to: self.lines[line].to.into(),
            send_time: self.lines[line].send_time.into(),
            initial_load: self.initial_loads[line].into(),
        };
        // The lines of a node lie together, but nodes need not own them in order of their numbers.
        let mut lines: Vec<_> = (0..self.nodes())
            .flat_map(|node| self.lines_of(node).map(move |number| (number, line(node, number))))
            .collect();
        lines.sort_by_key(|(number, _)| *number);
        (nodes, lines.into_iter().map(|(_, line)| line).collect())
    }
}

impl From<&NodeRow> for Node {
    fn from(row: &NodeRow) -> Node {
        Node {
            first_line: row.first_line_index as u32,
            lines: row.number_of_lines as u32,
            creation_delay: row.creation_delay as i32,
            max_packet_size: row.max_packet_size as i32,
            initial_currency: row.initial_currency as i32,
        }
    }
}

impl From<&Node> for NodeRow {
    fn from(node: &Node) -> NodeRow {
        NodeRow {
            initial_currency: node.initial_currency.into(),
            number_of_lines: node.lines.into(),
            first_line_index: node.first_line.into(),
            creation_delay: node.creation_delay.into(),
            max_packet_size: node.max_packet_size.into(),
        }
    }
}

impl From<&LineRow> for Line {
    fn from(row: &LineRow) -> Line {
        Line { to: row.node_to as u16, send_time: row.send_time as u16 }
    }
}

fn flaw<T>(row: Row, reason: impl Into<String>) -> Result<T, Flaw> {
    Err(Flaw { row, reason: reason.into() })
}

fn check_size(nodes: &[NodeRow]) -> Result<(), Flaw> {
    match nodes.len() {
        0..2 => flaw(Row::Node(nodes.len()), "the network has fewer than 2 nodes; add rows"),
        2..=NODES_MAX => Ok(()),
        _ => flaw(Row::Node(NODES_MAX), "the network has more than 32767 nodes; remove the rest"),
    }
}

fn within(row: Row, name: &str, value: i64, least: i64) -> Result<(), Flaw> {
    match (least..=32_767).contains(&value) {
        true => Ok(()),
        false => flaw(row, format!("{name} is {value}; give {least} to 32767")),
    }
}

fn check_node(number: usize, node: &NodeRow) -> Result<(), Flaw> {
    let row = Row::Node(number);
    let lines = node.number_of_lines;
    if !(1..=LINES_PER_NODE as i64).contains(&lines) {
        return flaw(
            row,
            format!(
                "node {number} has {lines} lines; a node has 1 to {LINES_PER_NODE}, so correct \
                number_of_lines"
            ),
        );
    }
    within(row, "initial_currency", node.initial_currency, 0)?;
    within(row, "creation_delay", node.creation_delay, 1)?;
    within(row, "max_packet_size", node.max_packet_size, 1)
}

fn check_line(number: usize, line: &LineRow, nodes: usize) -> Result<(), Flaw> {
    let row = Row::Line(number);
    for (name, node) in [("node_from", line.node_from), ("node_to", line.node_to)] {
        if !(0..nodes as i64).contains(&node) {
            let last = nodes - 1;
            return flaw(
                row,
                format!(
                    "{name} is {node}, and the last node is {last}; correct it or add the node"
                ),
            );
        }
    }
    if line.node_from == line.node_to {
        return flaw(
            row,
            format!("line {number} leads from node {0} to itself; remove it", line.node_to),
        );
    }
    within(row, "send_time", line.send_time, 1)?;
    within(row, "initial_load", line.initial_load, 0)
}

/// Every node owns the lines that it names, they leave it for different nodes, and no line is left
/// over.
fn check_ownership(nodes: &[NodeRow], lines: &[LineRow]) -> Result<(), Flaw> {
    let mut owned = vec![false; lines.len()];
    for (number, node) in nodes.iter().enumerate() {
        let first = usize::try_from(node.first_line_index).unwrap_or(usize::MAX);
        let end = first.saturating_add(node.number_of_lines as usize);
        let Some(own) = lines.get(first..end) else {
            let reason = format!(
                "node {number} names lines {} to {}, and there are {}; add the missing lines or \
                correct first_line_index",
                node.first_line_index,
                node.first_line_index.saturating_add(node.number_of_lines - 1),
                lines.len()
            );
            return flaw(Row::Node(number), reason);
        };
        for (place, line) in own.iter().enumerate() {
            let row = Row::Line(first + place);
            if line.node_from != number as i64 {
                let from = line.node_from;
                return flaw(
                    row,
                    format!(
                        "line {} leaves node {from}, but node {number} names it as its own; a \
                        node's lines lie together from first_line_index on",
                        first + place
                    ),
                );
            }
            if own[..place].iter().any(|other| other.node_to == line.node_to) {
                let to = line.node_to;
                return flaw(row, format!("node {number} has two lines to node {to}; remove one"));
            }
            owned[first + place] = true;
        }
    }
    match owned.iter().position(|owned| !owned) {
        Some(line) => {
            let from = lines[line].node_from;
            flaw(
                Row::Line(line),
                format!(
                    "no node names line {line}; correct number_of_lines or first_line_index of \
                    node {from}"
                ),
            )
        }
        None => Ok(()),
    }
}

/// Every node can be reached from node 0, and node 0 from every node.
fn check_connected(network: &Network) -> Result<(), Flaw> {
    let mut forth = vec![Vec::new(); network.nodes()];
    let mut back = vec![Vec::new(); network.nodes()];
    for (from, reached) in forth.iter_mut().enumerate() {
        for line in network.lines_of(from) {
            let to = usize::from(network.lines[line].to);
            reached.push(to);
            back[to].push(from);
        }
    }
    if let Some(node) = unreached(&forth) {
        return flaw(
            Row::Node(node),
            format!("there is no path from node 0 to node {node}; add a line"),
        );
    }
    if let Some(node) = unreached(&back) {
        return flaw(
            Row::Node(node),
            format!("there is no path from node {node} to node 0; add a line"),
        );
    }
    Ok(())
}

fn unreached(neighbours: &[Vec<usize>]) -> Option<usize> {
    let mut reached = vec![false; neighbours.len()];
    let mut waiting = vec![0];
    reached[0] = true;
    while let Some(node) = waiting.pop() {
        for &next in &neighbours[node] {
            if !reached[next] {
                reached[next] = true;
                waiting.push(next);
            }
        }
    }
    reached.iter().position(|reached| !reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring in one direction, with a line back from node 0.
    fn ring(nodes: i64) -> (Vec<NodeRow>, Vec<LineRow>) {
        let node = |number: i64| NodeRow {
            initial_currency: 99,
            number_of_lines: if number == 0 { 2 } else { 1 },
            first_line_index: if number == 0 { 0 } else { number + 1 },
            creation_delay: 50,
            max_packet_size: 100,
        };
        let line =
            |from, to| LineRow { node_from: from, node_to: to, send_time: 5, initial_load: 100 };
        let mut lines = vec![line(0, nodes - 1)];
        lines.extend((0..nodes).map(|from| line(from, (from + 1) % nodes)));
        ((0..nodes).map(node).collect(), lines)
    }

    fn refused(change: impl Fn(&mut Vec<NodeRow>, &mut Vec<LineRow>)) -> String {
        let (mut nodes, mut lines) = ring(5);
        assert!(Network::new(&nodes, &lines).is_ok());
        change(&mut nodes, &mut lines);
        Network::new(&nodes, &lines).unwrap_err().to_string()
    }

    #[test]
    fn every_rule_is_checked() {
        assert!(refused(|n, _| n.truncate(1)).contains("fewer than 2 nodes"));
        assert!(refused(|n, _| *n = vec![n[1].clone(); 32_768]).contains("more than 32767"));
        assert!(
            refused(|n, _| n[3].number_of_lines = 5)
                .starts_with("network node 3: node 3 has 5 lines")
        );
        assert!(refused(|n, _| n[3].number_of_lines = 0).contains("1 to 4"));
        assert!(refused(|n, _| n[2].creation_delay = 0).contains("creation_delay is 0"));
        assert!(refused(|n, _| n[2].max_packet_size = 40_000).contains("max_packet_size is 40000"));
        assert!(refused(|n, _| n[2].initial_currency = -1).contains("initial_currency is -1"));
        assert!(refused(|_, l| l[4].send_time = 0).starts_with("network line 4: send_time is 0"));
        assert!(refused(|_, l| l[4].initial_load = 32_768).contains("initial_load is 32768"));
        assert!(refused(|_, l| l[4].node_to = 5).contains("the last node is 4"));
        assert!(refused(|_, l| l[4].node_to = 3).contains("to itself"));
        assert!(refused(|_, l| l[1].node_to = 4).contains("two lines to node 4"));
        assert!(refused(|_, l| l[4].node_from = 2).contains("leaves node 2, but node 3 names it"));
        assert!(
            refused(|_, l| l.truncate(5)).starts_with("network node 4: node 4 names lines 5 to 5")
        );
        assert!(refused(|n, _| n[1].first_line_index = -7).contains("names lines -7 to -7"));
        assert!(refused(|n, _| n[1].first_line_index = i64::MAX).contains("names lines"));
        assert!(refused(|n, _| n[0].number_of_lines = 1).contains("no node names line 1"));
    }

    #[test]
    fn a_network_must_be_connected_both_ways() {
        // Node 3 leads back to 2 instead of on to 4, so that nothing leads from 1 to 3 back to 0.
        assert!(
            refused(|_, l| l[4].node_to = 2).contains("there is no path from node 1 to node 0")
        );
        assert!(
            refused(|_, l| {
                l[2].node_to = 0;
                l[4].node_to = 4;
            })
            .contains("there is no path from node 0 to node 2")
        );
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let (nodes, lines) = ring(7);
        let network = Network::new(&nodes, &lines).unwrap();
        assert_eq!(network.rows(), (nodes, lines));
    }
}
