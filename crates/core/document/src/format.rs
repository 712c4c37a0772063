//! Numbers as text: one way to write a time, a count, a part and a size, used by every kind of
//! report.

/// What stands where there is no value.
pub const NONE: &str = "–";

/// A unit, or what stands before one, and how much of the base it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) size: f64,
}

/// Units of time, ns.
pub(crate) const TIMES: [Step; 4] = [
    Step { name: "s", size: 1e9 },
    Step { name: "ms", size: 1e6 },
    Step { name: "µs", size: 1e3 },
    Step { name: "ns", size: 1.0 },
];

/// What stands before the unit of a rate.
pub(crate) const RATES: [Step; 4] = [
    Step { name: "G", size: 1e9 },
    Step { name: "M", size: 1e6 },
    Step { name: "k", size: 1e3 },
    Step { name: "", size: 1.0 },
];

/// The step in which a value of this size reads best: the largest that leaves at least one before
/// the point.
pub(crate) fn step_for(steps: &[Step; 4], value: f64) -> Step {
    // 0.9995 µs would round to 1.00 µs, so the step to the next unit comes that little bit earlier.
    *steps.iter().find(|step| value.abs() >= step.size * 0.9995).unwrap_or(&steps[3])
}

/// A time with three figures and its unit, `3.12 µs`.
pub fn time(ns: f64) -> String {
    let unit = step_for(&TIMES, ns);
    format!("{}\u{a0}{}", figures(ns / unit.size, unit.name == "ns"), unit.name)
}

/// The same for a terminal.
pub fn time_text(ns: f64) -> String {
    plain(&time(ns))
}

/// A time that may be missing.
pub fn time_or_none(ns: Option<i64>) -> String {
    ns.map_or_else(|| NONE.to_owned(), |ns| time(ns as f64))
}

/// Three figures; whole nanoseconds have no point, since clocks do not step finer.
fn figures(value: f64, nanoseconds: bool) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let text = if nanoseconds && (value.fract() == 0.0 || value.abs() >= 9.95) {
        format!("{value:.0}")
    } else if nanoseconds {
        format!("{value:.1}")
    } else {
        format!("{value:.decimals$}")
    };
    minus(text)
}

/// A true minus sign, and none before a zero.
pub(crate) fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// A whole number with thin gaps between thousands, `1 234 567`.
pub fn count(n: u64) -> String {
    grouped(n, '\u{202f}')
}

fn grouped(n: u64, gap: char) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::with_capacity(digits.len() + 6);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(gap);
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, `1 message`, `12 messages`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{}\u{a0}{noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// How often a second, with three figures, `512 k/s`.
pub fn rate(per_s: f64) -> String {
    per_second(per_s, "")
}

/// Bytes a second, with three figures, `210 MB/s`: powers of ten, as networks count.
pub fn byte_rate(bytes_per_s: f64) -> String {
    per_second(bytes_per_s, "B")
}

fn per_second(per_s: f64, what: &str) -> String {
    let step = step_for(&RATES, per_s);
    format!("{}\u{a0}{}{what}/s", figures(per_s / step.size, false), step.name)
}

/// A number without a unit, such as a virtual time: six figures, none of them an idle zero.
pub fn six_figures(time: f64) -> String {
    if time != 0.0 && !(1e-4..1e9).contains(&time.abs()) {
        return minus(format!("{time:.3e}"));
    }
    let whole = time.abs().max(1.0).log10().floor() as usize + 1;
    let least = if time == 0.0 { 0 } else { (-time.abs().log10()).ceil().max(0.0) as usize };
    let text = format!("{time:.*}", (6_usize.saturating_sub(whole)).max(least + 2).min(9));
    minus(if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    })
}

/// A part of a whole, `71 %`, below a thousandth with two figures, `0.071 %`; never `0 %` or
/// `100 %` for what is not quite that.
pub fn part(part: f64) -> String {
    let percent = part * 100.0;
    match percent {
        p if p == 0.0 || p == 100.0 => format!("{p:.0}\u{a0}%"),
        p if p < 0.0 => minus(format!("{p:.0}\u{a0}%")),
        p if p < 1e-5 => "under\u{a0}0.00001\u{a0}%".to_owned(),
        p if p < 0.0995 => format!("{p:.*}\u{a0}%", (-p.log10()).ceil() as usize + 1),
        p if p < 0.95 => format!("{p:.1}\u{a0}%"),
        p if p > 99.9 => "over\u{a0}99.9\u{a0}%".to_owned(),
        p if p >= 99.5 => format!("{p:.1}\u{a0}%"),
        p => format!("{p:.0}\u{a0}%"),
    }
}

/// A ratio with as many figures as it takes to see a change of a thousandth near 1; below a
/// thousandth the fraction, `1/318 000`.
pub fn ratio(ratio: f64) -> String {
    let number = match ratio {
        r if r >= 999.5 => count(r.round() as u64),
        r if r >= 99.95 => format!("{r:.0}"),
        r if r >= 9.995 => format!("{r:.1}"),
        r if r >= 1.9995 => format!("{r:.2}"),
        r if r >= 0.1 => format!("{r:.3}"),
        r if r >= 0.01 => format!("{r:.4}"),
        r if r >= 0.001 => format!("{r:.5}"),
        // So many zeros nobody counts.
        r if r > 0.0 => return format!("1/{}", self::ratio(1.0 / r).trim_end_matches('×')),
        r => format!("{r:.0}"),
    };
    format!("{number}×")
}

