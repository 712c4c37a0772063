//! Which messages a verb is about: the same options for all that read runs.

use super::quantity;
use clap::Args;
use record::Kind;
use stats::{Filter, Kinds, Places, Span};

/// Which messages.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Which messages")]
pub struct FilterArgs {
    /// Of these kinds, or `all` [default: the application's: data, reply, event, page-out, page-in,
    /// other]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kind)]
    pub kind: Vec<KindArg>,
    /// Between nodes (the default without --pair and --hops); with --within-node, both
    #[arg(long)]
    pub between_nodes: bool,
    /// Within a node
    #[arg(long)]
    pub within_node: bool,
    /// Over this many links: N, N..M, N.. or ..M
    #[arg(long, value_name = "N[..M]", value_parser = hops)]
    pub hops: Option<Span>,
    /// From this node to that one
    #[arg(long, value_name = "SRC:DST,...", value_delimiter = ',', value_parser = pair)]
    pub pair: Vec<(u32, u32)>,
    /// With a payload of this many bytes: A, A..B, A.. or ..B, e.g. 64..1K
    #[arg(long, value_name = "A[..B]", value_parser = sizes)]
    pub size: Option<Span>,
}

/// A kind of message, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindArg {
    /// Any kind.
    All,
    /// This one.
    One(Kind),
}

impl FilterArgs {
    /// What was chosen.
    pub fn filter(&self) -> Filter {
        let one = |kind: &KindArg| if let KindArg::One(kind) = kind { Some(*kind) } else { None };
        let kinds: Option<Vec<Kind>> = self.kind.iter().map(one).collect();
        Filter {
            kinds: match kinds {
                None => Kinds::All,
                Some(kinds) if kinds.is_empty() => Kinds::Application,
                Some(kinds) => Kinds::These(kinds),
            },
            places: match (self.between_nodes, self.within_node) {
                (false, false) => Places::Usual,
                (true, false) => Places::Between,
                (false, true) => Places::Within,
                (true, true) => Places::Both,
            },
            hops: self.hops,
            pairs: self.pair.clone(),
            bytes: self.size,
        }
    }

    /// Whether anything was chosen at all.
    pub fn is_given(&self) -> bool {
        self.filter() != Filter::default()
    }
}

fn kind(text: &str) -> Result<KindArg, String> {
    let messages = || Kind::ALL.into_iter().filter(|kind| !kind.is_interval());
    if text == "all" {
        return Ok(KindArg::All);
    }
    messages().find(|kind| kind.name() == text).map(KindArg::One).ok_or_else(|| {
        let names: Vec<&str> = messages().map(Kind::name).collect();
        format!("unknown kind of message; choose from all, {}", names.join(", "))
    })
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    let numbers =
        text.split_once(':').and_then(|(src, dst)| Some((src.parse().ok()?, dst.parse().ok()?)));
    numbers.ok_or_else(|| "write two node numbers with a colon between them, e.g. 0:1".to_owned())
}

fn hops(text: &str) -> Result<Span, String> {
    let wrong = |_| "write a whole number, or a range such as 1..3".to_owned();
    let number = |text: &str| text.parse().map_err(wrong);
    span(text, number)
}

fn sizes(text: &str) -> Result<Span, String> {
    span(text, |text| quantity::bytes(text).map(|bytes| bytes as u64))
}

/// `N`, `N..M`, `N..` or `..M`, both ends included.
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
        assert_eq!(hops("2"), Ok(Span { from: 2, to: 2 }));
        assert_eq!(hops("1..3"), Ok(Span { from: 1, to: 3 }));
        assert_eq!(hops("..3"), Ok(Span { from: 0, to: 3 }));
        assert_eq!(sizes("64..1K"), Ok(Span { from: 64, to: 1024 }));
        assert_eq!(sizes("4K.."), Ok(Span { from: 4096, to: u64::MAX }));
        for wrong in ["", "..", "3..1", "a", "1..b", "-1"] {
            assert!(hops(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn kinds_and_pairs_are_named() {
        assert_eq!(kind("gvt"), Ok(KindArg::One(Kind::Gvt)));
        assert_eq!(kind("all"), Ok(KindArg::All));
        assert!(
            kind("cycle")
                .is_err_and(|error| error.contains("page-out") && !error.contains("rollback"))
        );
        assert_eq!(pair("0:12"), Ok((0, 12)));
        assert!(pair("0").is_err() && pair("0:1:2").is_err());
    }

    #[test]
    fn nothing_given_is_the_usual_choice_and_both_places_are_both() {
        assert_eq!(FilterArgs::default().filter(), Filter::default());
        let all = FilterArgs {
            kind: vec![KindArg::All],
            between_nodes: true,
            within_node: true,
            ..FilterArgs::default()
        };
        assert_eq!(all.filter(), Filter::all());
    }
}
