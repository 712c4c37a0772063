//! Which messages a verb is about: the same options for all that read runs.

use clap::Args;
use record::Kind;
use stats::{Cut, Filter, Kinds, Places, Span, parse};

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
    #[arg(long, value_name = "N[..M]", value_parser = parse::numbers)]
    pub hops: Option<Span>,
    /// From this node to that one
    #[arg(long, value_name = "SRC:DST,...", value_delimiter = ',', value_parser = parse::pair)]
    pub pair: Vec<(u32, u32)>,
    /// With a payload of this many bytes: A, A..B, A.. or ..B, e.g. 64..1K
    #[arg(long, value_name = "A[..B]", value_parser = parse::sizes)]
    pub size: Option<Span>,
    /// In this many packets: N, N..M, N.. or ..M
    #[arg(long, value_name = "N[..M]", value_parser = parse::numbers)]
    pub packets: Option<Span>,
    /// Of all these, a share by rank: from the fastest at 0% to the slowest at 100% by the time of
    /// a stage, e.g. ..99.9%, transit:99.64%.. or receive-wait:95..99.9  [default stage:
    /// end-to-end]
    #[arg(long, value_name = "[STAGE:]FROM..TO", value_parser = parse::cut)]
    pub cut: Option<Cut>,
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
        Filter {
            kinds: Kinds::chosen(self.kind.iter().map(one).collect()),
            places: Places::chosen(self.between_nodes, self.within_node),
            hops: self.hops,
            pairs: self.pair.clone(),
            bytes: self.size,
            packets: self.packets,
            cut: self.cut.clone(),
        }
    }

    /// Whether anything was chosen at all.
    pub fn is_given(&self) -> bool {
        self.filter() != Filter::default()
    }
}

fn kind(text: &str) -> Result<KindArg, String> {
    parse::kind(text).map(|kind| kind.map_or(KindArg::All, KindArg::One))
}

#[cfg(test)]
mod tests {
    use super::*;

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
