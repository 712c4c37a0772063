//! Which cards are wanted: documents, or cards by their names.

use crate::book::Book;

/// A card that is wanted: its document and its place there.
pub type Chosen = (usize, usize);

/// A name that no document and no card has.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no document and no card '{name}'; {near}see `fourstamp reproduce --list`")]
pub struct Unknown {
    /// As it was given.
    pub name: String,
    /// The nearest that there is, or nothing.
    near: String,
}

/// The cards that `names` name, in the order of the documents; all, if there are no names.
///
/// # Errors
/// When a name is none, with the nearest that is.
pub fn choose(books: &[Book], names: &[String]) -> Result<Vec<Chosen>, Unknown> {
    let all = books
        .iter()
        .enumerate()
        .flat_map(|(at, book)| book.cards.iter().enumerate().map(move |(card, _)| (at, card)));
    if names.is_empty() {
        return Ok(all.collect());
    }
    if let Some(name) = names.iter().find(|name| !all.clone().any(|one| is_named(books, one, name)))
    {
        return Err(Unknown { name: name.clone(), near: near(books, name) });
    }
    let wanted = |one: &Chosen| names.iter().any(|name| is_named(books, *one, name));
    Ok(all.filter(wanted).collect())
}

fn is_named(books: &[Book], (book, card): Chosen, name: &str) -> bool {
    let (book, card) = (&books[book], &books[book].cards[card]);
    let id = book.whole_id(card);
    name.eq_ignore_ascii_case(&book.document.id) || name.eq_ignore_ascii_case(&id)
}

/// The nearest name, if one is near.
fn near(books: &[Book], name: &str) -> String {
    let ids = books.iter().flat_map(|book| {
        let cards = book.cards.iter().map(|card| book.whole_id(card));
        cards.chain([book.document.id.clone()])
    });
    let name = name.to_ascii_lowercase();
    let distance = |id: &String| strsim::levenshtein(&id.to_ascii_lowercase(), &name);
    let nearest = ids.min_by_key(distance).filter(|id| distance(id) <= 3);
    nearest.map(|id| format!("did you mean {id}? ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped;

    #[test]
    fn documents_and_cards_are_chosen_by_name() {
        let books = shipped().expect("the files are documents");
        let all = choose(&books, &[]).expect("nothing is unknown");
        assert_eq!(all.len(), books.iter().map(|book| book.cards.len()).sum::<usize>());
        let one = choose(&books, &["000/a-1".into()]).expect("it is there");
        assert_eq!(one.len(), 1);
        let two = choose(&books, &["004".into(), "000/A-1".into()]).expect("they are there");
        assert_eq!(two.len(), 1 + books[4].cards.len());
        assert_eq!(two[0], one[0]);
    }

    #[test]
    fn the_nearest_name_is_said() {
        let books = shipped().expect("the files are documents");
        let error = choose(&books, &["000/A-111".into()]).expect_err("there is none");
        assert!(error.to_string().contains("did you mean 000/A-11?"), "{error}");
        let error = choose(&books, &["nonsense-all".into()]).expect_err("there is none");
        assert!(!error.to_string().contains("mean"), "{error}");
    }
}
