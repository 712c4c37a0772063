//! `fourstamp machine`: the machines that programs can be simulated on.

mod calibrate;
mod check;
mod crowded;
mod observe;

use crate::args::{MachineArgs, MachineCommand};
use crate::show;
use anyhow::{Result, bail};
use document::{Block, Cell, Column, Document, Section, Table};
use fabric::{FIELDS, Machine, MachineConstant, MachineUnit, SHIPPED, find_machine};

/// List, show, print, make or check.
pub fn run(args: &MachineArgs) -> Result<()> {
    match &args.command {
        MachineCommand::List { show } => show.show(&list()?, "machines"),
        MachineCommand::Show { machine, show } => show.show(&one(machine), "machine"),
        MachineCommand::Calibrate(args) => calibrate::run(args),
        MachineCommand::Check(args) => check::run(args),
        MachineCommand::Print { name } => match SHIPPED.iter().find(|shipped| shipped.name == name)
        {
            Some(shipped) => show::say(shipped.text),
            None => bail!(
                "no machine that comes with Fourstamp is called '{name}': see `fourstamp machine \
                list`"
            ),
        },
    }
}

fn list() -> Result<Document> {
    let mut table = Table::new(
        "machines",
        [
            Column::text("name", "name"),
            Column::count("nodes", "nodes"),
            Column::text("topology", "topology"),
            Column::text("about", "what it is"),
        ],
    );
    table.wordy = true;
    for shipped in &SHIPPED {
        let machine = find_machine(shipped.name).map_err(anyhow::Error::msg)?;
        table.push([
            Cell::new(shipped.name),
            Cell::new(u64::from(machine.nodes)),
            Cell::new(machine.topology.word()),
            Cell::new(machine.about),
        ]);
    }
    let section = Section::new(
        "machines",
        "Machines",
        "Give one to --on of bench or warp; `fourstamp machine show NAME` has its figures.",
    );
    Ok(Document {
        title: "Machines that come with Fourstamp".into(),
        sections: vec![section.table(table)],
        ..Document::default()
    })
}

fn one(machine: &Machine) -> Document {
    let mut table = Table::new(
        "machine",
        [
            Column::text("figure", "figure"),
            Column::text("value", "value"),
            Column::text("range", "truth within"),
            Column::text("basis", "known how"),
            Column::text("of", "of what").wide(),
            Column::text("source", "source").wide(),
        ],
    );
    for field in &FIELDS {
        let constant = machine.constants.get(field.name);
        let value = match field.usual {
            // A bound that is none.
            Some(usual) if constant.is_none() && usual >= field.within[1] => "no limit".into(),
            _ => field.unit.show(machine.value(field.name)),
        };
        table.push(row(field.name, value, field.unit, field.about, constant));
        for larger in constant.into_iter().flat_map(|constant| &constant.larger) {
            let name =
                format!("{} from {}", field.name, MachineUnit::Bytes.show(larger.from as f64));
            let value = field.unit.show(larger.figure.value);
            table.push(row(&name, value, field.unit, field.about, Some(&larger.figure)));
        }
    }
    for (product, steps) in &machine.costs {
        for (step, constant) in steps {
            let name = format!("costs.{product}.{step}");
            let value = MachineUnit::Time.show(constant.value);
            let of = format!("a step of {product}");
            table.push(row(&name, value, MachineUnit::Time, &of, Some(constant)));
        }
    }
    let said = format!("{} nodes; topology: {}.", machine.nodes, machine.topology.word());
    Document {
        title: machine.name.clone(),
        opening: vec![Block::Lead(format!("{} {said}", machine.about).trim().into())],
        sections: vec![Section::new("machine", "Figures", uncertain(machine)).table(table)],
        ..Document::default()
    }
}

fn row(
    name: &str,
    value: String,
    unit: MachineUnit,
    of: &str,
    constant: Option<&MachineConstant>,
) -> [Cell; 6] {
    let range = constant.and_then(|constant| constant.range);
    let within = range.map(|ends| ends.map(|end| unit.show(end)).join(" to "));
    let basis = constant.map_or("usual", |constant| constant.basis.word());
    let source = constant.map_or("", |constant| &constant.source);
    [
        Cell::new(name),
        Cell::new(value),
        Cell::new(within.unwrap_or_default()),
        Cell::new(basis),
        Cell::new(of),
        Cell::new(source),
    ]
}

/// How much of it is known within bounds only.
fn uncertain(machine: &Machine) -> String {
    let all = || {
        let given = machine.constants.values().flat_map(|constant| constant.pieces());
        let costs = machine.costs.values().flat_map(|of| of.values());
        given.map(|(_, piece)| piece).chain(costs)
    };
    match all().filter(|constant| constant.range.is_some()).count() {
        0 => "No figure has a range.".into(),
        open => format!(
            "{open} of {} given figures are known within a range only: what depends on them is to \
            be tried over it.",
            all().count()
        ),
    }
}
