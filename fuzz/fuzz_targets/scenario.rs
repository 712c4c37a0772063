//! The two tables of a game of pucks, of any text: what is taken is written as tables that give the
//! same scenario.
#![no_main]

use libfuzzer_sys::fuzz_target;
use models::pucks::Scenario;
use models::warpnet::Table;

fuzz_target!(|text: &str| {
    let (objects, messages) = text.split_once('\0').unwrap_or((text, ""));
    if let Ok(scenario) = read(objects, messages) {
        let [(_, objects), (_, messages)] = scenario.write();
        assert_eq!(read(&objects, &messages).expect("what was written can be read"), scenario);
    }
});

fn read(objects: &str, messages: &str) -> Result<Scenario, models::ModelError> {
    let table = |file, text| Table { file, text };
    Scenario::read(table("objects", objects), table("messages", messages))
}
