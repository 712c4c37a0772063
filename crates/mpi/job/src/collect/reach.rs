//! How a command is run on a host: ssh, or what the user says.

use super::{CollectError, Source};
use std::process::{Command, Stdio};

/// What stands for the host in a user's command.
const HOST: &str = "{host}";

/// A way to run commands on hosts.
#[derive(Clone, Debug)]
pub enum Reach {
    /// With ssh, which never asks for a password.
    Ssh,
    /// With these words, in which `{host}` stands for the host; the command follows them.
    With(Vec<String>),
}

impl Reach {
    /// As the user says it: `kubectl exec {host} --`.
    ///
    /// # Errors
    /// When it does not name the host, or is no command line.
    pub fn with(text: &str) -> Result<Reach, String> {
        let words = shell_words::split(text).map_err(|error| error.to_string())?;
        match words.iter().any(|word| word.contains(HOST)) {
            true => Ok(Reach::With(words)),
            false => {
                Err(format!("it must say {HOST} where the host's name belongs, as in 'ssh {HOST}'"))
            }
        }
    }

    /// The command that runs `words` where the source is.
    pub(super) fn command(&self, source: &Source, words: &[&str]) -> Result<Command, CollectError> {
        let mut command = match (is_here(source), self) {
            (true, _) => {
                let mut command = Command::new(words[0]);
                command.args(&words[1..]);
                command
            }
            (false, Reach::Ssh) => {
                let mut command = Command::new("ssh");
                command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--"]);
                command.arg(&source.host).arg(shell_words::join(words));
                command
            }
            (false, Reach::With(own)) => {
                if let Some(word) = words.iter().find(|word| !is_plain(word)) {
                    return Err(CollectError::Unspeakable { folder: (*word).to_string() });
                }
                let own: Vec<String> =
                    own.iter().map(|word| word.replace(HOST, &source.host)).collect();
                let mut command = Command::new(&own[0]);
                command.args(&own[1..]).args(words);
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

/// No name means this machine; its own name means it too, where the folder is here.
fn is_here(source: &Source) -> bool {
    source.host.is_empty()
        || source.host == record::Machine::host_here()
            && std::path::Path::new(&source.folder).is_dir()
}

/// Whether a shell, if there is one, leaves the word as it is.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@%:=,".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reach: &Reach, folder: &str) -> Result<String, CollectError> {
        let source = Source { host: "n2".into(), folder: folder.into() };
        let command = reach.command(&source, &["tar", "-C", folder])?;
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        Ok(words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn the_folder_reaches_the_host_as_it_is() {
        let ssh = line(&Reach::Ssh, "/tmp/a b").unwrap();
        assert!(ssh.ends_with("--|n2|tar -C '/tmp/a b'"), "{ssh}");
        let kubectl = Reach::with("kubectl exec pod-{host} -c 'main box' --").unwrap();
        let words = line(&kubectl, "/tmp/a").unwrap();
        assert_eq!(words, "kubectl|exec|pod-n2|-c|main box|--|tar|-C|/tmp/a");
        assert!(line(&kubectl, "/tmp/a b").is_err());
        assert!(Reach::with("ssh").is_err() && Reach::with("'").is_err());
    }
}
