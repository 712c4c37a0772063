//! From anchors and synchronisations to one clock model for each domain.
//!
//! Nodes of one domain read the same clock, so they share one model, fitted to the anchors of all
//! of them: between them the model's error cancels exactly. Nothing here fails: a clock that cannot
//! be fitted as it should be is fitted by less, and the notes say so, because a record with a
//! doubtful clock is worth more than none.

use crate::clock_log::add_new;
use crate::{Domain, NodeSheet, Origin, RunInfo};
use clock::{Anchor, Clock, Model, ModelError, Source};

/// The domains of a run, and what a reader should know about them.
pub(crate) struct Domains {
    pub domains: Vec<Domain>,
    pub notes: Vec<String>,
}

/// Fit every domain that a sheet names. `boot_id` is this machine's. `logged` are anchors that the
/// nodes of domains wrote down on their way.
pub(crate) fn fit(
    info: &RunInfo,
    sheets: &[NodeSheet],
    logged: &[(String, Vec<Anchor>)],
    boot_id: &str,
) -> Domains {
    let mut domains = gather(info, sheets);
    for (id, anchors) in logged {
        if let Some(domain) = domains.iter_mut().find(|domain| domain.id == *id) {
            add_new(&mut domain.anchors, anchors);
        }
    }
    let mut notes = Vec::new();
    let reference = reference(&domains, &info.origin);
    // The reference first: others may go through it.
    let mut order: Vec<usize> = (0..domains.len()).collect();
    order.sort_by_key(|at| Some(*at) != reference);
    let mut reference_model = None;
    for at in order {
        let domain = &mut domains[at];
        domain.reference = Some(at) == reference;
        let quality =
            sheets.iter().find(|sheet| sheet.domain == domain.id).map(|sheet| sheet.quality);
        if domain.source == Source::Simulated {
            keep(domain, Model::of_simulated(), true, &mut notes);
            continue;
        }
        let Some(quality) = quality else {
            // The coordinator's clock may be no node's; the others are tied to it all the same.
            if domain.reference {
                domain.model = Model::fit(&domain.anchors, info.origin.monotonic_raw_ns).ok();
                domain.error_ns = domain.model.as_ref().map(Model::max_error_ns);
                reference_model = domain.model.clone();
            }
            continue;
        };
        let origin = Zero::of(&info.origin, domain);
        let fitted = match &reference_model {
            Some(model) if !domain.offsets.is_empty() => {
                Model::through(&domain.offsets, &domain.anchors, quality.calibration(), model)
            }
            _ => {
                if !origin.certain {
                    notes.push(format!(
                        "clock {}: never synchronised with the run's other clocks; its stamps are \
                        placed by the machines' wall clocks, and their error is unknown",
                        domain.id
                    ));
                }
                by_anchors(domain, quality.calibration(), origin.monotonic_raw_ns, boot_id)
            }
        };
        match fitted {
            Ok(model) => keep(domain, model, origin.certain, &mut notes),
            Err(error) => {
                notes.push(format!("clock {}: {error}; its stamps are missing", domain.id))
            }
        }
        if domain.reference {
            reference_model = domain.model.clone();
        }
    }
    Domains { domains, notes }
}

fn keep(domain: &mut Domain, model: Model, certain: bool, notes: &mut Vec<String>) {
    if model.realtime_stepped() {
        notes.push(format!(
            "clock {}: the wall clock was set during the run; kernel stamps may be wrong",
            domain.id
        ));
    }
    let known = certain || !domain.offsets.is_empty();
    domain.error_ns = known.then(|| model.max_error_ns());
    domain.model = Some(model);
}

/// All anchors and offsets, by domain: the sheets', and what the coordinator has put into the run's
/// information.
fn gather(info: &RunInfo, sheets: &[NodeSheet]) -> Vec<Domain> {
    let mut domains: Vec<Domain> = info.domains.clone();
    for domain in &mut domains {
        (domain.model, domain.error_ns, domain.kernel_error_ns) = (None, None, None);
    }
    for sheet in sheets {
        let at = domains.iter().position(|domain| domain.id == sheet.domain).unwrap_or_else(|| {
            domains.push(Domain::new(&sheet.domain, sheet.source));
            domains.len() - 1
        });
        add_new(&mut domains[at].anchors, &sheet.anchors);
        add_new(&mut domains[at].offsets, &sheet.offsets);
    }
    domains
}

/// The domain that the run's coordinator named; else the first true clock of the machine that
/// started the run.
fn reference(domains: &[Domain], origin: &Origin) -> Option<usize> {
    let named = domains.iter().position(|domain| domain.reference);
    let home =
        || domains.iter().position(|domain| is_of(domain, &origin.boot_id) && !is_planted(domain));
    named.or_else(home).or(if domains.is_empty() { None } else { Some(0) })
}

fn is_of(domain: &Domain, boot_id: &str) -> bool {
    domain.id.split('/').next() == Some(boot_id)
}

fn is_planted(domain: &Domain) -> bool {
    domain.id.contains("/planted-")
}

/// The timeline's zero on the `CLOCK_MONOTONIC_RAW` of a domain's machine.
struct Zero {
    monotonic_raw_ns: i64,
    /// Whether it is the same clock that the run's origin was read on.
    certain: bool,
}

impl Zero {
    fn of(origin: &Origin, domain: &Domain) -> Zero {
        match domain.anchors.first() {
            Some(anchor) if !is_of(domain, &origin.boot_id) => {
                let since_zero_ns = anchor.realtime_ns.wrapping_sub(origin.realtime_ns);
                let monotonic_raw_ns = anchor.monotonic_raw_ns.wrapping_sub(since_zero_ns);
                // The reference itself is where the other clocks are tied to, whatever its zero.
                Zero { monotonic_raw_ns, certain: domain.reference }
            }
            _ => Zero { monotonic_raw_ns: origin.monotonic_raw_ns, certain: true },
        }
    }
}

/// A clock by its anchors. A node that was killed left one: the machine's clock as it is now gives
/// another, and where that is gone, the rate measured at the node's start has to do.
fn by_anchors(
    domain: &mut Domain,
    calibration: clock::Calibration,
    zero: i64,
    boot_id: &str,
) -> Result<Model, ModelError> {
    let fitted = Model::fit(&domain.anchors, zero);
    if !matches!(fitted, Err(ModelError::TooShort { .. })) {
        return fitted;
    }
    if is_of(domain, boot_id)
        && !is_planted(domain)
        && let Some(now) = clock_here(domain.source).map(|clock| clock.anchor())
    {
        domain.anchors.push(now);
        let again = Model::fit(&domain.anchors, zero);
        if again.is_ok() {
            return again;
        }
    }
    let first = domain.anchors.first().ok_or(ModelError::NoAnchor)?;
    Model::from_rate(first, calibration, zero)
}

/// This machine's clock of that source, if it has it.
pub(crate) fn clock_here(source: Source) -> Option<Clock> {
    [Clock::best(), Clock::system()].into_iter().find(|clock| clock.source() == source)
}
