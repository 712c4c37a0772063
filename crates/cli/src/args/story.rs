//! Arguments of `fourstamp story`.

use super::FilterArgs;
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use stats::analysis::Stage;
use stats::story::Wanted;
use std::path::PathBuf;

/// `fourstamp story`.
#[derive(Args)]
#[command(after_help = "\
For each stage of the message's life it says what is known: what stood before it in the queue, \
what its node was doing, and what caused that. The slowest are chosen from the application's \
messages between nodes, unless you choose others; a message that you name may be any.

Examples:
  fourstamp story runs/a                     the slowest message
  fourstamp story runs/a --slowest 3         the three slowest, one by one
  fourstamp story runs/a --stage transit     the one with the longest transit
  fourstamp story runs/a --message 0:1:4711  number 4711 of node 1, launch 0
  fourstamp story runs/a --slowest 20 --csv=facts   every sentence, a line each

Of a run of `warp diary` it tells of its message M. CSV tables: messages (the default), chapters, \
facts.")]
pub struct StoryArgs {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Tell the stories of this many of the slowest messages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub slowest: Option<u32>,
    /// The stage to be slowest in  [default: end-to-end]
    #[arg(long, value_enum)]
    pub stage: Option<StoryStage>,
    /// Tell the story of this message: launch, node that sent it, its number there
    #[arg(
        long,
        value_name = "LAUNCH:SRC:SEQ",
        value_parser = message,
        conflicts_with_all = [
            "slowest", "stage", "kind", "between_nodes", "within_node", "hops", "pair", "size"
        ]
    )]
    pub message: Option<Wanted>,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
    /// As data: with --csv alone, the messages; chapters, facts.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// Stages by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoryStage {
    /// From ready to taken
    EndToEnd,
    /// From ready to sent
    SendWait,
    /// From sent to arrived
    Transit,
    /// From arrived to taken
    ReceiveWait,
}

impl StoryArgs {
    /// Which messages, if that is said.
    pub fn wanted(&self) -> Option<Wanted> {
        let by = match self.stage.unwrap_or(StoryStage::EndToEnd) {
            StoryStage::EndToEnd => Stage::EndToEnd,
            StoryStage::SendWait => Stage::SendWait,
            StoryStage::Transit => Stage::Transit,
            StoryStage::ReceiveWait => Stage::ReceiveWait,
        };
        let is_said = self.slowest.is_some() || self.stage.is_some();
        let slowest = Wanted::Slowest { count: self.slowest.unwrap_or(1) as usize, by };
        self.message.or(is_said.then_some(slowest))
    }
}

fn message(text: &str) -> Result<Wanted, String> {
    let wrong = || "write LAUNCH:SRC:SEQ, three whole numbers, e.g. 0:1:4711".to_owned();
    let mut parts = text.split(':');
    let mut next = || parts.next().ok_or_else(wrong);
    let (launch, src, seq) = (next()?, next()?, next()?);
    if parts.next().is_some() {
        return Err(wrong());
    }
    Ok(Wanted::Named {
        launch: launch.parse().map_err(|_| wrong())?,
        src: src.parse().map_err(|_| wrong())?,
        seq: seq.parse().map_err(|_| wrong())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_three_numbers() {
        assert_eq!(message("0:1:4711"), Ok(Wanted::Named { launch: 0, src: 1, seq: 4711 }));
        for wrong in
            ["", "1", "0:1", "0:1:2:3", "0:-1:2", "a:b:c", "0:1:", "0:1:99999999999999999999"]
        {
            assert!(message(wrong).is_err(), "{wrong}");
        }
    }
}
