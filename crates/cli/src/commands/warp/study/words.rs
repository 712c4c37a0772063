//! Words of a command line.

use anyhow::{Result, bail, ensure};
use warp::CATALOGUE;

/// The words of one of these models: of an option's values `a=1,b=2`, each with the name of a
/// model, its own; without one for it, the option is left out.
pub fn of_model(words: &[String], model: &str, models: &[&str]) -> Result<Vec<String>> {
    let mut own = Vec::with_capacity(words.len());
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (option, values, is_apart) = match word.split_once('=') {
            _ if !word.starts_with('-') => (&**word, None, false),
            Some((option, values)) => (option, Some(values), false),
            None => (&**word, words.peek().map(|next| next.as_str()), true),
        };
        let by_model = values.map(|values| named(option, values, models)).transpose()?;
        let Some(by_model) = by_model.flatten() else {
            own.push(word.clone());
            continue;
        };
        if is_apart {
            words.next();
        }
        if let Some((_, value)) = by_model.iter().find(|(name, _)| *name == model) {
            own.extend([option.to_owned(), (*value).to_owned()]);
        }
    }
    Ok(own)
}

/// Each model's value, where values have models' names.
fn named<'a>(
    option: &str,
    values: &'a str,
    models: &[&str],
) -> Result<Option<Vec<(&'a str, &'a str)>>> {
    let is_model =
        |name: &str| models.contains(&name) || CATALOGUE.iter().any(|it| it.name == name);
    let pieces = || values.split(',').map(|piece| piece.split_once('='));
    if !pieces().flatten().any(|(name, _)| is_model(name)) {
        return Ok(None);
    }
    let mut found: Vec<(&str, &str)> = Vec::new();
    for piece in pieces() {
        let Some((name, value)) = piece.filter(|(name, _)| is_model(name)) else {
            bail!("{option} {values}: write MODEL=VALUE for each model, e.g. {}=1", models[0]);
        };
        ensure!(
            models.contains(&name),
            "{option} {values}: {name} does not take part in this study"
        );
        ensure!(
            found.iter().all(|(known, _)| *known != name),
            "{option} {values}: {name} is named twice"
        );
        found.push((name, value));
    }
    Ok(Some(found))
}

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

    fn of(line: &str, model: &str) -> Result<String, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let own =
            of_model(&words, model, &["pucks", "stb88"]).map_err(|error| error.to_string())?;
        Ok(own.join(" "))
    }

    #[test]
    fn a_model_has_its_own_values() {
        let line = "--seed 7 --cutoff pucks=40,stb88=25000 --no-pin --corps=stb88=3 --data /a=b,c";
        assert_eq!(
            [of(line, "pucks"), of(line, "stb88")].map(|it| it.expect("both take part")),
            [
                "--seed 7 --cutoff 40 --no-pin --data /a=b,c",
                "--seed 7 --cutoff 25000 --no-pin --corps 3 --data /a=b,c"
            ]
        );
    }

    #[test]
    fn values_of_nobody_are_refused() {
        for (line, said) in [
            ("--cutoff pucks=1,2", "--cutoff pucks=1,2: write MODEL=VALUE for each model"),
            ("--cutoff ctls=1", "ctls does not take part"),
            ("--cutoff=pucks=1,pucks=2", "pucks is named twice"),
        ] {
            let error = of(line, "stb88").expect_err("it makes no sense");
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn an_option_goes_with_its_value() {
        let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
        let all = words("phold --work 5 --work-steps 7 --work=3 --objects 5");
        assert_eq!(without(&all, "--work"), words("phold --work-steps 7 --objects 5"));
        assert_eq!(without(&words("phold --work"), "--work"), ["phold"]);
    }
}
