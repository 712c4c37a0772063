//! A recorded launch that can be played, whatever kind of program it is of.

use fabric::Machine;
use predict::{
    Courses, DrawnProgram, Flow, Played, RecordedRun, Service, Stamps, Stuck, Times, drawn_service,
    play, serve,
};
use sockets_lens::{Asked, ReadService};
use std::sync::{Arc, OnceLock};

const PS_PER_NS: u64 = 1000;

/// A launch.
pub enum Case {
    /// Nodes that do the same things in the same order.
    Steps(Stepped),
    /// Threads that serve who comes first.
    Service(Served),
}

/// A launch of such a program.
pub struct Stepped {
    run: RecordedRun,
    /// What draws are of, once there is one.
    times: OnceLock<Times>,
}

/// A launch of such a program.
pub struct Served {
    service: Service,
    measured_ns: u64,
    pub asked: Arc<Vec<Asked>>,
    names: Arc<Vec<String>>,
}

impl Served {
    /// How many hosts its processes are on.
    pub fn hosts(&self) -> u16 {
        self.service.hosts()
    }

    /// What a node is called, with its number.
    pub fn name(&self, node: u16) -> String {
        format!("{} ({node})", self.names[usize::from(node)])
    }
}

impl From<RecordedRun> for Case {
    fn from(run: RecordedRun) -> Case {
        Case::Steps(Stepped { run, times: OnceLock::new() })
    }
}

impl From<ReadService> for Case {
    fn from(read: ReadService) -> Case {
        let ReadService { service, measured_ns, exchanges, names, .. } = read;
        let (asked, names) = (Arc::new(exchanges), Arc::new(names));
        Case::Service(Served { service, measured_ns, asked, names })
    }
}

impl Case {
    /// From the first thing that a node did to the last, ns.
    pub fn measured_ns(&self) -> u64 {
        match self {
            Case::Steps(Stepped { run, .. }) => run.measured_ns,
            Case::Service(served) => served.measured_ns,
        }
    }

    pub fn nodes(&self) -> usize {
        match self {
            Case::Steps(Stepped { run, .. }) => run.program.courses.len(),
            Case::Service(served) => served.service.host_of.len(),
        }
    }

    /// Messages that the program sent itself: those of lesser numbers.
    pub fn own_messages(&self) -> u32 {
        match self {
            Case::Steps(Stepped { run, .. }) => run.program.own_messages,
            Case::Service(served) => served.service.messages.len() as u32,
        }
    }

    /// From which node to which a message goes.
    pub fn pair(&self, message: u32) -> (u16, u16) {
        match self {
            Case::Steps(Stepped { run, .. }) => {
                let parcel = run.program.messages[message as usize];
                (parcel.from, parcel.to)
            }
            Case::Service(served) => {
                let letter = served.service.messages[message as usize];
                (letter.from, letter.to)
            }
        }
    }

    pub fn has_wildcards(&self) -> bool {
        matches!(self, Case::Steps(one) if !one.run.program.wildcards.is_empty())
    }

    /// Whether messages are asked for on this machine.
    pub fn asks(&self, machine: &Machine) -> bool {
        let Case::Steps(Stepped { run, .. }) = self else { return false };
        let most = run.program.most_bytes() as f64;
        run.program.flow == Flow::Eager && most > machine.value("network.eager")
    }

    /// Ask for long messages before answering others, or after: whichever brings the launch nearer
    /// to its own time on the machine recorded on. One that cannot be played stays as it is.
    pub fn take_its_way(&mut self, machine: &Machine, seed: u64) {
        if !self.asks(machine) {
            return;
        }
        let Case::Steps(Stepped { run, .. }) = self else { return };
        let off = |asks_first: bool| {
            run.program.asks_first = asks_first;
            let played = play(&run.program, machine, seed, |_, _| ()).ok()?;
            Some((played.end() / PS_PER_NS).abs_diff(run.measured_ns))
        };
        let [after, before] = [false, true].map(off);
        run.program.asks_first = before.zip(after).is_some_and(|(before, after)| before < after);
    }

    /// Whether it asks for long messages before it answers others.
    pub fn asks_first(&self) -> bool {
        matches!(self, Case::Steps(one) if one.run.program.asks_first)
    }

