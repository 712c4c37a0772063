//! What each function of MPI means for a rank that calls it.

use crate::Function;
use crate::found::Activity;
use calls::list::{CLASSES, Class, NAMES, Operation, PLAIN};

/// A function's name as programs write it; empty for a number that no function has.
pub fn function_name(number: i64) -> String {
    let name = usize::try_from(number).ok().and_then(|number| NAMES.get(number));
    name.map_or_else(String::new, |name| format!("MPI_{name}"))
}

/// The functions by number, as a tally needs them.
pub(crate) fn functions() -> Vec<Function> {
    let function = |(name, class): (&&str, &Class)| Function {
        name: format!("MPI_{name}"),
        activity: activity(*class),
        blocks: matches!(class, Class::Collective),
    };
    NAMES.iter().zip(CLASSES).map(function).collect()
}

fn activity(class: Class) -> Activity {
    match class {
        Class::Send | Class::StartSend => Activity::Sending,
        Class::Receive | Class::StartReceive | Class::SendReceive | Class::MatchedReceive => {
            Activity::Waiting
        }
        Class::Probe | Class::MatchedProbe => Activity::Waiting,
        Class::Wait | Class::Test | Class::Inspect => Activity::Waiting,
        Class::Collective | Class::StartCollective => Activity::Collective,
        _ => Activity::Other,
    }
}

/// Whether a call that sends keeps its rank until the message may go. A buffered send never does.
pub(crate) fn send_blocks(number: i64) -> bool {
    let Ok(number) = usize::try_from(number) else { return false };
    let sends = matches!(CLASSES.get(number), Some(Class::Send | Class::SendReceive));
    sends && PLAIN[number] != Operation::Bsend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sends_that_wait_block() {
        let numbers = 0..NAMES.len() as i64;
        let blocking: Vec<&str> = numbers
            .filter(|&number| send_blocks(number))
            .map(|number| NAMES[number as usize])
            .collect();
        assert!(blocking.contains(&"Ssend") && blocking.contains(&"Sendrecv"));
        assert!(!blocking.contains(&"Isend"));
        assert!(!blocking.contains(&"Bsend") && !blocking.contains(&"Bsend_c"));
        assert!(!send_blocks(-1) && !send_blocks(i64::MAX));
    }
}
