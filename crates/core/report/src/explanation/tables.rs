//! What an explanation says, as tables for scripts: the sentences have the same for people.

use document::{Cell, Column, Row, Table, Unit};
use stats::analysis::{
    By, Episode, Explained, Explanation, IdleCore, Noise, Reason, Trait, What, Who,
};

use super::reasons::{known_words, reason};
use crate::palette::key as stage_key;

/// All of them.
pub(super) fn all(explanation: &Explanation) -> [Table; 5] {
    let Explanation { episodes, groups, idle, .. } = explanation;
    [of_groups(groups), of_reasons(groups), of_episodes(episodes), held(episodes), of_idle(idle)]
        .map(Table::data)
}

/// A row a group of slow messages.
fn of_groups(groups: &[Explained]) -> Table {
    let columns = [
        Column::text("group", ""),
        Column::text("stage", ""),
        Column::text("who", ""),
        Column::text("peak", ""),
        Column::time("from", ""),
        Column::time("to", ""),
        Column::time("median", ""),
        Column::count("messages", ""),
        Column::count("of_episodes", ""),
        Column::count("times", ""),
        Column::count("reasons", ""),
        Column::new("idle", "", Unit::PerSecond),
        Column::new("seen", "", Unit::PerSecond),
    ];
    let row = |(at, group): (usize, &Explained)| -> Row {
        let (who, peak) = match group.who {
            Who::Peak(place) => ("peak", Some(place + 1)),
            Who::Slowest => ("slowest", None),
        };
        let noise = group.noise.as_ref();
        vec![
            (at + 1).into(),
            stage_key(group.stage).into(),
            who.into(),
            peak.into(),
            group.range_ns.0.into(),
            Some(group.range_ns.1).filter(|ns| *ns < i64::MAX).into(),
            group.median_ns.into(),
            group.count.into(),
            group.apart.into(),
            group.episodes.into(),
            group.reasons.len().into(),
            noise.map(|Noise { idle_per_s, .. }| *idle_per_s).into(),
            noise.map(|Noise { seen_per_s, .. }| *seen_per_s).into(),
        ]
        .into()
    };
    Table::new("groups", columns).with(groups.iter().enumerate().map(row))
}

/// A row a thing that goes with a group, which `group` of the groups names.
fn of_reasons(groups: &[Explained]) -> Table {
    let columns = [
        Column::text("group", ""),
        Column::text("reason", ""),
        Column::text("what", ""),
        Column::text("value", ""),
        Column::count("with", ""),
        Column::count("of", ""),
        Column::new("expected", "", Unit::Number),
        Column::new("chance", "", Unit::Number),
        Column::share("share", ""),
        Column::share("base", ""),
        Column::time("period", ""),
        Column::text("says", ""),
    ];
    let mut table = Table::new("reasons", columns);
    for (at, group) in groups.iter().enumerate() {
        for one in &group.reasons {
            let head = [Cell::from(at + 1)];
            let cells = head.into_iter().chain(figures(one)).chain([reason(one).into()]);
            table.push(cells.collect::<Vec<Cell>>());
        }
    }
    table
}

/// From `reason` to `period`; what does not apply is empty.
fn figures(reason: &Reason) -> [Cell; 10] {
    let none = Cell::default;
    match reason {
        Reason::Beside { what, with, of, expected, chance, covers } => {
            let (with, of) = ((*with).into(), (*of).into());
            let (expected, chance) = ((*expected).into(), (*chance).into());
            let what = what_key(*what).into();
            let covers = (*covers).into();
            ["beside".into(), what, none(), with, of, expected, chance, covers, none(), none()]
        }
        Reason::Alike { by, value, share, base } => {
            let (by, value) = (trait_key(*by).into(), value.as_str().into());
            let (share, base) = ((*share).into(), (*base).into());
            ["alike".into(), by, value, none(), none(), none(), none(), share, base, none()]
        }
        Reason::Phase { known, strength, chance } => {
            let (what, period) = (known_words(*known).into(), known.ns().into());
            let (strength, chance) = ((*strength).into(), (*chance).into());
            let head = ["phase".into(), what, none(), none(), none(), none(), chance];
            padded(head, [strength, none(), period])
        }
        Reason::Regular { period_ns, share } => {
            let head = ["regular".into(), none(), none(), none(), none(), none(), none()];
            padded(head, [(*share).into(), none(), (*period_ns).into()])
        }
        Reason::Place { known } => {
            let what = known_words(*known).into();
            let head = ["place".into(), what, none(), none(), none(), none(), none()];
            padded(head, [none(), none(), known.ns().into()])
        }
    }
}

