//! `ImageRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, delete_organization};
use crate::build::{Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::ClosedSet;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{Image, ImageDigest, ImageFormat};
use hearback_ports::backlog::Task;
use hearback_ports::images::Admission;

/// An image of 100 bytes, which is reviewed some milliseconds after [`at`] 0.
pub(crate) fn image(review: i64) -> Image {
    let id: Uuid = fresh();
    let mut digest = [0; 32];
    digest[..16].copy_from_slice(id.as_bytes());
    Image {
        digest: ImageDigest(digest),
        format: ImageFormat::Png,
        width: 16_384,
        height: 1,
        bytes: 100,
        created_at: at(0),
        review_at: at(review),
    }
}

pub(crate) async fn adds(
    stage: &Stage,
    organization: OrganizationId,
    image: Image,
    quota: u64,
    expected: Admission,
) {
    let added = patiently(|| stage.ports.images.add(organization, image, quota)).await;
    assert_eq!(added, expected);
}

async fn due(stage: &Stage, organization: OrganizationId, now: i64) -> Vec<ImageDigest> {
    stage.ports.images.due(organization, at(now), 10).await.unwrap()
}

async fn removes(stage: &Stage, organization: OrganizationId, image: Image, now: i64) -> bool {
    patiently(|| stage.ports.images.remove(organization, image.digest, at(now))).await
}

async fn is_there(stage: &Stage, organization: OrganizationId, image: Image) -> bool {
    stage.ports.images.find(organization, image.digest).await.unwrap().is_some()
}

pub async fn an_image_is_found_as_it_was_added_in_its_organization_alone(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) =
        (acme.import(&stage.ports).await.id(), globex.import(&stage.ports).await.id());
    for format in ImageFormat::ALL {
        let image = Image { format: *format, bytes: 1 << 33, ..image(1) };
        adds(&stage, acme, image, u64::MAX, Admission::Added).await;
        assert_eq!(stage.ports.images.find(acme, image.digest).await.unwrap(), Some(image));
        assert!(!is_there(&stage, globex, image).await);
        assert!(!removes(&stage, globex, image, 9).await);
        assert!(is_there(&stage, acme, image).await);
    }
    assert_eq!(due(&stage, globex, 9).await, []);
}

pub async fn an_image_is_stored_once_and_reviewed_at_the_latest_time(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let first = image(5);
    adds(&stage, acme, first, 100, Admission::Added).await;
    for (review, kept) in [(9, 9), (7, 9)] {
        // The image takes no more room, and is the one that was stored first.
        let again = Image { created_at: at(3), review_at: at(review), ..first };
        adds(&stage, acme, again, 100, Admission::Known).await;
        let found = stage.ports.images.find(acme, first.digest).await.unwrap();
        assert_eq!(found, Some(Image { review_at: at(kept), ..first }));
    }
}

pub async fn images_take_no_more_than_the_quota(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) =
        (acme.import(&stage.ports).await.id(), globex.import(&stage.ports).await.id());
    let [one, two, three] = [1, 1, 1].map(image);
    adds(&stage, acme, one, 99, Admission::Full).await;
    adds(&stage, acme, one, 100, Admission::Added).await;
    adds(&stage, acme, two, 199, Admission::Full).await;
    assert!(!is_there(&stage, acme, two).await);
    // Another organization has a quota of its own.
    adds(&stage, globex, two, 199, Admission::Added).await;
    adds(&stage, acme, two, 200, Admission::Added).await;
    assert!(removes(&stage, acme, one, 2).await);
    adds(&stage, acme, three, 200, Admission::Added).await;
}

pub async fn of_many_images_at_once_no_more_are_added_than_fit(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let add = async |_| {
        let image = image(1);
        patiently(|| stage.ports.images.add(acme, image, 350)).await
    };
    let added = join_all((0..16).map(add)).await;
    let done = added.iter().filter(|added| **added == Admission::Added).count();
    assert_eq!((done, due(&stage, acme, 2).await.len()), (3, 3));
}

pub async fn images_are_due_in_the_order_of_their_reviews(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let [late, early, later] = [3, 1, 5].map(image);
    for image in [late, early, later] {
        adds(&stage, acme, image, u64::MAX, Admission::Added).await;
    }
    assert_eq!(due(&stage, acme, 1).await, []);
    assert_eq!(due(&stage, acme, 5).await, [early.digest, late.digest]);
    assert_eq!(due(&stage, acme, 6).await, [early.digest, late.digest, later.digest]);
    let first = stage.ports.images.due(acme, at(6), 1).await.unwrap();
    assert_eq!(first, [early.digest]);
    for (now, has_task) in [(1, false), (2, true)] {
        let backlog = &stage.ports.backlog;
        let before = OrganizationId(Uuid::from_u128(acme.0.as_u128() - 1));
        let found = backlog.organizations(Task::ReviewImages, at(now), Some(before), 1).await;
        assert_eq!(found.unwrap().first() == Some(&acme), has_task, "{now}");
    }
}

pub async fn only_an_image_that_is_due_is_postponed_or_removed(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let image = image(5);
    adds(&stage, acme, image, 100, Admission::Added).await;
    let postpone = async |now, until| {
        patiently(|| stage.ports.images.postpone(acme, image.digest, at(now), at(until))).await;
    };
    postpone(5, 100).await;
    assert!(!removes(&stage, acme, image, 5).await);
    assert_eq!(due(&stage, acme, 6).await, [image.digest]);
    postpone(6, 8).await;
    assert!(!removes(&stage, acme, image, 8).await);
    assert!(removes(&stage, acme, image, 9).await);
    assert!(!removes(&stage, acme, image, 9).await);
    assert!(!is_there(&stage, acme, image).await);
}

pub async fn an_organization_that_is_gone_takes_no_images(stage: Stage) {
    let globex = Tenant::new().import(&stage.ports).await.id();
    let image = image(1);
    adds(&stage, OrganizationId(fresh()), image, 100, Admission::Gone).await;
    adds(&stage, globex, image, 100, Admission::Added).await;
    delete_organization(&stage.ports, globex).await;
    adds(&stage, globex, image, 100, Admission::Gone).await;
    assert!(!is_there(&stage, globex, image).await);
}
