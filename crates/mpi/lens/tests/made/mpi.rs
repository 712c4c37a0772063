//! A made-up run of an MPI program, written as a run folder: four ranks that exchange with their
//! neighbours and meet in collectives, with three delays planted.

use std::path::Path;

use calls::cause::Cause;
use calls::list::Operation;
use calls::table::{WAIT_COLUMNS, WaitColumn, wait_columns_in_file, waits_file};
use clock::Clock;
use record::{
    Column, Field, Holds, How, Kind, NULL, NodeSheet, RunFolder, RunInfo, Schema, SideColumn,
    SideWriter,
};

/// Functions of the made-up calls.
const NAMES: &[&str] =
    &["Send", "Recv", "Irecv", "Wait", "Allreduce", "Testany", "Init", "Finalize"];

/// The columns of the table of calls.
const COLUMNS: [SideColumn; 11] = [
    SideColumn { name: "enter_ns", holds: Holds::Numbers },
    SideColumn { name: "exit_ns", holds: Holds::Numbers },
    SideColumn { name: "call", holds: Holds::Names(NAMES) },
    SideColumn { name: "peer", holds: Holds::FewNumbers },
    SideColumn { name: "tag", holds: Holds::FewNumbers },
    SideColumn { name: "communicator", holds: Holds::FewNumbers },
    SideColumn { name: "bytes", holds: Holds::FewNumbers },
    SideColumn { name: "done_in", holds: Holds::Numbers },
    SideColumn { name: "polls", holds: Holds::FewNumbers },
    SideColumn { name: "site", holds: Holds::FewNumbers },
    SideColumn { name: "thread", holds: Holds::FewNumbers },
];

const RANKS: usize = 4;
const SCHEMA: [Column; 10] = [
    Column::ArrivedErrorNs,
    Column::Tag,
    Column::Communicator,
    Column::PostedNs,
    Column::AwaitedNs,
    Column::ReleasedNs,
    Column::SendCall,
    Column::ReceiveCall,
    Column::SendSite,
    Column::ReceiveSite,
];

/// Rank 0 sends this late to rank 1, tag 11.
pub const LATE_SENDER_NS: i64 = 5_000_000;
/// Rank 2 sleeps so long before it receives from rank 1, tag 12.
pub const ASLEEP_NS: i64 = 50_000_000;
/// Rank 3 is blocked so long in a rendezvous with rank 0, tag 13.
pub const RENDEZVOUS_NS: i64 = 20_000_000;

/// Write a run of `steps` steps.
pub fn write(path: &Path, steps: i64) {
    Program::new().run(steps).save(path);
}

/// The same of ranks of which was not seen how they began.
#[allow(dead_code, reason = "not all tests that share this file need it")]
pub fn write_without_init(path: &Path, steps: i64) {
    let mut program = Program::new();
    program.ranks.iter_mut().for_each(|rank| rank.calls.clear());
    program.run(steps).save(path);
}

#[derive(Default)]
struct Rank {
    now: i64,
    calls: Vec<[i64; 11]>,
    messages: Vec<Vec<(Field, i64)>>,
    /// Calls that were blocked: from, until, cause, by whom, collective, tag, number, row of
    /// the call.
    waits: Vec<[i64; 8]>,
    sent: i64,
}

struct Program {
    ranks: [Rank; RANKS],
    draw: u64,
}

/// A message to be passed from rank to rank.
#[derive(Clone, Copy)]
struct Message {
    src: usize,
    dst: usize,
    tag: i64,
    bytes: i64,
    rendezvous: bool,
    sites: [i64; 2],
}

impl Program {
    fn new() -> Program {
        let mut program = Program { ranks: Default::default(), draw: 7 };
        for (at, rank) in program.ranks.iter_mut().enumerate() {
            let begin = 1_000_000 + 40_000 * at as i64;
            rank.now = begin + 2_000_000;
            rank.call(begin, 6, [NULL; 4], 6);
        }
        program
    }

    fn run(mut self, steps: i64) -> Program {
        for step in 0..steps {
            self.step(step);
            match step * 4 / steps.max(1) {
                1 if (step * 4) % steps < 4 => self.late_sender(),
                2 if (step * 4) % steps < 4 => self.asleep(),
                3 if (step * 4) % steps < 4 => self.rendezvous(),
                _ => {}
            }
        }
        self.meet();
        self
    }

