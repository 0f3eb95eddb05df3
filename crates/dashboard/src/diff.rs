//! The difference of two texts, line beside line.

use similar::{ChangeTag, TextDiff};
use std::time::{Duration, Instant};

/// A line of the older text beside that of the newer one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line of the older text. `None` if it was added.
    pub(crate) old: Option<Vec<Piece>>,
    /// The line of the newer text. `None` if it was removed.
    pub(crate) new: Option<Vec<Piece>>,
    /// Whether both are the same.
    pub(crate) is_same: bool,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// Whether the other line has other words here.
    pub(crate) is_changed: bool,
}

/// The time after which a coarse difference will do.
const LONGEST: Duration = Duration::from_millis(300);

/// The lines of two texts.
pub(crate) fn lines(old: &str, new: &str) -> Vec<Line> {
    let deadline = Instant::now() + LONGEST;
    let diff = TextDiff::configure().deadline(deadline).diff_lines(old, new);
    let mut lines = Vec::new();
    for op in diff.ops() {
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for change in diff.iter_inline_changes_deadline(op, Some(deadline)) {
            let piece = |(is_changed, text): (bool, std::borrow::Cow<'_, str>)| Piece {
                text: text.trim_end_matches(['\r', '\n']).to_owned(),
                is_changed,
            };
            let pieces: Vec<Piece> = change.iter_strings_lossy().map(piece).collect();
            match change.tag() {
                ChangeTag::Delete => removed.push(pieces),
                ChangeTag::Insert => added.push(pieces),
                ChangeTag::Equal => {
                    lines.push(Line { old: Some(pieces.clone()), new: Some(pieces), is_same: true })
                }
            }
        }
        // Lines without a word in common, and those that stand alone, are changed as a whole.
        if !removed.iter().chain(&added).flatten().any(|it: &Piece| it.is_changed) {
            removed.iter_mut().chain(&mut added).flatten().for_each(|it| it.is_changed = true);
        }
        // A line that replaces another one stands beside it.
        let (mut removed, mut added) = (removed.into_iter(), added.into_iter());
        loop {
            let line = Line { old: removed.next(), new: added.next(), is_same: false };
            if line == Line::default() {
                break;
            }
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side of a line, with the changed words in brackets.
    fn side(pieces: Option<&Vec<Piece>>) -> String {
        let piece = |piece: &Piece| match piece.is_changed {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        };
        pieces.map_or_else(|| "-".to_owned(), |it| it.iter().map(piece).collect())
    }

    fn shown(old: &str, new: &str) -> Vec<(String, String)> {
        let sides = |line: &Line| (side(line.old.as_ref()), side(line.new.as_ref()));
        lines(old, new).iter().map(sides).collect()
    }

    fn pair(old: &str, new: &str) -> (String, String) {
        (old.to_owned(), new.to_owned())
    }

    #[test]
    fn a_changed_line_stands_beside_its_former_self_with_the_changed_words_marked() {
        let old = "one\nPress the red button.\nthree\n";
        let new = "one\nPress the green button.\nthree\n";
        let expected = [
            pair("one", "one"),
            pair("Press the [red] button.", "Press the [green] button."),
            pair("three", "three"),
        ];
        assert_eq!(shown(old, new), expected);
    }

    #[test]
    fn lines_that_were_added_or_removed_stand_alone() {
        assert_eq!(shown("a\n", "a\nb\n"), [pair("a", "a"), pair("-", "[b]")]);
        assert_eq!(shown("a\nb\n", "b\n"), [pair("[a]", "-"), pair("b", "b")]);
        assert_eq!(shown("", ""), []);
    }

    #[test]
    fn lines_without_a_common_word_are_changed_as_a_whole() {
        assert_eq!(shown("red\n", "green\n"), [pair("[red]", "[green]")]);
        assert_eq!(
            shown("one two three\n", "one two three four\n"),
            [pair("one two three", "one two three[ four]")]
        );
    }

    #[test]
    fn long_hostile_texts_end_soon() {
        let old: String = (0..40_000).map(|n| format!("{}\n", n % 7)).collect();
        let new: String = (0..40_000).map(|n| format!("{}\n", n % 11)).collect();
        let began = Instant::now();
        assert!(!lines(&old, &new).is_empty());
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
