//! `fourstamp trace`: programs that talk over sockets.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod compiled;
mod followed;
mod forking;
mod frames;
mod gone;
mod guess;
mod handed;
mod hosts;
mod inherited;
mod link;
mod messages;
mod pipes;
mod predicted;
mod programs;
mod unseen;
mod waits;
