//! The exchanges of a run, a row each: a request and its answer, with where their messages are
//! found and where the time between them went. One table a process that answers, in the order in
//! which they were over.

use record::{Holds, NULL, RecordError, SideColumn, SideReader, SideWriter};
use std::path::{Path, PathBuf};

/// A request and its answer. A number that is not known is null ([`record::NULL`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The messages that asked.
    pub request: Leg,
    /// The messages that answered.
    pub answer: Leg,
}

/// The messages of one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The node that wrote them.
    pub src: i64,
    /// The number of the last of them at that node.
    pub seq: i64,
    /// How many they are.
    pub messages: i64,
    /// Their bytes.
    pub bytes: i64,
    /// The first was ready, ns on the timeline.
    pub ready_ns: i64,
    /// Of the time from then to when the last was sent, what passed between the calls that wrote
    /// them while none waited for room, ns.
    pub writing_ns: i64,
    /// The last was sent, ns.
    pub sent_ns: i64,
    /// The last arrived, ns.
    pub arrived_ns: i64,
    /// It was at most so far from there, ns; null where it was observed.
    pub arrived_error_ns: i64,
    /// The last was taken, ns.
    pub taken_ns: i64,
}

/// Stretches of an exchange: between them they take all of its time.
pub const STRETCHES: usize = 9;

const COLUMNS: [&str; 20] = [
    "asker",
    "request_seq",
    "request_messages",
    "request_bytes",
    "request_ready_ns",
    "request_writing_ns",
    "request_sent_ns",
    "request_arrived_ns",
    "request_arrived_error_ns",
    "request_taken_ns",
    "answerer",
    "answer_seq",
    "answer_messages",
    "answer_bytes",
    "answer_ready_ns",
    "answer_writing_ns",
    "answer_sent_ns",
    "answer_arrived_ns",
    "answer_arrived_error_ns",
    "answer_taken_ns",
];

const REQUEST_SEQ: usize = 1;
const ANSWER_SEQ: usize = REQUEST_SEQ + COLUMNS.len() / 2;

impl Exchange {
    /// Its stretches, ns: writing, send wait, transit and receive wait of the request; the time
    /// from when it was taken to when the answer was ready; the same four of the answer.
    pub fn stretches(&self) -> [Option<i64>; STRETCHES] {
        let [q, a] = [&self.request, &self.answer].map(Leg::stretches);
        let service = between(self.request.taken_ns, self.answer.ready_ns);
        [q[0], q[1], q[2], q[3], service, a[0], a[1], a[2], a[3]]
    }

    /// From when the request was sent to when the answer arrived, where nothing between the two is
    /// known, ns.
    pub fn elsewhere(&self) -> Option<i64> {
        let is_unknown = self.request.taken_ns == NULL && self.answer.ready_ns == NULL;
        between(self.request.sent_ns, self.answer.arrived_ns).filter(|_| is_unknown)
    }

    /// For how long of `from` to `until` the node that answers had the request and no answer yet,
    /// ns.
    pub fn service_within(&self, (from, until): (i64, i64)) -> i64 {
        let (taken, ready) = (self.request.taken_ns, self.answer.ready_ns);
        let known = [taken, ready, from, until].iter().all(|at| *at != NULL);
        if known { (ready.min(until) - taken.max(from)).max(0) } else { 0 }
    }

    /// From when the request was ready to when the answer was taken, ns.
    pub fn whole(&self) -> Option<i64> {
        between(self.request.ready_ns, self.answer.taken_ns)
    }

    fn row(&self) -> [i64; COLUMNS.len()] {
        let mut row = [NULL; COLUMNS.len()];
        row[..COLUMNS.len() / 2].copy_from_slice(&self.request.row());
        row[COLUMNS.len() / 2..].copy_from_slice(&self.answer.row());
        row
    }

