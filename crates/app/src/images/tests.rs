use super::*;
use crate::portal::tests::{user, visit};
use crate::write::tests::{id, post};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::{Time, Uuid};
use hearback_ports::Batch;
use hearback_ports::export::{ExportPage, MockSnapshot};
use hearback_ports::images::{MockImageFiles, MockImageReader};
use hearback_ports::mock::Mocks;

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n and more";

fn at(millis: i64) -> Time {
    Time::MIN.plus_millis(millis)
}

fn mocks() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.expect_now().return_const(at(5));
    mocks
}

fn images(files: MockImageFiles, reader: MockImageReader) -> Images {
    Images { files: Arc::new(files), reader: Arc::new(reader), quota: 1_000 }
}

/// A reader that makes an image with one copy.
fn reader() -> MockImageReader {
    let mut reader = MockImageReader::new();
    reader.expect_read().once().returning(|content| {
        let copies = vec![(320, Bytes::from_static(b"copy"))];
        Ok(PreparedImage { format: ImageFormat::Png, width: 400, height: 300, content, copies })
    });
    reader
}

#[tokio::test]
async fn an_upload_is_counted_before_its_files_are_written_the_image_last() {
    for admission in [Admission::Added, Admission::Known] {
        let mut mocks = mocks();
        mocks
            .images
            .expect_add()
            .once()
            .withf(|_, image, quota| {
                let times = (image.created_at, image.review_at);
                image.bytes == PICTURE.len() as u64 + 4
                    && *quota == 1_000
                    && times == (at(5), review_time(at(5 + UNUSED_KEPT)))
            })
            .returning(move |_, _, _| Ok(admission));
        let mut files = MockImageFiles::new();
        let mut order = mockall::Sequence::new();
        for width in [Some(320), None] {
            files
                .expect_put()
                .once()
                .in_sequence(&mut order)
                .withf(move |file, _| file.width == width)
                .returning(|_, _| Ok(()));
        }
        let visit = visit(vec![], Some(user(1, "end_user")));
        let upload = Bytes::from_static(PICTURE);
        let images = images(files, reader());
        let image = images.upload(&mocks.ports(), &visit, upload).await.unwrap();
        assert_eq!((image.digest, image.width), (digest_of(PICTURE), 400));
    }
}

#[tokio::test]
async fn nothing_is_read_for_those_who_may_not_upload_and_nothing_written_beyond_the_quota() {
    let none = images(MockImageFiles::new(), MockImageReader::new());
    let refused = none.upload(&mocks().ports(), &visit(vec![], None), Bytes::new()).await;
    assert_eq!(format!("{:?}", refused.unwrap_err()), "Failed(Denied(NotSignedIn))");
    let mut mocks = mocks();
    mocks.images.expect_add().returning(|_, _, _| Ok(Admission::Full));
    let visit = visit(vec![], Some(user(1, "end_user")));
    let images = images(MockImageFiles::new(), reader());
    let full = images.upload(&mocks.ports(), &visit, Bytes::from_static(PICTURE)).await;
    assert!(matches!(full, Err(UploadError::Full)));
}

fn content(content: &'static [u8]) -> FileContent {
    let pieces = stream::iter([Ok(Bytes::from_static(content))]).boxed();
    FileContent { length: content.len() as u64, pieces }
}

#[tokio::test]
async fn a_missing_copy_is_the_image_itself_and_what_is_no_image_is_not_shown() {
    let open = async |file: &'static [u8]| {
        let mut files = MockImageFiles::new();
        files.expect_get().returning(move |asked| {
            Ok(if asked.width.is_none() { Some(content(file)) } else { None })
        });
        let images = images(files, MockImageReader::new());
        images.open(id(1), ImageDigest([1; 32]), Some(320)).await.unwrap()
    };
    let opened = open(PICTURE).await.unwrap();
    assert_eq!((opened.format, opened.length), (ImageFormat::Png, PICTURE.len() as u64));
    let pieces: Vec<_> = opened.pieces.map(Result::unwrap).collect().await;
    assert_eq!(pieces.concat(), PICTURE);
    assert!(open(b"<script>").await.is_none());
}

#[tokio::test]
async fn an_image_goes_unless_a_text_names_it_or_it_is_uploaded_again() {
    let [named, unused, again] = [1, 2, 3].map(|byte| ImageDigest([byte; 32]));
    let mut mocks = mocks();
    mocks.backlog.expect_organizations().times(2).returning(|task, now, after, _| {
        assert_eq!((task, now), (Task::ReviewImages, at(5)));
        Ok(if after.is_none() { vec![id(1)] } else { vec![] })
    });
    mocks.images.expect_due().return_once(move |_, _, _| Ok(vec![named, unused, again]));
    mocks.exporter.expect_snapshot().return_once(move || {
        let mut snapshot = MockSnapshot::new();
        snapshot.expect_page().returning(move |_, kind, _, _| {
            let description = format!("![](/images/{named}?s=1x1)");
            let posts = match kind {
                Kind::FeedbackPost => vec![FeedbackPost { description, ..post() }],
                _ => vec![],
            };
            Ok(ExportPage { batch: Batch::FeedbackPost(posts), next: None })
        });
        Ok(Box::new(snapshot))
    });
    mocks
        .images
        .expect_postpone()
        .once()
        .withf(move |_, digest, now, until| {
            (*digest, *now, *until) == (named, at(5), review_time(at(5 + USED_KEPT)))
        })
        .returning(|_, _, _, _| Ok(()));
    mocks.images.expect_remove().times(2).returning(move |_, digest, _| Ok(digest == unused));
    let mut files = MockImageFiles::new();
    files
        .expect_remove()
        .once()
        .withf(move |organization, digest| {
            (organization.0, *digest) == (Uuid::from_u128(1), unused)
        })
        .returning(|_, _| Ok(()));
    let images = images(files, MockImageReader::new());
    let progress = review_images(&mocks.ports(), &images).await;
    assert_eq!((progress.done, progress.failures.len()), (1, 0));
}
