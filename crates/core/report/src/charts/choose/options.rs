//! The options that choose messages on the command line, as they add to what a report is about.

use record::Kind;
use stats::{Filter, Kinds, Places, Span};

/// The options for a choice among the messages that this filter takes.
pub(super) struct Options<'a>(pub &'a Filter);

impl Options<'_> {
    pub(super) fn kinds(&self, chosen: Option<Kind>) -> String {
        match (chosen, &self.0.kinds) {
            (Some(kind), _) => format!("--kind {}", kind.name()),
            (None, Kinds::Application) => String::new(),
            (None, Kinds::All) => "--kind all".to_owned(),
            (None, Kinds::These(kinds)) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                format!("--kind {}", names.join(","))
            }
        }
    }

    pub(super) fn sizes(&self, chosen: Option<Span>) -> String {
        chosen.or(self.0.bytes).map_or_else(String::new, |span| format!("--size {}", ends(span)))
    }

    pub(super) fn hops(&self) -> String {
        self.0.hops.map_or_else(String::new, |span| format!("--hops {}", ends(span)))
    }

    pub(super) fn packets(&self) -> String {
        self.0.packets.map_or_else(String::new, |span| format!("--packets {}", ends(span)))
    }

    /// The pairs and with them the place: a pair widens the place unless that is given.
    pub(super) fn pairs(&self, chosen: Option<(u32, u32)>) -> String {
        let pairs = chosen.map_or_else(|| self.0.pairs.clone(), |pair| vec![pair]);
        let between = !pairs.is_empty() && pairs.iter().all(|(src, dst)| src != dst);
        let widened = !pairs.is_empty() || self.0.hops.is_some();
        let place = match (self.0.places(), widened) {
            (Places::Within, _) => "--within-node",
            (Places::Between, true) if !between => "--between-nodes",
            (Places::Both, false) => "--between-nodes --within-node",
            _ => "",
        };
        let listed: Vec<String> = pairs.iter().map(|(src, dst)| format!("{src}:{dst}")).collect();
        let pairs =
            if listed.is_empty() { String::new() } else { format!("--pair {}", listed.join(",")) };
        let words = [pairs.as_str(), place];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// The run's folder as a word for a shell; one that begins like an option is no option.
pub(super) fn quoted_path(path: &str) -> String {
    let dash = if path.starts_with('-') { "./" } else { "" };
    shell_words::quote(&format!("{dash}{path}")).into_owned()
}

fn ends(span: Span) -> String {
    match span {
        Span { from, to } if from == to => from.to_string(),
        Span { from, to: u64::MAX } => format!("{from}.."),
        Span { from, to } => format!("{from}..{to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_adds_to_what_the_report_is_about() {
        let usual = Filter::default();
        let options = Options(&usual);
        assert_eq!(options.pairs(Some((0, 12))), "--pair 0:12");
        assert_eq!(options.kinds(Some(Kind::Reply)), "--kind reply");
        assert_eq!(options.sizes(Some(Span { from: 64, to: 127 })), "--size 64..127");
        assert_eq!(options.sizes(Some(Span { from: 64, to: 64 })), "--size 64");
        assert_eq!([options.pairs(None), options.kinds(None), options.sizes(None)], ["", "", ""]);
    }

    #[test]
    fn what_was_chosen_before_stays_chosen() {
        let all = Filter::all();
        assert_eq!(Options(&all).pairs(None), "--between-nodes --within-node");
        assert_eq!(Options(&all).pairs(Some((2, 2))), "--pair 2:2");
        assert_eq!(Options(&all).kinds(None), "--kind all");
        let narrow = Filter {
            kinds: Kinds::These(vec![Kind::Data, Kind::Reply]),
            places: Places::Between,
            hops: Some(Span { from: 2, to: u64::MAX }),
            pairs: vec![(0, 1), (2, 2)],
            bytes: Some(Span { from: 0, to: 64 }),
            packets: Some(Span { from: 1, to: 2 }),
            cut: None,
        };
        let options = Options(&narrow);
        assert_eq!(options.kinds(None), "--kind data,reply");
        assert_eq!(options.hops(), "--hops 2..");
        assert_eq!(options.packets(), "--packets 1..2");
        assert_eq!(options.pairs(None), "--pair 0:1,2:2 --between-nodes");
        assert_eq!(options.pairs(Some((0, 1))), "--pair 0:1");
        assert_eq!(options.sizes(None), "--size 0..64");
        let within = Filter { places: Places::Within, ..Filter::default() };
        assert_eq!(Options(&within).pairs(Some((1, 1))), "--pair 1:1 --within-node");
    }

    #[test]
    fn a_path_is_one_word_and_no_option() {
        assert_eq!(quoted_path("runs/a b's"), "'runs/a b'\\''s'");
        assert_eq!(quoted_path("-x"), "./-x");
    }
}
