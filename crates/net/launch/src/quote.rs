//! Words for a shell on the other side of ssh, or in a tmux pane.

use crate::NodeCommand;
use shell_words::quote;

/// One shell command: the environment, then the program, whatever characters they contain.
pub(crate) fn command_line(environment: &[(String, String)], command: &NodeCommand) -> String {
    let program = command.program.display().to_string();
    let set = environment
        .iter()
        .chain(&command.environment)
        .map(|(name, value)| format!("{name}={}", quote(value)));
    let run = std::iter::once(&program).chain(&command.arguments).map(|text| quote(text).into());
    std::iter::once("exec env".to_string()).chain(set).chain(run).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_shell_reads_back_what_was_quoted(
            texts in proptest::collection::vec("[^\\x00]{0,12}", 1..4),
        ) {
            let words: Vec<String> = texts.iter().map(|text| quote(text).into()).collect();
            let script = format!("printf '%s\\037' {}", words.join(" "));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            let expected: String = texts.iter().map(|text| format!("{text}\x1f")).collect();
            prop_assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        }
    }

    #[test]
    fn a_command_line_carries_its_environment() {
        let command = NodeCommand {
            program: "/opt/four stamp".into(),
            arguments: vec!["node".into()],
            environment: vec![("B".into(), "$x".into())],
        };
        let line = command_line(&[("A".into(), "1".into())], &command);
        assert_eq!(line, "exec env A=1 B='$x' '/opt/four stamp' node");
    }
}
