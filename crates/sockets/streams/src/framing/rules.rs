//! The rules by name, and which port has which.

use super::http::Http;
use super::length::Length;
use super::lines::Lines;
use super::plain::Plain;
use super::resp::Resp;
use super::shared::Shared;
use super::step::{Rule, Side, Step};
use std::fmt;
use std::str::FromStr;

macro_rules! rules {
    ($($name:ident,)*) => {
        /// Any rule, in the middle of a direction.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Any { $($name($name),)* }

        impl Any {
            fn named(name: &str, argument: Option<&str>) -> Option<Any> {
                match name {
                    $(<$name as Rule>::NAME => $name::new(argument).map(Any::$name),)*
                    _ => None,
                }
            }

            fn is_one_for_one(&self) -> bool {
                match self { $(Any::$name(_) => <$name as Rule>::ONE_FOR_ONE,)* }
            }

            #[inline]
            pub fn run(&self, bytes: &[u8], side: Side, end: impl FnMut(usize)) -> usize {
                match self { $(Any::$name(rule) => rule.run(bytes, side, end),)* }
            }

            #[inline]
            pub fn step(&mut self, bytes: &[u8], side: Side, shared: &Shared) -> Step {
                match self { $(Any::$name(rule) => rule.step(bytes, side, shared),)* }
            }
        }

        /// How each is given.
        const USAGES: &[&str] = &[$(<$name as Rule>::USAGE,)*];

        /// An example of each, and what a message is by it.
        const HELP: &[(&str, &[&str])] = &[$((<$name as Rule>::EXAMPLE, <$name as Rule>::HELP),)*];
    };
}

rules! { Resp, Http, Lines, Length, Plain, }

/// What each rule is, for people: lines of two columns, indented.
pub fn help() -> String {
    let mut text = String::new();
    for (example, lines) in HELP {
        let firsts = std::iter::once(*example).chain(std::iter::repeat(""));
        for (first, line) in firsts.zip(*lines) {
            text.push_str(&format!("  {first:<15} {line}\n"));
        }
    }
    text
}

/// The rule of the connections to a port.
#[derive(Clone, Debug)]
pub struct PortRule {
    /// The port at which they are accepted.
    pub port: u16,
    /// The rule as the user gave it.
    pub name: String,
    pub(super) rule: Any,
}

impl PortRule {
    /// Whether it is the one by which each call is a message.
    pub fn is_none(&self) -> bool {
        matches!(self.rule, Any::Plain(_))
    }

    /// Whether the protocol says that each request has one answer, in the same order.
    pub fn is_one_for_one(&self) -> bool {
        self.rule.is_one_for_one()
    }
}

/// What is wrong with a rule that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError(String);

impl fmt::Display for RuleError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for RuleError {}

impl FromStr for PortRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<PortRule, RuleError> {
        let wrong = |what: String| Err(RuleError(what));
        let Some((port, name)) = text.split_once('=') else {
            return wrong(format!("{text:?} has no rule; give PORT=RULE, such as 6379=resp"));
        };
        let Some(port) = port.parse().ok().filter(|port| *port != 0) else {
            return wrong(format!("{port:?} is no port; give a number from 1 to 65535"));
        };
        let (rule, argument) = match name.split_once(':') {
            Some((rule, argument)) => (rule, Some(argument)),
            None => (name, None),
        };
        match Any::named(rule, argument) {
            Some(rule) => Ok(PortRule { port, name: name.to_owned(), rule }),
            None => {
                let (last, others) = USAGES.split_last().unwrap_or((&"", &[]));
                wrong(format!("{name:?} is no rule; give {}, or {last}", others.join(", ")))
            }
        }
    }
}

impl fmt::Display for PortRule {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}={}", self.port, self.name)
    }
}

/// The rules of a run: at most one a port.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<PortRule>);

impl Rules {
    /// Of these.
    ///
    /// # Errors
    /// When a port has two.
    pub fn new(rules: Vec<PortRule>) -> Result<Rules, RuleError> {
        for (at, rule) in rules.iter().enumerate() {
            if rules[..at].iter().any(|other| other.port == rule.port) {
                let what = format!("port {} has two rules; give it one", rule.port);
                return Err(RuleError(what));
            }
        }
        Ok(Rules(rules))
    }

    /// The rule of a port.
    pub fn of(&self, port: u16) -> Option<&PortRule> {
        self.0.iter().find(|rule| rule.port == port)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &PortRule> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Rules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Rules, RuleError> {
        let rules = text.split(',').filter(|rule| !rule.is_empty());
        Rules::new(rules.map(str::parse).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.iter().map(PortRule::to_string).collect();
        to.write_str(&rules.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        let text = "7000=resp,80=http,9=length:4be,10=length:8le-8,11=length:2+1,12=lines,13=none,\
            14=length:8le@16-24,15=length:4@1";
        assert_eq!(text.parse::<Rules>().unwrap().to_string(), text);
        assert!("".parse::<Rules>().unwrap().is_empty());
    }

    #[test]
    fn every_rule_is_in_the_help_and_in_the_documentation_and_no_other() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/TRACE.md");
        let text = std::fs::read_to_string(path).unwrap();
        let table = text.split("| Rule | A message |\n|---|---|\n").nth(1).unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let named: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
        for rule in &named {
            assert!(format!("1={rule}").parse::<PortRule>().is_ok(), "{rule} is no rule");
        }
        for (example, lines) in HELP {
            assert!(named.contains(example), "{example} is not in docs/TRACE.md");
            assert!(format!("1={example}").parse::<PortRule>().is_ok(), "{example} is no rule");
            assert!(help().contains(&format!("  {example} ")), "{}", help());
            assert!(lines.iter().all(|line| line.len() <= 62), "{lines:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| text.parse::<Rules>().unwrap_err().to_string();
        assert!(wrong("7000").contains("PORT=RULE"));
        assert!(wrong("0=resp").contains("is no port"));
        assert!(wrong("70000=resp").contains("is no port"));
        let wrong_rules = ["smtp", "resp:3", "length", "length:3", "length:4xe", "length:4be4"];
        for rule in wrong_rules.into_iter().chain(["length:4be@", "length:4@+1-2", "length:4@5000"])
        {
            let expected = format!(
                "{rule:?} is no rule; give resp, http, lines, length:N with N of 1, 2, 4 or 8 \
                and be or le, such as length:4be, or none"
            );
            assert_eq!(wrong(&format!("7000={rule}")), expected);
        }
        assert!(wrong("7000=resp,7000=http").contains("two rules"));
    }
}
