//! The arguments of `fourstamp pager swap`.

use crate::args::quantity;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fourstamp pager swap`: what paging is compared with.
#[derive(Args)]
pub struct PagerSwapArgs {
    /// Memory for the program
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub local: usize,
    /// Size of the swap file
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = quantity::bytes)]
    pub room: usize,
    /// Folder for the swap file, on a local disk
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    pub disk: PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM …")]
    pub program: Vec<OsString>,
}
