//! Packets: steps of equal height at equal distances.

use crate::analysis::{Knee, Packets};

/// Steps that make a rule.
const STEPS_LEAST: usize = 3;
/// Steps of one rule differ by no more than this factor from the middle one.
const ALIKE: f64 = 1.7;
/// Of the places where a step should be, this part must have one.
const PRESENT: f64 = 0.6;

/// A step with its number: it is where that many packets no longer suffice.
type Numbered<'a> = (f64, &'a Knee);

/// The packets that fit the knees best; `None` where fewer than three steps are at equal distances.
pub(super) fn packets(knees: &[Knee]) -> Option<Packets> {
    let steps: Vec<&Knee> =
        knees.iter().filter(|knee| knee.jumps() && knee.jump_ns.0 > 0.0).collect();
    let mut best: Option<(usize, Packets)> = None;
    for (at, first) in steps.iter().enumerate() {
        for second in &steps[at + 1..] {
            let rule = rule(&steps[at..], first, middle(second) - middle(first));
            if let Some(rule) = rule
                && best.as_ref().is_none_or(|(count, _)| rule.0 > *count)
            {
                best = Some(rule);
            }
        }
    }
    best.map(|(_, packets)| packets)
}

/// Where a knee is, about.
pub(super) fn middle(knee: &Knee) -> f64 {
    (knee.before_bytes + knee.after_bytes) as f64 / 2.0
}

/// The steps that lie at multiples of `distance` from the first, and what they say.
fn rule(steps: &[&Knee], first: &Knee, distance: f64) -> Option<(usize, Packets)> {
    let height = first.jump_ns.0;
    let number = |knee: &Knee| ((middle(knee) - middle(first)) / distance).round();
    let fits = |knee: &Knee| {
        let slack = (width(knee) + width(first)) / 2.0 + 2.0;
        let ratio = knee.jump_ns.0 / height;
        (middle(knee) - middle(first) - number(knee) * distance).abs()
            <= slack * (1.0 + number(knee))
            && (1.0 / ALIKE..ALIKE).contains(&ratio)
    };
    let matching: Vec<Numbered> =
        steps.iter().filter(|knee| fits(knee)).map(|knee| (number(knee), *knee)).collect();
    let places = matching.last()?.0 + 1.0;
    let distinct = matching.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let enough = matching.len() >= STEPS_LEAST && matching.len() as f64 >= PRESENT * places;
    if !distinct || !enough || !steps_alone(steps, &matching) {
        return None;
    }
    let (low, high) = payload(&matching)?;
    let best = distance_of(&matching).clamp(low, high);
    // The first step is where one packet no longer suffices, or two, …: as many as its size holds.
    let packets = (middle(first) / best).round().max(1.0);
    let header = matching.iter().map(|(n, knee)| (packets + n) * best - middle(knee)).sum::<f64>();
    let step_ns =
        matching.iter().map(|(_, knee)| knee.jump_ns.0).sum::<f64>() / matching.len() as f64;
    let packets = Packets {
        payload_bytes: best,
        payload_interval: (low, high),
        header_bytes: (header / matching.len() as f64).max(0.0),
        step_ns,
        steps: matching.len() as u32,
    };
    Some((matching.len(), packets))
}

/// Whether the steps between the first and the last of a rule are mostly its own.
fn steps_alone(steps: &[&Knee], matching: &[Numbered]) -> bool {
    let Some((_, last)) = matching.last() else { return false };
    let between = steps.iter().filter(|knee| knee.after_bytes <= last.after_bytes).count();
    matching.len() * 2 > between
}

fn width(knee: &Knee) -> f64 {
    (knee.after_bytes - knee.before_bytes) as f64
}

/// The payloads that all brackets bear: between any two steps lie whole packets.
fn payload(steps: &[Numbered]) -> Option<(f64, f64)> {
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    for (at, (n, knee)) in steps.iter().enumerate() {
        for (m, later) in &steps[at + 1..] {
            let packets = m - n;
            low = low.max((later.before_bytes as f64 - knee.after_bytes as f64) / packets);
            high = high.min((later.after_bytes as f64 - knee.before_bytes as f64) / packets);
        }
    }
    (low <= high).then_some((low, high))
}

/// Least squares through the middles of the brackets.
fn distance_of(steps: &[Numbered]) -> f64 {
    let count = steps.len() as f64;
    let mean = |get: &dyn Fn(&Numbered) -> f64| steps.iter().map(get).sum::<f64>() / count;
    let (n, x) = (mean(&|step| step.0), mean(&|step| middle(step.1)));
    let covariance = mean(&|step| (step.0 - n) * (middle(step.1) - x));
    covariance / mean(&|step| (step.0 - n).powi(2))
}