    /// Receives take what they took when recorded.
    pub fn take_as_recorded(&mut self) {
        if let Case::Steps(Stepped { run, .. }) = self {
            run.program = std::mem::take(&mut run.program).as_recorded();
        }
    }

    /// What it is of, where that is a program that serves.
    pub fn served(&self) -> Option<&Served> {
        if let Case::Service(served) = self { Some(served) } else { None }
    }

    /// Play it on a machine; `tell` hears of each message that is taken.
    pub fn play(
        &self,
        machine: &Machine,
        seed: u64,
        tell: impl FnMut(u32, Stamps),
    ) -> Result<Played, Stuck> {
        match self {
            Case::Steps(Stepped { run, .. }) => play(&run.program, machine, seed, tell),
            Case::Service(served) => serve(&served.service, machine, seed, tell),
        }
    }

    /// The same with times of computing that stand for each other, as a draw under its seed has
    /// them.
    pub fn play_drawn(
        &self,
        (drawn_with, draw): (u64, u32),
        machine: &Machine,
        seed: u64,
    ) -> Result<Played, Stuck> {
        match self {
            Case::Steps(Stepped { run, times }) => {
                let times = times.get_or_init(|| Times::of(&run.program));
                let drawn = DrawnProgram::of(&run.program, times, drawn_with, draw);
                play(&drawn, machine, seed, |_, _| ())
            }
            Case::Service(served) => {
                let drawn = drawn_service(&served.service, drawn_with, draw);
                serve(&drawn, machine, seed, |_, _| ())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use predict::{Course, Parcel, Program, Step};

    const MACHINE: &str = "name = \"two\"\nnodes = 2\ntopology = \"switch\"\n[processor]\n\
        send = \"2us\"\nreceive = \"5us\"\n[network]\nlatency = \"10us\"\nbandwidth = \"1GB/s\"\n\
        eager = \"4KiB\"\n";

    /// Two who exchange long messages, one of whom comes late.
    fn exchange() -> Program {
        let late = Step::Work { ns: 100_000, site: 0 };
        let steps = [
            vec![Step::Post(1), Step::Send(0), Step::Take(1), Step::Free(0)],
            vec![late, Step::Post(0), Step::Send(1), Step::Take(0), Step::Free(1)],
        ];
        let parcel = |from, to| Parcel { from, to, bytes: 50_000 };
        Program {
            courses: steps.map(|steps| Course { begins_ns: 0, steps }).into(),
            messages: vec![parcel(0, 1), parcel(1, 0)],
            own_messages: 2,
            flow: Flow::Eager,
            ..Program::default()
        }
    }

    #[test]
    fn a_launch_exchanges_long_messages_in_the_way_that_is_nearer_to_its_time() {
        let machine = fabric::parse_machine("two", MACHINE).unwrap();
        let took = |asks_first| {
            let program = Program { asks_first, ..exchange() };
            play(&program, &machine, 1, |_, _| ()).unwrap().end() / PS_PER_NS
        };
        let [after, before] = [took(false), took(true)];
        assert!(before + 20_000 < after, "{before} {after}");
        let mut other = machine.clone();
        other.constants.remove("network.eager");
        for (measured_ns, asks_first) in [
            (after, false),
            (before, true),
            (2 * after, false),
            (after - 5_000, false),
            (before + 5_000, true),
            (1, true),
        ] {
            let run = RecordedRun { program: exchange(), measured_ns };
            let mut case = Case::from(run.clone());
            case.take_its_way(&machine, 1);
            assert_eq!(case.asks_first(), asks_first, "{measured_ns}");
            // Draws are of both, whichever it is.
            let drawn = |draw| case.play_drawn((1, draw), &machine, 1).unwrap().end() / PS_PER_NS;
            let [own, reverse] = if asks_first { [before, after] } else { [after, before] };
            assert_eq!([0, 1, 2].map(drawn), [own, reverse, own]);
            let mut at_once = Case::from(run);
            at_once.take_its_way(&other, 1);
            assert!(!at_once.asks_first(), "none is asked for");
        }
    }
}
