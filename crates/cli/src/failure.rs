//! How a failure is said: in one line that names the thing, the reason and the remedy.

/// What has gone wrong has been said already, here or by another process of the job.
#[derive(Debug, thiserror::Error)]
#[error("said already")]
pub struct Said;

/// Say it.
pub fn say(error: &anyhow::Error) {
    if !error.is::<Said>() {
        crate::show::say_beside(&format!("fourstamp: {}", one_line(error)));
    }
}

/// The whole chain of causes on one line, each said once; what comes from files and peers is
/// harmless to a terminal, and bounded.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let cause = cause.to_string().replace('\n', "; ");
        if !said.contains(&cause) {
            said = if said.is_empty() { cause } else { format!("{said}: {cause}") };
        }
    }
    document::printable(&said)
}

/// Memory ran out: say so in one line, without asking for more, and end.
pub fn no_memory(bytes: usize) -> ! {
    use std::io::Write;
    let mut line = [0; 160];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "fourstamp: cannot allocate {bytes} more bytes: ask for less (--size, --count, --nodes), \
        or raise the limit (ulimit -v)"
    );
    let unused = rest.len();
    let _ = std::io::stderr().write_all(&line[..line.len() - unused]);
    std::process::exit(2)
}

/// Whether the error only says that nobody reads our output any more (`fourstamp … | head`).
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    };
    error.chain().any(is_pipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_is_part_of_what_was_said_is_not_repeated() {
        let error = anyhow::anyhow!("no such file").context("cannot open x: no such file");
        assert_eq!(one_line(&error), "cannot open x: no such file");
        let error = anyhow::anyhow!("no key \u{1b}]0;x\u{7}{}", "y".repeat(1 << 20));
        let line = one_line(&error);
        assert!(
            !line.contains('\u{1b}') && line.chars().count() < 3000,
            "{} characters",
            line.len()
        );
        let error = anyhow::anyhow!("permission\ndenied").context("cannot open x");
        assert_eq!(one_line(&error), "cannot open x: permission; denied");
    }
}
