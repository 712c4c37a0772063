//! Paging as a product that reports know.

use crate::found::Paging;
use crate::tally::PagingTally;
use crate::{prediction, sections, series, words};
use pager_facts::{KEY, PagerFacts, Prediction};
use record::{Run, RunInfo};
use report::{Facts, Lens, LensError, Part, ProductFacts, Reading};
use serde::Deserialize;
use serde_json::{Value, json};
use stats::analysis::Analysis;
use stats::{Tally, own};

/// Runs of paged programs.
#[derive(Debug)]
pub struct PagerLens;

/// Such a run.
#[derive(Debug)]
struct PagerReading {
    /// With what is predicted.
    pager: PagerFacts,
}

impl Lens for PagerLens {
    fn keys(&self) -> &'static [&'static str] {
        &[KEY]
    }

    fn facts(&self, info: &RunInfo) -> Option<ProductFacts> {
        let losses = words::warnings(&said(info)?);
        Some(ProductFacts { losses, ..ProductFacts::default() })
    }

    fn open(&self, run: &Run) -> Result<Option<Box<dyn Reading>>, LensError> {
        let Some(mut pager) = said(&run.info) else { return Ok(None) };
        prediction::predict(&mut pager, run.path());
        Ok(Some(Box::new(PagerReading { pager })))
    }

    fn series(&self) -> &'static [&'static str] {
        &[series::NAME]
    }
}

impl Reading for PagerReading {
    fn tally(&self) -> Box<dyn Tally> {
        Box::<PagingTally>::default()
    }

    fn finish(
        &self,
        tally: Box<dyn Tally>,
        _facts: &Facts,
        analysis: &Analysis,
    ) -> Result<Option<Part>, LensError> {
        let paging = own::<PagingTally>(tally).shown();
        Ok(Some(part(&self.pager, paging.as_ref(), analysis)))
    }
}

/// What the run says of itself; `None` where it says nothing that can be read.
fn said(info: &RunInfo) -> Option<PagerFacts> {
    PagerFacts::deserialize(info.parameters.get(KEY)?).ok()
}

/// What there is to say of it.
pub fn part(pager: &PagerFacts, paging: Option<&Paging>, analysis: &Analysis) -> Part {
    let predictions: Vec<_> = pager.predictions.iter().map(predicted).collect();
    Part {
        counts: Some(words::counts(pager, analysis).to_vec()),
        sentence: words::sentence(pager),
        message_is: "A message here is one page on its way out or in. ",
        sections: sections::sections(pager, paging),
        series: paging.map(series::series).into_iter().collect(),
        figures: json!({ "pager": pager, "paging": paging, "predictions": predictions }),
        ..Part::default()
    }
}

fn predicted(one: &Prediction) -> Value {
    json!({ "network": one.network, "seconds": one.seconds })
}