    /// A step of the program: compute, exchange with both neighbours, agree.
    fn step(&mut self, step: i64) {
        for at in 0..RANKS {
            let slow = if at == 3 { 1.35 } else { 1.0 };
            self.ranks[at].now += (self.near(400_000.0) * slow) as i64;
        }
        for (src, dst) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            let early = (step % 3 == 0).then(|| self.post(dst));
            self.pass(
                Message { src, dst, tag: 1, bytes: 4096, rendezvous: false, sites: [1, 2] },
                early,
            );
        }
        if step % 5 == 4 {
            let from = self.ranks[2].now;
            self.ranks[2].now += 60_000;
            self.ranks[2].polls(from, 150);
            self.collective();
        }
    }

    fn late_sender(&mut self) {
        let ready = self.ranks[0].now.max(self.ranks[1].now);
        (self.ranks[1].now, self.ranks[0].now) = (ready, ready + LATE_SENDER_NS);
        self.pass(
            Message { src: 0, dst: 1, tag: 11, bytes: 64, rendezvous: false, sites: [3, 4] },
            None,
        );
    }

    fn asleep(&mut self) {
        let ready = self.ranks[1].now.max(self.ranks[2].now);
        (self.ranks[1].now, self.ranks[2].now) = (ready, ready + ASLEEP_NS);
        self.pass(
            Message { src: 1, dst: 2, tag: 12, bytes: 64, rendezvous: false, sites: [3, 4] },
            None,
        );
    }

    fn rendezvous(&mut self) {
        let ready = self.ranks[3].now.max(self.ranks[0].now);
        (self.ranks[3].now, self.ranks[0].now) = (ready, ready + RENDEZVOUS_NS);
        self.pass(
            Message { src: 3, dst: 0, tag: 13, bytes: 1 << 20, rendezvous: true, sites: [3, 4] },
            None,
        );
    }

    /// Post a receive and compute on; when it was posted.
    fn post(&mut self, dst: usize) -> i64 {
        let rank = &mut self.ranks[dst];
        let posted = rank.now;
        rank.now += 200;
        rank.call(posted, 2, [NULL; 4], 2);
        rank.now += 90_000;
        posted
    }

    fn pass(&mut self, message: Message, posted_before: Option<i64>) {
        let transit = 1_500 + message.bytes / 10 + (self.near(300.0)) as i64;
        let (sent, awaited) = (self.ranks[message.src].now, self.ranks[message.dst].now);
        let posted = posted_before.unwrap_or(awaited);
        let begin = if message.rendezvous { sent.max(posted) } else { sent };
        let arrived = begin + transit;
        let released = if message.rendezvous { arrived } else { sent + 500 };
        let taken = arrived.max(awaited) + 300;
        let seq = self.ranks[message.src].sent;
        let looked = awaited <= arrived;
        let fields = vec![
            (Field::Seq, seq),
            (Field::Src, message.src as i64),
            (Field::Dst, message.dst as i64),
            (Field::Kind, Kind::Data as i64),
            (Field::Bytes, message.bytes),
            (Field::ReadyNs, sent),
            (Field::SentNs, sent),
            (Field::ArrivedNs, arrived),
            (Field::TakenNs, taken),
            (Field::ArrivedHow, if looked { How::Observed } else { How::Modelled } as i64),
            (Field::ArrivedErrorNs, if looked { NULL } else { 400 }),
            (Field::Tag, message.tag),
            (Field::Communicator, 1),
            (Field::PostedNs, posted),
            (Field::AwaitedNs, awaited),
            (Field::ReleasedNs, released),
            (Field::SendCall, self.ranks[message.src].calls.len() as i64),
            (Field::ReceiveCall, self.ranks[message.dst].calls.len() as i64),
            (Field::SendSite, message.sites[0]),
            (Field::ReceiveSite, message.sites[1]),
        ];
        let of = |peer: usize| [peer as i64, message.tag, 1, message.bytes];
        let (src, dst) = (message.src, message.dst);
        let told = |from, until, cause: Cause, by: usize| {
            [from, until, cause as i64, by as i64, NULL, message.tag, seq]
        };
        if awaited < sent {
            self.ranks[dst].blocked(told(awaited, sent, Cause::LateSender, src));
        }
        if message.rendezvous && sent < posted {
            self.ranks[src].blocked(told(sent, posted, Cause::LateReceiver, dst));
        }
        let source = &mut self.ranks[src];
        (source.sent, source.now) = (seq + 1, released);
        source.call(sent, 0, of(dst), message.sites[0]);
        let target = &mut self.ranks[dst];
        target.now = taken;
        target.call(
            awaited,
            if posted_before.is_some() { 3 } else { 1 },
            of(src),
            message.sites[1],
        );
        target.messages.push(fields);
    }

    fn collective(&mut self) {
        let last = self.ranks.iter().map(|rank| rank.now).max().unwrap_or(0);
        let by = self.ranks.iter().position(|rank| rank.now == last).unwrap_or(0) as i64;
        for rank in &mut self.ranks {
            let enter = std::mem::replace(&mut rank.now, last + 5_000);
            if enter < last {
                let (cause, function) = (Cause::Collective as i64, Operation::Allreduce as i64);
                rank.blocked([enter, last, cause, by, function, NULL, NULL]);
            }
            rank.call(enter, 4, [NULL, NULL, 1, 8], 5);
        }
    }

    fn meet(&mut self) {
        self.collective();
        for rank in &mut self.ranks {
            let enter = rank.now;
            rank.now += 500_000;
            rank.call(enter, 7, [NULL; 4], 6);
        }
    }

    fn save(&self, path: &Path) {
        let messages: usize = self.ranks.iter().map(|rank| rank.messages.len()).sum();
        let calls: usize = self.ranks.iter().map(|rank| rank.calls.len()).sum();
        let mut info = RunInfo::new("halo");
        info.transport = "mpi".to_owned();
        info.parameters.insert(
            "mpi".to_owned(),
            serde_json::json!({
                "library": "Open MPI 4.1.4", "ranks": RANKS, "calls": calls,
                "sends": messages, "receives": messages, "matched": messages,
                "unmatched_sends": 0, "unmatched_receives": 0, "match_rate": 1.0,
                "causality_violations": 0, "cancelled": 0, "passed_through": {"MPI_Put": 3},
                "in_progress": [], "missing_ranks": [], "damaged": [],
            }),
        );
        let folder = RunFolder::create(path, info).expect("the folder is new");
        let mut closing = folder.begin_closing().expect("nobody else records");
        let clock = Clock::system();
        let sheets: Vec<NodeSheet> = (0..RANKS as u32)
            .map(|rank| NodeSheet {
                schema: Schema::new(&SCHEMA),
                finished: true,
                ..NodeSheet::new(0, rank, &clock)
            })
            .collect();
        closing.fit(&sheets);
        let mut nodes = Vec::new();
        for (rank, sheet) in self.ranks.iter().zip(sheets) {
            let mut file = closing.messages(&sheet).expect("the messages can be written");
            file.push(&rank.messages, |field, rows, out| {
                let value =
                    |row: &[(Field, i64)]| row.iter().find(|(of, _)| *of == field).map(|of| of.1);
                out.extend(rows.iter().map(|row| value(row).unwrap_or(NULL)));
            })
            .expect("rows can be written");
            let calls = path.join(format!("mpi/calls-launch-0-node-{}.parquet", sheet.node));
            let mut table =
                SideWriter::create(&calls, &COLUMNS, 0, sheet.node).expect("the table is new");
            rank.calls.iter().for_each(|row| table.push(row).expect("a row can be written"));
            table.finish().expect("the table can be written");
            rank.save_waits(path, sheet.node);
            nodes.push((sheet, file.finish().expect("the file can be written")));
        }
        let sites = "site,symbol,file,line,object,offset\n\
                     1,exchange,halo.c,41,/app/halo,4660\n\
                     2,exchange,halo.c,44,/app/halo,4700\n\
                     3,\"hand, over\",halo.c,71,/app/halo,5100\n\
                     4,take,halo.c,88,/app/halo,5200\n\
                     5,agree,halo.c,102,/app/halo,5300\n\
                     6,,,,/app/halo,6000\n";
        std::fs::write(path.join("mpi/sites.csv"), sites).expect("the sites can be written");
        let communicators = "communicator,size,remote_size,members\n1,4,0,0-3\n";
        std::fs::write(path.join("mpi/communicators.csv"), communicators)
            .expect("a file can be written");
        closing.finish(&nodes).expect("the run can be closed");
    }

    /// About this, within 20 %.
    fn near(&mut self, typical: f64) -> f64 {
        self.draw = self
            .draw
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        typical * (0.8 + 0.4 * ((self.draw >> 33) as f64 / (1_u64 << 31) as f64))
    }
}

