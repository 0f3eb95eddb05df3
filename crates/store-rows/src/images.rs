//! Images.

use crate::column::{BadRow, Origin};
use crate::schema::images;
use crate::values::{Id, Stamp};
use diesel::dsl::{auto_type, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::image::{Image, ImageDigest, ImageFormat};
use hearback_domain::{ClosedSet, Time, Uuid};

/// A row of `images`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = images)]
pub struct ImageRow {
    digest: Vec<u8>,
    format: String,
    width: i32,
    height: i32,
    bytes: i64,
    created_at: Stamp,
    review_at: Stamp,
}

impl From<&Image> for ImageRow {
    fn from(image: &Image) -> Self {
        Self {
            digest: held(image.digest),
            format: image.format.code().to_owned(),
            width: image.width.cast_signed(),
            height: image.height.cast_signed(),
            bytes: image.bytes.cast_signed(),
            created_at: Stamp::of(image.created_at),
            review_at: Stamp::of(image.review_at),
        }
    }
}

impl TryFrom<ImageRow> for Image {
    type Error = BadRow;

    fn try_from(row: ImageRow) -> Result<Self, BadRow> {
        let origin = origin();
        Ok(Self {
            digest: digest(row.digest)?,
            format: ImageFormat::parse(&row.format).ok_or_else(|| origin.bad("format"))?,
            width: row.width.try_into().map_err(|_| origin.bad("width"))?,
            height: row.height.try_into().map_err(|_| origin.bad("height"))?,
            bytes: row.bytes.try_into().map_err(|_| origin.bad("bytes"))?,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
            review_at: origin.read::<Time>("review_at", row.review_at)?,
        })
    }
}

/// A digest as a column holds it.
pub fn held(digest: ImageDigest) -> Vec<u8> {
    digest.0.to_vec()
}

/// Reads a column.
pub fn digest(held: Vec<u8>) -> Result<ImageDigest, BadRow> {
    held.try_into().map(ImageDigest).map_err(|_| origin().bad("digest"))
}

/// The digest is all that names an image, and who knows it may see the image: no error shows it.
fn origin() -> Origin {
    Origin::new("images", Uuid::nil())
}

/// The images of an organization.
#[auto_type]
pub fn images_of(organization: Id) -> _ {
    images::table.filter(images::organization_id.eq(organization))
}

/// An image.
#[auto_type]
pub fn image(organization: Id, digest: Vec<u8>) -> _ {
    let all: images_of = images_of(organization);
    all.filter(images::digest.eq(digest))
}

/// An image whose review is due.
#[auto_type]
pub fn due_image(organization: Id, digest: Vec<u8>, now: Stamp) -> _ {
    let this: image = image(organization, digest);
    this.filter(images::review_at.lt(now))
}

/// The digests of up to `limit` images whose review is due, in the order of their reviews.
#[auto_type]
pub fn due_images(organization: Id, now: Stamp, limit: i64) -> _ {
    let all: images_of = images_of(organization);
    all.filter(images::review_at.lt(now))
        .order((images::review_at, images::digest))
        .select(images::digest)
        .limit(limit)
}

/// The bytes of the selected images together.
pub fn total() -> SqlLiteral<BigInt> {
    sql("CAST(coalesce(sum(bytes), 0) AS bigint)")
}
