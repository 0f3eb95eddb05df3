//! The place at which a list goes on, as a part of an address. Anybody may make one: it leads to no record that
//! the list would not show.

use hearback_domain::id::parse_uuid;
use hearback_domain::position::Position;
use hearback_domain::{Time, Uuid};
use hearback_ports::page::{ArticlePlace, ByArticle, ByOptionalTime, ByPost, ByTime, PostPlace};

/// A key of a list as a text.
pub trait Cursor: Sized {
    /// Writes the text.
    fn write(&self) -> String;
    /// Reads the text. `None` if it is none.
    fn read(text: &str) -> Option<Self>;
}

fn split(text: &str) -> Option<(&str, Uuid)> {
    let (place, id) = text.rsplit_once('_')?;
    Some((place, parse_uuid(id)?))
}

fn time(millis: &str) -> Option<Time> {
    Time::from_unix_millis(millis.parse().ok()?).ok()
}

impl Cursor for ByPost {
    fn write(&self) -> String {
        let place = match self.place {
            PostPlace::Time(time) => format!("t{}", time.unix_millis()),
            PostPlace::Votes(votes) => format!("v{votes}"),
            PostPlace::Trend { recent, votes } => format!("r{recent}.{votes}"),
            PostPlace::Spend(spend) => format!("s{spend}"),
        };
        format!("{place}_{}", self.id)
    }

    fn read(text: &str) -> Option<Self> {
        let (place, id) = split(text)?;
        let (kind, value) = place.split_at_checked(1)?;
        let place = match kind {
            "t" => PostPlace::Time(time(value)?),
            "v" => PostPlace::Votes(value.parse().ok()?),
            "r" => {
                let (recent, votes) = value.split_once('.')?;
                PostPlace::Trend { recent: recent.parse().ok()?, votes: votes.parse().ok()? }
            }
            "s" => PostPlace::Spend(value.parse().ok()?),
            _ => return None,
        };
        Some(Self { place, id })
    }
}

impl Cursor for ByTime {
    fn write(&self) -> String {
        format!("{}_{}", self.at.unix_millis(), self.id)
    }

    fn read(text: &str) -> Option<Self> {
        let (at, id) = split(text)?;
        Some(Self { at: time(at)?, id })
    }
}

impl Cursor for ByOptionalTime {
    fn write(&self) -> String {
        let at = self.at.map_or_else(String::new, |at| at.unix_millis().to_string());
        format!("{at}_{}", self.id)
    }

    fn read(text: &str) -> Option<Self> {
        let (at, id) = split(text)?;
        let at = if at.is_empty() { None } else { Some(time(at)?) };
        Some(Self { at, id })
    }
}

impl Cursor for ByArticle {
    fn write(&self) -> String {
        match &self.place {
            ArticlePlace::Position(position) => {
                format!("{}_{}", position.ten_thousandths(), self.id)
            }
            // The portal lists articles by position alone.
            ArticlePlace::Time(_) | ArticlePlace::Title(_) => String::new(),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (place, id) = split(text)?;
        let position = Position::from_ten_thousandths(place.parse().ok()?);
        Some(Self { place: ArticlePlace::Position(position), id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let id = Uuid::from_u128(7);
        for place in [
            PostPlace::Time(Time::MIN),
            PostPlace::Votes(12),
            PostPlace::Trend { recent: 3, votes: -1 },
            PostPlace::Spend(i64::MAX),
        ] {
            let key = ByPost { place, id };
            assert_eq!(ByPost::read(&key.write()), Some(key));
        }
        let key = ByOptionalTime { at: None, id };
        assert_eq!(ByOptionalTime::read(&key.write()), Some(key));
        for text in ["", "_", "x", "t_", "v1_0", "tx_00000000-0000-0000-0000-000000000007", "é_"] {
            assert_eq!(ByPost::read(text), None, "{text}");
        }
    }
}
