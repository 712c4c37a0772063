//! Holm's correction: several questions at once, and still no more than the stated chance of any
//! false answer.

/// The corrected chance of each (Holm 1979): comparing it with the level answers all questions
/// together. In the given order.
pub(crate) fn corrected(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut corrected = vec![1.0; chances.len()];
    let mut largest = 0.0_f64;
    for (place, at) in order.into_iter().enumerate() {
        largest = largest.max(chances[at] * (chances.len() - place) as f64).min(1.0);
        corrected[at] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_holm_has_it() {
        let found = corrected(&[0.01, 0.04, 0.03, 0.005]);
        let truth = [0.03, 0.06, 0.06, 0.02];
        assert!(found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(corrected(&[]), Vec::<f64>::new());
        assert_eq!(corrected(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