    fn of_row(row: [i64; COLUMNS.len()]) -> Exchange {
        let leg = |at: usize| {
            let part: [i64; COLUMNS.len() / 2] = std::array::from_fn(|place| row[at + place]);
            Leg::of_row(part)
        };
        Exchange { request: leg(0), answer: leg(COLUMNS.len() / 2) }
    }
}

impl Leg {
    /// Writing, send wait, transit, receive wait.
    fn stretches(&self) -> [Option<i64>; 4] {
        let until_sent = between(self.ready_ns, self.sent_ns);
        let writing = between(0, self.writing_ns);
        [
            writing,
            until_sent.zip(writing).map(|(all, writing)| all - writing),
            between(self.sent_ns, self.arrived_ns),
            between(self.arrived_ns, self.taken_ns),
        ]
    }

    fn of_row(row: [i64; COLUMNS.len() / 2]) -> Leg {
        let [src, seq, messages, bytes, ready_ns, writing_ns, sent_ns, arrived_ns, ..] = row;
        let [.., arrived_error_ns, taken_ns] = row;
        Leg {
            src,
            seq,
            messages,
            bytes,
            ready_ns,
            writing_ns,
            sent_ns,
            arrived_ns,
            arrived_error_ns,
            taken_ns,
        }
    }

    fn row(&self) -> [i64; COLUMNS.len() / 2] {
        [
            self.src,
            self.seq,
            self.messages,
            self.bytes,
            self.ready_ns,
            self.writing_ns,
            self.sent_ns,
            self.arrived_ns,
            self.arrived_error_ns,
            self.taken_ns,
        ]
    }
}

fn between(from: i64, to: i64) -> Option<i64> {
    (from != NULL && to != NULL).then(|| to - from)
}

/// The exchanges that one node answered.
pub struct ExchangeWriter(SideWriter);

impl ExchangeWriter {
    /// Begin the table of a node of the run at `run`, with row groups of so many rows.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(
        run: &Path,
        answerer: u32,
        group_rows: usize,
    ) -> Result<ExchangeWriter, RecordError> {
        let table = SideWriter::create(&file(run, answerer), &columns(), 0, answerer)?;
        Ok(ExchangeWriter(table.with_group_rows(group_rows)))
    }

    /// Append some.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, exchanges: &[Exchange]) -> Result<(), RecordError> {
        exchanges.iter().try_for_each(|exchange| self.0.push(&exchange.row()))
    }

    /// Complete the file.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it stays then.
    pub fn finish(self) -> Result<(), RecordError> {
        self.0.finish().map(|_| ())
    }
}

/// Go through the exchanges that a node of the run at `run` answered.
///
/// # Errors
/// When its table is damaged. A node without a table answered nothing.
pub fn each(run: &Path, answerer: u32, mut take: impl FnMut(&Exchange)) -> Result<(), RecordError> {
    let Some(mut table) = open(run, answerer)? else { return Ok(()) };
    for group in 0..table.groups() {
        let read = table.read(group)?;
        (0..table.group_rows(group)).map(|at| exchange(&read, at)).for_each(|one| take(&one));
    }
    Ok(())
}

