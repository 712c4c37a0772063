//! The events of one location in the order that the format asks for: by time, and calls within
//! calls.

use crate::events::{Call, Collective, Message};

/// An event, as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    Enter { at: i64, region: u32 },
    Leave { at: i64, region: u32 },
    Send(Message),
    Receive(Message),
    CollectiveBegin { at: i64 },
    CollectiveEnd { at: i64, collective: Collective },
}

impl Event {
    /// When it was, ns on the timeline.
    pub fn at(&self) -> i64 {
        match *self {
            Event::Enter { at, .. } | Event::Leave { at, .. } => at,
            Event::CollectiveBegin { at } | Event::CollectiveEnd { at, .. } => at,
            Event::Send(message) | Event::Receive(message) => message.at,
        }
    }
}

/// A location's events in order, and how many of its calls are none of them, because each crosses
/// the end of one that it began in: readers refuse such a trace.
pub(crate) fn ordered(
    mut calls: Vec<Call>,
    mut sends: Vec<Message>,
    mut receives: Vec<Message>,
) -> (Vec<Event>, u64) {
    // Of calls that begin together the longest holds the others.
    calls.sort_by_key(|call| (call.from, std::cmp::Reverse(call.to)));
    sends.sort_by_key(|send| send.at);
    receives.sort_by_key(|receive| receive.at);
    let (nested, crossing) = nested(&calls);
    let sent = merged(nested, sends.into_iter().map(Event::Send), after_enter);
    (merged(sent, receives.into_iter().map(Event::Receive), before_leave), crossing)
}

/// Where among events of one time a send stands: in the call that begins then.
fn after_enter(events: &[Event]) -> usize {
    let enter = events.iter().rposition(|event| matches!(event, Event::Enter { .. }));
    enter.map_or(0, |at| at + 1)
}

/// Where a receive stands: in the call that ends then.
fn before_leave(events: &[Event]) -> usize {
    let is_end = |event: &Event| matches!(event, Event::Leave { .. } | Event::CollectiveEnd { .. });
    events.iter().position(is_end).unwrap_or(0)
}

fn nested(calls: &[Call]) -> (Vec<Event>, u64) {
    let (mut events, mut crossing) = (Vec::with_capacity(calls.len() * 2), 0);
    let mut open: Vec<&Call> = Vec::new();
    for call in calls {
        while let Some(last) = open.pop_if(|last| last.to <= call.from) {
            leave(last, &mut events);
        }
        if open.last().is_some_and(|last| call.to > last.to) {
            crossing += 1;
            continue;
        }
        events.push(Event::Enter { at: call.from, region: call.region });
        events.extend(call.collective.map(|_| Event::CollectiveBegin { at: call.from }));
        open.push(call);
    }
    open.into_iter().rev().for_each(|call| leave(call, &mut events));
    (events, crossing)
}

fn leave(call: &Call, events: &mut Vec<Event>) {
    let end = |collective| Event::CollectiveEnd { at: call.to, collective };
    events.extend(call.collective.map(end));
    events.push(Event::Leave { at: call.to, region: call.region });
}

/// `more` put in among `events`; `place` says where among those of the same time.
fn merged(
    events: Vec<Event>,
    more: impl ExactSizeIterator<Item = Event>,
    place: impl Fn(&[Event]) -> usize,
) -> Vec<Event> {
    let mut all = Vec::with_capacity(events.len() + more.len());
    let mut done = 0;
    for one in more {
        let first = done + events[done..].partition_point(|event| event.at() < one.at());
        let same = events[first..].partition_point(|event| event.at() == one.at());
        let to = first + place(&events[first..first + same]);
        // Two of one time stand side by side.
        all.extend(events[done..to.max(done)].iter().copied());
        all.push(one);
        done = to.max(done);
    }
    all.extend(events[done..].iter().copied());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(from: i64, to: i64) -> Call {
        Call { from, to, region: 0, collective: None }
    }

    fn message(at: i64) -> Message {
        Message { at, peer: 1, tag: 0, bytes: 8 }
    }

    #[test]
    fn messages_lie_within_the_calls_that_send_and_take_them() {
        let (events, crossing) =
            ordered(vec![call(20, 30), call(10, 20)], vec![message(20)], vec![message(20)]);
        assert_eq!(crossing, 0);
        let kinds: Vec<(&str, i64)> =
            events.iter().map(|event| (kind(event), event.at())).collect();
        let wanted = [
            ("enter", 10),
            ("receive", 20),
            ("leave", 20),
            ("enter", 20),
            ("send", 20),
            ("leave", 30),
        ];
        assert_eq!(kinds, wanted);
    }

    #[test]
    fn calls_that_cross_are_counted_and_left_out() {
        let (events, crossing) =
            ordered(vec![call(0, 10), call(5, 15), call(6, 8)], vec![], vec![]);
        assert_eq!((events.len(), crossing), (4, 1));
    }

    fn kind(event: &Event) -> &'static str {
        match event {
            Event::Enter { .. } => "enter",
            Event::Leave { .. } => "leave",
            Event::Send(_) => "send",
            Event::Receive(_) => "receive",
            Event::CollectiveBegin { .. } => "begin",
            Event::CollectiveEnd { .. } => "end",
        }
    }

    proptest! {
        #[test]
        fn any_events_come_in_order_and_calls_are_closed(
            calls in proptest::collection::vec((-50_i64..50, 0_i64..20), 0..40),
            sends in proptest::collection::vec(-50_i64..50, 0..20),
            receives in proptest::collection::vec(-50_i64..50, 0..20),
        ) {
            let given = calls.len();
            let calls = calls.into_iter().map(|(from, long)| call(from, from + long)).collect();
            let messages = |all: &[i64]| all.iter().map(|&at| message(at)).collect::<Vec<_>>();
            let (events, crossing) = ordered(calls, messages(&sends), messages(&receives));
            let count = |what| events.iter().filter(|event| kind(event) == what).count();
            prop_assert!(events.is_sorted_by_key(Event::at));
            prop_assert_eq!(count("enter") + usize::try_from(crossing).unwrap(), given);
            prop_assert_eq!(count("enter"), count("leave"));
            prop_assert_eq!((count("send"), count("receive")), (sends.len(), receives.len()));
            let mut depth = 0_i64;
            for event in &events {
                depth += match kind(event) { "enter" => 1, "leave" => -1, _ => 0 };
                prop_assert!(depth >= 0);
            }
        }
    }
}
