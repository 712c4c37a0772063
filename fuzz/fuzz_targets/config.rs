//! A configuration file of any text, which may include itself or a second one: commands and a job,
//! or an error with a place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{Error, ErrorKind};
use std::path::Path;
use warp::config::ConfigFile;
use warp::{Job, ModelSpec};

fuzz_target!(|text: &str| {
    let (main, second) = text.split_once('\0').unwrap_or((text, ""));
    let mut open = |path: &Path| match path.to_str() {
        Some("a") => Ok(main.to_string()),
        Some("b") => Ok(second.to_string()),
        _ => Err(Error::new(ErrorKind::NotFound, "there is none")),
    };
    let Ok(config) = ConfigFile::read_with(Path::new("a"), &mut open) else { return };
    let mut job = Job::new(ModelSpec::of(&models::PingOptions::default()));
    if config.settle(&[], &mut job).is_ok() {
        let model = job.model.make().expect("ping can be made");
        let _ = config.agree(model.objects(), &mut job);
    }
});
