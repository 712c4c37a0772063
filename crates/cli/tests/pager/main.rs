//! Paged programs and memory servers, through the command line.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod arithmetic;
#[path = "../common/mod.rs"]
mod common;
mod crash;
#[path = "../hosts/mod.rs"]
mod hosts;
mod paging;
mod parts;
mod places;
mod predict;
mod run;
mod serve;
mod service;
mod swap;