/// The exchange whose request or answer this message (source, number) completes, among those that
/// a node of the run at `run` answered.
///
/// # Errors
/// When its table is damaged.
pub fn find(
    run: &Path,
    answerer: u32,
    (src, seq): (u32, u64),
) -> Result<Option<Exchange>, RecordError> {
    let Some(mut table) = open(run, answerer)? else { return Ok(None) };
    let (src, seq) = (i64::from(src), seq as i64);
    let is = |leg: &Leg| (leg.src, leg.seq) == (src, seq);
    for group in 0..table.groups() {
        let may_have = |column| table.may_have(group, column, seq);
        if !may_have(REQUEST_SEQ) && !may_have(ANSWER_SEQ) {
            continue;
        }
        let read = table.read(group)?;
        let mut all = (0..table.group_rows(group)).map(|at| exchange(&read, at));
        if let found @ Some(_) = all.find(|one| is(&one.request) || is(&one.answer)) {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Whether a node of the run at `run` answered anything.
pub fn has_answered(run: &Path, node: u32) -> bool {
    file(run, node).exists()
}

fn open(run: &Path, answerer: u32) -> Result<Option<SideReader>, RecordError> {
    let has_any = has_answered(run, answerer);
    has_any.then(|| SideReader::open(&file(run, answerer), &columns())).transpose()
}

/// The one at this row of the table's columns.
fn exchange(read: &[Vec<i64>], row: usize) -> Exchange {
    Exchange::of_row(std::array::from_fn(|column| read[column][row]))
}

fn file(run: &Path, answerer: u32) -> PathBuf {
    run.join(format!("sockets/exchanges-0-{answerer}.parquet"))
}

fn columns() -> [SideColumn; COLUMNS.len()] {
    COLUMNS.map(|name| SideColumn {
        name,
        holds: match name {
            "asker" | "answerer" => Holds::FewNumbers,
            _ => Holds::Numbers,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(begun: i64) -> Leg {
        Leg {
            src: begun % 3,
            seq: begun,
            messages: 1,
            bytes: 10,
            ready_ns: begun,
            writing_ns: 0,
            sent_ns: begun + 1,
            arrived_ns: begun + 3,
            arrived_error_ns: NULL,
            taken_ns: begun + 7,
        }
    }

    #[test]
    fn its_stretches_are_the_whole_of_it() {
        let exchange = Exchange { request: leg(100), answer: leg(150) };
        assert_eq!(exchange.stretches(), [0, 1, 2, 4, 43, 0, 1, 2, 4].map(Some));
        let slowly = Leg { ready_ns: 120, writing_ns: 29, ..leg(150) };
        let slowly = Exchange { answer: slowly, ..exchange };
        assert_eq!(slowly.stretches(), [0, 1, 2, 4, 13, 29, 2, 2, 4].map(Some));
        assert_eq!(slowly.whole(), Some(57));
        assert_eq!(exchange.whole(), Some(57));
        let half = Exchange {
            request: Leg { ready_ns: NULL, writing_ns: NULL, sent_ns: NULL, ..leg(100) },
            ..exchange
        };
        assert_eq!(exchange.service_within((i64::MIN + 1, 120)), 13, "from 107 on");
        assert_eq!(
            (exchange.service_within((110, 112)), exchange.service_within((150, 200))),
            (2, 0)
        );
        assert_eq!((half.stretches()[2], half.stretches()[3]), (None, Some(4)));
        assert_eq!((half.whole(), half.elsewhere(), exchange.elsewhere()), (None, None, None));
        let [request, answer] = [100, 150].map(leg);
        let request = Leg { arrived_ns: NULL, taken_ns: NULL, ..request };
        let answer = Leg { ready_ns: NULL, sent_ns: NULL, ..answer };
        assert_eq!(Exchange { request, answer }.elsewhere(), Some(52));
    }

    #[test]
    fn they_come_back_as_they_were_written() {
        let run = tempfile::tempdir().unwrap();
        let made: Vec<Exchange> = (0..100)
            .map(|at| Exchange { request: leg(at * 99), answer: leg(at * 99 + 20) })
            .collect();
        let mut writer = ExchangeWriter::create(run.path(), 3, 1000).unwrap();
        writer.push(&made).unwrap();
        writer.finish().unwrap();
        let mut found = Vec::new();
        each(run.path(), 3, |exchange| found.push(*exchange)).unwrap();
        assert_eq!(found, made);
        assert_eq!(find(run.path(), 3, (0, 990)).unwrap(), Some(made[10]), "as a request");
        assert_eq!(find(run.path(), 3, (2, 20)).unwrap(), Some(made[0]), "as an answer");
        assert_eq!(find(run.path(), 3, (1, 20)).unwrap(), None, "of another source");
        each(run.path(), 4, |_| unreachable!("it has none")).unwrap();
    }
}
