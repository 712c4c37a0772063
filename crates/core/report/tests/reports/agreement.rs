//! Made-up runs whose shares are known exactly: page, terminal and CSV must say of them what
//! counting by brute force says, and the same as one another, whichever messages are chosen.
//!
//! A failure names the seed; `case(SEED)` is all that is needed to see it again.

use crate::shown::{csv, html, table, terminal};
use record::{Field, Kind, NULL, Values};
use report::{Entry, Facts, Page, finding_sentence};
use stats::analysis::{Analysis, By, PARTS};
use stats::{Accumulator, Columns, FileRows, Filter, Kinds, Options, Places, Position, Span};

/// A message with all its stamps, or one within a node, which has two.
#[derive(Clone, Copy, Debug)]
struct Message {
    kind: Kind,
    src: i64,
    dst: i64,
    hops: i64,
    bytes: i64,
    ready: i64,
    /// Send wait, transit, receive wait.
    stages: [i64; 3],
}

impl Message {
    fn is_within(&self) -> bool {
        self.src == self.dst
    }

    fn end_to_end(&self) -> i64 {
        self.stages.iter().sum()
    }

    /// The largest of its stages, where one is.
    fn largest(&self) -> Option<usize> {
        let [b, c, d] = self.stages;
        (0..3).find(|&at| {
            [b, c, d].iter().enumerate().all(|(other, &ns)| other == at || ns < self.stages[at])
        })
    }
}

/// Random numbers that are the same everywhere (Knuth's constants).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n) as i64
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

/// A run of several kinds. A few messages wait long at the receiver, so that the largest stage of
/// most messages is not that of the time.
fn made(draw: &mut Draw, rows: u64) -> Vec<Message> {
    let kinds = [Kind::Event, Kind::Event, Kind::Event, Kind::Gvt, Kind::Gvt, Kind::Anti];
    let message = |at: u64, draw: &mut Draw| {
        let (kind, src, dst) = (draw.one(&kinds), draw.below(3), draw.below(3));
        let late = if draw.below(100) == 0 { 50_000_000 } else { 0 };
        Message {
            kind,
            src,
            dst,
            hops: if src == dst { 0 } else { 1 + draw.below(2) },
            bytes: 8 << draw.below(4),
            ready: at as i64 * 5_000,
            stages: [
                100 + draw.below(900),
                2_000 + draw.below(4_000),
                200 + draw.below(3_000) + late,
            ],
        }
    };
    (0..rows).map(|at| message(at, draw)).collect()
}

fn chosen(draw: &mut Draw) -> Filter {
    let kinds = [Kinds::Application, Kinds::All, Kinds::These(vec![Kind::Gvt, Kind::Anti])];
    let span = |from, to| Some(Span { from, to });
    Filter {
        kinds: draw.one(&kinds),
        places: draw.one(&[Places::Usual, Places::Between, Places::Within, Places::Both]),
        hops: draw.one(&[None, None, span(1, 1), span(0, 2)]),
        pairs: draw.one(&[vec![], vec![], vec![(0, 1), (2, 2)]]),
        bytes: draw.one(&[None, None, span(16, 32)]),
        ..Filter::default()
    }
}

/// What the options say, written once more and in another way.
fn is_wanted(filter: &Filter, message: &Message) -> bool {
    let kind = match &filter.kinds {
        Kinds::Application => message.kind == Kind::Event,
        Kinds::All => true,
        Kinds::These(kinds) => kinds.contains(&message.kind),
    };
    let says_place = filter.hops.is_some() || !filter.pairs.is_empty();
    let place = match filter.places {
        Places::Usual => says_place || !message.is_within(),
        Places::Between => !message.is_within(),
        Places::Within => message.is_within(),
        Places::Both => true,
    };
    let pair = (message.src as u32, message.dst as u32);
    let within = |span: Option<Span>, n: i64| {
        span.is_none_or(|span| span.from as i64 <= n && n <= span.to as i64)
    };
    kind && place
        && (filter.pairs.is_empty() || filter.pairs.contains(&pair))
        && within(filter.hops, message.hops)
        && within(filter.bytes, message.bytes)
}