/// A change as a part of what it is against, `+48.0 %`.
pub fn signed_part(change: f64) -> String {
    format!("{:+.1}\u{a0}%", change * 100.0).replace('-', "−")
}

/// A difference of parts, in percentage points: `+5.0`, `−0.012`, `±0.0`.
pub fn points(by: f64) -> String {
    let points = by.abs() * 100.0;
    let decimals = match points {
        p if p == 0.0 || p >= 0.095 => 1,
        p => ((-p.log10()).ceil() as usize + 1).min(9),
    };
    let number = format!("{points:.decimals$}");
    let sign = match by {
        by if number.bytes().all(|digit| digit == b'0' || digit == b'.') || by == 0.0 => "±",
        by if by < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{number}")
}

/// The name of a quantile, `p99.9`.
pub fn quantile_name(p: f64) -> String {
    let mut text = format!("{:.6}", p * 100.0);
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    format!("p{text}")
}

/// A quantile as a percentage, `99.9 %`.
pub fn quantile_percent(p: f64) -> String {
    format!("{}\u{a0}%", &quantile_name(p)[1..])
}

/// A size, `64 B`, `4 KiB`; sizes that are no whole multiple stay in bytes, so that 4040 and 4048
/// differ.
pub fn size(bytes: u64) -> String {
    const STEPS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    for (name, step) in STEPS {
        if bytes >= step && bytes.is_multiple_of(step) {
            return format!("{}\u{a0}{name}", count(bytes / step));
        }
    }
    format!("{}\u{a0}B", count(bytes))
}

/// Text for terminals: narrow, wide and unbreakable gaps become plain ones.
pub fn plain(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}', '\u{2007}'], " ")
}

/// Seconds, the unit that the page's axes put prefixes to. Division by a power of ten keeps the
/// shortest decimal form, which is what the page carries; nothing is calculated with it.
pub fn axis_seconds(ns: f64) -> f64 {
    (ns * 1000.0).round() / 1e12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures_and_the_right_unit() {
        let cases = [
            (0.0, "0 ns"),
            (7.0, "7 ns"),
            (7.25, "7.2 ns"),
            (870.0, "870 ns"),
            (999.6, "1.00 µs"),
            (3_124.0, "3.12 µs"),
            (99_960.0, "100 µs"),
            (12_345_678.0, "12.3 ms"),
            (2.5e9, "2.50 s"),
            (-1_500.0, "−1.50 µs"),
            (-0.01, "0.0 ns"),
        ];
        for (ns, text) in cases {
            assert_eq!(plain(&time(ns)), text, "{ns}");
        }
    }

    #[test]
    fn parts_are_never_rounded_to_all_or_nothing() {
        let cases = [
            (0.0, "0 %"),
            (1e-9, "under 0.00001 %"),
            (0.000_000_2, "0.000020 %"),
            (0.0001, "0.010 %"),
            (0.000_705, "0.071 %"),
            (0.000_997, "0.1 %"),
            (0.004, "0.4 %"),
            (0.714, "71 %"),
            (-0.054, "−5 %"),
            (0.9996, "over 99.9 %"),
            (1.0, "100 %"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(&part(value)), text, "{value}");
        }
    }

    #[test]
    fn rates_and_virtual_times_are_short() {
        let rates = [
            (0.0, "0.00 /s"),
            (87.25, "87.2 /s"),
            (999.9, "1.00 k/s"),
            (512_345.0, "512 k/s"),
            (2e6, "2.00 M/s"),
        ];
        for (per_s, text) in rates {
            assert_eq!(plain(&rate(per_s)), text, "{per_s}");
        }
        assert_eq!(plain(&byte_rate(209.6e6)), "210 MB/s");
        let times = [
            (0.0, "0"),
            (12.5, "12.5"),
            (-3.0, "−3"),
            (1.0 / 3.0, "0.33333"),
            (12_345.678_9, "12345.68"),
            (100_000.0, "100000"),
            (0.001_25, "0.00125"),
            (2e-9, "2.000e-9"),
            (3.5e12, "3.500e12"),
        ];
        for (time, text) in times {
            assert_eq!(six_figures(time), text, "{time}");
        }
    }

    #[test]
    fn names_of_quantiles_counts_and_sizes() {
        assert_eq!(quantile_name(0.999), "p99.9");
        assert_eq!(quantile_name(0.5), "p50");
        assert_eq!(quantile_name(0.99999), "p99.999");
        assert_eq!(plain(&count(1_234_567)), "1 234 567");
        assert_eq!(count(1234), "1234");
        assert_eq!(plain(&size(4096)), "4 KiB");
        assert_eq!(plain(&size(4040)), "4040 B");
        assert_eq!(plain(&size(0)), "0 B");
    }

    #[test]
    fn axis_values_keep_their_short_form() {
        assert_eq!(serde_json::to_string(&axis_seconds(3_124.0)).unwrap(), "3.124e-6");
    }
}
