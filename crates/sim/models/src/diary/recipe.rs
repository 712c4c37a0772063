//! What is to be known of the diary to offer it.

use super::{Diary, DiaryOptions};
use crate::ModelError;
use crate::argument::{Argument, Parameter};
use crate::recipe::{Read, Recipe};

impl Recipe for DiaryOptions {
    type Model = Diary;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = "A message that waits while its receiver's messages are \
    cancelled: an example for `fourstamp story`";
    const PARAMETERS: &'static [Parameter<DiaryOptions>] = &[
        Parameter {
            argument: Argument::count(
                "days",
                "Days that the diary runs ahead before it is called off",
                "64",
            )
            .named("DAYS"),
            set: |diary, value| diary.days = value.whole(),
        },
        Parameter {
            argument: Argument::count("notes", "Notes that the caller sends it afterwards", "1")
                .named("NOTES"),
            set: |diary, value| diary.notes = value.whole(),
        },
        Parameter {
            argument: Argument::work(
                "Work to write a page, and to take it back, µs on this machine",
                "6000",
            ),
            set: |diary, value| diary.work_steps = value.whole(),
        },
        Parameter {
            argument: Argument::work_steps(""),
            set: |diary, value| diary.work_steps = value.whole(),
        },
    ];

    fn make(&self, _: &Read<'_>) -> Result<Diary, ModelError> {
        Diary::new(self)
    }

    fn work_steps(&self) -> Option<u32> {
        Some(self.work_steps)
    }
}
