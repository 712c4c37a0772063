//! What the story of a message begins with: the exchange that it is part of.

use crate::stretches::{in_words, known};
use document::time;
use record::RecordError;
use report::ProductStory;
use stats::story::Row;
use std::path::Path;
use streams::exchanges::{self, Exchange};

/// Of a message of the run at `run`.
///
/// # Errors
/// When a table is damaged.
pub fn tell(run: &Path, message: &Row) -> Result<ProductStory, RecordError> {
    let name = (message.src, message.seq);
    let as_request = exchanges::find(run, message.dst, name)?.filter(|one| asks(one, message));
    let found = match as_request {
        Some(exchange) => Some((exchange, true)),
        None => exchanges::find(run, message.src, name)?.map(|one| (one, asks(&one, message))),
    };
    let sentences = found.and_then(|(exchange, asks)| sentence(&exchange, asks));
    Ok(ProductStory { sentences: sentences.into_iter().collect(), ..Default::default() })
}

fn asks(exchange: &Exchange, message: &Row) -> bool {
    let Exchange { request, .. } = exchange;
    (request.src, request.seq) == (i64::from(message.src), message.seq as i64)
}

fn sentence(exchange: &Exchange, asks: bool) -> Option<String> {
    let (request, answer) = (&exchange.request, &exchange.answer);
    let (leg, what) = match asks {
        true => {
            (request, format!("a request, which message 0:{}:{} answered", answer.src, answer.seq))
        }
        false => (answer, format!("the answer to message 0:{}:{}", request.src, request.seq)),
    };
    let part = match leg.messages {
        1 => String::new(),
        several => format!("the last of {several} messages of "),
    };
    let whole = exchange.whole().filter(|whole| *whole > 0)?;
    let shares = known(exchange).map(|ns| ns.unwrap_or(0) as f64 / whole as f64);
    Some(format!(
        "It was {part}{what}. From request to answer it took {}: {}.",
        time(whole as f64),
        in_words(&shares)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::NULL;
    use streams::exchanges::Leg;

    fn leg(src: i64, ready_ns: i64, messages: i64) -> Leg {
        let (sent_ns, arrived_ns, taken_ns) = (ready_ns, ready_ns + 10, ready_ns + 1000);
        let (seq, bytes, writing_ns, arrived_error_ns) = (7, 1, 0, NULL);
        Leg {
            src,
            seq,
            messages,
            bytes,
            ready_ns,
            writing_ns,
            sent_ns,
            arrived_ns,
            arrived_error_ns,
            taken_ns,
        }
    }

    #[test]
    fn a_request_and_an_answer_say_what_they_were_and_where_the_time_went() {
        let exchange = Exchange { request: leg(1, 0, 1), answer: leg(0, 10_000, 3) };
        let said = sentence(&exchange, true).unwrap();
        assert!(said.starts_with("It was a request, which message 0:0:7 answered. "), "{said}");
        assert!(
            said.contains("it took 11.0\u{a0}µs: for 82\u{a0}% of it the answerer had"),
            "{said}"
        );
        let said = sentence(&exchange, false).unwrap();
        assert!(said.starts_with("It was the last of 3 messages of the answer to message 0:1:7."));
    }

    #[test]
    fn where_only_the_asker_is_known_the_rest_is_not_left_out() {
        let request = Leg { arrived_ns: NULL, taken_ns: NULL, ..leg(1, 0, 1) };
        let answer = Leg { ready_ns: NULL, sent_ns: NULL, ..leg(0, 10_000, 1) };
        let said = sentence(&Exchange { request, answer }, true).unwrap();
        assert!(said.contains("for 91\u{a0}% of it the network or the answerer had it"), "{said}");
    }
}
