//! What each recorded event took, by its object and its virtual time: an event takes as long
//! wherever it is executed, and however often.

use std::collections::BTreeMap;
use timewarp::{ObjectId, Random, VirtualTime};

/// Stretches into which a recording is cut, to see how much its pace varies.
const STRETCHES: usize = 20;

/// An execution as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Execution {
    pub object: u32,
    pub simtime: f64,
    /// When it began, ns.
    pub begin: i64,
    /// How long it took, ns.
    pub ns: u64,
}

/// What each event took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTimes {
    objects: BTreeMap<u32, Times>,
    mean_ns: f64,
    events: u64,
    sum_ns: u64,
    /// The stretches of the recording: what their events took, and what they would have taken had
    /// each taken the mean of its object.
    stretches: Vec<(f64, f64)>,
}

/// One object's events, by time.
#[derive(Clone, Debug, Default, PartialEq)]
struct Times {
    events: Vec<(VirtualTime, f64)>,
    mean_ns: f64,
}

impl EventTimes {
    /// Of these executions. Where an object executed several at one simtime, because it was rolled
    /// back or because more than the simtime tells them apart, each took their mean.
    pub(crate) fn of(mut executions: Vec<Execution>) -> EventTimes {
        executions.sort_by_key(|it| it.begin);
        let mut times = EventTimes::default();
        for it in &executions {
            let of_object = times.objects.entry(it.object).or_default();
            of_object.events.push((VirtualTime::at(it.simtime), it.ns as f64));
        }
        times.events = executions.len() as u64;
        times.sum_ns = executions.iter().map(|it| it.ns).sum();
        times.mean_ns = mean(times.sum_ns as f64, executions.len());
        times.objects.values_mut().for_each(Times::settle);
        for stretch in executions.chunks(executions.len().div_ceil(STRETCHES).max(1)) {
            let took = stretch.iter().map(|it| it.ns as f64).sum();
            let usual = stretch.iter().map(|it| times.mean_of(it.object)).sum();
            times.stretches.push((took, usual));
        }
        times
    }

    /// Events recorded.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Their times together, ns.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Objects that executed any.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// What an event took. `None`: it was not recorded.
    pub(crate) fn of_event(&self, object: ObjectId, time: VirtualTime) -> Option<f64> {
        let events = &self.objects.get(&object.0)?.events;
        let at = VirtualTime::at(time.simtime());
        let found = events.binary_search_by(|(time, _)| time.cmp(&at)).ok()?;
        Some(events[found].1)
    }

    /// The mean of an object's events; of all events where it executed none.
    pub(crate) fn mean_of(&self, object: u32) -> f64 {
        self.objects.get(&object).map_or(self.mean_ns, |times| times.mean_ns)
    }

    /// What any of the object's events took, drawn.
    pub(crate) fn any_of(&self, object: ObjectId, random: &mut Random) -> f64 {
        let Some(Times { events, .. }) = self.objects.get(&object.0) else { return self.mean_ns };
        let drawn = random.below(events.len() as u64) as usize;
        events.get(drawn).map_or(self.mean_ns, |(_, ns)| *ns)
    }

    /// The pace of a run made of stretches of this one, drawn: above 1 it is slower.
    pub(crate) fn any_pace(&self, random: &mut Random) -> f64 {
        let count = self.stretches.len() as u64;
        let drawn = self.stretches.iter().map(|_| random.below(count) as usize);
        let drawn = drawn.filter_map(|at| self.stretches.get(at));
        let (took, usual) = drawn.fold((0.0, 0.0), |(took, usual), it| (took + it.0, usual + it.1));
        if usual > 0.0 { took / usual } else { 1.0 }
    }
}

impl Times {
    /// Put events in order of time, one a time.
    fn settle(&mut self) {
        self.mean_ns = mean(self.events.iter().map(|(_, ns)| ns).sum(), self.events.len());
        self.events.sort_by_key(|(time, _)| *time);
        let same = self.events.chunk_by(|one, other| one.0 == other.0);
        let merged = same.filter_map(|same| {
            Some((same.first()?.0, mean(same.iter().map(|(_, ns)| ns).sum(), same.len())))
        });
        self.events = merged.collect();
    }
}

fn mean(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(object: u32, simtime: f64, begin: i64, ns: u64) -> Execution {
        Execution { object, simtime, begin, ns }
    }

    #[test]
    fn an_event_takes_what_it_took() {
        let times = EventTimes::of(vec![
            executed(1, 2.0, 30, 700),
            executed(1, 1.0, 10, 100),
            executed(4, 1.0, 20, 50),
            executed(1, 2.0, 40, 900),
        ]);
        let of = |object, time| times.of_event(ObjectId(object), VirtualTime::new(time, 3, 4));
        assert_eq!([of(1, 1.0), of(4, 1.0)], [Some(100.0), Some(50.0)]);
        assert_eq!(of(1, 2.0), Some(800.0), "two at one simtime");
        assert_eq!([of(1, 3.0), of(2, 1.0)], [None, None]);
        assert_eq!((times.events(), times.sum_ns(), times.objects()), (4, 1750, 2));
        assert!((times.mean_of(1) - 1700.0 / 3.0).abs() < 1e-9);
        assert!((times.mean_of(9) - 437.5).abs() < 1e-9, "of all, as object 9 has none");
    }

    #[test]
    fn a_pace_that_changes_is_seen_and_one_that_does_not_is_none() {
        let steady = EventTimes::of((0..100).map(|at| executed(0, at as f64, at, 10)).collect());
        let halves = |at: i64| if at < 50 { 10 } else { 30 };
        let halves = (0..100).map(|at| executed(0, at as f64, at, halves(at))).collect();
        let halves = EventTimes::of(halves);
        let mut random = Random::new(1, 1);
        let mut paces = |times: &EventTimes| -> Vec<f64> {
            (0..200).map(|_| times.any_pace(&mut random)).collect()
        };
        assert!(paces(&steady).iter().all(|pace| *pace == 1.0));
        let drawn = paces(&halves);
        assert!(drawn.iter().any(|pace| *pace < 0.9) && drawn.iter().any(|pace| *pace > 1.1));
        let mean = drawn.iter().sum::<f64>() / 200.0;
        assert!((0.95..1.05).contains(&mean), "{mean}");
        assert_eq!(EventTimes::default().any_pace(&mut random), 1.0);
    }
}
