//! The two tables of a network, of any text: what is taken is written as tables that give the same
//! network.
#![no_main]

use libfuzzer_sys::fuzz_target;
use models::Network;
use models::warpnet::Table;

fuzz_target!(|text: &str| {
    let (nodes, lines) = text.split_once('\0').unwrap_or((text, ""));
    if let Ok(network) = read(nodes, lines) {
        let [(_, nodes), (_, lines)] = network.write();
        let again = read(&nodes, &lines).expect("what was written can be read");
        assert_eq!(again.rows(), network.rows());
    }
});

fn read(nodes: &str, lines: &str) -> Result<Network, models::ModelError> {
    Network::read(Table { file: "nodes", text: nodes }, Table { file: "lines", text: lines })
}
