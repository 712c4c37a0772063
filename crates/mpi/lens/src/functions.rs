//! What each function of MPI means for a rank that calls it.

use crate::Function;
use crate::found::Activity;
use calls::list::{CLASSES, Class, NAMES};

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
        blocks: matches!(class, Class::Collective | Class::Window),
    };
    NAMES.iter().zip(CLASSES).map(function).collect()
}

/// What the function of this number means.
pub(crate) fn activity_of(number: i64) -> Activity {
    let class = usize::try_from(number).ok().and_then(|number| CLASSES.get(number));
    class.map_or(Activity::Other, |class| activity(*class))
}

fn activity(class: Class) -> Activity {
    match class {
        Class::Send | Class::StartSend | Class::StartSendReceive | Class::Ready => {
            Activity::Sending
        }
        Class::Receive | Class::StartReceive | Class::SendReceive | Class::MatchedReceive => {
            Activity::Waiting
        }
        Class::Probe | Class::MatchedProbe => Activity::Waiting,
        Class::Wait | Class::Test | Class::Inspect | Class::Epoch => Activity::Waiting,
        Class::Collective | Class::StartCollective | Class::Window => Activity::Collective,
        _ => Activity::Other,
    }
}

/// Whether the function of this name is of one-sided communication within a window.
pub(crate) fn is_one_sided(name: &str) -> bool {
    let number = calls::list::number(name.trim_start_matches("MPI_"));
    number.is_some_and(|number| matches!(CLASSES[number], Class::Epoch | Class::OneSided))
}

/// Whether a collective is waited for in the call that begins it.
pub(crate) fn collective_blocks(number: Option<i64>) -> bool {
    let number = number.and_then(|number| usize::try_from(number).ok());
    let class = number.and_then(|number| CLASSES.get(number));
    matches!(class, Some(Class::Collective | Class::Window))
}
