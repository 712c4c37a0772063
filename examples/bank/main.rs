//! The bank as a program with all that `fourstamp warp` can do.
//!
//!     cargo build --release --package fourstamp-examples --example bank
//!     bank=target/release/examples/bank
//!     $bank --branches 6 --check                  two threads, then in order
//!     $bank --nodes 3 --transport tcp --out r     a process a node, every message recorded
//!     $bank report r                              where the messages' time went
//!     $bank --on mark3 --nodes 8                  a machine of 1988, simulated
//!     $bank study --nodes 1,2                     speed-up
//!     $bank --help

#![forbid(unsafe_code)]

mod model;

use fourstamp::models::argument::{Argument, Parameter};
use fourstamp::models::{ModelError, Read, Recipe};
use model::Bank;
use serde::{Deserialize, Serialize};
use std::process::ExitCode;

/// The bank's parameters: a run's record keeps them, and they travel to its nodes.
#[derive(Debug, Serialize, Deserialize)]
struct Branches {
    branches: u32,
    seed: u64,
}

impl Default for Branches {
    fn default() -> Branches {
        Branches { branches: 6, seed: 1 }
    }
}

impl Recipe for Branches {
    type Model = Bank;

    const NAME: &'static str = "bank";
    const ABOUT: &'static str = "Branches of a bank, in which customers go from desk to desk";
    // Customers would come for ever.
    const CUTOFF: Option<f64> = Some(20_000.0);
    const PARAMETERS: &'static [Parameter<Branches>] = &[
        Parameter {
            argument: Argument::count("branches", "Branches of the bank", "6"),
            set: |bank, value| bank.branches = value.whole(),
        },
        Parameter {
            argument: Argument::seed("Seed of every random number"),
            set: |bank, value| bank.seed = value.seed(),
        },
    ];

    fn make(&self, _: &Read<'_>) -> Result<Bank, ModelError> {
        let Branches { branches, seed } = *self;
        if branches == 0 || branches > 1_000_000 {
            return Err(ModelError::parameter("branches", branches, "give 1 to 1000000"));
        }
        Ok(Bank { branches, seed })
    }
}

fn main() -> ExitCode {
    fourstamp::warp::main::<Branches>()
}
