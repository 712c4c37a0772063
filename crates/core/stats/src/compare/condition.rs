//! What makes a comparison fail: `p99 > +5%`, `mean > +3us`.

use serde::{Deserialize, Serialize};

/// A figure of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The quantile at this part, 0 to 1.
    Quantile(f64),
    /// The mean.
    Mean,
}

/// How far a figure of B may lie from that of A.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// As a part of A's figure: 0.05 is 5 % more.
    Part(f64),
    /// In nanoseconds.
    Time(f64),
}

/// A condition on the difference of one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    pub text: String,
    /// Of what.
    pub figure: Figure,
    /// Whether it holds above the limit or below it.
    pub above: bool,
    /// The limit.
    pub limit: Limit,
}

/// What is wrong with a condition, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}', column {column}: {reason}")]
pub struct BadCondition {
    pub text: String,
    /// The character at which reading stopped, from 1.
    pub column: usize,
    /// What should be there.
    pub reason: String,
}

/// Times that limits are written in.
const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

impl Condition {
    /// Read `FIGURE > LIMIT` or `FIGURE < LIMIT`: the figure is `mean` or a quantile (`p50`,
    /// `p99.9`), the limit has a sign and a unit, `%` of A's figure or a time (`ns`, `us`, `ms`,
    /// `s`).
    pub fn parse(text: &str) -> Result<Condition, BadCondition> {
        let mut reader = Reader { text, at: 0 };
        let figure = reader.figure()?;
        let above = reader.relation()?;
        let limit = reader.limit()?;
        Ok(Condition { text: text.trim().to_owned(), figure, above, limit })
    }
}

impl Figure {
    /// Read `p50`, `p99.9` or `mean`.
    pub fn parse(text: &str) -> Result<Figure, BadCondition> {
        let mut reader = Reader { text, at: 0 };
        let figure = reader.figure()?;
        match text[reader.at..].trim() {
            "" => Ok(figure),
            _ => Err(reader.wrong_at(reader.at, "write nothing after the figure".to_owned())),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
}

impl<'a> Reader<'a> {
    fn figure(&mut self) -> Result<Figure, BadCondition> {
        let remedy = "write a quantile such as p50, p99 or p99.9, or mean";
        self.skip_space();
        let start = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric() || c == '.');
        let refuse = |reader: &Reader<'_>, reason: String| Err(reader.wrong_at(start, reason));
        match word {
            "mean" => return Ok(Figure::Mean),
            "max" | "min" => {
                let why = format!(
                    "the {word} of a run is a single message and has no interval; {remedy}"
                );
                return refuse(self, why);
            }
            "peak" => return refuse(self, format!("a peak cannot have a limit; {remedy}")),
            _ => {}
        }
        let percent = word.strip_prefix('p').and_then(|digits| digits.parse::<f64>().ok());
        match percent.filter(|percent| *percent > 0.0 && *percent < 100.0) {
            Some(percent) => Ok(Figure::Quantile(percent / 100.0)),
            None => refuse(self, remedy.to_owned()),
        }
    }

    fn relation(&mut self) -> Result<bool, BadCondition> {
        self.skip_space();
        match self.take(|c| c == '<' || c == '>' || c == '=') {
            ">" => Ok(true),
            "<" => Ok(false),
            sign => Err(self.wrong_at(self.at - sign.len(), "write > or < here".to_owned())),
        }
    }

    fn limit(&mut self) -> Result<Limit, BadCondition> {
        self.skip_space();
        let start = self.at;
        let sign = match self.take(|c| c == '+' || c == '-') {
            "+" => 1.0,
            "-" => -1.0,
            _ => {
                let reason =
                    "a limit is a difference between B and A: write its sign, e.g. +5% or +3us";
                return Err(self.wrong_at(start, reason.to_owned()));
            }
        };
        let digits = self.at;
        let number = self.take(|c| c.is_ascii_digit() || c == '.').parse::<f64>();
        let Ok(number) = number.map(|number| number * sign) else {
            return Err(self.wrong_at(digits, "write a number here, e.g. +5% or +3us".to_owned()));
        };
        self.skip_space();
        let unit_at = self.at;
        let unit = self.text[self.at..].trim_end();
        if unit == "%" && number > -100.0 {
            return Ok(Limit::Part(number / 100.0));
        }
        let time = UNITS.iter().find(|(name, _)| *name == unit);
        time.map(|(_, ns)| Limit::Time(number * ns)).ok_or_else(|| {
            self.wrong_at(
                unit_at,
                "write nothing after the unit: % (above -100 %), ns, us, ms or s".to_owned(),
            )
        })
    }

    fn skip_space(&mut self) {
        self.take(char::is_whitespace);
    }

    fn take(&mut self, like: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !like(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn wrong_at(&self, byte: usize, reason: String) -> BadCondition {
        let column = self.text[..byte].chars().count() + 1;
        BadCondition { text: self.text.to_owned(), column, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Figure, bool, Limit) {
        let condition = Condition::parse(text).unwrap();
        (condition.figure, condition.above, condition.limit)
    }

    #[test]
    fn conditions_as_people_write_them() {
        assert_eq!(read("p99 > +5%"), (Figure::Quantile(0.99), true, Limit::Part(0.05)));
        assert_eq!(read(" p50>+3us "), (Figure::Quantile(0.5), true, Limit::Time(3000.0)));
        assert_eq!(read("mean < -1.5 ms"), (Figure::Mean, false, Limit::Time(-1.5e6)));
        assert_eq!(read("p10 > +2 µs"), (Figure::Quantile(0.1), true, Limit::Time(2000.0)));
        let Figure::Quantile(p) = read("p99.9 > +0%").0 else { panic!("a quantile") };
        assert!((p - 0.999).abs() < 1e-12);
    }

    #[test]
    fn a_figure_alone() {
        assert_eq!(Figure::parse("p99"), Ok(Figure::Quantile(0.99)));
        assert_eq!(Figure::parse("mean "), Ok(Figure::Mean));
        assert_eq!(Figure::parse("p99 > +5%").unwrap_err().column, 4);
        assert!(Figure::parse("max").is_err() && Figure::parse("").is_err());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_column() {
        for (text, column, word) in [
            ("", 1, "quantile"),
            ("q99 > +5%", 1, "quantile"),
            ("p100 > +5%", 1, "quantile"),
            ("max > +5%", 1, "a single message"),
            ("p99 +5%", 5, "> or <"),
            ("p99 >= +5%", 5, "> or <"),
            ("p99 > 5%", 7, "sign"),
            ("p99 > +five%", 8, "number"),
            ("p99 > +5", 9, "unit"),
            ("p99 > +5µ", 9, "unit"),
            ("p99 > +5% or so", 9, "unit"),
            ("p99 > -100%", 11, "unit"),
        ] {
            let wrong = Condition::parse(text).unwrap_err();
            assert_eq!(wrong.column, column, "{wrong}");
            assert!(wrong.to_string().contains(word), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_beyond_it(text in "\\PC{0,20}") {
            if let Err(wrong) = Condition::parse(&text) {
                prop_assert!((1..=text.chars().count() + 1).contains(&wrong.column));
            }
        }
    }
}
