//! What must hold while a battle goes on, checked after every event of a division.

use super::Name;
use super::Posture;
use super::division::{DivisionState, Stock};
use super::scenario::Scenario;

/// How far the sum of what works and what should may stray, of rounding alone.
const ROUNDING: f64 = 1e-6;

/// What a division was before an event.
pub(super) struct Before {
    posture: Posture,
    strength: f64,
    key: i32,
    y: f64,
    stocks: [Stock; 7],
}

impl Before {
    pub fn division(state: &DivisionState) -> Before {
        let DivisionState { posture, strength, key, stocks, .. } = *state;
        Before { posture, strength, key, y: state.place.at[1], stocks }
    }

    /// What does not hold after the event, if anything.
    pub fn flaw(&self, scenario: &Scenario, name: Name, now: &DivisionState) -> Option<String> {
        let whole = |stock: &Stock| stock.operational + stock.authorised;
        let kept = self
            .stocks
            .iter()
            .zip(&now.stocks)
            .all(|(a, b)| (whole(a) - whole(b)).abs() <= ROUNDING);
        let knows = |enemy: Name| now.intel.find(|known| known.unit == enemy).is_some();
        let on_board = (0.0..=scenario.width()).contains(&now.place.at[0]);
        let deployed = self.y != 0.0;
        let [vx, vy] = now.place.speed;
        let rules = [
            (now.stocks.iter().all(|stock| stock.operational > 0.0), "a system is used up"),
            (kept, "what works and what should do not sum to what they did"),
            (now.strength <= self.strength, "its strength has grown"),
            (now.strength <= now.full, "its strength is more than its full strength"),
            (follows(self.posture, now.posture) || !deployed, "its posture has gone backwards"),
            (!deployed || now.place.at[1] == self.y, "it has left its y"),
            (vy == 0.0, "it moves north or south"),
            (on_board, "it has left the board"),
            (now.front_offset == 5.0, "its front has moved against its centre"),
            (now.battles.len() == 0 || vx == 0.0, "it moves in battle"),
            (
                now.battles.iter().all(|battle| knows(battle.enemy)),
                "it fights whom it does not know",
            ),
            (now.key >= self.key, "its movements' key has gone backwards"),
        ];
        let flaw = rules.iter().find(|(holds, _)| !holds)?.1;
        Some(format!("{name}: {flaw}"))
    }
}

/// From attack to defence to giving way, and no further.
fn follows(before: Posture, after: Posture) -> bool {
    after != Posture::Destroyed && after as u8 >= before as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stb88::{Scenario, Side};

    #[test]
    fn every_rule_can_be_broken() {
        let scenario = Scenario::generate(&Default::default()).unwrap();
        let name = Name::parse("blue_div1/1").unwrap();
        let mut good = DivisionState::new(&scenario, Side::Blue);
        good.place.at = [90.0, 53.0];
        let broken = |change: &dyn Fn(&mut DivisionState)| {
            let mut state = good.clone();
            change(&mut state);
            Before::division(&good).flaw(&scenario, name, &state).unwrap_or_default()
        };
        assert_eq!(broken(&|_| ()), "");
        assert!(broken(&|state| state.stocks[2].operational = 0.0).contains("used up"));
        assert!(broken(&|state| state.stocks[6].authorised += 1.0).contains("sum"));
        assert!(broken(&|state| state.strength += 1.0).contains("grown"));
        assert!(broken(&|state| state.full = 1.0).contains("full"));
        assert!(broken(&|state| state.posture = Posture::Destroyed).contains("posture"));
        assert!(broken(&|state| state.place.at[1] += 1.0).contains("left its y"));
        assert!(broken(&|state| state.place.speed[1] = 1.0).contains("north"));
        assert!(broken(&|state| state.place.at[0] = 401.0).contains("board"));
        assert!(broken(&|state| state.front_offset = 4.0).contains("front"));
        assert!(
            broken(&|state| assert!(state.battles.add(Default::default()).is_some()))
                .contains("does not know")
        );
        assert!(broken(&|state| state.key = -1).contains("key"));
        let moving = |state: &mut DivisionState| {
            state.battles.add(Default::default());
            state.place.speed[0] = 2.0;
        };
        assert!(broken(&moving).contains("moves in battle"));
    }
}
