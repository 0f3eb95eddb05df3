//! The words of pages and mails, in eight languages.
//!
//! Each language has one Fluent file in `texts/`. A test holds that all files have the same
//! messages with the same arguments, and that pages use each of them.

pub use hearback_app::words::Arg;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use hearback_app::words::Words;
use std::sync::LazyLock;
use unic_langid::LanguageIdentifier;

/// A language of the pages.
pub struct Language {
    /// The tag of BCP 47: the `lang` of pages.
    pub tag: &'static str,
    /// The name, in the language itself.
    pub name: &'static str,
    /// Whether the language is written from right to left.
    pub is_rtl: bool,
    bundle: FluentBundle<FluentResource>,
}

/// The files, English first: the language of those whose own there is not.
const FILES: [(&str, &str, &str); 8] = [
    ("en", "English", include_str!("../texts/en.ftl")),
    ("de", "Deutsch", include_str!("../texts/de.ftl")),
    ("fr", "Français", include_str!("../texts/fr.ftl")),
    ("es", "Español", include_str!("../texts/es.ftl")),
    ("pt-BR", "Português (Brasil)", include_str!("../texts/pt-BR.ftl")),
    ("ja", "日本語", include_str!("../texts/ja.ftl")),
    ("zh-Hans", "简体中文", include_str!("../texts/zh-Hans.ftl")),
    ("ar", "العربية", include_str!("../texts/ar.ftl")),
];

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    FILES.into_iter().map(|(tag, name, file)| Language::new(tag, name, file)).collect()
});

impl Language {
    /// All languages, English first.
    pub fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// The language with a tag, or with the same language as the tag: `de` for `de-CH`, `pt-BR` for
    /// `pt`, `zh-Hans` for `zh-CN`.
    pub fn named(tag: &str) -> Option<&'static Self> {
        let all = Self::all();
        let exact = all.iter().find(|language| language.tag.eq_ignore_ascii_case(tag));
        let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        exact.or_else(|| all.iter().find(|language| primary(language.tag) == primary(tag)))
    }

    /// The first language of `Accept-Language` that there is, by weight.
    pub fn accepted(header: &str) -> Option<&'static Self> {
        let weighted = header.split(',').take(MOST_ACCEPTED).filter_map(|part| {
            let (tag, rest) = part.split_once(';').unwrap_or((part, ""));
            let weight = rest.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.parse().ok())?;
            let language = Self::named(tag.trim()).filter(|_| weight > 0.0)?;
            Some((weight, language))
        });
        // The first one of the greatest weight.
        let best =
            weighted.reduce(|best: (f32, _), next| if next.0 > best.0 { next } else { best });
        best.map(|(_, language)| language)
    }

    fn new(tag: &'static str, name: &'static str, file: &str) -> Self {
        let id: LanguageIdentifier = tag.parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![id]);
        let resource = FluentResource::try_new(file.to_owned());
        let resource = resource.unwrap_or_else(|(resource, _)| resource);
        // A message that is there twice is a fault that a test finds.
        let _ = bundle.add_resource(resource);
        Self { tag, name, is_rtl: tag == "ar", bundle }
    }

    /// A message without arguments.
    pub fn text(&self, key: &str) -> String {
        self.format(key, None)
    }

    /// A message with a number, `count`, which it shows as `shown`.
    pub fn n(&self, key: &str, count: i64) -> String {
        self.with(key, &[("count", Arg::Count(count))])
    }

    /// A message with arguments.
    pub fn with(&self, key: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        let mut set = FluentArgs::with_capacity(args.len());
        for (name, arg) in args {
            match arg {
                Arg::Text(text) => set.set(*name, *text),
                Arg::Count(count) => {
                    set.set(*name, *count);
                    if *name == "count" {
                        set.set("shown", FluentValue::from(self.number(*count)));
                    }
                }
            }
        }
        self.format(key, Some(&set))
    }

    /// A number with the separators of the language.
    pub fn number(&self, number: i64) -> String {
        let separator = match self.tag {
            "de" | "es" | "pt-BR" => '.',
            "fr" => '\u{202f}',
            _ => ',',
        };
        let digits = number.unsigned_abs().to_string();
        let mut shown = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                shown.push(separator);
            }
            shown.push(digit);
        }
        if number < 0 { format!("-{shown}") } else { shown }
    }

    /// A decimal amount with the separators of the language. A fraction of zeros is left out. Returns
    /// `amount` as it is if its whole part is no `i64`.
    pub fn amount(&self, amount: &str) -> String {
        let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
        let Ok(number) = whole.parse() else { return amount.to_owned() };
        let whole = self.number(number);
        let mark = if matches!(self.tag, "de" | "es" | "fr" | "pt-BR") { ',' } else { '.' };
        match fraction.trim_end_matches('0') {
            "" => whole,
            _ => format!("{whole}{mark}{fraction}"),
        }
    }

    fn format(&self, key: &str, args: Option<&FluentArgs<'_>>) -> String {
        let pattern = self.bundle.get_message(key).and_then(|message| message.value());
        match pattern {
            Some(pattern) => {
                let text = self.bundle.format_pattern(pattern, args, &mut vec![]);
                text.into_owned()
            }
            None => {
                // A test finds keys that a file lacks.
                debug_assert!(false, "no text {key:?} in {}", self.tag);
                key.to_owned()
            }
        }
    }
}

