//! What a row is for: every kind of message and of work that a run may hold, a line each.

/// What a row is for. The numbers are part of the live log's format: append, never renumber.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Kind {
    /// A message that carries the program's data.
    Data = 0,
    /// An answer to a message.
    Reply = 1,
    /// Not a message but a whole cycle (a round trip, a relay round) seen from the node that began
    /// it: `ready` is its begin and `taken` its end. Reported apart from messages.
    Cycle = 2,
    /// A Time Warp event message.
    Event = 3,
    /// A Time Warp anti-message.
    Anti = 4,
    /// Part of computing global virtual time.
    Gvt = 5,
    /// A message returned to its sender for want of memory.
    Sendback = 6,
    /// An acknowledgement.
    Ack = 7,
    /// A page going to remote memory.
    PageOut = 8,
    /// A page coming back.
    PageIn = 9,
    /// A parity page.
    Parity = 10,
    /// Anything else.
    Other = 11,
    /// Not a message but the execution of a Time Warp event, which may have been undone later. An
    /// interval, as are all that follow; docs/FORMAT.md says what their columns hold.
    Execution = 12,
    /// Not a message but an object's return to an earlier virtual time.
    Rollback = 13,
    /// Not a message but a step of fossil collection, which commits events.
    Collection = 14,
    /// Not a message but what a node itself does when a round of computing global virtual time
    /// ends; in runs of older versions the whole round.
    GvtRound = 15,
}

/// What kinds are to whoever counts them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A message that the application sent.
    Application,
    /// A message that a system needs to carry out the application's: what undoes, collects,
    /// acknowledges or protects them.
    Machinery,
    /// No message but something that took time within a node, from `ready` to `taken`.
    Work,
}

/// What there is to know of a kind.
struct Known {
    kind: Kind,
    name: &'static str,
    plural: &'static str,
    role: Role,
    /// Said of work: what the node was at.
    doing: &'static str,
}

/// Every kind, in the order of the codes. This is the one place that says which are which.
const KNOWN: [Known; 16] = [
    message(Kind::Data, "data", "data", Role::Application),
    message(Kind::Reply, "reply", "replies", Role::Application),
    work(Kind::Cycle, "cycle", "cycles", OTHER),
    message(Kind::Event, "event", "events", Role::Application),
    message(Kind::Anti, "anti", "anti-messages", Role::Machinery),
    message(Kind::Gvt, "gvt", "GVT messages", Role::Machinery),
    message(Kind::Sendback, "sendback", "messages sent back", Role::Machinery),
    message(Kind::Ack, "ack", "acknowledgements", Role::Machinery),
    message(Kind::PageOut, "page-out", "page-outs", Role::Application),
    message(Kind::PageIn, "page-in", "page-ins", Role::Application),
    message(Kind::Parity, "parity", "parity pages", Role::Machinery),
    message(Kind::Other, "other", "other messages", Role::Application),
    work(Kind::Execution, "execution", "executions", "an event that their node was executing"),
    work(Kind::Rollback, "rollback", "rollbacks", "a rollback on their node"),
    work(Kind::Collection, "collection", "collections", "a fossil collection on their node"),
    work(Kind::GvtRound, "gvt-round", "rounds of GVT", "a round of GVT on their node"),
];

const OTHER: &str = "other work of their node";

const fn message(kind: Kind, name: &'static str, plural: &'static str, role: Role) -> Known {
    Known { kind, name, plural, role, doing: OTHER }
}

const fn work(kind: Kind, name: &'static str, plural: &'static str, doing: &'static str) -> Known {
    Known { kind, name, plural, role: Role::Work, doing }
}

impl Kind {
    /// Every kind, in the order of its code.
    pub const ALL: [Kind; KNOWN.len()] = {
        let mut all = [Kind::Data; KNOWN.len()];
        let mut at = 0;
        while at < KNOWN.len() {
            all[at] = KNOWN[at].kind;
            at += 1;
        }
        all
    };

    /// Their names, in the order of the codes.
    pub const NAMES: [&str; KNOWN.len()] = {
        let mut names = [""; KNOWN.len()];
        let mut at = 0;
        while at < KNOWN.len() {
            names[at] = KNOWN[at].name;
            at += 1;
        }
        names
    };

    /// The kind with this code.
    pub fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(code)).copied()
    }

    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        self.known().name
    }

    /// Several of them, in words: `page-outs`.
    pub const fn plural(self) -> &'static str {
        self.known().plural
    }

    /// What a node was at that such a row tells of, said of messages: `a rollback on their node`.
    pub const fn doing(self) -> &'static str {
        self.known().doing
    }

    /// Whether the application sent it.
    pub const fn is_application(self) -> bool {
        matches!(self.known().role, Role::Application)
    }

    /// Whether such a row is no message but something that took time within a node, from `ready` to
    /// `taken`. Reported apart from messages.
    pub const fn is_interval(self) -> bool {
        matches!(self.known().role, Role::Work)
    }

    const fn known(self) -> &'static Known {
        &KNOWN[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_code_of_their_place_and_the_name_that_serde_gives() {
        for (code, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, code);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
        assert_eq!(Kind::from_code(Kind::ALL.len() as u8), None);
    }

    #[test]
    fn intervals_are_what_no_node_sends() {
        let intervals: Vec<&str> =
            Kind::ALL.into_iter().filter(|kind| kind.is_interval()).map(Kind::name).collect();
        assert_eq!(intervals, ["cycle", "execution", "rollback", "collection", "gvt-round"]);
    }

    #[test]
    fn no_interval_is_a_message_of_the_application() {
        let sent: Vec<&str> =
            Kind::ALL.into_iter().filter(|kind| kind.is_application()).map(Kind::name).collect();
        assert_eq!(sent, ["data", "reply", "event", "page-out", "page-in", "other"]);
        assert!(Kind::ALL.into_iter().all(|kind| !(kind.is_interval() && kind.is_application())));
    }
}
