//! The clocks of the ranks: exchanges become offsets, and how far two ranks' clocks may be apart.

use crate::ranks::Ranks;
use clock::{Exchange, Offset, best_offset};
use record::{Closing, NodeSheet};

/// Bounds of the error between the clocks of two ranks.
pub(crate) struct ClockErrors {
    /// Domain of each rank, by its place in the run's information.
    domain: Vec<usize>,
    /// ns, of each domain against the reference.
    error: Vec<i64>,
}

impl ClockErrors {
    /// As fitted.
    pub fn of(ranks: &Ranks, closing: &Closing) -> ClockErrors {
        let domains = &closing.info().domains;
        let place = |sheet: &NodeSheet| domains.iter().position(|domain| domain.id == sheet.domain);
        let domain = ranks
            .list
            .iter()
            .map(|rank| rank.as_ref().and_then(|rank| place(&rank.sheet)).unwrap_or(usize::MAX))
            .collect();
        let error =
            domains.iter().map(|domain| domain.error_ns.unwrap_or(0.0).ceil() as i64).collect();
        ClockErrors { domain, error }
    }

    /// The most that any two may be apart, ns.
    pub fn most(&self) -> i64 {
        2 * self.error.iter().copied().max().unwrap_or(0)
    }

    /// ns; none within a clock.
    #[inline]
    pub fn between(&self, one: u32, other: u32) -> i64 {
        let [one, other] = [one, other].map(|rank| self.domain[rank as usize]);
        if one == other {
            return 0;
        }
        [one, other].iter().filter_map(|domain| self.error.get(*domain)).sum()
    }
}

/// Turn the exchanges in the logs into offsets on the sheets of the ranks whose clock is not the
/// reference.
pub(crate) fn synchronise(ranks: &mut Ranks, closing: &mut Closing) {
    let Some(reference) = reference(ranks, closing) else { return };
    let mut notes = Vec::new();
    for at in 0..ranks.list.len() {
        let Some(rank) = &ranks.list[at] else { continue };
        for (other, exchanges) in rank.survey.exchanges.clone() {
            match offset(ranks, at, other as usize, &exchanges, &reference) {
                Ok((rank, offset)) => {
                    if let Some(rank) = &mut ranks.list[rank] {
                        rank.sheet.offsets.push(offset);
                    }
                }
                Err(what) => notes.push(format!("clocks of ranks {at} and {other}: {what}")),
            }
        }
    }
    closing.info_mut().notes.extend(notes);
}

/// The rank that the offset is for, and the offset as it sees it.
fn offset(
    ranks: &Ranks,
    began: usize,
    other: usize,
    exchanges: &[Exchange],
    reference: &str,
) -> Result<(usize, Offset), String> {
    let sheet = |at: usize| ranks.list.get(at).and_then(Option::as_ref).map(|rank| &rank.sheet);
    let (Some(here), Some(there)) = (sheet(began), sheet(other)) else {
        return Err("one of them left no sheet, so this exchange cannot be used".to_string());
    };
    let (local, remote) = (here.quality.calibration(), there.quality.calibration());
    let offset = best_offset(exchanges, local, remote).map_err(|error| error.to_string())?;
    match (here.domain == reference, there.domain == reference) {
        (false, true) => Ok((began, offset)),
        (true, false) => Ok((other, offset.reversed())),
        _ => Err("neither or both are the reference, so this exchange cannot be used".to_string()),
    }
}

/// The clock that the others are tied to, chosen as the fit chooses it: the one that the run names,
/// else the first true one of the machine that started it, else the first.
fn reference(ranks: &Ranks, closing: &Closing) -> Option<String> {
    let info = closing.info();
    if let Some(named) = info.domains.iter().find(|domain| domain.reference) {
        return Some(named.id.clone());
    }
    let sheets = || ranks.present().map(|(_, rank)| &rank.sheet);
    let home = sheets().find(|sheet| sheet.boot_id == info.origin.boot_id && !sheet.is_planted());
    home.or_else(|| sheets().next()).map(|sheet| sheet.domain.clone())
}
