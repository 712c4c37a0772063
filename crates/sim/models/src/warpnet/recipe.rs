//! What is to be known of warpnet to offer it.

use super::{GeneratorOptions, LINES_FILE, NODES_FILE, Network, Table, Warpnet, WarpnetOptions};
use crate::ModelError;
use crate::argument::{Argument, Parameter};
use crate::recipe::{Read, Recipe};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A network and what happens on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarpnetSpec {
    /// Which network.
    pub network: NetworkSource,
    /// What happens on it.
    pub options: WarpnetOptions,
}

/// Where a network comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkSource {
    /// The two tables in this folder. Every node reads them.
    Files(PathBuf),
    /// Drawn from a seed.
    Generated(GeneratorOptions),
}

impl Default for NetworkSource {
    fn default() -> NetworkSource {
        NetworkSource::Generated(GeneratorOptions::default())
    }
}

impl WarpnetSpec {
    /// Which network is drawn, if one is.
    fn draw(&mut self, change: impl FnOnce(&mut GeneratorOptions)) {
        if let NetworkSource::Generated(options) = &mut self.network {
            change(options);
        }
    }
}

impl Recipe for WarpnetSpec {
    type Model = Warpnet;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = "A packet-switched network in which each node has its own, \
    possibly outdated, picture of it";
    const PARAMETERS: &'static [Parameter<WarpnetSpec>] = &[
        Parameter {
            argument: Argument::data(
                "Folder with warpnet_nodes.csv and warpnet_lines.csv",
                "a network drawn from the seed",
            ),
            set: |warpnet, value| warpnet.network = NetworkSource::Files(value.path().into()),
        },
        Parameter {
            argument: Argument::count(
                "packets-per-node",
                "Packets that each network node creates",
                "12",
            ),
            set: |warpnet, value| warpnet.options.packets_per_node = value.whole(),
        },
        Parameter {
            argument: Argument::count(
                "update-nodes",
                "Network nodes that an update describes",
                "40",
            ),
            set: |warpnet, value| warpnet.options.update_nodes = value.whole(),
        },
        Parameter {
            argument: Argument::count("network-nodes", "Size of the network drawn", "137")
                .instead_of(&["data"]),
            set: |warpnet, value| warpnet.draw(|network| network.nodes = value.whole()),
        },
        Parameter {
            argument: Argument::seed("Seed of the network drawn").instead_of(&["data"]),
            set: |warpnet, value| warpnet.draw(|network| network.seed = value.seed()),
        },
    ];

    fn make(&self, read: &Read<'_>) -> Result<Warpnet, ModelError> {
        let network = match &self.network {
            NetworkSource::Generated(options) => Network::generate(options)?,
            NetworkSource::Files(folder) => {
                let what = format!("{NODES_FILE} and {LINES_FILE}");
                let nodes = read(folder, NODES_FILE, &what)?;
                let lines = read(folder, LINES_FILE, &what)?;
                let table = |file, text| Table { file, text };
                Network::read(table(NODES_FILE, &nodes), table(LINES_FILE, &lines))?
            }
        };
        Warpnet::new(network, &self.options)
    }
}
