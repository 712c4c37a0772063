//! Words of a command line.

/// Without an option that takes a value, `--name value` or `--name=value`.
pub fn without(words: &[String], option: &str) -> Vec<String> {
    let mut left = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == option {
            words.next();
        } else if !word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')) {
            left.push(word.clone());
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_goes_with_its_value() {
        let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
        let all = words("phold --work 5 --work-steps 7 --work=3 --objects 5");
        assert_eq!(without(&all, "--work"), words("phold --work-steps 7 --objects 5"));
        assert_eq!(without(&words("phold --work"), "--work"), ["phold"]);
    }
}
