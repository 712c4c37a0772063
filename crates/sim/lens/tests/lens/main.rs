//! Made-up simulations: what is found in them and said of them.

#[path = "../../../../core/report/tests/made/builder.rs"]
#[allow(dead_code, reason = "made for several tests")]
mod builder;
mod pages;
mod rows;
#[path = "../../../../core/report/tests/made/shown.rs"]
#[allow(dead_code, reason = "made for several tests")]
mod shown;
#[path = "../made/warp.rs"]
mod warp;
