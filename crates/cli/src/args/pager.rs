//! `fourstamp pager`.

mod arithmetic;
mod run;
mod serve;
mod study;
mod swap;

pub use arithmetic::ArithmeticArgs;
pub use run::RunArgs;
pub use serve::{PagerKeyArgs, PagerServeArgs, PagerServeOptions};
pub use study::{PagerStudyArgs, StudyAlternative};
pub use swap::PagerSwapArgs;

use clap::{Args, Subcommand};

/// `fourstamp pager`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct PagerArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PagerCommand,
}

/// What to do with paging.
#[derive(Subcommand)]
pub enum PagerCommand {
    /// Run a program with part of its memory on other machines
    Run(RunArgs),
    /// Lend memory to programs that page over the network
    Serve(PagerServeArgs),
    /// Make the key that lets programs use page servers
    Key(PagerKeyArgs),
    /// Compare a program in memory, under kernel swap and paged, with predictions
    Study(PagerStudyArgs),
    /// A completion time over more bandwidth, from typed-in numbers
    Arithmetic(ArithmeticArgs),
    /// A program under the kernel's swap, for comparison (root)
    #[command(hide = true)]
    Swap(PagerSwapArgs),
}
