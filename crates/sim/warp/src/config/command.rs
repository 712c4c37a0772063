//! What can stand in a file.

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "fields are the arguments by the names that the reference gives them"
)]
pub enum Command {
    /// An object and its node.
    Obcreate { name: String, kind: String, node: u32 },
    /// A configuration message.
    Tell { receiver: String, time: f64, selector: i32, text: String },
    /// The end of the configuration.
    Go,
    /// Simtime beyond which nothing is sent.
    Cutoff(f64),
    /// Unacknowledged messages a node.
    Maxacks(u32),
    /// The same of anti-messages.
    Maxnegacks(u32),
    /// How many arrivals are looked at before an object runs.
    Plimit(u32),
    /// How many are sorted.
    Recvqlimit(u32),
    /// See [`timewarp::Options::penalty`].
    Penalty(u32),
    /// See [`timewarp::Options::reward`].
    Reward(u32),
    /// The rule, 0 to 6.
    Throttle(u32),
    /// Of rule 6, simtime.
    Window(f64),
    /// Of rule 4.
    Ethrottle(u32),
    /// Of rule 3.
    Wsize(f64),
    /// Of rule 2.
    Tmult(f64),
    /// Of rule 2, in ticks.
    Tadd(f64),
    /// Cancel at once.
    Aggressive,
    /// Send no messages back.
    Nosendback,
    /// KiB a node.
    Memsize(u32),
    /// From one GVT to the next, s.
    Timeval(f64),
    /// Simtime of GVT from which on that is 1 s.
    Timechg(f64),
    /// Throw committed output away.
    Nostdout,
    /// How objects are timed: 0 not, 1 by process time, 2 by wall clock.
    Objtimemode(u32),
    /// Events appear so many times as long.
    Propdelay(f64),
    /// Find the critical path.
    Critpath,
    /// Entries of the message log.
    Msglog(u32),
    /// Entries of the queue log.
    Quelog(u32),
    /// Entries of the flow log.
    Flowlog(u32),
    /// Entries of the instantaneous speedup log, and ms from one to the next.
    Islog { entries: u32, every_ms: u32 },
    /// Load management is off.
    Dlm,
    /// From one load cycle to the next, s.
    Dlmint(f64),
    /// Load cycles that only measure.
    Idledlm(u32),
    /// Difference of utilisation that calls for a migration, percent.
    Thresh(u32),
    /// Compare utilisations by their ratio.
    Ratiodlm,
    /// The ratio is 1 + this / 100.
    Mratio(u32),
    /// Most pairs a cycle.
    Migrations(u32),
    /// 1 best fit, 2 next best fit.
    Choosestrat(u32),
    /// 1 near future, 2 minimal, 3 none, 4 limited messages.
    Splitstrat(u32),
    /// Most migrations under way at a node.
    Maxoff(u32),
    /// Input messages with which an object is split.
    Maxiqlen(u32),
    /// A command of the original that has no meaning here.
    Foreign { name: &'static str, reason: &'static str },
}

impl Command {
    /// As the reference writes it.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Obcreate { .. } => "OBCREATE",
            Command::Tell { .. } => "TELL",
            Command::Go => "GO",
            Command::Cutoff(_) => "CUTOFF",
            Command::Maxacks(_) => "MAXACKS",
            Command::Maxnegacks(_) => "MAXNEGACKS",
            Command::Plimit(_) => "PLIMIT",
            Command::Recvqlimit(_) => "RECVQLIMIT",
            Command::Penalty(_) => "PENALTY",
            Command::Reward(_) => "REWARD",
            Command::Throttle(_) => "THROTTLE",
            Command::Window(_) => "WINDOW",
            Command::Ethrottle(_) => "ETHROTTLE",
            Command::Wsize(_) => "WSIZE",
            Command::Tmult(_) => "TMULT",
            Command::Tadd(_) => "TADD",
            Command::Aggressive => "AGGRESSIVE",
            Command::Nosendback => "NOSENDBACK",
            Command::Memsize(_) => "MEMSIZE",
            Command::Timeval(_) => "TIMEVAL",
            Command::Timechg(_) => "TIMECHG",
            Command::Nostdout => "NOSTDOUT",
            _ => self.name_of_the_rest(),
        }
    }

    fn name_of_the_rest(&self) -> &'static str {
        match self {
            Command::Objtimemode(_) => "OBJTIMEMODE",
            Command::Propdelay(_) => "PROPDELAY",
            Command::Critpath => "CRITPATH",
            Command::Msglog(_) => "MSGLOG",
            Command::Quelog(_) => "QUELOG",
            Command::Flowlog(_) => "FLOWLOG",
            Command::Islog { .. } => "ISLOG",
            Command::Dlm => "DLM",
            Command::Dlmint(_) => "DLMINT",
            Command::Idledlm(_) => "IDLEDLM",
            Command::Thresh(_) => "THRESH",
            Command::Ratiodlm => "RATIODLM",
            Command::Mratio(_) => "MRATIO",
            Command::Migrations(_) => "MIGRATIONS",
            Command::Choosestrat(_) => "CHOOSESTRAT",
            Command::Splitstrat(_) => "SPLITSTRAT",
            Command::Maxoff(_) => "MAXOFF",
            Command::Maxiqlen(_) => "MAXIQLEN",
            Command::Foreign { name, .. } => name,
            _ => "",
        }
    }

    /// The options of the command line that say the same, and come before it.
    pub(super) fn options(&self) -> &'static [&'static str] {
        match self {
            Command::Obcreate { .. } => &["placement"],
            Command::Cutoff(_) => &["cutoff"],
            Command::Maxacks(_) => &["max-acks"],
            Command::Maxnegacks(_) => &["max-neg-acks"],
            Command::Plimit(_) | Command::Recvqlimit(_) => &["plimit", "recvq-limit"],
            Command::Penalty(_) => &["penalty"],
            Command::Reward(_) => &["reward"],
            Command::Throttle(_)
            | Command::Window(_)
            | Command::Ethrottle(_)
            | Command::Wsize(_)
            | Command::Tmult(_)
            | Command::Tadd(_) => &["throttle"],
            Command::Aggressive => &["cancellation"],
            Command::Memsize(_) => &["memory"],
            Command::Timeval(_) | Command::Timechg(_) => &["gvt-interval"],
            Command::Objtimemode(_) => &["timing"],
            Command::Propdelay(_) => &["stretch"],
            Command::Islog { .. } => &["sample"],
            Command::Dlm
            | Command::Dlmint(_)
            | Command::Idledlm(_)
            | Command::Thresh(_)
            | Command::Ratiodlm
            | Command::Mratio(_)
            | Command::Migrations(_)
            | Command::Choosestrat(_)
            | Command::Splitstrat(_)
            | Command::Maxoff(_) => &["balance"],
            _ => &[],
        }
    }
}
