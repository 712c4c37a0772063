//! Why messages are not found any more in a direction of a connection.

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal $key:literal $words:literal;)*) => {
        /// Why the framing of a direction ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Reason { $($(#[$doc])* $name = $code,)* }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)*];

            /// What it is called in `run.json`.
            pub fn key(self) -> &'static str {
                match self { $(Reason::$name => $key,)* }
            }

            /// What a person is told.
            pub fn words(self) -> &'static str {
                match self { $(Reason::$name => $words,)* }
            }
        }
    };
}

reasons! {
    /// Bytes that the rule does not allow.
    NotThis = 1 "not-this" "its bytes do not follow the rule";
    /// A message, or a part of it, is longer than any should be.
    TooLong = 2 "too-long" "a message was longer than the rule allows";
    /// A call moved bytes that it does not show.
    Unseen = 3 "unseen" "sendfile, splice or MSG_TRUNC moved bytes that are not seen";
    /// The order of the bytes of two calls is not known.
    AtOnce = 4 "at-once" "two calls wrote, or read, at once";
    /// HTTP is left for another protocol.
    Upgrade = 5 "upgrade" "the connection changed to another protocol (Upgrade or CONNECT)";
    /// HTTP/2 from the beginning.
    Http2 = 6 "http2" "it is HTTP/2";
    /// Not a fault: the message is the rest of the stream.
    ToTheEnd = 7 "to-the-end" "an answer without a length, which ends with its connection";
    /// An answer that no request was seen for.
    Unasked = 8 "unasked" "an answer came before its request was seen";
    /// More are open than are kept in mind.
    ManyOpen = 9 "many-open" "more than 62 requests were open at once";
    /// The tracer could not get memory.
    NoMemory = 10 "no-memory" "the tracer had no memory for it";
    /// Each of them saw a part of the bytes.
    Processes = 11 "processes" "several processes used it";
    /// The ends of messages that the two ends of the connection found are not the same.
    Contradiction = 12 "contradiction" "its two ends found different messages";
}

impl Reason {
    /// The one with this number.
    pub fn from_code(code: u8) -> Option<Reason> {
        Reason::ALL.iter().copied().find(|one| *one as u8 == code)
    }

    /// The one with this name in `run.json`.
    pub fn from_key(key: &str) -> Option<Reason> {
        Reason::ALL.iter().copied().find(|one| one.key() == key)
    }
}
