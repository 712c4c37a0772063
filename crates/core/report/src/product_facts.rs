//! What `run.json` says of a run for its product.

/// What the core must know of a product's run, as `run.json` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductFacts {
    /// What a node is called.
    pub noun: &'static str,
    /// What ran it, where that says more than transport and topology do: the MPI library.
    pub on: Option<String>,
    /// Lines before all others.
    pub first: Vec<String>,
    /// Why no conclusion can be drawn from the run.
    pub warning: Option<String>,
    /// What was not seen, or not to its end, a line each.
    pub losses: Vec<String>,
    /// What the reader should know, a line each.
    pub remarks: Vec<String>,
    /// Further parameters: name and value.
    pub parameters: Vec<(String, String)>,
    /// Results as the product's own counters have them: a heading, and names with values.
    pub results: Option<(&'static str, Vec<(String, String)>)>,
}

impl Default for ProductFacts {
    fn default() -> ProductFacts {
        ProductFacts {
            noun: "node",
            on: None,
            first: Vec::new(),
            warning: None,
            losses: Vec::new(),
            remarks: Vec::new(),
            parameters: Vec::new(),
            results: None,
        }
    }
}
