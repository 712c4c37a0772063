//! What figures show, by the names that the command line and files give it.

/// Choices that have names: the one table for arguments, files and messages.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $noun:literal, {
        $($(#[$each:meta])* $one:ident = $name:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$each])* $one),* }

        impl $type {
            /// All of them.
            pub const ALL: &'static [$type] = &[$($type::$one),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $($type::$one => $name),* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<$type, String> {
                $type::ALL.iter().copied().find(|one| one.name() == text).ok_or_else(|| {
                    let names: Vec<&str> = $type::ALL.iter().map(|one| one.name()).collect();
                    format!("unknown {} '{text}'; choose from {}", $noun, names.join(", "))
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

named! {
    /// What a figure shows of each message.
    FigureQuantity, "quantity", {
        /// Stage A.
        EndToEnd = "end-to-end",
        /// Stage B.
        SendWait = "send-wait",
        /// Stage C.
        Transit = "transit",
        /// Stage D.
        ReceiveWait = "receive-wait",
        /// Round trips, relay rounds.
        Cycle = "cycle",
        /// Time from one send to the next, of a pair of nodes.
        Interval = "interval",
        /// That time over the number of messages served meanwhile.
        PerServed = "per-served",
        /// Messages served between two sends.
        Served = "served",
        /// Messages in the receiver's queue when it arrived.
        QueueLength = "queue-length",
        /// Messages under way when it was sent.
        InFlight = "in-flight",
        /// Messages within its node that were handled while it waited.
        OnNodeWaited = "on-node-waited",
        /// Packets that carried it.
        Packets = "packets",
        /// Links that it crossed.
        Hops = "hops",
        /// Its payload.
        Bytes = "bytes",
    }
}

named! {
    /// What a quantity is shown against.
    FigureAgainst, "axis", {
        /// Messages served between two sends.
        Served = "served",
        /// Payload.
        Bytes = "bytes",
        /// Links crossed.
        Hops = "hops",
        /// Packets.
        Packets = "packets",
        /// Messages in the receiver's queue at arrival.
        QueueLength = "queue-length",
        /// Along the run.
        Time = "time",
    }
}

named! {
    /// What messages are grouped by.
    FigureBy, "group", {
        /// Links crossed.
        Hops = "hops",
        /// Packets.
        Packets = "packets",
        /// Source and destination.
        Pair = "pair",
        /// Payload.
        Bytes = "bytes",
        /// What they are for.
        Kind = "kind",
        /// Launch.
        Launch = "launch",
        /// The run alone.
        Run = "run",
    }
}

impl FigureQuantity {
    /// The stage that it is, if it is one.
    pub fn stage(self) -> Option<crate::compare::Measured> {
        crate::compare::Measured::ALL.into_iter().find(|stage| stage.name() == self.name())
    }

    /// Whether it is a time.
    pub fn is_time(self) -> bool {
        self.stage().is_some()
            || matches!(self, FigureQuantity::Interval | FigureQuantity::PerServed)
    }
}