fn padded(head: [Cell; 7], tail: [Cell; 3]) -> [Cell; 10] {
    let mut cells = head.into_iter().chain(tail);
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

fn what_key(what: What) -> &'static str {
    match what {
        What::Cause(cause) => cause.name(),
        What::Work(kind) => kind.name(),
    }
}

fn trait_key(by: Trait) -> &'static str {
    match by {
        Trait::Queued => "queued",
        Trait::Early => "early",
        Trait::Column(By::Pair) => "pair",
        Trait::Column(By::Kind) => "kind",
        Trait::Column(By::Bytes) => "bytes",
        Trait::Column(By::Hops) => "hops",
        Trait::Column(By::Packets) => "packets",
        Trait::Column(By::Launch) => "launch",
    }
}

/// The columns that name an episode: those of its slowest message.
fn slowest() -> [Column; 4] {
    ["launch", "src", "dst", "seq"].map(|key| Column::text(key, ""))
}

fn name(episode: &Episode) -> [Cell; 4] {
    let of = &episode.slowest;
    [of.launch.into(), of.src.into(), of.dst.into(), of.seq.into()]
}

/// A row a time that holds much of all messages' time.
fn of_episodes(episodes: &[Episode]) -> Table {
    let mut columns = Vec::from(slowest());
    columns.extend([
        Column::text("stage", ""),
        Column::time("from", ""),
        Column::time("to", ""),
        Column::count("messages", ""),
        Column::text("at_least", ""),
        Column::time("time", ""),
        Column::share("share", ""),
        Column::time("unknown", ""),
    ]);
    let row = |episode: &Episode| -> Row {
        let rest = [
            stage_key(episode.stage).into(),
            episode.from_ns.into(),
            episode.to_ns.into(),
            episode.messages.into(),
            if episode.at_least { "true" } else { "false" }.into(),
            episode.time_ns.into(),
            episode.share.into(),
            episode.account.unknown_ns().into(),
        ];
        name(episode).into_iter().chain(rest).collect::<Vec<Cell>>().into()
    };
    Table::new("episodes", columns).with(episodes.iter().map(row))
}

/// A row a thing that held an episode's slowest message.
fn held(episodes: &[Episode]) -> Table {
    let mut columns = Vec::from(slowest());
    columns.extend([
        Column::text("cause", ""),
        Column::text("node", ""),
        Column::time("held", ""),
        Column::share("share", ""),
    ]);
    let mut table = Table::new("episode-causes", columns);
    for episode in episodes {
        let of_ns = episode.account.of_ns.max(1) as f64;
        for part in &episode.account.parts {
            let share = part.ns as f64 / of_ns;
            let rest = [part.cause.name().into(), part.node.into(), part.ns.into(), share.into()];
            table.push(name(episode).into_iter().chain(rest).collect::<Vec<Cell>>());
        }
    }
    table
}

