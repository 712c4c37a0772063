//! Why a figure cannot be drawn.

use super::{BINS_MOST, By, Form, Quantity};

/// Why a figure cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// None or far too many.
    #[error("{bins} bins cannot be drawn; choose 2 to {BINS_MOST}")]
    Bins {
        /// What was asked for.
        bins: usize,
    },
    /// Medians are no histogram.
    #[error("what is shown against something is drawn as lines or dots, not as {form}")]
    AgainstForm {
        /// What was asked for.
        form: Form,
    },
    /// A cycle is of several messages.
    #[error(
        "a cycle is of several messages, so that it has no hops, packets, pair or kind: show it by \
         launch, run or bytes, or against time"
    )]
    Cycles,
    /// Nothing of it is recorded.
    #[error("{run} has no {what}: {why}")]
    Nothing {
        /// The run.
        run: String,
        /// What was asked for.
        what: Quantity,
        /// Why, and what to do.
        why: &'static str,
    },
    /// The groups are not recorded.
    #[error("{run} cannot be shown by {by}: its messages do not say it; leave --by out")]
    NoGroups {
        /// The run.
        run: String,
        /// What was asked for.
        by: By,
    },
    /// Its values are known, and their places are not.
    #[error("{run} cannot show {what} against that: none of its messages has both")]
    NoPlaces {
        /// The run.
        run: String,
        /// What was asked for.
        what: Quantity,
    },
}

/// Why a run has no values of a quantity.
pub(super) fn reason(what: Quantity) -> &'static str {
    match what {
        Quantity::Cycle => {
            "only round trips and relays have cycles, and only where the filter leaves them; \
             choose another --what"
        }
        Quantity::SendWait | Quantity::Transit | Quantity::ReceiveWait => {
            "messages within a node, and those whose arrival nobody saw, lack it; choose \
             end-to-end"
        }
        Quantity::EndToEnd => "no message has both its ends",
        Quantity::Interval => "no pair of nodes has two sends, one after the other",
        Quantity::Served | Quantity::PerServed => {
            "it needs the count of messages in flight, which only streams with acknowledgements \
             record; try interval"
        }
        Quantity::QueueLength => "its producer does not record the receiver's queue",
        Quantity::InFlight => "only runs with acknowledgements (--max-acks) record it",
        Quantity::OnNodeWaited => "only simulations (fourstamp warp) record it",
        Quantity::Packets => "its transport does not cut messages into packets",
        Quantity::Hops => "its transport does not record the links that messages cross",
        Quantity::Bytes => "its messages have no size",
    }
}
