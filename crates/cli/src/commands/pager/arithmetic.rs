//! `fourstamp pager arithmetic`: document 004's prediction with numbers of one's own.

use crate::args::ArithmeticArgs;
use anyhow::{Error, Result, bail};
use pager_lens::Typed;

/// Reckon and show.
pub fn run(args: &ArithmeticArgs) -> Result<()> {
    if args.page == 0 {
        bail!("--page must be above 0");
    }
    let typed = Typed {
        elapsed_s: args.etime,
        user_s: args.utime,
        system_s: args.systime,
        init_s: args.inittime,
        page_outs: args.pageouts,
        page_ins: args.pageins,
        servers: args.servers,
        protocol_s: args.pptime.as_secs_f64(),
        page_bytes: args.page as u64,
        rate_bits: args.rate,
        factor: args.bandwidth,
    };
    typed.check().map_err(Error::msg)?;
    args.show.show(&typed.document(), "arithmetic")
}
