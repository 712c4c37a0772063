//! Text as a field of a CSV file, for every file of that kind.

/// The field: quoted where it must be. A spreadsheet would run text that begins like a formula, so
/// that gets an apostrophe; numbers stay numbers.
pub fn csv_field(text: &str) -> String {
    let is_formula =
        text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let guarded = if is_formula { format!("'{text}") } else { text.to_owned() };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_lose_their_teeth_and_numbers_stay_numbers() {
        assert_eq!(csv_field("=1+1,\"x\""), "\"'=1+1,\"\"x\"\"\"");
        let fields = ["-5", "+1.5e3", "-", "-x", "+cmd|' /C calc'!A0", "@a", "\tx", "a-b"];
        let guarded = ["-5", "+1.5e3", "'-", "'-x", "'+cmd|' /C calc'!A0", "'@a", "'\tx", "a-b"];
        assert_eq!(fields.map(csv_field), guarded);
    }
}
