//! Values out of JSON, by jq expressions: whoever reads a card can run the same with jq.

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Native, Vars, unwrap_valr};
use jaq_json::{Val, read};

/// Definitions that every expression may use.
pub const PRELUDE: &str = include_str!("prelude.jq");

type Filter = jaq_core::compile::Filter<Native<JustLut<Val>>>;

/// An expression, ready to be asked of any number of launches: reading it takes longer than asking.
pub struct Query {
    text: String,
    filter: Filter,
}

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// Nothing: what it looks for is not there.
    Nothing,
    /// Something else, as JSON.
    Other(String),
}

/// JSON that is asked, parsed once.
#[derive(Clone, Debug)]
pub struct Json(Val);

/// Why an expression gives nothing.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum QueryError {
    /// It is no expression.
    #[error("`{text}` is no jq expression: {why}")]
    Syntax {
        /// As it was given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// It failed on what it was asked of.
    #[error("`{text}`: {why}")]
    Failed {
        /// As it was given.
        text: String,
        /// What went wrong.
        why: String,
    },
}

impl Query {
    /// The expression in `text`, which may use these definitions of its document.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(definitions: &str, text: &str) -> Result<Query, QueryError> {
        let whole = format!("{PRELUDE}\n{definitions}\n{text}");
        let wrong = |why: String| QueryError::Syntax { text: text.to_owned(), why };
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let arena = Arena::default();
        let modules = Loader::new(defs)
            .load(&arena, File { path: (), code: whole.as_str() })
            .map_err(|errors| wrong(format!("{errors:?}")))?;
        let filter = Compiler::default()
            .with_funs(funs)
            .compile(modules)
            .map_err(|errors| wrong(format!("{errors:?}")))?;
        Ok(Query { text: text.to_owned(), filter })
    }

    /// What it gives first of `{view: JSON}`.
    ///
    /// # Errors
    /// When it fails on that.
    pub fn ask(&self, views: &[(&str, Json)]) -> Result<Answer, QueryError> {
        let failed = |why: String| QueryError::Failed { text: self.text.clone(), why };
        let pairs =
            views.iter().map(|(name, json)| (Val::from((*name).to_owned()), json.0.clone()));
        let input = Val::obj(pairs.collect());
        let ctx = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let mut found = self.filter.id.run((ctx, input)).map(unwrap_valr);
        match found.next() {
            None => Ok(Answer::Nothing),
            Some(Ok(value)) => Ok(Answer::of(&value)),
            Some(Err(error)) => Err(failed(error.to_string())),
        }
    }
}

impl Answer {
    fn of(value: &Val) -> Answer {
        match value {
            Val::Null => Answer::Nothing,
            Val::Bool(truth) => Answer::Truth(*truth),
            _ => {
                let text = value.to_string();
                match text.parse() {
                    Ok(number) if matches!(value, Val::Num(_)) => Answer::Number(number),
                    _ => Answer::Other(text),
                }
            }
        }
    }

    /// A number; a truth value is 1 or 0.
    pub fn number(&self) -> Option<f64> {
        match self {
            Answer::Number(number) => Some(*number).filter(|number| number.is_finite()),
            Answer::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Answer::Nothing | Answer::Other(_) => None,
        }
    }
}

impl Json {
    /// The JSON in `text`.
    ///
    /// # Errors
    /// When it is none, in words.
    pub fn parse(text: &str) -> Result<Json, String> {
        read::parse_single(text.as_bytes()).map(Json).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str, json: &str) -> Result<Answer, QueryError> {
        let json = Json::parse(json).expect("JSON");
        Query::new("def half: . / 2;", text)?.ask(&[("a", json)])
    }

    #[test]
    fn numbers_truth_and_nothing_are_told_apart() {
        assert_eq!(ask(".a.x / 4", r#"{"x": 3}"#), Ok(Answer::Number(0.75)));
        assert_eq!(ask(".a.x | half", r#"{"x": 3}"#), Ok(Answer::Number(1.5)));
        assert_eq!(ask(".a.x > 4", r#"{"x": 3}"#), Ok(Answer::Truth(false)));
        assert_eq!(ask(".a.y", r#"{"x": 3}"#), Ok(Answer::Nothing));
        assert_eq!(ask(".a[] | select(. > 5)", "[1]"), Ok(Answer::Nothing));
        assert_eq!(ask(".a", r#"{"x":3}"#), Ok(Answer::Other(r#"{"x":3}"#.into())));
        assert_eq!(ask(".a", "1.0e3"), Ok(Answer::Number(1000.0)));
    }

    #[test]
    fn what_is_no_expression_is_quoted() {
        let error = ask(".a | nosuch", "1").expect_err("no such function").to_string();
        assert!(error.starts_with("`.a | nosuch` is no jq expression"), "{error}");
        assert!(ask(".a.b", "3").is_err_and(|error| error.to_string().starts_with("`.a.b`: ")));
    }

    #[test]
    fn the_prelude_finds_its_way_in_a_report() {
        let report = r#"{"analysis": {"stages": [{"stage": "transit", "summary": {"mean_ns": 5,
            "quantiles": [{"p": 0.5, "value_ns": 4}]}}]},
            "sections": [{"id": "x"}, {"tables": [{"id": "t", "rows": [{"n": 7}]}]}]}"#;
        assert_eq!(ask(".a | quantile(\"transit\"; 0.5)", report), Ok(Answer::Number(4.0)));
        assert_eq!(ask(".a | mean(\"transit\")", report), Ok(Answer::Number(5.0)));
        assert_eq!(ask(".a | table(\"t\") | first.n", report), Ok(Answer::Number(7.0)));
        assert_eq!(ask(".a | table(\"u\")", report), Ok(Answer::Nothing));
    }

    #[test]
    fn distances_and_orders_are_those_worked_out_by_hand() {
        let tails = r#"{"p": [[1, 1], [2, 0.5], [4, 0]], "q": [[1, 1], [3, 0.5], [4, 0]]}"#;
        assert_eq!(ask("distance(.a.p; .a.q)", tails), Ok(Answer::Number(0.5)));
        assert_eq!(ask("distance(.a.p; .a.p)", tails), Ok(Answer::Number(0.0)));
        assert_eq!(ask(".a | rises", "[1, 1, 2]"), Ok(Answer::Truth(true)));
        assert_eq!(ask(".a | falls", "[1, 1, 2]"), Ok(Answer::Truth(false)));
        assert_eq!(ask(".a | median", "[3, 1, 2, 10]"), Ok(Answer::Number(2.5)));
    }
}
