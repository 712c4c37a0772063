//! The loop: every contestant's launches in turn, until the last or until somebody stops it.

use crate::{Failure, Launch, Results, turns};
use std::time::Duration;

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// Tells it from the others; its launches are called `KEY-1`, `KEY-2`, …
    pub key: String,
    /// The longest that a launch of it may take.
    pub limit: Duration,
}

/// One launch to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose, by its place among the contestants.
    pub contestant: usize,
    /// From 1.
    pub round: u32,
    /// For the name of its folder.
    pub name: String,
    /// The longest that it may take. Who launches sees to it; one that took longer has failed.
    pub limit: Duration,
    /// Turns before this one.
    pub done: usize,
    /// Turns in all.
    pub all: usize,
}

/// How a launch ended that gave nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended<E> {
    /// It failed: this, in a line, is its result, and the study goes on.
    Failed(String),
    /// The comparison makes no sense any more.
    Study(E),
}

/// What surrounds a study: the machine, or a test.
pub trait Surroundings {
    /// What a launch gives.
    type Outcome;
    /// What ends a study.
    type Error;

    /// It is this one's turn now: run it to its end.
    ///
    /// # Errors
    /// When there is no outcome; see [`Ended`].
    fn launch(&mut self, turn: &Turn) -> Result<Self::Outcome, Ended<Self::Error>>;

    /// Unix time.
    fn now(&mut self) -> Duration;

    /// Whether somebody wants the study to end.
    fn stopped(&mut self) -> bool;

    /// A turn begins; for a progress bar.
    fn begins(&mut self, turn: &Turn) {
        let _ = turn;
    }
}

/// Launches every contestant so many times, in [turn](turns()); the results are in their order.
///
/// Stopped, it gives what there is: the launch that was cut short counts for nothing, whatever it
/// says of its end.
///
/// # Errors
/// When a launch says [`Ended::Study`].
pub fn run<S: Surroundings>(
    launches: u32,
    contestants: &[Contestant],
    surroundings: &mut S,
) -> Result<Vec<Results<S::Outcome>>, S::Error> {
    let mut results: Vec<Results<S::Outcome>> =
        contestants.iter().map(|_| Results::default()).collect();
    let turns = turns(launches, contestants.len());
    for (done, (round, at)) in turns.iter().enumerate() {
        let Contestant { key, limit } = &contestants[*at];
        let name = format!("{key}-{}", round + 1);
        let (round, limit, all) = (round + 1, *limit, turns.len());
        let turn = Turn { contestant: *at, round, name, limit, done, all };
        surroundings.begins(&turn);
        let begun = surroundings.now();
        let ended = surroundings.launch(&turn);
        let took = surroundings.now().saturating_sub(begun);
        if surroundings.stopped() {
            break;
        }
        match ended {
            Ok(outcome) if took <= limit => {
                results[*at].launches.push(Launch { round, begun, outcome });
            }
            Ok(_) => results[*at].fail(turn, format!("it took longer than {limit:?}")),
            Err(Ended::Failed(why)) => results[*at].fail(turn, why),
            Err(Ended::Study(error)) => return Err(error),
        }
    }
    Ok(results)
}

impl<T> Results<T> {
    fn fail(&mut self, turn: Turn, why: String) {
        self.failures.push(Failure { name: turn.name, why });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contestants that fail, take their time or end the study as the test says; a second passes
    /// with each look at the clock.
    #[derive(Default)]
    struct Fake {
        now_s: u64,
        launched: Vec<String>,
        told: Vec<(usize, usize)>,
        fails: Vec<&'static str>,
        takes_an_hour: Vec<&'static str>,
        ends_the_study: Option<&'static str>,
        stop_at: Option<&'static str>,
    }

    impl Surroundings for Fake {
        type Outcome = String;
        type Error = &'static str;

        fn launch(&mut self, turn: &Turn) -> Result<String, Ended<&'static str>> {
            let name = turn.name.as_str();
            self.launched.push(name.to_owned());
            self.now_s += if self.takes_an_hour.contains(&name) { 3600 } else { 10 };
            match name {
                _ if self.ends_the_study == Some(name) => Err(Ended::Study("results differ")),
                _ if self.fails.contains(&name) => Err(Ended::Failed("no such rank".into())),
                _ => Ok(format!("{name} of {}", turn.contestant)),
            }
        }

        fn now(&mut self) -> Duration {
            self.now_s += 1;
            Duration::from_secs(self.now_s)
        }

        fn stopped(&mut self) -> bool {
            self.stop_at.is_some_and(|name| self.launched.iter().any(|launch| launch == name))
        }

        fn begins(&mut self, turn: &Turn) {
            self.told.push((turn.done, turn.all));
        }
    }

    fn study(fake: &mut Fake, launches: u32) -> Result<Vec<Results<String>>, &'static str> {
        let contestants =
            ["a", "b"].map(|key| Contestant { key: key.into(), limit: Duration::from_secs(60) });
        run(launches, &contestants, fake)
    }

    #[test]
    fn launches_are_in_turn_and_each_has_its_name_and_time() {
        let mut fake = Fake::default();
        let results = study(&mut fake, 2).expect("none ends the study");
        assert_eq!(fake.launched, ["a-1", "b-1", "b-2", "a-2"]);
        assert_eq!(fake.told, [(0, 4), (1, 4), (2, 4), (3, 4)]);
        let outcomes: Vec<&String> = results[1].outcomes().collect();
        assert_eq!(outcomes, ["b-1 of 1", "b-2 of 1"]);
        let begun = |result: &Results<String>| {
            result.launches.iter().map(|it| (it.round, it.begun.as_secs())).collect::<Vec<_>>()
        };
        assert_eq!(
            (begun(&results[0]), begun(&results[1])),
            (vec![(1, 1), (2, 37)], vec![(1, 13), (2, 25)])
        );
    }

    #[test]
    fn a_failure_is_a_result_with_a_name_and_the_study_goes_on() {
        let mut fake = Fake { fails: vec!["b-1"], takes_an_hour: vec!["a-2"], ..Fake::default() };
        let results = study(&mut fake, 2).expect("none ends the study");
        let failed = |name: &str, why: &str| Failure { name: name.into(), why: why.into() };
        assert_eq!(results[1].failures, [failed("b-1", "no such rank")]);
        assert_eq!(results[0].failures, [failed("a-2", "it took longer than 60s")]);
        assert_eq!(results.iter().map(|it| it.launches.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn stopped_it_keeps_what_there_is_but_for_the_launch_that_was_cut() {
        let mut fake = Fake { stop_at: Some("b-2"), ..Fake::default() };
        let results = study(&mut fake, 2).expect("none ends the study");
        assert_eq!(fake.launched, ["a-1", "b-1", "b-2"]);
        assert_eq!(results.iter().map(|it| it.launches.len()).collect::<Vec<_>>(), [1, 1]);
        // Whatever it says: also that all is void.
        let mut fake =
            Fake { stop_at: Some("b-1"), ends_the_study: Some("b-1"), ..Fake::default() };
        assert!(study(&mut fake, 2).is_ok());
    }

    #[test]
    fn what_makes_the_comparison_void_ends_it() {
        let mut fake = Fake { ends_the_study: Some("b-1"), ..Fake::default() };
        assert_eq!(study(&mut fake, 5), Err("results differ"));
        assert_eq!(fake.launched, ["a-1", "b-1"]);
    }
}
