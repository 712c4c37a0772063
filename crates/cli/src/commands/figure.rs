//! `fourstamp figure`: one quantity of some messages as a chart.

use crate::args::FigureArgs;
use crate::figure::draw;
use crate::show;
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Draw it and show it as asked.
pub fn run(args: &FigureArgs) -> Result<()> {
    let is_page = !args.terminal && !args.svg && args.show.is_text();
    let out_file = if is_page { Some(page(args)?) } else { None };
    let drawn = draw(&args.figure(), &args.runs, &args.names)?;
    let mut out = std::io::stdout().lock();
    if args.show.table("figure") == Some("figure") {
        return Ok(document::series_csv(std::slice::from_ref(&drawn.series), &mut out)?);
    }
    let runs: Vec<String> = args.runs.iter().map(|run| run.display().to_string()).collect();
    let document = drawn.document(&runs);
    if args.svg {
        return Ok(document::svg(&document, &drawn.chart.id, &mut out)?);
    }
    drop(out);
    let Some(file) = out_file else {
        return args.show.show_with(&document, "figure", || Ok(points(&drawn.series)));
    };
    show::page(&document, &file)?;
    show::say(&format!("wrote {}\n", file.display()))
}

fn page(args: &FigureArgs) -> Result<PathBuf> {
    match (&args.out, &args.runs[..]) {
        (Some(out), _) => Ok(out.clone()),
        (None, [run]) => Ok(run.join("figure.html")),
        (None, _) => bail!("a page of several runs needs a file to be written to: give --out FILE"),
    }
}

/// What is drawn, for scripts.
fn points(series: &document::Series) -> Map<String, Value> {
    let point = |point: &document::Point| {
        json!({
            "series": point.group, "from": point.from, "to": point.to, "y": point.y,
            "unit": point.unit, "scale": point.scale,
        })
    };
    let points: Vec<Value> = series.points.iter().map(point).collect();
    Map::from_iter([("points".to_owned(), Value::Array(points))])
}
