//! The rows. Their order is that of the help text, and that in which they are set.

use super::{Directive, Group, Number, Setting};
use models::argument::{Argument, Takes, Value};
use timewarp::{AckAt, Cancellation, Dealing, Search, Timing};

/// Beyond every simtime of a model.
pub(crate) const SIMTIME_MAX: f64 = 999_999_999.0;
/// Longest time between two rounds of anything, s: twelve days.
const SECONDS_MAX: f64 = 1e6;

const fn whole(what: &'static str, least: u32, most: u32) -> Number {
    Number { what, least: least as f64, most: most as f64, is_whole: true }
}

const fn real(what: &'static str, least: f64, most: f64) -> Number {
    Number { what, least, most, is_whole: false }
}

const ANY: Number = whole("a whole number", 0, u32::MAX);
/// Largest number of acknowledgements that the original takes.
const ACKS: Number = whole("a number from 1 to 100", 1, 100);
const SIMTIME: Number = real("a simtime", -SIMTIME_MAX, SIMTIME_MAX);
const SECONDS: Number = real("seconds above 0", 1e-6, SECONDS_MAX);

/// A command whose number is the option's value.
const fn same(name: &'static str, takes: &'static [Number]) -> Directive {
    Directive { name, takes, value: |numbers| numbers.first().copied() }
}

/// A command that is a switch.
const fn switch(name: &'static str) -> Directive {
    Directive { name, takes: &[], value: |_| Some(1.0) }
}

/// A command that is one of several that count together.
const fn grouped(name: &'static str, takes: &'static [Number]) -> Directive {
    Directive { name, takes, value: |_| None }
}

const ENGINE: Setting = Setting {
    argument: Argument::NONE,
    group: Group::Engine,
    set: |_, _| {},
    commands: &[],
    beside: &[],
};
const RUN: Setting = Setting { group: Group::Run, ..ENGINE };
const NONE: Argument = Argument::NONE;
/// An argument that is a number of something.
const COUNT: Argument = Argument { takes: Takes::Whole(1), value_name: "N", ..NONE };
const COUNT_FROM_0: Argument = Argument { takes: Takes::Whole(0), ..COUNT };
const OF_BALANCE: Argument = Argument { requires: Some("balance"), ..COUNT };

/// Parts that `--balance` moves together; a configuration file moves one, as the original does.
const BATCH: u32 = 64;

