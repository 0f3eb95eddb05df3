//! Images.

use crate::lists::size;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{Image, ImageDigest};
use hearback_ports::ImageRepository;
use hearback_ports::images::Admission;

#[async_trait]
impl ImageRepository for MemoryStore {
    async fn add(
        &self,
        organization: OrganizationId,
        image: Image,
        quota: u64,
    ) -> Result<Admission> {
        self.write(|state| {
            let Some(tenant) = state.tenant_mut(organization) else { return Ok(Admission::Gone) };
            if let Some(present) = tenant.images.get_mut(&image.digest) {
                present.review_at = present.review_at.max(image.review_at);
                return Ok(Admission::Known);
            }
            let present: u64 = tenant.images.values().map(|image| image.bytes).sum();
            if present.saturating_add(image.bytes) > quota {
                return Ok(Admission::Full);
            }
            tenant.images.insert(image.digest, image);
            Ok(Admission::Added)
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<Option<Image>> {
        self.read(organization, |tenant| tenant.images.get(&digest).copied())
    }

    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ImageDigest>> {
        self.read(organization, |tenant| {
            let due = tenant.images.values().filter(|image| image.review_at < now);
            let mut due = Vec::from_iter(due.map(|image| (image.review_at, image.digest)));
            due.sort_unstable();
            due.into_iter().map(|(_, digest)| digest).take(size(limit)).collect()
        })
    }

    async fn postpone(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
        until: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            let image = tenant.images.get_mut(&digest);
            if let Some(image) = image.filter(|image| image.review_at < now) {
                image.review_at = until;
            }
        })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
    ) -> Result<bool> {
        self.update(organization, |tenant| {
            let is_due = tenant.images.get(&digest).is_some_and(|image| image.review_at < now);
            is_due && tenant.images.remove(&digest).is_some()
        })
    }
}
