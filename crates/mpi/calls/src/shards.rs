//! Closing in shares: each writes the messages and the calls of some of the ranks.
//!
//! A share reads all logs, but matches only the messages that its ranks send or take. So its memory
//! holds what is in flight to and from them alone, and its time goes into reading and into what it
//! writes. The shares follow one another in one process, or processes of one job have one each;
//! either way the run is the same, byte for byte.

mod meeting;
mod part;
mod share;

pub(crate) use meeting::Meeting;
pub(crate) use part::Part;
pub(crate) use share::Share;
