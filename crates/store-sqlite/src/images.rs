//! Images.

use crate::error::store_error;
use crate::{SqliteStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{Image, ImageDigest};
use hearback_ports::images::Admission;
use hearback_ports::{ImageRepository, StoreError};
use hearback_store_rows::images::{
    ImageRow, digest, due_image, due_images, held, image, images_of, total,
};
use hearback_store_rows::schema::images;
use hearback_store_rows::{Id, Stamp};

#[async_trait]
impl ImageRepository for SqliteStore {
    async fn add(
        &self,
        organization: OrganizationId,
        image: Image,
        quota: u64,
    ) -> Result<Admission, StoreError> {
        let doing = "adding an image";
        let work =
            move |connection: &mut SqliteConnection| add(connection, organization, &image, quota);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<Option<Image>, StoreError> {
        let row: Option<ImageRow> = self.readers.read("finding an image", |connection| {
            image(Id::of(organization), held(digest))
                .select(ImageRow::as_select())
                .first(connection)
                .optional()
        })?;
        Ok(row.map(Image::try_from).transpose()?)
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ImageDigest>, StoreError> {
        let rows: Vec<Vec<u8>> = self.readers.read("listing images to review", |connection| {
            due_images(Id::of(organization), Stamp::of(now), limit).load(connection)
        })?;
        Ok(rows.into_iter().map(digest).collect::<Result<_, _>>()?)
    }

    async fn postpone(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
        until: Time,
    ) -> Result<(), StoreError> {
        let doing = "keeping an image";
        let work = move |connection: &mut SqliteConnection| {
            diesel::update(due_image(Id::of(organization), held(digest), Stamp::of(now)))
                .set(images::review_at.eq(Stamp::of(until)))
                .execute(connection)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
        Ok(())
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
    ) -> Result<bool, StoreError> {
        let doing = "removing an image";
        let work = move |connection: &mut SqliteConnection| {
            diesel::delete(due_image(Id::of(organization), held(digest), Stamp::of(now)))
                .execute(connection)
        };
        let removed = self.writer.write(doing, work).await?;
        Ok(removed.map_err(|error| store_error(doing, error))? > 0)
    }
}

/// Adds an image within a transaction. It holds the write lock, so that no two images pass the quota
/// together.
fn add(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    new: &Image,
    quota: u64,
) -> QueryResult<Admission> {
    if !organizations::is_there(connection, organization)? {
        return Ok(Admission::Gone);
    }
    let id = Id::of(organization);
    let digest = held(new.digest);
    let review_at = Stamp::of(new.review_at);
    let this = image(id, digest.clone()).select(images::review_at);
    if this.first::<Stamp>(connection).optional()?.is_some() {
        diesel::update(due_image(id, digest, review_at))
            .set(images::review_at.eq(review_at))
            .execute(connection)?;
        return Ok(Admission::Known);
    }
    let present: i64 = images_of(id).select(total()).get_result(connection)?;
    if present.cast_unsigned().saturating_add(new.bytes) > quota {
        return Ok(Admission::Full);
    }
    diesel::insert_into(images::table)
        .values((images::organization_id.eq(id), ImageRow::from(new)))
        .execute(connection)?;
    Ok(Admission::Added)
}