/// The words of mails and notifications.
pub struct MailWords {
    /// Whether marks around arguments keep the directions of their texts apart. Some mail programs
    /// show the marks.
    has_marks: bool,
}

impl MailWords {
    /// The words of mails.
    pub const IN_MAILS: Self = Self { has_marks: false };
    /// The words of pages.
    pub const IN_PAGES: Self = Self { has_marks: true };
}

impl Words for MailWords {
    fn language(&self, wanted: &[&str]) -> &'static str {
        let mut wanted = wanted.iter().filter(|tag| !tag.is_empty());
        wanted.find_map(|tag| Language::named(tag)).unwrap_or(&Language::all()[0]).tag
    }

    fn is_rtl(&self, language: &str) -> bool {
        Language::named(language).is_some_and(|language| language.is_rtl)
    }

    fn say(&self, language: &str, key: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        let text = Language::named(language).unwrap_or(&Language::all()[0]).with(key, args);
        if self.has_marks { text } else { text.replace(['\u{2068}', '\u{2069}'], "") }
    }
}

/// The most languages of a request that are looked at.
const MOST_ACCEPTED: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    /// The messages of a file, each with the arguments of it.
    fn messages(file: &str) -> BTreeMap<String, BTreeSet<String>> {
        let resource = fluent_syntax::parser::parse(file).expect("the file is Fluent");
        let mut messages = BTreeMap::new();
        for entry in resource.body {
            if let Entry::Message(message) = entry {
                let mut args = BTreeSet::new();
                collect(message.value.as_ref().expect("a value"), &mut args);
                let twice = messages.insert(message.id.name.to_owned(), args);
                assert!(twice.is_none(), "{} is there twice", message.id.name);
            }
        }
        messages
    }

    fn collect(pattern: &Pattern<&str>, args: &mut BTreeSet<String>) {
        let of_inline = |inline: &InlineExpression<&str>, args: &mut BTreeSet<String>| {
            if let InlineExpression::VariableReference { id } = inline {
                args.insert(id.name.to_owned());
            }
        };
        for element in &pattern.elements {
            let PatternElement::Placeable { expression } = element else { continue };
            match expression {
                Expression::Inline(inline) => of_inline(inline, args),
                Expression::Select { selector, variants } => {
                    of_inline(selector, args);
                    variants.iter().for_each(|variant| collect(&variant.value, args));
                }
            }
        }
    }

    #[test]
    fn every_language_has_the_same_messages_with_the_same_arguments() {
        let english = messages(FILES[0].2);
        for (tag, _, file) in FILES {
            let of_language = messages(file);
            let keys = |of: &BTreeMap<String, _>| of.keys().cloned().collect::<BTreeSet<_>>();
            assert_eq!(keys(&of_language), keys(&english), "{tag}");
            for (key, args) in of_language {
                // A language may name no number where it has words for it, and none where English
                // has one form.
                let mut wanted = english[&key].clone();
                let mut args = args;
                for of in [&mut wanted, &mut args] {
                    of.remove("count");
                }
                assert_eq!(args, wanted, "{tag}: {key}");
            }
        }
    }

    /// The sources of the crate and its templates, and those of the mails.
    fn sources() -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut texts = Vec::new();
        let pages = ["web", "portal", "dashboard"].map(|name| root.join("..").join(name));
        let mut folders = vec![root.join("../app/src/mail")];
        folders.extend(pages.iter().flat_map(|door| [door.join("src"), door.join("templates")]));
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("text.rs") {
                    texts.push(std::fs::read_to_string(path).unwrap());
                }
            }
        }
        texts
    }

    #[test]
    fn pages_use_every_message_with_its_arguments_and_no_other() {
        let english = messages(FILES[0].2);
        let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in sources() {
            // A call may go over several lines.
            let source =
                source.replace("(\n", "(").split_whitespace().collect::<Vec<_>>().join(" ");
            let source = source.replace("( \"", "(\"");
            for (start, call) in [".t(\"", ".with(\"", ".n(\"", ".x(\"", "key(\""]
                .into_iter()
                .flat_map(|call| source.match_indices(call))
            {
                let rest = &source[start + call.len()..];
                let (key, rest) = rest.split_once('"').unwrap();
                let mut args = BTreeSet::new();
                match call {
                    ".n(\"" => drop(args.insert("shown".to_owned())),
                    ".x(\"" => {
                        let name = rest.split('"').nth(1).unwrap();
                        args.insert(name.to_owned());
                    }
                    ".with(\"" => {
                        let list = rest.split_once(']').unwrap().0;
                        for piece in list.split("(\"").skip(1) {
                            let name = piece.split('"').next().unwrap();
                            args.insert(if name == "count" { "shown" } else { name }.to_owned());
                        }
                    }
                    _ => {}
                }
                used.entry(key.to_owned()).or_insert(args);
            }
        }
        let keys: BTreeSet<_> = used.keys().cloned().collect();
        let known: BTreeSet<_> = english.keys().cloned().collect();
        let (missing, unused): (Vec<_>, Vec<_>) =
            (keys.difference(&known).collect(), known.difference(&keys).collect());
        assert!(missing.is_empty() && unused.is_empty(), "missing {missing:?}, unused {unused:?}");
        for (key, mut wanted) in english {
            wanted.remove("count");
            assert_eq!(used[&key], wanted, "{key}");
        }
    }

    #[test]
    fn the_language_is_the_best_that_the_browser_accepts() {
        let accepted = |header| Language::accepted(header).map(|language| language.tag);
        assert_eq!(accepted("de-CH, en;q=0.5"), Some("de"));
        assert_eq!(accepted("nl, fr;q=0.3, es;q=0.8"), Some("es"));
        assert_eq!(accepted("zh-CN"), Some("zh-Hans"));
        assert_eq!(accepted("pt"), Some("pt-BR"));
        assert_eq!(accepted("en, de"), Some("en"));
        for header in ["", "*", "nl", "en;q=0", ";;;,,", "en;q=x"] {
            assert_eq!(accepted(header), None, "{header}");
        }
    }

    #[test]
    fn numbers_have_the_separators_of_their_language() {
        let shown = |tag: &str, number| Language::named(tag).unwrap().number(number);
        assert_eq!(shown("en", 12_345), "12,345");
        assert_eq!(shown("de", 1_234_567), "1.234.567");
        assert_eq!(shown("fr", 1_000), "1\u{202f}000");
        assert_eq!([shown("en", 0), shown("en", 999), shown("en", -1_000)], ["0", "999", "-1,000"]);
        let amount = |tag: &str, amount| Language::named(tag).unwrap().amount(amount);
        for (tag, value, expected) in [
            ("en", "18840.00", "18,840"),
            ("en", "1234.50", "1,234.50"),
            ("de", "1234.50", "1.234,50"),
            ("ja", "0", "0"),
            ("en", "", ""),
        ] {
            assert_eq!(amount(tag, value), expected, "{tag}");
        }
    }
}
