//! One fixed colour and name per stage, on the page and in the terminal.
//!
//! Blue, amber and green differ in lightness as well as in hue, so that they stay apart for readers
//! who do not see red or green and on paper without colour (after Okabe and Ito's palette).

use document::Colour;
use stats::analysis::Stage;
use stats::compare::Measured;

/// The three stages that end to end consists of.
pub(crate) const PARTS: [Stage; 3] = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];

/// Whole cycles have a colour of their own.
pub(crate) const CYCLE: Colour = Colour("cycle");

/// Marks and warnings in charts.
pub const MARK: Colour = Colour("mark");

/// What a stage is called, in every place where it is named.
struct Names {
    letter: char,
    name: &'static str,
    title: &'static str,
    key: &'static str,
    colour: Colour,
}

const fn names(stage: Stage) -> Names {
    let (letter, name, title, key, colour) = match stage {
        Stage::EndToEnd => ('A', "end to end", "End to end", "end-to-end", "a"),
        Stage::SendWait => ('B', "send wait", "Send wait", "send-wait", "b"),
        Stage::Transit => ('C', "transit", "Transit", "transit", "c"),
        Stage::ReceiveWait => ('D', "receive wait", "Receive wait", "receive-wait", "d"),
    };
    Names { letter, name, title, key, colour: Colour(colour) }
}

/// The stage's letter in the design and in tables.
pub(crate) fn letter(stage: Stage) -> char {
    names(stage).letter
}

/// Its name in running text.
pub(crate) fn name(stage: Stage) -> &'static str {
    names(stage).name
}

/// Its name as a title.
pub(crate) fn title(stage: Stage) -> &'static str {
    names(stage).title
}

/// Its name in CSV.
pub fn key(stage: Stage) -> &'static str {
    names(stage).key
}

/// Its colour.
pub(crate) fn colour(stage: Stage) -> Colour {
    names(stage).colour
}

/// The colour of a stage, or of cycles.
pub(crate) fn measured(stage: Measured) -> Colour {
    match stage {
        Measured::EndToEnd => colour(Stage::EndToEnd),
        Measured::SendWait => colour(Stage::SendWait),
        Measured::Transit => colour(Stage::Transit),
        Measured::ReceiveWait => colour(Stage::ReceiveWait),
        Measured::Cycle => CYCLE,
    }
}

/// Parts of a whole as bars and tables show them.
pub(crate) fn parts(shares: &[(Stage, f64)]) -> Vec<(&'static str, Colour, f64)> {
    shares.iter().map(|(stage, share)| (name(*stage), colour(*stage), *share)).collect()
}
