//! One fixed colour and name per stage, on the page and in the terminal.
//!
//! Blue, amber and green differ in lightness as well as in hue, so that they stay apart for readers
//! who do not see red or green and on paper without colour (after Okabe and Ito's palette). Charts
//! carry tokens such as `@b` or `@b/0.3`; the page puts in the colour of the light or the dark
//! theme when it draws.

use stats::analysis::Stage;

/// The three stages that end to end consists of.
pub(crate) const PARTS: [Stage; 3] = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];

/// The stage's letter in the design and in tables.
pub(crate) fn letter(stage: Stage) -> char {
    match stage {
        Stage::EndToEnd => 'A',
        Stage::SendWait => 'B',
        Stage::Transit => 'C',
        Stage::ReceiveWait => 'D',
    }
}

/// Its name in running text.
pub(crate) fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::EndToEnd => "end to end",
        Stage::SendWait => "send wait",
        Stage::Transit => "transit",
        Stage::ReceiveWait => "receive wait",
    }
}

/// Its name as a title.
pub(crate) fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::EndToEnd => "End to end",
        Stage::SendWait => "Send wait",
        Stage::Transit => "Transit",
        Stage::ReceiveWait => "Receive wait",
    }
}

/// Its name in CSV.
pub(crate) fn key(stage: Stage) -> &'static str {
    match stage {
        Stage::EndToEnd => "end-to-end",
        Stage::SendWait => "send-wait",
        Stage::Transit => "transit",
        Stage::ReceiveWait => "receive-wait",
    }
}

/// The token that charts use for its colour.
pub(crate) fn token(stage: Stage) -> &'static str {
    match stage {
        Stage::EndToEnd => "@a",
        Stage::SendWait => "@b",
        Stage::Transit => "@c",
        Stage::ReceiveWait => "@d",
    }
}

/// The class that the page's style sheet colours.
pub(crate) fn class(stage: Stage) -> &'static str {
    &token(stage)[1..]
}

/// Whole cycles have a colour of their own.
pub(crate) const CYCLE: &str = "@cycle";

/// Marks and warnings.
pub(crate) const MARK: &str = "@mark";

/// The token of the `i`-th of several ordered groups.
pub(crate) fn ordered(i: usize, of: usize) -> String {
    // Eight steps; fewer groups are spread over them, so that neighbours stay far apart.
    let step = if of <= 1 { 0 } else { i * 7 / (of - 1).max(1) };
    format!("@s{}", step.min(7))
}

/// The stage's terminal colour (256-colour code), `None` for the terminal's own foreground.
pub(crate) fn ansi(stage: Stage) -> Option<u8> {
    match stage {
        Stage::EndToEnd => None,
        Stage::SendWait => Some(32),
        Stage::Transit => Some(214),
        Stage::ReceiveWait => Some(36),
    }
}
