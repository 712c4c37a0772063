//! What was seen beside a message while it lived, as its story tells it.

use record::{Cause, CauseSpan, NodeCauses};
use stats::story::{Beside, Row};

/// Where and when a message lived.
#[derive(Clone, Copy, Debug)]
struct Life {
    launch: u32,
    src: u32,
    dst: u32,
    from_ns: i64,
    sent_ns: Option<i64>,
    to_ns: i64,
}

/// Everything whose length is known, on the two nodes of `message`, which is of `launch`.
pub fn beside(causes: &[NodeCauses], message: &Row, launch: u32) -> Vec<Beside> {
    let (Some(from_ns), Some(to_ns)) = (message.ready_ns.or(message.sent_ns), message.taken_ns) else {
        return Vec::new();
    };
    let Row { src, dst, sent_ns, .. } = *message;
    met(causes, Life { launch, src, dst, from_ns, sent_ns, to_ns })
}

fn met(causes: &[NodeCauses], life: Life) -> Vec<Beside> {
    let is_its_node =
        |of: &&NodeCauses| of.launch == life.launch && (of.node == life.src || of.node == life.dst);
    let meets = |span: &&CauseSpan| span.from_ns <= life.to_ns && span.to_ns >= life.from_ns;
    let mut told = Vec::new();
    for of in causes.iter().filter(is_its_node) {
        told.extend(of.spans.iter().filter(meets).filter_map(|span| in_words(span, of.node, life)));
    }
    told
}

fn in_words(span: &CauseSpan, node: u32, life: Life) -> Option<Beside> {
    let what = match span.cause {
        Cause::RunQueue => format!("the thread of node {node} waiting for a core"),
        Cause::Steal => format!("the hypervisor taking the core of node {node}"),
        Cause::Watcher => format!("our own watcher at work beside node {node}"),
        Cause::Planted => format!("a delay planted at node {node}"),
        Cause::Resent if node == life.src => {
            // What was lost is late by the time until it is sent again.
            let sent_ns = life.sent_ns.filter(|sent| *sent < span.to_ns)?;
            let what = format!("a loss, after which node {node} sent messages again");
            return Some(Beside { what, from_ns: sent_ns, to_ns: span.to_ns, amount_ns: None });
        }
        _ => return None,
    };
    let amount_ns = span.cause.is_time().then_some(span.amount);
    Some(Beside { what, from_ns: span.from_ns, to_ns: span.to_ns, amount_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Life = Life { launch: 2, src: 0, dst: 1, from_ns: 1_000, sent_ns: Some(1_100), to_ns: 9_500 };

    fn told(cause: Cause, node: u32, (from_ns, to_ns): (i64, i64), amount: i64) -> Vec<Beside> {
        let spans = vec![CauseSpan { cause, from_ns, to_ns, amount }];
        met(&[NodeCauses { launch: 2, node, spans }], LIFE)
    }

    #[test]
    fn only_what_met_the_message_on_its_nodes_is_told() {
        let wait = told(Cause::RunQueue, 1, (0, 20_000), 7_000);
        assert_eq!((wait.len(), wait[0].amount_ns), (1, Some(7_000)));
        assert!(told(Cause::RunQueue, 1, (9_501, 20_000), 7_000).is_empty(), "after it was taken");
        assert!(told(Cause::RunQueue, 3, (0, 20_000), 7_000).is_empty(), "another node");
        assert!(told(Cause::Preempted, 1, (0, 20_000), 3).is_empty(), "a count has no length");
    }

    #[test]
    fn a_loss_lasts_until_the_message_is_sent_again() {
        let again = told(Cause::Resent, 0, (8_000, 8_000), 1);
        assert_eq!((again[0].from_ns, again[0].to_ns), (1_100, 8_000));
        assert!(told(Cause::Resent, 1, (8_000, 8_000), 1).is_empty(), "its receiver did not send it");
    }
}
