//! Colours by what they stand for. The page's style sheet has one for light and one for dark; the
//! terminal has one of its 256, or none.

/// A colour's name: `b`, `cycle`, `s3`. It is a class of the page's style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour(pub &'static str);

impl Colour {
    /// So much of it, 0 to 1.
    pub fn at(self, opacity: f64) -> Paint {
        Paint { colour: self, opacity }
    }

    /// The terminal's colour, of 256; `None` for the terminal's own.
    pub(crate) fn ansi(self) -> Option<u8> {
        match self.0 {
            "b" => Some(32),
            "c" => Some(214),
            "d" => Some(36),
            _ => None,
        }
    }

    /// Without colours, parts of a bar differ by their filling.
    pub(crate) fn filling(self) -> char {
        match self.0 {
            "b" => '░',
            "c" => '▒',
            "work" => '▓',
            "cycle" => '─',
            "undo" => '▚',
            "collect" => '▞',
            "s3" => '·',
            "s5" => '+',
            _ => '█',
        }
    }
}

/// A colour, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The colour.
    pub colour: Colour,
    /// 0 to 1.
    pub opacity: f64,
}

impl From<Colour> for Paint {
    fn from(colour: Colour) -> Paint {
        colour.at(1.0)
    }
}

/// Eight steps for ordered groups; fewer groups are spread over them, so that neighbours stay far
/// apart.
const STEPS: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];

/// The colour of the `i`-th of several ordered groups.
pub fn ordered(i: usize, of: usize) -> Colour {
    let step = if of <= 1 { 0 } else { i * 7 / (of - 1).max(1) };
    Colour(STEPS[step.min(7)])
}
