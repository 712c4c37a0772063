//! Figures of made-up messages, whose numbers are known.

use super::*;
use crate::figure::{By, Form, Quantity, Scale};
use proptest::prelude::*;
use record::{Field, Kind, Values};
use stats::{Columns, CutSearch, Filter, parse};

/// Hops, packets, send wait and transit of a message.
type Made = (i64, i64, i64, i64);

/// What a figure gathers of these messages, in two parts, with the ends of its cut.
fn gathered(figure: &Figure, messages: &[Made]) -> FigureGather {
    let lane = |of: &dyn Fn(usize, &Made) -> i64| -> Vec<i64> {
        messages.iter().enumerate().map(|(at, made)| of(at, made)).collect()
    };
    let ready = lane(&|at, _| at as i64 * 10);
    let sent = lane(&|at, made| at as i64 * 10 + made.2);
    let arrived = lane(&|at, made| at as i64 * 10 + made.2 + made.3);
    let (hops, packets) = (lane(&|_, made| made.0), lane(&|_, made| made.1));
    let seq = lane(&|at, _| at as i64);
    let columns = Columns::new(messages.len())
        .with(Field::Kind, Values::Constant(Kind::Event as i64))
        .with(Field::Src, Values::Constant(0))
        .with(Field::Dst, Values::Constant(1))
        .with(Field::Seq, Values::Each(&seq))
        .with(Field::Hops, Values::Each(&hops))
        .with(Field::Packets, Values::Each(&packets))
        .with(Field::ReadyNs, Values::Each(&ready))
        .with(Field::SentNs, Values::Each(&sent))
        .with(Field::ArrivedNs, Values::Each(&arrived))
        .with(Field::TakenNs, Values::Each(&arrived));
    let mut filter = figure.filter();
    if let Some(mut search) = CutSearch::new(&filter) {
        loop {
            let mut pass = search.pass();
            pass.add(&columns);
            if search.learn(pass).expect("the cut takes some") {
                break;
            }
        }
        filter = search.settled();
    }
    let (mut one, mut other) =
        (FigureGather::new(figure.asked(filter.clone())), FigureGather::new(figure.asked(filter)));
    let half = messages.len() / 2;
    one.add(&columns.part(0..half), 0);
    other.add(&columns.part(half..messages.len()), 1);
    one.merge(other);
    one
}

fn drawn_of(figure: &Figure, runs: &[(&str, &[Made])]) -> Result<Drawn, FigureError> {
    let facts = Facts::default();
    let run = |(name, messages): &(&str, &[Made])| FigureRun {
        name: (*name).to_owned(),
        facts: &facts,
        gathered: gathered(figure, messages),
    };
    drawn(figure, &runs.iter().map(run).collect::<Vec<_>>())
}

fn messages() -> impl Strategy<Value = Vec<Made>> {
    let times = || prop_oneof![0..9_i64, 0..900_000_000_i64];
    prop::collection::vec((1..6_i64, 1..40_i64, times(), times()), 1..200)
}

