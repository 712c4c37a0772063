//! A machine as the text of a file.

use crate::{Constant, FIELDS, Machine, Unit};
use std::fmt::Write;

/// Digits of a figure in a file.
const DIGITS: i32 = 6;

/// The text of a machine's file, which [`parse`](crate::parse) reads; `remarks` stand above it.
pub fn write(machine: &Machine, remarks: &[String]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let _ = writeln!(text, "# {}", one_line(remark));
    }
    let Machine { name, about, nodes, topology, .. } = machine;
    let _ = write!(
        text,
        "name = {}\nabout = {}\nnodes = {nodes}\ntopology = {}\n",
        quoted(name),
        quoted(about),
        quoted(topology.word())
    );
    for section in ["processor", "network"] {
        let _ = write!(text, "\n[{section}]\n");
        for field in &FIELDS {
            let name = field.name.strip_prefix(section).and_then(|name| name.strip_prefix('.'));
            if let (Some(name), Some(constant)) = (name, machine.constants.get(field.name)) {
                let _ = writeln!(text, "{name} = {}", figures(field.unit, constant));
            }
        }
    }
    for (product, steps) in &machine.costs {
        let _ = write!(text, "\n[costs.{product}]\n");
        for (step, constant) in steps {
            let _ = writeln!(text, "{step} = {}", figures(Unit::Time, constant));
        }
    }
    text
}

fn figures(unit: Unit, constant: &Constant) -> String {
    if constant.larger.is_empty() {
        return format!("{{ {} }}", figure(unit, constant));
    }
    let piece = |(from, piece): (u64, &Constant)| {
        format!("    {{ from = \"{from}B\", {} }},\n", figure(unit, piece))
    };
    format!("[\n{}]", constant.pieces().map(piece).collect::<String>())
}

fn figure(unit: Unit, constant: &Constant) -> String {
    let mut text = format!("value = {}", number(unit, constant.value));
    if let Some([least, most]) = constant.range {
        let _ = write!(text, ", range = [{}, {}]", number(unit, least), number(unit, most));
    }
    if !constant.draws.is_empty() {
        let draws = constant.draws.iter().map(|draw| number(unit, *draw)).collect::<Vec<_>>();
        let _ = write!(text, ", draws = [{}]", draws.join(", "));
    }
    let _ = write!(text, ", basis = {}", quoted(constant.basis.word()));
    if !constant.source.is_empty() {
        let _ = write!(text, ", source = {}", quoted(&constant.source));
    }
    text
}

/// In the unit's base, but times of a microsecond and more in those.
fn number(unit: Unit, value: f64) -> String {
    let rounded = rounded(value);
    match unit {
        Unit::Time => format!("\"{rounded}ns\""),
        Unit::Rate => format!("\"{rounded}B/s\""),
        Unit::Bytes => format!("\"{rounded}B\""),
        Unit::Count | Unit::Ratio => format!("{rounded}"),
    }
}

/// To a number of digits that is worth reading; whole numbers up to a million stay as they are.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let places = DIGITS - 1 - value.abs().log10().floor() as i32;
    let scale = 10f64.powi(places.abs());
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}

/// As TOML has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Basis, SHIPPED, parse};

    #[test]
    fn what_is_written_is_read_again() {
        for shipped in &SHIPPED {
            let machine = parse(shipped.name, shipped.text).unwrap();
            let text = write(&machine, &["of\nnow".into()]);
            assert_eq!(parse("written", &text).unwrap(), machine, "{text}");
        }
    }

    #[test]
    fn figures_by_size_and_odd_names_are_read_again() {
        let mut machine = parse("mark3", SHIPPED[0].text).unwrap();
        machine.name = "\"a\\b\u{1}\" of ü".into();
        let figure = Constant {
            range: Some([0.123456789, 2.5e9]),
            basis: Basis::Measured,
            ..Constant::of(1234.56789)
        };
        let send = Constant::of(3.0).and_from(4097, figure.clone()).and_from(1 << 40, figure);
        machine.constants.insert("processor.send".into(), send);
        let read = parse("written", &write(&machine, &[])).unwrap();
        assert_eq!(read.name, machine.name);
        let larger = &read.constants["processor.send"].larger;
        assert_eq!((larger[0].from, larger[1].from), (4097, 1 << 40));
        assert_eq!(larger[0].figure.value, 1234.57);
    }
}
