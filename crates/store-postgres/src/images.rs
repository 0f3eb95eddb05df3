//! Images.

use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
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
impl ImageRepository for PgStore {
    async fn add(
        &self,
        organization: OrganizationId,
        image: Image,
        quota: u64,
    ) -> Result<Admission, StoreError> {
        let work = self.writer.write("adding an image", move |connection| {
            async move { add(connection, organization, &image, quota).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<Option<Image>, StoreError> {
        let query = || image(Id::of(organization), held(digest)).select(ImageRow::as_select());
        let row: Option<ImageRow> = self.readers.row("finding an image", query).await?;
        Ok(row.map(Image::try_from).transpose()?)
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ImageDigest>, StoreError> {
        let query = || due_images(Id::of(organization), Stamp::of(now), limit);
        let rows: Vec<Vec<u8>> = self.readers.rows("listing images to review", query).await?;
        Ok(rows.into_iter().map(digest).collect::<Result<_, _>>()?)
    }

    async fn postpone(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
        until: Time,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("keeping an image", move |connection| {
            let this = due_image(Id::of(organization), held(digest), Stamp::of(now));
            let postpone = diesel::update(this).set(images::review_at.eq(Stamp::of(until)));
            async move { postpone.execute(connection).await }.boxed()
        });
        work.await?.map(drop).ok_or(StoreError::Busy)
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
    ) -> Result<bool, StoreError> {
        let work = self.writer.write_alone("removing an image", move |connection| {
            let this = due_image(Id::of(organization), held(digest), Stamp::of(now));
            async move { diesel::delete(this).execute(connection).await }.boxed()
        });
        Ok(work.await?.ok_or(StoreError::Busy)? > 0)
    }
}

/// Adds an image within a transaction. The calls for an organization take turns, so that no two
/// images pass the quota together.
async fn add(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    new: &Image,
    quota: u64,
) -> QueryResult<Admission> {
    if !organizations::hold_alone(connection, organization).await? {
        return Ok(Admission::Gone);
    }
    let id = Id::of(organization);
    let digest = held(new.digest);
    let review_at = Stamp::of(new.review_at);
    let this = image(id, digest.clone()).select(images::review_at);
    if this.first::<Stamp>(connection).await.optional()?.is_some() {
        diesel::update(due_image(id, digest, review_at))
            .set(images::review_at.eq(review_at))
            .execute(connection)
            .await?;
        return Ok(Admission::Known);
    }
    let present: i64 = images_of(id).select(total()).get_result(connection).await?;
    if present.cast_unsigned().saturating_add(new.bytes) > quota {
        return Ok(Admission::Full);
    }
    diesel::insert_into(images::table)
        .values((images::organization_id.eq(id), ImageRow::from(new)))
        .execute(connection)
        .await?;
    Ok(Admission::Added)
}
