//! Sizes and durations as people write them.

use std::time::Duration;

pub use stats::parse::bytes;

/// A duration: `10s`, `500ms`, `200us`, `2m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    if unit.is_empty() && !number.is_empty() {
        return Err(format!("a time needs its unit, e.g. {number}s or {number}ms"));
    }
    let remedy = || "write a number with us, ms, s, m or h, e.g. 10s or 500ms".to_string();
    let number: f64 = number.parse().map_err(|_| remedy())?;
    let seconds = match unit {
        "us" | "µs" => number * 1e-6,
        "ms" => number * 1e-3,
        "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(remedy()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| remedy())
}

/// Messages a second: `1000`, `0.5`.
pub fn rate(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "write messages a second as a plain number, e.g. 1000".to_string())
}

/// How many nodes: 1 to 1024.
pub fn nodes(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|nodes| (1..=1024).contains(nodes));
    number.ok_or_else(|| "write a whole number from 1 to 1024, e.g. 2".to_string())
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("200us"), Ok(Duration::from_micros(200)));
        assert!(duration("10").expect_err("no unit").contains("e.g. 10s or 10ms"));
        assert!(duration("s").is_err());
    }

    #[test]
    fn rates_and_nodes() {
        assert_eq!((rate("1000"), nodes("1024")), (Ok(1000.0), Ok(1024)));
        assert!(rate("1k").expect_err("a unit").contains("e.g. 1000"));
        for wrong in ["two", "0", "1025", "-1"] {
            assert!(nodes(wrong).expect_err(wrong).contains("from 1 to 1024"));
        }
    }
}
