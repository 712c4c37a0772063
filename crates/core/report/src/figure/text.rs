//! A figure as a file has it: the same words as the options of the command line.

use serde::Deserialize;
use stats::{Cut, Filter, Kinds, Places, Span, parse};

use super::{Against, BINS, By, Figure, Form, Quantity, Scale};

/// Every key of a figure.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FigureText {
    what: Quantity,
    against: Option<Against>,
    by: Option<By>,
    form: Option<Form>,
    scale: Option<Scale>,
    bins: Option<usize>,
    #[serde(default)]
    kind: Words,
    #[serde(default)]
    pair: Words,
    #[serde(default)]
    between_nodes: bool,
    #[serde(default)]
    within_node: bool,
    hops: Option<Word>,
    packets: Option<Word>,
    size: Option<Word>,
    cut: Option<String>,
}

/// A text, or a number that is one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Number(u64),
}

/// One text, or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Several(Vec<String>),
}

impl Default for Words {
    fn default() -> Words {
        Words::Several(Vec::new())
    }
}

impl TryFrom<FigureText> for Figure {
    type Error = String;

    fn try_from(text: FigureText) -> Result<Figure, String> {
        let cut: Option<Cut> = text.cut.as_deref().map(parse::cut).transpose()?;
        let filter = Filter {
            kinds: kinds(&text.kind)?,
            places: Places::chosen(text.between_nodes, text.within_node),
            hops: span(text.hops.as_ref(), parse::numbers)?,
            pairs: text.pair.each().map(parse::pair).collect::<Result<_, _>>()?,
            bytes: span(text.size.as_ref(), parse::sizes)?,
            packets: span(text.packets.as_ref(), parse::numbers)?,
            cut,
        };
        let figure = Figure {
            what: text.what,
            against: text.against,
            by: text.by,
            filter,
            form: text.form.unwrap_or(Form::Lines),
            scale: text.scale.unwrap_or(Scale::Linear),
            bins: text.bins.unwrap_or(BINS),
        };
        figure.check().map_err(|error| error.to_string())?;
        Ok(figure)
    }
}

impl Words {
    /// Commas part them, too, as on the command line.
    fn each(&self) -> impl Iterator<Item = &str> {
        let all = match self {
            Words::One(one) => std::slice::from_ref(one),
            Words::Several(several) => several.as_slice(),
        };
        all.iter().flat_map(|text| text.split(',')).map(str::trim)
    }
}

fn kinds(words: &Words) -> Result<Kinds, String> {
    Ok(Kinds::chosen(words.each().map(parse::kind).collect::<Result<Vec<_>, _>>()?))
}

fn span(
    word: Option<&Word>,
    read: impl Fn(&str) -> Result<Span, String>,
) -> Result<Option<Span>, String> {
    match word {
        None => Ok(None),
        Some(Word::Number(number)) => Ok(Some(Span { from: *number, to: *number })),
        Some(Word::Text(text)) => read(text).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use stats::compare::Measured;

    fn figure(value: Value) -> Result<Figure, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_figure_is_read_from_the_words_of_the_options() {
        let read = figure(json!({
            "what": "transit", "cut": "..99.66%", "by": "hops", "hops": "1..5",
            "form": "area", "scale": "semi-log", "kind": ["event", "anti"], "pair": "0:1,1:0",
            "packets": 3, "between-nodes": true,
        }));
        let read = read.expect("a figure");
        assert_eq!((read.what, read.by), (Quantity::Transit, Some(By::Hops)));
        assert_eq!((read.form, read.scale, read.bins), (Form::Area, Scale::SemiLog, BINS));
        assert_eq!(read.filter.hops, Some(Span { from: 1, to: 5 }));
        assert_eq!(read.filter.packets, Some(Span { from: 3, to: 3 }));
        assert_eq!(read.filter.pairs, [(0, 1), (1, 0)]);
        assert_eq!(read.filter.places, Places::Between);
        assert!(matches!(&read.filter.kinds, Kinds::These(kinds) if kinds.len() == 2));
        // The cut of a stage's figure is by that stage, unless it names another.
        let stage = |figure: &Figure| figure.filter().cut.map(|cut| cut.stage());
        assert_eq!(stage(&read), Some(Measured::Transit));
        let other = figure(json!({"what": "transit", "cut": "send-wait:..9"})).expect("one");
        assert_eq!(stage(&other), Some(Measured::SendWait));
        let count = figure(json!({"what": "queue-length", "cut": "..9"})).expect("one");
        assert_eq!(stage(&count), Some(Measured::EndToEnd));
    }

    #[test]
    fn wrong_words_are_named_with_the_right_ones() {
        let said = |value: Value| figure(value).expect_err("wrong");
        assert!(said(json!({"what": "speed"})).contains("choose from end-to-end, send-wait"));
        assert!(said(json!({"what": "transit", "by": "node"})).contains("hops, packets, pair"));
        assert!(said(json!({"what": "transit", "hop": 3})).contains("unknown field `hop`"));
        assert!(said(json!({"what": "transit", "cut": "9..8"})).contains("below the second"));
        assert!(said(json!({"what": "transit", "bins": 0})).contains("2 to 2000"));
        let bars = json!({"what": "transit", "against": "bytes", "form": "bars"});
        assert!(said(bars).contains("lines or dots"));
        assert!(said(json!({"what": "cycle", "by": "hops"})).contains("several messages"));
    }
}