/// All options.
pub const SETTINGS: &[Setting] = &[
    Setting {
        argument: Argument {
            name: "cutoff",
            takes: Takes::Simtime,
            value_name: "T",
            help: "Simtime beyond which nothing is sent",
            usual: "none; phold 1000",
            ..NONE
        },
        set: |job, value| job.engine.cutoff = value.number(),
        commands: &[same("CUTOFF", &[SIMTIME])],
        ..RUN
    },
    Setting {
        argument: Argument {
            name: "sample",
            takes: Takes::Time,
            value_name: "TIME",
            help: "Sample every node of a recorded run this often: its progress, its queues, and \
            with --check its speed-up",
            usual: "100ms",
            ..NONE
        },
        set: |job, value| job.sample_ms = ((value.number() * 1e3).round() as u64).max(1),
        commands: &[Directive {
            name: "ISLOG",
            takes: &[whole("a number of entries", 0, u32::MAX), MS_BETWEEN_SAMPLES],
            value: |numbers| numbers.get(1).map(|ms| ms / 1e3),
        }],
        ..RUN
    },
    Setting {
        set: |job, value| job.silent = value.is_on(),
        commands: &[switch("NOSTDOUT")],
        ..RUN
    },
    Setting {
        argument: Argument {
            name: "cancellation",
            takes: Takes::OneOf(&[
                ("lazy", "When the event is run again and does not send them again"),
                ("aggressive", "At once"),
            ]),
            value_name: "CANCELLATION",
            help: "When messages of undone events are cancelled",
            usual: "lazy",
            ..NONE
        },
        set: |job, value| {
            job.engine.cancellation =
                if value.is_on() { Cancellation::Aggressive } else { Cancellation::Lazy }
        },
        commands: &[switch("AGGRESSIVE")],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "memory",
            takes: Takes::Bytes,
            value_name: "BYTES",
            help: "Memory for messages, saved states and history on each node",
            usual: "no bound",
            ..NONE
        },
        set: |job, value| job.engine.memory_bytes = Some(value.number() as usize),
        commands: &[Directive {
            name: "MEMSIZE",
            takes: &[whole("KiB, a whole number from 1", 1, u32::MAX)],
            value: |numbers| numbers.first().map(|kib| kib * 1024.0),
        }],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "no-sendback",
            help: "Send no messages back when memory is short",
            ..NONE
        },
        set: |job, value| job.engine.sendback = !value.is_on(),
        commands: &[switch("NOSENDBACK")],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "gvt-interval",
            takes: Takes::Time,
            value_name: "TIME",
            help: "Compute GVT at least this often",
            usual: "10ms; slooow 3s",
            ..NONE
        },
        // At least one: 0 would be never.
        set: |job, value| job.gvt_interval_us = ((value.number() * 1e6).round() as u64).max(1),
        commands: &[same("TIMEVAL", &[SECONDS])],
        ..ENGINE
    },
    Setting {
        set: |job, value| job.gvt_change = Some(value.number()),
        commands: &[same("TIMECHG", &[SIMTIME])],
        beside: &["gvt-interval"],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "gvt-events",
            help: "Compute GVT once this many events of a node wait to be committed",
            usual: "512; slooow: by time alone",
            ..COUNT
        },
        set: |job, value| job.engine.gvt_events = value.whole(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "collection-step",
            help: "Events that fossil collection looks at before other work gets its turn",
            usual: "32",
            ..COUNT
        },
        set: |job, value| job.engine.collection_step = value.whole(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "max-acks",
            help: "Unacknowledged messages that a node may have",
            usual: "no bound; 20 with --plimit or --recvq-limit",
            ..COUNT
        },
        set: |job, value| job.engine.max_acks = Some(value.whole()),
        commands: &[same("MAXACKS", &[ACKS])],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "max-neg-acks",
            help: "The same for anti-messages",
            usual: "100",
            ..COUNT
        },
        set: |job, value| job.engine.max_neg_acks = value.whole(),
        commands: &[same("MAXNEGACKS", &[ACKS])],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "ack-at",
            takes: Takes::OneOf(&[
                (
                    "taken",
                    "When the node takes it out of its receive queue: a full queue holds up the \
                    sender",
                ),
                (
                    "arrival",
                    "When it has come to the node, as in the Mercury of 1988. With --on: by its \
                    interrupt routine, also while the node is busy. Transports thread and shm: \
                    once it is written, so nothing waits. Others, and --topology hypercube or \
                    --plant: when the node next looks, between two events",
                ),
            ]),
            value_name: "MOMENT",
            help: "When a message is acknowledged (--max-acks)",
            usual: "taken",
            ..NONE
        },
        set: |job, value| {
            job.engine.ack_at = if value.is_on() { AckAt::Arrival } else { AckAt::Taken }
        },
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "plimit",
            help: "Before an object runs, look at this many arrivals for one that is due no later",
            usual: "take in all arrivals",
            conflicts: &["recvq-limit"],
            ..COUNT
        },
        set: |job, value| job.engine.search = Search::Plimit(value.whole()),
        commands: &[same("PLIMIT", &[whole("a number from 1", 1, u32::MAX)])],
        beside: &["recvq-limit"],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "recvq-limit",
            help: "Before an object runs, sort this many arrivals and look at the first",
            ..COUNT
        },
        set: |job, value| job.engine.search = Search::RecvqLimit(value.whole()),
        commands: &[same("RECVQLIMIT", &[ACKS])],
        beside: &["plimit"],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "penalty",
            help: "Points that an object gets for each of its messages that is cancelled; an \
            object with points is passed over",
            usual: "0",
            ..COUNT_FROM_0
        },
        set: |job, value| job.engine.penalty = value.whole(),
        commands: &[same("PENALTY", &[ANY])],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "reward",
            help: "Points taken off each time the scheduler passes over the object",
            usual: "0",
            ..COUNT_FROM_0
        },
        set: |job, value| job.engine.reward = value.whole(),
        commands: &[same("REWARD", &[ANY])],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "throttle",
            takes: Takes::Rule,
            value_name: "RULE",
            help: "Who may not run ahead: adaptive (a node whose events are undone, while one \
            lacks a core), never, or objects by outputs:100, allowance:2,200, gvt-steps:20, \
            states:20, undone, window:5",
            usual: "adaptive",
            ..NONE
        },
        set: |job, value| {
            if let Value::Rule(rule) = value {
                job.engine.throttle = *rule;
            }
        },
        commands: &[
            grouped("THROTTLE", &[whole("a rule from 0 to 6", 0, 6)]),
            grouped("WINDOW", &[real("a simtime above 0", f64::MIN_POSITIVE, SIMTIME_MAX)]),
            grouped("ETHROTTLE", &[ANY]),
            grouped("WSIZE", &[real("a factor above 0", f64::MIN_POSITIVE, 1e9)]),
            grouped("TMULT", &[real("a factor from 0", 0.0, 1e9)]),
            grouped("TADD", &[real("ticks above 0", f64::MIN_POSITIVE, 1e9)]),
        ],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "placement",
            takes: Takes::OneOf(&[
                ("blocks", "Neighbours together"),
                ("round-robin", "In turn"),
                (
                    "heaped",
                    "All on node 0 but one on each other node: a bad placement, to try --balance \
                    on",
                ),
            ]),
            value_name: "PLACEMENT",
            help: "How objects are placed on nodes",
            usual: "blocks",
            ..NONE
        },
        set: |job, value| {
            job.dealing = match value.whole() {
                0 => Dealing::Blocks,
                1 => Dealing::RoundRobin,
                _ => Dealing::Heaped,
            }
        },
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "balance",
            help: "Balance load: move objects from busy nodes to idle ones while the run goes on",
            ..NONE
        },
        set: |job, _| {
            job.engine.balance = None;
            job.balance().batch_max = BATCH;
        },
        // In the Time Warp Operating System load is balanced unless DLM says otherwise.
        commands: &[
            grouped("DLM", &[]),
            grouped("DLMINT", &[real("seconds above 0", 1e-3, SECONDS_MAX)]),
            grouped("IDLEDLM", &[whole("a number of cycles", 0, u32::MAX)]),
            grouped("THRESH", &[whole("percent from 0 to 100", 0, 100)]),
            grouped("RATIODLM", &[]),
            grouped("MRATIO", &[ANY]),
            grouped("MIGRATIONS", &[whole("a number of pairs", 0, u32::MAX)]),
            grouped("CHOOSESTRAT", &[whole("1 or 2", 1, 2)]),
            grouped("SPLITSTRAT", &[whole("a number from 1 to 4", 1, 4)]),
            grouped("MAXOFF", &[ANY]),
        ],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "balance-interval",
            takes: Takes::Time,
            value_name: "TIME",
            help: "Look at the load this often",
            usual: "4s",
            ..OF_BALANCE
        },
        set: |job, value| job.balance().interval_ms = (value.number() * 1e3).round() as u64,
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "balance-idle",
            takes: Takes::Whole(0),
            help: "Looks at the load before the first move",
            usual: "3",
            ..OF_BALANCE
        },
        set: |job, value| job.balance().idle_cycles = value.whole(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "balance-threshold",
            takes: Takes::Whole(0),
            value_name: "PERCENT",
            help: "Leave two nodes alone if their utilisations differ by no more than this, in \
            per cent",
            usual: "10",
            ..OF_BALANCE
        },
        set: |job, value| job.balance().threshold_percent = value.whole(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "balance-batch",
            help: "Most objects that move together where one alone makes little difference",
            usual: "64",
            ..OF_BALANCE
        },
        set: |job, value| job.balance().batch_max = value.whole(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "undo-check",
            help: "Do, undo, compare and repeat every event, to find handlers that cannot be \
            undone",
            ..NONE
        },
        set: |job, value| job.engine.undo_check |= value.is_on(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "zip-forward",
            help: "Cancel all that an object has sent in one sweep, as the engine of 1988 did: its \
            unbounded sweep, for demonstration",
            is_hidden: true,
            ..NONE
        },
        set: |job, value| job.engine.zip_forward |= value.is_on(),
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "timing",
            takes: Takes::OneOf(&[
                ("none", "Not at all"),
                ("process", "Processor time of the thread: a system call twice an event"),
                ("wall", "Wall clock, interruptions included"),
            ]),
            value_name: "MODE",
            help: "Time the work of every object, by the processor time of its thread or by the \
            wall clock",
            ..NONE
        },
        set: |job, value| {
            job.engine.timing = match value.whole() {
                0 => Timing::None,
                1 => Timing::Process,
                _ => Timing::Wall,
            }
        },
        commands: &[same("OBJTIMEMODE", &[whole("0, 1 or 2", 0, 2)])],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "stretch",
            takes: Takes::Real,
            value_name: "FACTOR",
            help: "Make every event take this many times as long, by waiting in a loop (uses \
            --timing process unless told otherwise)",
            ..NONE
        },
        set: |job, value| job.engine.stretch = value.number(),
        commands: &[Directive {
            name: "PROPDELAY",
            takes: &[real("a factor from 0", 0.0, 1e6)],
            value: |numbers| numbers.first().map(|factor| factor.max(1.0)),
        }],
        ..ENGINE
    },
    Setting {
        argument: Argument {
            name: "critical-path",
            help: "Find the chain of events that had to follow one another, and how long it took \
            (uses --timing process unless told otherwise)",
            ..NONE
        },
        set: |job, value| job.engine.causes |= value.is_on(),
        commands: &[switch("CRITPATH")],
        ..ENGINE
    },
];

const MS_BETWEEN_SAMPLES: Number = whole("ms from 100 to 10000", 100, 10_000);