/// A row a node: what its core lost while it was idle.
fn of_idle(idle: &[IdleCore]) -> Table {
    let columns = [
        Column::text("node", ""),
        Column::time("spun", ""),
        Column::time("lost", ""),
        Column::count("gaps", ""),
        Column::time("longest", ""),
    ];
    let row = |core: &IdleCore| {
        let (spun, lost) = (core.spun_ns.into(), core.lost_ns.into());
        [Cell::from(core.node), spun, lost, core.gaps.into(), core.longest_ns.into()]
    };
    Table::new("idle", columns).with(idle.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Block, Document, table_csv};
    use record::Cause;
    use stats::analysis::{Account, Known, Part, Slow, Stage};

    fn csv(explanation: &Explanation, name: &str) -> Vec<String> {
        let opening = all(explanation).map(Block::Table).into();
        let document = Document { opening, ..Document::default() };
        let mut out = Vec::new();
        table_csv(&document, name, &mut out).expect("there is that table");
        String::from_utf8(out).expect("CSV is UTF-8").lines().map(str::to_owned).collect()
    }

    fn group(who: Who, range_ns: (i64, i64), reasons: Vec<Reason>) -> Explained {
        let noise = Some(Noise { idle_per_s: 0.5, seen_per_s: 2.0 });
        let (median_ns, count, apart, episodes) = (100, 41, 3, 9);
        let stage = Stage::ReceiveWait;
        Explained { stage, who, range_ns, median_ns, count, apart, episodes, reasons, noise }
    }

    fn planted() -> Explanation {
        let what = What::Cause(Cause::RunQueue);
        let (chance, covers) = (1e-30, Some(0.75));
        let beside = Reason::Beside { what, with: 38, of: 41, expected: 0.5, chance, covers };
        let (by, value) = (Trait::Column(By::Pair), "0 → 3".to_owned());
        let alike = Reason::Alike { by, value, share: 0.5, base: 0.25 };
        let phase = Reason::Phase { known: Known::Tick250, strength: 0.875, chance: 0.5 };
        let regular = Reason::Regular { period_ns: 7, share: 0.5 };
        let place = Reason::Place { known: Known::DelayedAck };
        let part = Part {
            node: 1,
            cause: Cause::Stopped,
            ns: 600,
            times: None,
            while_ran: None,
            spans: Vec::new(),
        };
        let account = Account { of_ns: 1000, parts: vec![part], ..Account::default() };
        let episode = Episode {
            slowest: Slow { launch: 2, src: 0, dst: 1, seq: 4711 },
            stage: Stage::Transit,
            from_ns: 5000,
            to_ns: 6000,
            messages: 12,
            time_ns: 9000,
            share: 0.125,
            at_least: true,
            account,
        };
        let idle = IdleCore { node: 1, spun_ns: 50, lost_ns: 5, gaps: 2, longest_ns: 4 };
        let groups = vec![
            group(Who::Slowest, (900, i64::MAX), vec![beside, alike]),
            group(Who::Peak(1), (500, 700), vec![phase, regular, place]),
        ];
        let (episodes, idle) = (vec![episode], vec![idle]);
        Explanation { episodes, groups, idle, watched: (1, 2), ..Explanation::default() }
    }

    #[test]
    fn groups_and_what_goes_with_them_are_rows() {
        let groups = csv(&planted(), "groups");
        assert_eq!(
            groups,
            [
                "group,stage,who,peak,from_ns,to_ns,median_ns,messages,of_episodes,times,reasons,\
                 idle_per_s,seen_per_s",
                "1,receive-wait,slowest,,900,,100,41,3,9,2,0.5,2",
                "2,receive-wait,peak,2,500,700,100,41,3,9,3,0.5,2",
            ]
        );
        let reasons = csv(&planted(), "reasons");
        let begins = [
            "group,reason,what,value,with,of,expected,chance,share,base,period_ns,says",
            "1,beside,run-queue,,38,41,0.5,0.000000000000000000000000000001,0.75,,,",
            "1,alike,pair,0 → 3,,,,,0.5,0.25,,",
            "2,phase,the kernel's tick at 250 Hz,,,,,0.5,0.875,,4000000,",
            "2,regular,,,,,,,0.5,,7,",
            "2,place,TCP's delayed acknowledgement,,,,,,,,40000000,",
        ];
        for (line, begin) in reasons.iter().zip(begins) {
            assert!(line.starts_with(begin), "{line}, not {begin}");
        }
        assert_eq!(reasons.len(), begins.len());
        assert!(reasons[1].ends_with("It covers 75 % of the delay (median).\""), "{reasons:?}");
    }

    #[test]
    fn episodes_have_what_held_them_and_idle_cores_what_they_lost() {
        let explanation = planted();
        assert_eq!(
            csv(&explanation, "episodes")[1],
            "2,0,1,4711,transit,5000,6000,12,true,9000,0.125,1000"
        );
        assert_eq!(csv(&explanation, "episode-causes")[1], "2,0,1,4711,stopped,1,600,0.6");
        assert_eq!(csv(&explanation, "idle")[1], "1,50,5,2,4");
    }
}