impl Rank {
    fn save_waits(&self, path: &Path, node: u32) {
        let file = path.join(waits_file(0, node));
        let columns = wait_columns_in_file();
        let mut table = SideWriter::create(&file, &columns, 0, node).expect("the table is new");
        for [from, until, cause, by, function, tag, seq, call] in &self.waits {
            let row: Vec<i64> = WAIT_COLUMNS
                .iter()
                .map(|column| match column {
                    WaitColumn::Call => *call,
                    WaitColumn::Enter | WaitColumn::Ready => *from,
                    WaitColumn::Until | WaitColumn::Taken => *until,
                    WaitColumn::Cause => *cause,
                    WaitColumn::By => *by,
                    WaitColumn::Function => *function,
                    WaitColumn::Tag => *tag,
                    WaitColumn::Seq => *seq,
                    WaitColumn::Site | WaitColumn::OtherSite => 3,
                    WaitColumn::Bytes => 64,
                })
                .collect();
            table.push(&row).expect("a row can be written");
        }
        table.finish().expect("the table can be written");
    }

    /// The next call was blocked.
    fn blocked(&mut self, [from, until, cause, by, function, tag, seq]: [i64; 7]) {
        let call = self.calls.len() as i64;
        self.waits.push([from, until, cause, by, function, tag, seq, call]);
    }

    /// A call from `enter` until now; `of` is peer, tag, communicator, bytes.
    fn call(&mut self, enter: i64, code: i64, of: [i64; 4], site: i64) {
        let [peer, tag, communicator, bytes] = of;
        let row = self.calls.len() as i64;
        self.calls.push([
            enter,
            self.now,
            code,
            peer,
            tag,
            communicator,
            bytes,
            row,
            NULL,
            site,
            0,
        ]);
    }

    fn polls(&mut self, enter: i64, polls: i64) {
        self.calls.push([enter, self.now, 5, NULL, NULL, NULL, NULL, NULL, polls, 2, 0]);
    }
}
