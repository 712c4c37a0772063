//! What can be done next, and why a run was not watched: both depend on what recorded it.

use crate::facts::Facts;

/// What recorded a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorder {
    /// `fourstamp bench`, which can intervene.
    Bench,
    /// Another of our own commands that watches.
    Warp,
    /// The trace of an MPI program.
    Mpi,
    /// Another program or command.
    Other,
}

impl Recorder {
    /// Of a run.
    pub fn of(facts: &Facts) -> Recorder {
        match facts.command.split_whitespace().nth(1) {
            _ if facts.product.noun == "rank" => Recorder::Mpi,
            Some("bench") => Recorder::Bench,
            Some("warp") => Recorder::Warp,
            _ => Recorder::Other,
        }
    }

    /// How to find out whether what goes together is cause and effect.
    pub fn advice(self) -> &'static str {
        match self {
            Recorder::Bench => {
                "What goes together need not be cause and effect. Change one thing and see \
                whether the peak moves: fourstamp bench ... --intervene pin|priority|timer|batch."
            }
            Recorder::Mpi => {
                "What goes together need not be cause and effect. Which ranks waited for which, \
                and where in the program, stands under \"Who waits for whom\": fourstamp report \
                RUN."
            }
            Recorder::Warp | Recorder::Other => {
                "What goes together need not be cause and effect. Change one thing, run it again, \
                and see whether the peak moves."
            }
        }
    }
}

/// That nothing was watched, and why as far as it is known.
pub(super) fn unwatched(facts: &Facts) -> String {
    if facts.clock.simulated {
        return "Time was simulated: nothing outside this run delayed its messages.".to_owned();
    }
    let given = facts.command.split_whitespace().any(|word| word == "--no-watch");
    let why = match Recorder::of(facts) {
        _ if given => " (--no-watch was given)",
        Recorder::Bench | Recorder::Warp => "",
        Recorder::Mpi | Recorder::Other => " (only runs of bench and warp are)",
    };
    format!("This run was not watched{why}: causes outside its own record are not known.")
}

/// Whether its network layer sends again by a timer of a fixed period.
pub(super) fn has_periodic_timer(facts: &Facts) -> bool {
    facts.transport == "udp" && facts.parameters.iter().any(|(_, value)| value.contains("periodic"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product_facts::ProductFacts;

    fn run(command: &str, noun: &'static str) -> Facts {
        let product = ProductFacts { noun, ..ProductFacts::default() };
        Facts { command: command.to_owned(), product, ..Facts::default() }
    }

    #[test]
    fn only_a_benchmark_is_told_to_intervene() {
        let advice = |facts: &Facts| Recorder::of(facts).advice();
        assert!(advice(&run("fourstamp bench pingpong", "node")).contains("--intervene"));
        for command in ["fourstamp warp stb88", "./bench", "fourstamp pager run bench", ""] {
            assert!(!advice(&run(command, "node")).contains("bench"), "{command}");
        }
        let mpi = run("mpirun bench", "rank");
        assert!(advice(&mpi).contains("Who waits for whom") && !advice(&mpi).contains("intervene"));
    }

    #[test]
    fn why_a_run_was_not_watched_is_said_where_it_is_known() {
        let said = |command, noun| unwatched(&run(command, noun));
        assert!(said("fourstamp bench pingpong --no-watch", "node").contains("(--no-watch was"));
        assert!(said("fourstamp bench pingpong", "node").starts_with("This run was not watched: "));
        assert!(said("./program", "node").contains("(only runs of bench and warp are)"));
    }
}
