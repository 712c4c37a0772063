//! A machine's file to a [`Machine`]: every error names the file, the line, and the remedy.

use crate::table::{FIELDS, Field};
use crate::{Basis, Constant, Machine, MachineError, Topology, Unit};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Most nodes of a machine.
const NODES_MAX: u16 = 1 << 15;
/// The section of what products' steps cost; below it a section a product.
const COSTS: &str = "costs";
/// What a step may cost.
const COST: Allowed = Allowed { unit: Unit::Time, within: [0.0, 3600e9], in_list: false };
/// The size from which on a figure of a list is meant.
const FROM: &str = "from";

/// Read a machine. `file` is what errors call it.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(file: &str, text: &str) -> Result<Machine, MachineError> {
    let reader = Reader { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        let what = error.message().lines().next().unwrap_or("not TOML").to_string();
        reader.at(error.span().map_or(0, |span| span.start), what)
    })?;
    let mut given = Given::default();
    for (key, value) in table.get_ref() {
        reader.entry(&mut given, key, value)?;
    }
    let places = std::mem::take(&mut given.places);
    let machine = given.machine(&reader, &places)?;
    reader.check(&machine, &places)?;
    Ok(machine)
}

/// What a figure may be.
#[derive(Clone, Copy)]
struct Allowed {
    unit: Unit,
    within: [f64; 2],
    /// As one of a list it says from which size on.
    in_list: bool,
}

impl Allowed {
    fn by(field: &Field) -> Allowed {
        Allowed { unit: field.unit, within: field.within, in_list: false }
    }
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

#[derive(Default)]
struct Given {
    name: Option<String>,
    about: Option<String>,
    nodes: Option<u16>,
    topology: Option<Topology>,
    constants: BTreeMap<String, Constant>,
    costs: BTreeMap<String, BTreeMap<String, Constant>>,
    places: Places,
}

/// Where sections and figures stand in the text, by their names.
type Places = BTreeMap<String, usize>;
type Key<'a> = Spanned<std::borrow::Cow<'a, str>>;
type Value<'a> = Spanned<DeValue<'a>>;

impl Given {
    fn machine(self, reader: &Reader<'_>, places: &Places) -> Result<Machine, MachineError> {
        // What stands above the sections is to be added at the top.
        let needs = |what: &str| reader.at(0, format!("it says no {what}"));
        for field in FIELDS.iter().filter(|field| field.usual.is_none()) {
            if !self.constants.contains_key(field.name) {
                let (section, name) = field.name.split_once('.').unwrap_or_default();
                let what =
                    format!("[{section}] says no '{name}' ({}): {}", field.about, example(field));
                return Err(reader.missing(places.get(section), what));
            }
        }
        Ok(Machine {
            name: self.name.ok_or_else(|| needs("name: add name = \"...\""))?,
            about: self.about.unwrap_or_default(),
            nodes: self.nodes.ok_or_else(|| needs("number of nodes: add nodes = 32"))?,
            topology: self.topology.ok_or_else(|| needs("topology: add topology = \"switch\""))?,
            constants: self.constants,
            costs: self.costs,
        })
    }
}

fn example(field: &Field) -> String {
    format!("give {}", field.unit.example())
}

impl Reader<'_> {
    fn at(&self, offset: usize, what: String) -> MachineError {
        let line = 1 + self.text[..offset.min(self.text.len())].matches('\n').count();
        MachineError::Line { file: self.file.into(), line, what }
    }

    /// Something is not there that belongs to what stands at this place, if that is there.
    fn missing(&self, place: Option<&usize>, what: String) -> MachineError {
        match place {
            Some(place) => self.at(*place, what),
            None => MachineError::Missing { file: self.file.into(), what },
        }
    }

    fn entry(
        &self,
        given: &mut Given,
        key: &Key<'_>,
        value: &Value<'_>,
    ) -> Result<(), MachineError> {
        given.places.insert(key.get_ref().to_string(), key.span().start);
        let wrong = |what: String| self.at(value.span().start, what);
        let text = || {
            let text = value.get_ref().as_str().map(str::to_owned);
            text.ok_or_else(|| wrong(format!("'{}' is a text in quotes", key.get_ref())))
        };
        match key.get_ref().as_ref() {
            "name" => given.name = Some(text()?),
            "about" => given.about = Some(text()?),
            "nodes" => given.nodes = Some(self.nodes(value)?),
            "topology" => {
                let word = text()?;
                let found = Topology::ALL.into_iter().find(|topology| topology.word() == word);
                let all = Topology::ALL.map(Topology::word).join(", ");
                given.topology = Some(
                    found.ok_or_else(|| wrong(format!("topology '{word}' is not one of {all}")))?,
                );
            }
            COSTS => self.costs(&mut given.costs, value)?,
            section => self.section(given, section, key, value)?,
        }
        Ok(())
    }

