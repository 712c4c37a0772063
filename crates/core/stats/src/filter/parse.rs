//! Choices of messages as people write them, on the command line and in files.

use record::Kind;

use super::Span;
use super::cut::{Cut, Share};
use crate::compare::Measured;

/// `all`: any kind, which is `None`; or the name of one.
pub fn kind(text: &str) -> Result<Option<Kind>, String> {
    let messages = || Kind::ALL.into_iter().filter(|kind| !kind.is_interval());
    if text == "all" {
        return Ok(None);
    }
    messages().find(|kind| kind.name() == text).map(Some).ok_or_else(|| {
        let names: Vec<&str> = messages().map(Kind::name).collect();
        format!("unknown kind of message; choose from all, {}", names.join(", "))
    })
}

/// `SRC:DST`.
pub fn pair(text: &str) -> Result<(u32, u32), String> {
    let numbers =
        text.split_once(':').and_then(|(src, dst)| Some((src.parse().ok()?, dst.parse().ok()?)));
    numbers.ok_or_else(|| "write two node numbers with a colon between them, e.g. 0:1".to_owned())
}

/// Whole numbers: `N`, `N..M`, `N..` or `..M`, both ends included.
pub fn numbers(text: &str) -> Result<Span, String> {
    let wrong = |_| "write a whole number, or a range such as 1..3".to_owned();
    span(text, |text| text.parse().map_err(wrong))
}

/// Bytes: `A`, `A..B`, `A..` or `..B`, e.g. `64..1K`.
pub fn sizes(text: &str) -> Result<Span, String> {
    span(text, |text| bytes(text).map(|bytes| bytes as u64))
}

/// Bytes: `8`, `64K`, `1M`, `2G` (powers of 1024; `KiB` and the like are understood).
pub fn bytes(text: &str) -> Result<usize, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let scale: u64 = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => {
            return Err(format!(
                "unknown size unit '{unit}'; write a number of bytes, or one with K, M or G"
            ));
        }
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "write a whole number of bytes, or one with K, M or G".to_string())?;
    let bytes = number.checked_mul(scale).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| "that is more than this machine can address".to_string())
}

/// The name of a stage as CSV has it.
pub fn stage(text: &str) -> Result<Measured, String> {
    Measured::ALL.into_iter().find(|stage| stage.name() == text).ok_or_else(|| {
        let names = Measured::ALL.map(Measured::name);
        format!("unknown stage '{text}'; choose from {}", names.join(", "))
    })
}

/// A share: `[STAGE:]FROM..TO` in per cent, as `..99.9%` or `transit:95..99.9`.
pub fn cut(text: &str) -> Result<Cut, String> {
    let (stage, range) = match text.split_once(':') {
        Some((name, range)) => (Some(self::stage(name)?), range),
        None => (None, text),
    };
    let Some((from, to)) = range.split_once("..").filter(|ends| *ends != ("", "")) else {
        return Err("write a range of per cent, e.g. ..99.9%, 95..99.9% or 99.9%..".to_owned());
    };
    let share = |text: &str, open: Share| match text.trim_end_matches('%').trim_end() {
        "" if text.is_empty() => Ok(open),
        number => Share::of_percent(number).ok_or_else(|| {
            format!("'{text}' is no share: write 0% to 100%, with 7 decimals at most")
        }),
    };
    let cut =
        Cut { stage, from: share(from, Share::NONE)?, to: share(to, Share::ALL)?, bounds: None };
    if cut.from < cut.to {
        Ok(cut)
    } else {
        Err("the first share must be below the second".to_owned())
    }
}

fn span(text: &str, number: impl Fn(&str) -> Result<u64, String>) -> Result<Span, String> {
    let Some((from, to)) = text.split_once("..") else {
        return number(text).map(|only| Span { from: only, to: only });
    };
    if from.is_empty() && to.is_empty() {
        return Err("write at least one end, e.g. 1..3, 1.. or ..3".to_owned());
    }
    let span = Span {
        from: if from.is_empty() { 0 } else { number(from)? },
        to: if to.is_empty() { u64::MAX } else { number(to)? },
    };
    if span.from <= span.to {
        Ok(span)
    } else {
        Err("the first number must not be above the second".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_both_their_ends() {
        assert_eq!(numbers("2"), Ok(Span { from: 2, to: 2 }));
        assert_eq!(numbers("1..3"), Ok(Span { from: 1, to: 3 }));
        assert_eq!(numbers("..3"), Ok(Span { from: 0, to: 3 }));
        assert_eq!(sizes("64..1K"), Ok(Span { from: 64, to: 1024 }));
        assert_eq!(sizes("4K.."), Ok(Span { from: 4096, to: u64::MAX }));
        for wrong in ["", "..", "3..1", "a", "1..b", "-1"] {
            assert!(numbers(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn kinds_and_pairs_are_named() {
        assert_eq!(kind("gvt"), Ok(Some(Kind::Gvt)));
        assert_eq!(kind("all"), Ok(None));
        assert!(
            kind("cycle")
                .is_err_and(|error| error.contains("page-out") && !error.contains("rollback"))
        );
        assert_eq!(pair("0:12"), Ok((0, 12)));
        assert!(pair("0").is_err() && pair("0:1:2").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("8"), Ok(8));
        assert_eq!(bytes("64K"), Ok(65536));
        assert_eq!(bytes("1 MiB"), Ok(1 << 20));
        assert!(bytes("eight").is_err());
        assert!(bytes("8 parsecs").expect_err("no unit").contains("parsecs"));
        assert!(bytes("99999999999G").is_err());
        assert!(bytes("-1").is_err());
    }

    #[test]
    fn cuts_are_written_in_per_cent() {
        let of = |text| cut(text).map(|cut| (cut.stage, cut.from.to_string(), cut.to.to_string()));
        let ends = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let (from, to) = ends("0", "99.9");
        assert_eq!(of("..99.9%"), Ok((None, from, to)));
        let (from, to) = ends("99.64", "100");
        assert_eq!(of("transit:99.64%.."), Ok((Some(Measured::Transit), from, to)));
        let (from, to) = ends("95", "99.9");
        assert_eq!(of("receive-wait:95..99.9"), Ok((Some(Measured::ReceiveWait), from, to)));
        for wrong in
            ["", "..", "5", "%..", "..%", "..101%", "9..8", "5..5", "x:..9", "..1e1", ":..9"]
        {
            assert!(cut(wrong).is_err(), "{wrong}");
        }
        assert!(cut("hops:..9").is_err_and(|error| error.contains("send-wait")));
    }
}