fn analyse(messages: &[Message], filter: &Filter) -> Analysis {
    let of = |get: &dyn Fn(&Message) -> i64| messages.iter().map(get).collect::<Vec<i64>>();
    let stamp = |at: usize| {
        of(&|m| {
            let absent = m.is_within() && (at == 1 || at == 2);
            if absent { NULL } else { m.ready + m.stages[..at].iter().sum::<i64>() }
        })
    };
    let seq = (0..messages.len() as i64).collect();
    let columns = [
        (Field::Kind, of(&|m| m.kind as i64)),
        (Field::Src, of(&|m| m.src)),
        (Field::Dst, of(&|m| m.dst)),
        (Field::Hops, of(&|m| m.hops)),
        (Field::Bytes, of(&|m| m.bytes)),
        (Field::Seq, seq),
        (Field::ReadyNs, stamp(0)),
        (Field::SentNs, stamp(1)),
        (Field::ArrivedNs, stamp(2)),
        (Field::TakenNs, stamp(3)),
    ];
    let files = vec![FileRows { launch: 0, node: 0, rows: messages.len() as u64 }];
    let options = Options { files, resamples: 20, filter: filter.clone(), ..Options::default() };
    let mut accumulator = Accumulator::new(options);
    let whole = columns.iter().fold(Columns::new(messages.len()), |whole, (field, values)| {
        whole.with(*field, Values::Each(values))
    });
    accumulator.add_columns(&whole, Position { launch: 0, node: 0, first_row: 0 });
    accumulator.finish()
}

/// Text without markup, entities, thin gaps and line breaks.
fn flat(text: &str) -> String {
    let mut plain = String::new();
    let mut inside = false;
    for letter in text.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if inside => {}
            '\u{202f}' | '\u{a0}' => plain.push(' '),
            letter => plain.push(letter),
        }
    }
    let plain = plain.replace("&#39;", "'").replace("&gt;", ">").replace("&amp;", "&");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn page(facts: &Facts, analysis: &Analysis) -> String {
    let mut out = Vec::new();
    let runs = [Entry::new("run", facts, analysis)];
    html(&Page { title: "run", runs: &runs, floors: &[], remarks: &[] }, &mut out)
        .expect("memory takes it");
    let text = String::from_utf8(out).expect("UTF-8");
    flat(text.split("<script").next().unwrap_or_default())
}

fn series(analysis: &Analysis, name: &str) -> Vec<Vec<String>> {
    let text = csv(analysis, Some(name));
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn sum(rows: &[Vec<String>], is_of: impl Fn(&[String]) -> bool) -> u64 {
    let of = rows.iter().filter(|row| is_of(row));
    of.map(|row| row[6].parse::<f64>().expect("a number") as u64).sum()
}

/// A count as people read it: `12 345`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let (head, tail) = digits.split_at(digits.len() - 3);
    format!("{head} {tail}")
}

fn case(seed: u64) {
    let mut draw = Draw(seed);
    let messages = {
        let rows = 200 + draw.below(12_000) as u64;
        made(&mut draw, rows)
    };
    let filter = if seed.is_multiple_of(3) { Filter::default() } else { chosen(&mut draw) };
    let wanted: Vec<Message> =
        messages.iter().copied().filter(|message| is_wanted(&filter, message)).collect();
    let analysis = analyse(&messages, &filter);
    let named = format!("seed {seed}, {filter:?}");
    assert_eq!(analysis.messages, wanted.len() as u64, "{named}");
    assert_eq!(analysis.population.taken(), wanted.len() as u64, "{named}");
    assert_eq!(analysis.population.messages(), messages.len() as u64, "{named}");
    same_shares(&analysis, &wanted, &named);
    same_counts(&analysis, &wanted, &named);
    same_words(&analysis, &wanted, messages.len(), &named);
}

/// The finding is what brute force finds of the messages with all four stamps.
fn same_shares(analysis: &Analysis, wanted: &[Message], named: &str) {
    let whole: Vec<&Message> = wanted.iter().filter(|message| !message.is_within()).collect();
    let Some(finding) = &analysis.finding else {
        assert!(whole.is_empty(), "{named}");
        return;
    };
    let total: i64 = whole.iter().map(|message| message.end_to_end()).sum();
    for at in 0..3 {
        let time: i64 = whole.iter().map(|message| message.stages[at]).sum();
        assert!((finding.time[at] - time as f64 / total as f64).abs() < 1e-9, "{named}");
        let largest = whole.iter().filter(|message| message.largest() == Some(at)).count();
        assert!(
            (finding.messages[at] - largest as f64 / whole.len() as f64).abs() < 1e-9,
            "{named}"
        );
    }
    let most =
        (0..3).max_by(|a, b| finding.time[*a].total_cmp(&finding.time[*b])).expect("three stages");
    assert_eq!(finding.stage, PARTS[most], "{named}");
}

