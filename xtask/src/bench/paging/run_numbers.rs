//! The figures of a paged run, from its `run.json`, as the CSV that all contestants print.

use serde_json::Value;

/// Of the process with most transfers; empty for a run that was not paged.
pub fn run_numbers(json: &str) -> String {
    let info: Value = serde_json::from_str(json).unwrap_or_default();
    let processes = info.pointer("/parameters/pager/processes").and_then(Value::as_array);
    let transfers = |process: &&Value| process["transfers"].as_u64().unwrap_or(0);
    let Some(process) = processes.into_iter().flatten().max_by_key(transfers) else {
        return String::new();
    };
    format!(
        "paged,transfers,paged_s\nrun,{},{}\n",
        process["transfers"], process["seconds"]["elapsed"]
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::output::Output;
    use super::*;

    #[test]
    fn the_process_with_most_transfers_speaks() {
        let json = r#"{"parameters": {"pager": {"processes": [
            {"transfers": 1, "seconds": {"elapsed": 9.0}},
            {"transfers": 5452, "seconds": {"elapsed": 130.76}}]}}}"#;
        let output = Output::parse(&run_numbers(json));
        assert_eq!(output.get(None, "transfers"), Some(5452.0));
        assert_eq!(output.get(None, "paged_s"), Some(130.76));
        assert_eq!(run_numbers("{}"), "");
        assert_eq!(run_numbers("no json"), "");
    }
}
