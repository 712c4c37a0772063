//! Figures with their units, as people write and read them.

/// What a figure measures. Its base is what [`crate::Constant::value`] counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// ns.
    Time,
    /// Bytes a second.
    Rate,
    /// Bytes.
    Bytes,
    /// A plain whole number.
    Count,
    /// A plain number.
    Ratio,
}

/// Unit words with their scales; in each group the base comes first.
const TIMES: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const RATES: [(&str, f64); 7] = [
    ("B/s", 1.0),
    ("KB/s", 1e3),
    ("MB/s", 1e6),
    ("GB/s", 1e9),
    ("Kbit/s", 125.0),
    ("Mbit/s", 125e3),
    ("Gbit/s", 125e6),
];
const SIZES: [(&str, f64); 4] =
    [("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)];

impl Unit {
    fn words(self) -> &'static [(&'static str, f64)] {
        match self {
            Unit::Time => &TIMES,
            Unit::Rate => &RATES,
            Unit::Bytes => &SIZES,
            Unit::Count | Unit::Ratio => &[("", 1.0)],
        }
    }

    /// A figure as a file writes it: `0.8ms`, `10Mbit/s`, `512B`, `29`.
    ///
    /// # Errors
    /// What is wrong with it, with the remedy.
    pub fn read(self, text: &str) -> Result<f64, String> {
        let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
        let (number, word) = text.split_at(end.unwrap_or(text.len()));
        let remedy = || format!("'{text}' is not {}", self.example());
        let number: f64 = number.parse().map_err(|_| remedy())?;
        let scale =
            self.words().iter().find(|(name, _)| *name == word.trim()).ok_or_else(remedy)?;
        Ok(number * scale.1)
    }

    /// What such a figure looks like.
    pub fn example(self) -> &'static str {
        match self {
            Unit::Time => "a time with its unit, as \"0.8ms\" (ns, us, ms, s)",
            Unit::Rate => "a rate with its unit, as \"10Mbit/s\" or \"1.5MB/s\"",
            Unit::Bytes => "a size with its unit, as \"512B\" or \"64KiB\"",
            Unit::Count => "a whole number, as 29",
            Unit::Ratio => "a number, as 0.5",
        }
    }

    /// For people: in the largest unit that leaves at least one before the point.
    pub fn show(self, value: f64) -> String {
        let fits = |(word, scale): &&(&str, f64)| *word != "us" && value.abs() >= *scale;
        let largest = |words: &'static [(&'static str, f64)]| {
            let fitting = words.iter().filter(fits);
            fitting.max_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or(words[0])
        };
        let (word, scale) = match self {
            Unit::Rate => largest(&RATES[..4]),
            other => largest(other.words()),
        };
        let digits = format!("{:.4}", value / scale);
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        if word.is_empty() { digits.into() } else { format!("{digits} {word}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_in_their_units() {
        for (unit, text, value) in [
            (Unit::Time, "0.8ms", 8e5),
            (Unit::Time, "2 µs", 2e3),
            (Unit::Rate, "10Mbit/s", 1.25e6),
            (Unit::Rate, "1.5MB/s", 1.5e6),
            (Unit::Bytes, "64KiB", 65536.0),
            (Unit::Count, "29", 29.0),
        ] {
            assert_eq!(unit.read(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_figure_of_the_unit_is_refused_with_an_example() {
        for (unit, text) in
            [(Unit::Time, "3"), (Unit::Time, "ms"), (Unit::Rate, "10ms"), (Unit::Count, "4x")]
        {
            let said = unit.read(text).unwrap_err();
            assert!(said.contains(text) && said.contains(", as "), "{said}");
        }
    }

    #[test]
    fn people_are_shown_the_unit_that_suits() {
        let shown = [
            Unit::Time.show(8e5),
            Unit::Time.show(0.0),
            Unit::Rate.show(1.25e6),
            Unit::Bytes.show(1460.0),
            Unit::Ratio.show(0.001),
        ];
        assert_eq!(shown, ["800 µs", "0 ns", "1.25 MB/s", "1.4258 KiB", "0.001"]);
    }
}