/// Every table and chart is of the same messages.
fn same_counts(analysis: &Analysis, wanted: &[Message], named: &str) {
    let n = wanted.len() as u64;
    let between = wanted.iter().filter(|message| !message.is_within()).count() as u64;
    let counted = |stage: usize| analysis.stages.iter().find(|view| view.stage as usize == stage);
    for stage in 0..4 {
        let expected = if stage == 0 { n } else { between };
        let view = counted(stage);
        assert_eq!(view.map_or(0, |view| view.summary.count), expected, "{named}");
        let pieces: u64 = view.map_or(0, |view| view.pieces.iter().map(|piece| piece.count).sum());
        assert_eq!(pieces, expected, "{named}");
    }
    assert_eq!(analysis.shares.iter().map(|share| share.count).sum::<u64>(), between, "{named}");
    assert_eq!(analysis.series.iter().map(|bin| bin.count).sum::<u64>(), n, "{named}");
    for breakdown in analysis.breakdowns.iter().filter(|breakdown| breakdown.by != By::Launch) {
        let of =
            |group: &stats::analysis::Group| group.stages.first().map_or(0, |(_, of)| of.count);
        assert_eq!(breakdown.groups.iter().map(of).sum::<u64>(), n, "{named} {:?}", breakdown.by);
    }
    let slowest = wanted.iter().map(Message::end_to_end).max();
    assert_eq!(
        analysis.slowest.first().and_then(|message| message.stage_ns[0]),
        slowest,
        "{named}"
    );
    let distribution = series(analysis, "distribution");
    assert_eq!(
        sum(&distribution, |row| row[1] == "end-to-end" && row[3] == "linear"),
        n,
        "{named}"
    );
    let population = series(analysis, "population");
    assert_eq!(sum(&population, |row| row[2].ends_with(" taken")), n, "{named}");
}

/// The page and the terminal say the same numbers, and CSV has them.
fn same_words(analysis: &Analysis, wanted: &[Message], all: usize, named: &str) {
    let facts = Facts { workload: "made".into(), ..Facts::default() };
    let (shown, told) = (page(&facts, analysis), flat(&terminal(&facts, analysis, 80, false)));
    let of_all = match wanted.len() {
        n if n == all => format!("all {} messages of the run", grouped(n)),
        n => format!("{} of the run's {} messages", grouped(n), grouped(all)),
    };
    for text in [&shown, &told] {
        assert!(text.contains(&of_all), "{named}: no '{of_all}' in\n{text}");
        if !wanted.is_empty() {
            let sentence = flat(&finding_sentence(&facts, analysis));
            assert!(text.contains(&sentence), "{named}: no '{sentence}' in\n{text}");
        }
    }
    let text = table(&facts, analysis, "quantiles").unwrap_or_default();
    let heads: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let at = |name: &str| heads.iter().position(|head| *head == name).expect("a column");
    let end_to_end = text.lines().find(|line| line.starts_with("end-to-end,"));
    let times: Vec<i64> = wanted.iter().map(Message::end_to_end).collect();
    let expected = times.iter().min().zip(times.iter().max());
    let fields: Option<Vec<&str>> = end_to_end.map(|line| line.split(',').collect());
    match (fields, expected) {
        (None, None) => {}
        (Some(fields), Some((min, max))) => {
            assert_eq!(
                [fields[at("n")], fields[at("min_ns")], fields[at("max_ns")]],
                [times.len().to_string(), min.to_string(), max.to_string()],
                "{named}"
            );
        }
        (fields, expected) => panic!("{named}: {fields:?}, {expected:?}"),
    }
}

#[test]
fn page_terminal_and_csv_agree_with_each_other_and_with_counting() {
    (0..48).for_each(case);
}

#[test]
fn a_minority_that_dominates_the_time_is_told_as_two_figures() {
    // 9991 messages of 1 + 6 + 3 µs and 9 that waited: 0.09 % of the messages, and as planted 61 %
    // of the time.
    let usual = [1_000, 6_000, 3_000];
    let waited =
        (0.61 * 9_991.0 * 10_000.0 - 9_991.0 * 3_000.0 + 0.61 * 9.0 * 7_000.0) / (0.39 * 9.0);
    let message = |at: i64| Message {
        kind: Kind::Data,
        src: 0,
        dst: 1,
        hops: 1,
        bytes: 8,
        ready: at * 10_000,
        stages: if at % 1_111 == 7 { [1_000, 6_000, waited as i64] } else { usual },
    };
    let messages: Vec<Message> = (0..10_000).map(message).collect();
    assert_eq!(messages.iter().filter(|message| message.largest() == Some(2)).count(), 9);
    assert_eq!(
        flat(&finding_sentence(&Facts::default(), &analyse(&messages, &Filter::default()))),
        "Receive wait is the largest stage of 0.090 % of the messages and takes 61 % of the total \
        time; transit is the largest of \
         over 99.9 % of the messages."
    );
}
