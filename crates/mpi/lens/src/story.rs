//! What the story of a message begins with: which call was blocked for it, for how long, and for
//! whom.

use crate::blocked_calls::blocked_for;
use crate::found::Wait;
use crate::{BlockedCall, CallTables, LensError, function_name};
use calls::table::CallColumn;
use document::{counted, time};
use mpi_facts::Blocking;
use record::NULL;
use report::ProductStory;
use stats::story::Row;
use std::collections::BTreeMap;

/// What is needed to tell it.
pub(crate) struct Teller<'a> {
    pub tables: &'a CallTables,
    pub sites: &'a BTreeMap<i64, String>,
    pub blocking: Option<&'a Blocking>,
}

/// A call that was blocked for the message.
#[derive(serde::Serialize)]
struct BlockedFor {
    /// Who was blocked.
    rank: u32,
    /// For whom.
    by: u32,
    cause: Wait,
    blocked_ns: i64,
    from_ns: i64,
    until_ns: i64,
    /// The function, where its table of calls has it.
    call: Option<String>,
    /// When the call was left.
    left_ns: Option<i64>,
    /// Where the call was made.
    at: Option<String>,
    /// Where the rank that was waited for sent it, or posted its receive.
    other_at: Option<String>,
}

impl Teller<'_> {
    /// Of one message.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn tell(&self, message: &Row) -> Result<ProductStory, LensError> {
        if !self.tables.has_waits() {
            let said = "Who was blocked for this message is not known: an earlier version closed \
                its run.";
            return Ok(ProductStory { sentences: vec![said.to_owned()], ..Default::default() });
        }
        let blocked = self.blocked_for(message)?;
        let mut sentences: Vec<String> = blocked.iter().flat_map(BlockedFor::sentences).collect();
        let unknown = self.blocking.map_or(0, |blocking| blocking.unknown_sends);
        if blocked.is_empty() {
            sentences.push(nobody(unknown));
        }
        if unknown > 0 && !blocked.iter().any(|call| call.cause == Wait::LateReceiver) {
            sentences.push(format!(
                "Of {} in this run it is not known whether they were blocked; this message may be \
                one of them.",
                counted(unknown, "send")
            ));
        }
        let figures = serde_json::json!({ "blocked": blocked });
        Ok(ProductStory { sentences, figures })
    }

    /// The calls at both its ends that were blocked for it, the receiver's first.
    fn blocked_for(&self, message: &Row) -> Result<Vec<BlockedFor>, LensError> {
        let mut found = Vec::new();
        for rank in [message.dst, message.src] {
            let Some((_, path)) = self.tables.waits().find(|(of, _)| *of == rank) else { continue };
            let Ok(seq) = i64::try_from(message.seq) else { continue };
            blocked_for(rank, path, seq, |call| {
                if is_for(call, message) {
                    found.push(*call);
                }
            })?;
        }
        found.dedup();
        found.iter().map(|call| self.told(call)).collect()
    }

    fn told(&self, call: &BlockedCall) -> Result<BlockedFor, LensError> {
        let columns = [CallColumn::Call, CallColumn::Exit, CallColumn::Site];
        let row = self.tables.row_of(call.rank, call.call, &columns)?;
        let value = |at: usize| row.get(at).copied().filter(|value| *value != NULL);
        let place = |site: Option<i64>| site.and_then(|site| self.sites.get(&site)).cloned();
        Ok(BlockedFor {
            rank: call.rank,
            by: call.by,
            cause: call.wait(),
            blocked_ns: call.ns(),
            from_ns: call.from_ns,
            until_ns: call.until_ns,
            call: value(0).map(function_name),
            left_ns: value(1),
            at: place(value(2).filter(|site| *site != 0)),
            other_at: place(call.sites[1]),
        })
    }
}

/// Said where no account has the message; why, only where none is open.
fn nobody(unknown: u64) -> String {
    let why = match unknown {
        0 => {
            ": no call waited for its sender, nor for its receive to be posted, or it waited \
             longer for another"
        }
        _ => "",
    };
    format!("No blocked time counts for this message{why}.")
}

/// Whether the call was blocked for this message.
fn is_for(call: &BlockedCall, message: &Row) -> bool {
    let named = call.seq.is_some_and(|seq| u64::try_from(seq) == Ok(message.seq));
    call.cause.is_of_a_message() && named && call.way() == (message.src, message.dst)
}

impl BlockedFor {
    fn sentences(&self) -> Vec<String> {
        let did = match self.cause {
            Wait::LateSender => "had not sent it yet",
            _ => "had not posted its receive yet",
        };
        let at = |place: &Option<String>| {
            place.as_ref().map_or_else(String::new, |place| format!(" at {place}"))
        };
        let call = self.call.as_deref().unwrap_or("a call");
        let mut all = vec![format!(
            "Rank {} was blocked {} for this message in {call}{}, because rank {} {did}.",
            self.rank,
            time(self.blocked_ns as f64),
            at(&self.at),
            self.by
        )];
        let what = if self.cause == Wait::LateSender { "sent it" } else { "posted its receive" };
        let then = format!("Rank {} {what} then{}", self.by, at(&self.other_at));
        match self.left_ns.map_or(0, |left| left.saturating_sub(self.until_ns)) {
            rest if rest > 0 => {
                all.push(format!("{then}; the call lasted {} more.", time(rest as f64)));
            }
            _ => all.push(format!("{then}.")),
        }
        all
    }
}
