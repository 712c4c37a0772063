//! Whether a file is about the model: its objects, its configuration's messages; and where objects
//! go.

use super::{Command, ConfigError, ConfigFile, Located, Place, Remarks};
use crate::objects::Told;
use crate::{Job, Objects};
use std::collections::HashMap;
use timewarp::ObjectId;

/// What the engine has instead of the object of that name.
const OUTPUT: &str = "stdout";

impl ConfigFile {
    /// Compare the file with the model, and place objects as the file says. Returns what is to be
    /// said of it.
    ///
    /// # Errors
    /// The first name or message of the file that is none of the model's.
    pub fn agree(&self, model: &dyn Objects, job: &mut Job) -> Result<Vec<String>, ConfigError> {
        let mut agreement = Agreement::new(model, job);
        if self
            .commands
            .iter()
            .any(|it| matches!(it.command, Command::Obcreate { .. } | Command::Tell { .. }))
        {
            agreement.names = (0..model.count())
                .map(|object| (model.name_of(ObjectId(object)), object))
                .collect();
        }
        for located in &self.commands {
            agreement.take(located)?;
        }
        agreement.finish();
        Ok(agreement.remarks.lines)
    }
}

struct Agreement<'a> {
    model: &'a dyn Objects,
    job: &'a mut Job,
    names: HashMap<String, u32>,
    /// Messages of the model that the file has not told yet, by receiver.
    untold: HashMap<u32, Vec<Told>>,
    tells: usize,
    told: Option<Place>,
    placed: HashMap<u32, u32>,
    created: Option<Place>,
    remarks: Remarks,
}

impl<'a> Agreement<'a> {
    fn new(model: &'a dyn Objects, job: &'a mut Job) -> Self {
        let (mut untold, mut tells) = (HashMap::<u32, Vec<Told>>::new(), 0);
        for tell in model.told() {
            untold.entry(tell.receiver.0).or_default().push(tell);
            tells += 1;
        }
        Agreement {
            model,
            job,
            names: HashMap::new(),
            untold,
            tells,
            told: None,
            placed: HashMap::new(),
            created: None,
            remarks: Remarks::default(),
        }
    }

    fn take(&mut self, located: &Located) -> Result<(), ConfigError> {
        let Located { command, place } = located;
        match command {
            Command::Obcreate { name, kind, node } if !name.eq_ignore_ascii_case(OUTPUT) => {
                self.create(name, kind, *node, place)
            }
            Command::Tell { receiver, time, selector, text } => {
                self.tell(receiver, (*time, *selector, text), place)
            }
            _ => Ok(()),
        }
    }

    fn object(&self, name: &str, place: &Place) -> Result<u32, ConfigError> {
        self.names.get(name).copied().ok_or_else(|| {
            let model = &self.job.model.name;
            let first = self.model.name_of(ObjectId(0));
            place.error(format!(
                "'{name}' is not an object of this {model}, whose first is '{first}': is the file \
                for another model, or for other options?"
            ))
        })
    }

    fn create(
        &mut self,
        name: &str,
        kind: &str,
        node: u32,
        place: &Place,
    ) -> Result<(), ConfigError> {
        let object = self.object(name, place)?;
        let ours = self.model.kind_of(ObjectId(object));
        if !kind.eq_ignore_ascii_case(ours) {
            let text = format!("objects such as '{name}' are of type {ours} here, not {kind}");
            self.remarks.once(&format!("type {kind}"), place, &text);
        }
        if self.placed.insert(object, node).is_some() {
            return Err(place.error(format!("'{name}' was already created: create it once")));
        }
        self.created.get_or_insert_with(|| place.clone());
        Ok(())
    }

    fn tell(
        &mut self,
        receiver: &str,
        said: (f64, i32, &str),
        place: &Place,
    ) -> Result<(), ConfigError> {
        let object = self.object(receiver, place)?;
        let untold = self.untold.entry(object).or_default();
        self.told.get_or_insert_with(|| place.clone());
        match untold.iter().position(|tell| is(tell, said)) {
            Some(at) => {
                untold.swap_remove(at);
                Ok(())
            }
            None => Err(place.error(format!(
                "the model does not begin with this message: expected {}",
                expected(receiver, untold)
            ))),
        }
    }

    fn finish(&mut self) {
        let left: usize = self.untold.values().map(Vec::len).sum();
        if let Some(place) = self.told.clone().filter(|_| left > 0) {
            let all = self.tells;
            let text = format!(
                "{left} of the {all} messages that the model begins with have no TELL: the model \
                sends them anyway"
            );
            self.remarks.once("untold", &place, &text);
        }
        let (placed, objects) = (self.placed.len(), self.model.count() as usize);
        if let Some(place) = self.created.clone().filter(|_| placed < objects) {
            let text = format!(
                "{} of the {objects} objects have no OBCREATE: --placement places them",
                objects - placed
            );
            self.remarks.once("unplaced", &place, &text);
        }
        let mut places: Vec<(u32, u32)> = self.placed.drain().collect();
        places.sort_unstable();
        self.job.places = places;
    }
}

/// Whether a message of the model is the one that the file tells.
fn is(tell: &Told, (time, selector, text): (f64, i32, &str)) -> bool {
    tell.simtime == time && tell.selector == selector && tell.bytes == text.as_bytes()
}

/// The message that would be right, as the file would write it.
fn expected(receiver: &str, untold: &[Told]) -> String {
    let Some(tell) = untold.first() else { return format!("no (further) message to '{receiver}'") };
    let text = match std::str::from_utf8(&tell.bytes) {
        Ok(text) => format!("\"{}\"", text.escape_debug()),
        Err(_) => format!("{} bytes that are not text", tell.bytes.len()),
    };
    format!("TELL {receiver} {} {} {text}", tell.simtime, tell.selector)
}
