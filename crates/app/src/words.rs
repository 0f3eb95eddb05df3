//! The words of mails and notifications, in the languages of their readers.
//!
//! The door that has the texts implements [`Words`]. A use case names a message by its key.

/// An argument of a message.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A text.
    Text(&'a str),
    /// A number, which may decide the form of words. `count` comes with `shown`, the number with
    /// its separators.
    Count(i64),
}

/// The messages of all languages.
pub trait Words: Send + Sync {
    /// The tag of the language that is nearest to the first of the wanted tags for which there is
    /// one. An empty tag counts as none.
    fn language(&self, wanted: &[&str]) -> &'static str;

    /// Whether a language is written from right to left.
    fn is_rtl(&self, language: &str) -> bool;

    /// A message in a language.
    fn say(&self, language: &str, key: &str, args: &[(&'static str, Arg<'_>)]) -> String;
}

/// The messages of one language.
#[derive(Clone, Copy)]
pub struct Speech<'a> {
    words: &'a dyn Words,
    /// The tag of the language.
    pub language: &'static str,
}

impl<'a> Speech<'a> {
    /// The language that is nearest to the first of the wanted tags for which there is one.
    pub fn new(words: &'a dyn Words, wanted: &[&str]) -> Self {
        Self { words, language: words.language(wanted) }
    }

    /// A message without arguments.
    pub fn t(self, key: &str) -> String {
        self.with(key, &[])
    }

    /// A message with one text.
    pub fn x(self, key: &str, name: &'static str, text: &str) -> String {
        self.with(key, &[(name, Arg::Text(text))])
    }

    /// A message with a number, `count`, which it shows as `shown`.
    pub fn n(self, key: &str, count: i64) -> String {
        self.with(key, &[("count", Arg::Count(count))])
    }

    /// A message with arguments.
    pub fn with(self, key: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        self.words.say(self.language, key, args)
    }

    /// The direction of the language, as HTML has it.
    pub fn dir(self) -> &'static str {
        if self.words.is_rtl(self.language) { "rtl" } else { "ltr" }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Messages that are their keys and arguments.
    pub(crate) struct Keys;

    impl Words for Keys {
        fn language(&self, wanted: &[&str]) -> &'static str {
            if wanted.first() == Some(&"ar") { "ar" } else { "en" }
        }

        fn is_rtl(&self, language: &str) -> bool {
            language == "ar"
        }

        fn say(&self, _: &str, key: &str, args: &[(&'static str, Arg<'_>)]) -> String {
            let shown = args.iter().map(|(_, arg)| match arg {
                Arg::Text(text) => (*text).to_owned(),
                Arg::Count(count) => count.to_string(),
            });
            match args {
                [] => key.to_owned(),
                _ => format!("{key}({})", shown.collect::<Vec<_>>().join("|")),
            }
        }
    }
}