    fn nodes(&self, value: &Value<'_>) -> Result<u16, MachineError> {
        let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse().ok());
        number.filter(|nodes| (1..=NODES_MAX).contains(nodes)).ok_or_else(|| {
            let what = format!("'nodes' is a whole number from 1 to {NODES_MAX}");
            self.at(value.span().start, what)
        })
    }

    fn section(
        &self,
        given: &mut Given,
        section: &str,
        key: &Key<'_>,
        value: &Value<'_>,
    ) -> Result<(), MachineError> {
        let known = |name: &str| FIELDS.iter().find(|field| field.name == name);
        let table = value.get_ref().as_table();
        let is_section = FIELDS.iter().any(|field| field.name.starts_with(&format!("{section}.")));
        let (Some(table), true) = (table, is_section) else {
            let what = format!(
                "a machine says nothing called '{section}': it has name, about, nodes, topology, \
                [processor], [network] and [costs.PRODUCT]"
            );
            return Err(self.at(key.span().start, what));
        };
        for (key, value) in table {
            let name = format!("{section}.{}", key.get_ref());
            let Some(field) = known(&name) else {
                let names: Vec<&str> = FIELDS
                    .iter()
                    .filter_map(|field| field.name.strip_prefix(&format!("{section}.")))
                    .collect();
                let what = format!(
                    "[{section}] has no '{}'; it may have {}",
                    key.get_ref(),
                    names.join(", ")
                );
                return Err(self.at(key.span().start, what));
            };
            let constant = match value.get_ref().as_array() {
                Some(_) => self.by_size(key, value, field)?,
                None => self.constant(key, value, Allowed::by(field))?,
            };
            given.places.insert(name.clone(), key.span().start);
            given.constants.insert(name, constant);
        }
        Ok(())
    }

    fn costs(
        &self,
        costs: &mut BTreeMap<String, BTreeMap<String, Constant>>,
        value: &Value<'_>,
    ) -> Result<(), MachineError> {
        let no_table = |value: &Value<'_>| {
            self.at(value.span().start, "costs are sections, as [costs.warp]".into())
        };
        for (product, steps) in value.get_ref().as_table().ok_or_else(|| no_table(value))? {
            let mut of = BTreeMap::new();
            for (step, value) in steps.get_ref().as_table().ok_or_else(|| no_table(steps))? {
                let constant = self.constant(step, value, COST)?;
                of.insert(step.get_ref().to_string(), constant);
            }
            costs.insert(product.get_ref().to_string(), of);
        }
        Ok(())
    }

    fn constant(
        &self,
        key: &Key<'_>,
        value: &Value<'_>,
        allowed: Allowed,
    ) -> Result<Constant, MachineError> {
        let name = key.get_ref().as_ref();
        let figure = |value: &Value<'_>| self.figure(name, value, allowed);
        let Some(table) = value.get_ref().as_table() else {
            return Ok(Constant::of(figure(value)?));
        };
        let mut constant = Constant::of(f64::NAN);
        for (part, value) in table {
            let wrong = |what: String| self.at(value.span().start, what);
            match part.get_ref().as_ref() {
                "value" => constant.value = figure(value)?,
                "range" => constant.range = Some(self.range(name, value, allowed)?),
                "draws" => {
                    constant.draws = self.figures(name, value, allowed)?;
                    if constant.draws.is_empty() {
                        return Err(wrong(format!("the draws of '{name}' are a list of figures")));
                    }
                }
                "basis" => {
                    let found = value.get_ref().as_str().and_then(Basis::named);
                    let all = Basis::ALL.map(Basis::word).join(", ");
                    constant.basis =
                        found.ok_or_else(|| wrong(format!("'basis' is one of {all}")))?;
                }
                "source" => {
                    let text = value.get_ref().as_str();
                    constant.source = text
                        .ok_or_else(|| wrong("'source' is a text in quotes".into()))?
                        .to_owned();
                }
                FROM if allowed.in_list => {}
                FROM => {
                    let what =
                        format!("a figure with '{FROM}' is one of a list: '{name}' = [{{ ... }}]");
                    return Err(self.at(part.span().start, what));
                }
                other => {
                    let what = format!(
                        "'{name}' has value, range, draws, basis and source, but no '{other}'"
                    );
                    return Err(self.at(part.span().start, what));
                }
            }
        }
        self.whole(name, value, allowed.unit, constant)
    }

    /// Whether a constant says all that its basis calls for.
    fn whole(
        &self,
        name: &str,
        value: &Value<'_>,
        unit: Unit,
        constant: Constant,
    ) -> Result<Constant, MachineError> {
        let refuse = |what: String| Err(self.at(value.span().start, what));
        if constant.value.is_nan() {
            return refuse(format!("'{name}' has no value"));
        }
        if constant.basis.needs_range() && constant.range.is_none() {
            return refuse(format!("'{name}' is estimated: give its range, as [\"1ms\", \"3ms\"]"));
        }
        // Of a rate that somebody changed. Times may be next to nothing, and draws of them not.
        let far = |draw: &f64| !(constant.value / 2.0..=constant.value * 2.0).contains(draw);
        if unit == Unit::Rate && !constant.draws.is_empty() && constant.draws.iter().all(far) {
            return refuse(format!(
                "the draws of '{name}' are all far from its value: change them with it, or remove \
                all draws of the file"
            ));
        }
        match constant.range {
            Some([least, most]) if !(least..=most).contains(&constant.value) => {
                refuse(format!("the value of '{name}' lies outside its range"))
            }
            _ => Ok(constant),
        }
    }

    fn range(
        &self,
        name: &str,
        value: &Value<'_>,
        allowed: Allowed,
    ) -> Result<[f64; 2], MachineError> {
        match self.figures(name, value, allowed)?[..] {
            [least, most] if least <= most => Ok([least, most]),
            _ => Err(self.at(
                value.span().start,
                format!("the range of '{name}' is two figures, the smaller one first"),
            )),
        }
    }

    fn figures(
        &self,
        name: &str,
        value: &Value<'_>,
        allowed: Allowed,
    ) -> Result<Vec<f64>, MachineError> {
        let each = value.get_ref().as_array().into_iter().flat_map(|all| all.iter());
        each.map(|one| self.figure(name, one, allowed)).collect()
    }

    fn figure(&self, name: &str, value: &Value<'_>, allowed: Allowed) -> Result<f64, MachineError> {
        let wrong = |what: String| self.at(value.span().start, what);
        let Allowed { unit, within, .. } = allowed;
        let read = match value.get_ref() {
            DeValue::String(text) => unit.read(text),
            DeValue::Integer(number) => unit.read(number.as_str()),
            DeValue::Float(number) => unit.read(number.as_str()),
            _ => Err(format!("that is not {}", unit.example())),
        };
        let figure = read.map_err(|what| wrong(format!("{name}: {what}")))?;
        if figure.is_finite() && (within[0]..=within[1]).contains(&figure) {
            return Ok(figure);
        }
        let [least, most] = within.map(|bound| unit.show(bound));
        Err(wrong(format!("'{name}' is {}, but must be {least} to {most}", unit.show(figure))))
    }

    /// What no single line shows.
    fn check(&self, machine: &Machine, places: &Places) -> Result<(), MachineError> {
        let refuse = |name: &str, what: &str| Err(self.missing(places.get(name), what.into()));
        let counts = machine.constants.iter().flat_map(|(name, constant)| {
            let drawn = constant.pieces().map(|(_, piece)| piece.draws.len());
            drawn.filter(|count| *count > 0).map(move |count| (name, count))
        });
        let counts: Vec<_> = counts.collect();
        if let Some(pair) = counts.windows(2).find(|pair| pair[0].1 != pair[1].1) {
            let [(one, few), (other, many)] = [pair[0], pair[1]];
            let what = format!(
                "'{other}' has {many} draws and '{one}' {few}: those at the same place belong \
                together, so all figures have equally many, or none"
            );
            return refuse(other, &what);
        }
        let nodes = machine.nodes;
        if machine.topology == Topology::Hypercube && !nodes.is_power_of_two() {
            return refuse("nodes", &format!("a hypercube has 1, 2, 4, 8, ... nodes, not {nodes}"));
        }
        if machine.value("network.loss") > 0.0 && machine.value("network.resend") == 0.0 {
            return refuse(
                "network.loss",
                "[network] loses packets but says no 'resend': give the time until one goes again",
            );
        }
        if machine.value("network.burst") > 0.0 && machine.topology != Topology::Mesh {
            return refuse(
                "network.burst",
                "[network] says a 'burst', which only topology = \"mesh\" can have: there each \
                pair has a link of its own",
            );
        }
        let (every, takes) =
            (machine.time("processor.timer"), machine.time("processor.timer-takes"));
        if takes > 0 && takes >= every {
            return refuse(
                "processor.timer-takes",
                "[processor] its 'timer-takes' leaves no time between two of 'timer'",
            );
        }
        Ok(())
    }
}

mod by_size;
#[cfg(test)]
mod tests;
