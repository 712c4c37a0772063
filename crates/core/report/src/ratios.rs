//! Changes as text. A change is a ratio, B's figure over A's: it is never negative, and reads alike
//! for small changes and for large ones (`1.098×`, `0.12×`, `8.30×`).

use stats::compare::Outcome;
use stats::launches::Reason;

use document::ratio;

/// The same for a terminal.
pub fn ratio_text(of: f64) -> String {
    document::plain(&ratio(of))
}

/// An interval of ratios, `1.071× to 1.126×`.
pub(crate) fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", ratio(low), ratio(high))
}

/// Why nothing is decided.
pub fn reason_text(reason: Reason) -> &'static str {
    match reason {
        Reason::TooFewLaunches => "too few launches",
        Reason::TooFewRuns => "too few runs",
        Reason::TooFewMessages => "too few messages",
        Reason::SpreadTooWide => "spread too wide",
        Reason::OneOfSeveral => "one of several may differ by chance",
        Reason::CloseToLeast => "close to the least that matters",
    }
}

/// What may be said, in one word.
pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Slower => "slower",
        Outcome::Faster => "faster",
        Outcome::NotSlower => "not slower",
        Outcome::Undecided => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_keep_three_figures_and_a_thousandth_near_1() {
        let cases = [
            (1.0, "1.000×"),
            (1.0984, "1.098×"),
            (0.985, "0.985×"),
            (8.3, "8.30×"),
            (0.12, "0.120×"),
            (0.031_4, "0.0314×"),
            (0.003_14, "0.00314×"),
            (0.000_007_88, "1/126 904"),
            (12.34, "12.3×"),
            (1.9996, "2.00×"),
            (999.7, "1000×"),
            (219_336.12, "219 336×"),
        ];
        for (value, text) in cases {
            assert_eq!(ratio_text(value), text, "{value}");
        }
    }
}
