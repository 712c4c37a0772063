//! What the story of a message begins with: the exchange that it is part of.

use crate::stretches::in_words;
use document::time;
use record::RecordError;
use report::ProductStory;
use stats::story::Row;
use std::path::Path;
use streams::exchanges::{self, Exchange, STRETCHES};

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
    let which = match asks {
        true => format!("a request, which message 0:{}:{} answered", answer.src, answer.seq),
        false => format!("the answer to message 0:{}:{}", request.src, request.seq),
    };
    let whole = exchange.whole().filter(|whole| *whole > 0)?;
    let shares = exchange.stretches().map(|ns| ns.unwrap_or(0) as f64 / whole as f64);
    let shares: [f64; STRETCHES] = shares;
    Some(format!(
        "It was {which}. From request to answer it took {}: {}.",
        time(whole as f64),
        in_words(&shares)
    ))
}
