//! The seven tables of a battle, of any text: what is taken can be made a model. And a message of
//! any bytes: what is read is written alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use models::stb88::{Scenario, Stb88Payload};
use models::{Stb88, Stb88Options};
use timewarp::{Model, Payload};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let mut parts = text.split('\0');
        if let Ok(scenario) = Scenario::read(std::array::from_fn(|_| parts.next().unwrap_or(""))) {
            let objects = scenario.objects().len();
            assert_eq!(Stb88::new(scenario, &Stb88Options::default()).objects() as usize, objects);
        }
    }
    if let Some(payload) = Stb88Payload::decode(bytes) {
        let mut again = Vec::new();
        payload.encode(&mut again);
        assert_eq!(again, bytes);
    }
});