/// The edges of a series, and the sum of its bins.
fn edges(drawn: &Drawn, name: &str) -> (Vec<(String, String)>, u64) {
    let own: Vec<&Point> = drawn.series.points.iter().filter(|point| point.group == name).collect();
    let edges = own.iter().map(|point| (point.from.clone(), point.to.clone())).collect();
    (edges, own.iter().map(|point| point.y as u64).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn bins_and_groups_hold_every_message_once(
        messages in messages(),
        by in prop::sample::select(vec![None, Some(By::Hops), Some(By::Packets), Some(By::Launch)]),
        what in prop::sample::select(vec![Quantity::Transit, Quantity::Hops, Quantity::SendWait]),
        scale in prop::sample::select(Scale::ALL.to_vec()),
        form in prop::sample::select(Form::ALL.to_vec()),
        to in 51..=100_u64,
    ) {
        let cut = parse::cut(&format!("..{to}%")).ok();
        let filter = Filter { cut, ..Filter::default() };
        let figure = Figure { by, scale, form, filter, ..Figure::of(what) };
        let taken = (messages.len() as u64 * to + 50) / 100;
        let drawn = drawn_of(&figure, &[("a", &messages)]).expect("a figure");
        prop_assert!(drawn.counts.len() <= 12);
        prop_assert_eq!(drawn.counts.iter().map(|count| count.taken).sum::<u64>(), taken);
        for count in &drawn.counts {
            let (own, sum) = edges(&drawn, &count.name);
            prop_assert_eq!(sum, count.taken);
            prop_assert_eq!(count.of, messages.len() as u64);
            prop_assert_eq!(&own, &edges(&drawn, &drawn.counts[0].name).0);
        }
        let seen = |mode: &document::Mode| mode.seen.as_ref().map_or(0, |seen| {
            seen.iter().filter(|seen| **seen).count()
        });
        prop_assert!(drawn.chart.modes.iter().all(|mode| seen(mode) == drawn.counts.len()));
    }
}

#[test]
fn two_runs_share_their_bins_and_each_is_cut_by_itself() {
    let slow: Vec<Made> = (0..1000).map(|at| (1, 1, 0, 5_000 + at)).collect();
    let fast: Vec<Made> = (0..100).map(|at| (1, 1, 0, at)).collect();
    let cut = parse::cut("..90%").ok();
    let filter = Filter { cut, ..Filter::default() };
    let figure = Figure { filter, ..Figure::of(Quantity::Transit) };
    let drawn = drawn_of(&figure, &[("slow", &slow), ("fast", &fast)]).expect("a figure");
    let ((one, of_slow), (other, of_fast)) = (edges(&drawn, "slow"), edges(&drawn, "fast"));
    assert_eq!(one, other);
    assert_eq!((of_slow, of_fast), (900, 90));
    assert!(one.len() > 50 && one.len() <= 101, "{} bins", one.len());
    assert_eq!(
        document::plain(&drawn.sentence),
        "Of events between nodes, the fastest 90 % by \
        transit. slow: 900 of 1000 messages, 100 outside the cut; fast: 90 of 100 messages, 10 \
        outside the cut. Medians go from 44 ns (fast) to 5.45 µs (slow)."
    );
}

#[test]
fn what_is_not_recorded_is_named_with_the_reason() {
    let messages: Vec<Made> = vec![(1, 1, 2, 3); 5];
    let said = |figure: Figure| drawn_of(&figure, &[("a", &messages)]).expect_err("nothing");
    let error = said(Figure::of(Quantity::OnNodeWaited));
    assert_eq!(
        error.to_string(),
        "a has no on-node-waited: only simulations (fourstamp warp) record it"
    );
    let error = said(Figure { by: Some(By::Bytes), ..Figure::of(Quantity::Transit) });
    assert_eq!(
        error.to_string(),
        "a cannot be shown by bytes: its messages do not say it; leave --by out"
    );
    let against = Some(Against::QueueLength);
    let error = said(Figure { against, ..Figure::of(Quantity::Transit) });
    assert!(matches!(error, FigureError::NoPlaces { .. }));
}

#[test]
fn medians_stand_at_their_places() {
    let messages: Vec<Made> = (0..90).map(|at| (1 + at % 3, 1, 0, (1 + at % 3) * 100)).collect();
    let against = Some(Against::Hops);
    let figure = Figure { against, ..Figure::of(Quantity::Transit) };
    let drawn = drawn_of(&figure, &[("a", &messages)]).expect("a figure");
    let medians: Vec<(String, f64)> = drawn
        .series
        .points
        .iter()
        .filter(|point| point.group == "a, p50")
        .map(|point| (point.from.clone(), point.y))
        .collect();
    let at = |hops: &str, ns| (hops.to_owned(), ns);
    assert_eq!(medians, [at("1", 100.0), at("2", 200.0), at("3", 300.0)]);
    let against = Some(Against::Time);
    let drawn = drawn_of(&Figure { against, ..figure }, &[("a", &messages)]).expect("a figure");
    assert!(!drawn.series.points.is_empty());
}
