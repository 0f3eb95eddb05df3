//! The conformance suite: the behaviour that every store must have, as named cases over the ports.
//!
//! A store runs all cases by naming its harness once:
//!
//! ```no_run
//! # fn main() {}
//! use hearback_tests::conformance::Stage;
//! use tokio::sync::OnceCell;
//!
//! hearback_tests::conformance!(stage);
//!
//! async fn stage() -> Stage {
//!     static STAGE: OnceCell<Stage> = OnceCell::const_new();
//!     STAGE.get_or_init(open).await.clone()
//! }
//!
//! /// Makes a store of its own for this run and brings its schema up to date.
//! async fn open() -> Stage {
//! #   std::future::pending().await
//!     // …
//! }
//! ```
//!
//! Cases do not disturb each other: each makes organizations of its own, so all cases share one
//! store and run at once. For each organization, two others have records with the same identifiers
//! (see [`crate::build::Tenant::import`]).

pub mod article_search;
pub mod audit;
pub mod backlog;
pub mod cancellation;
pub mod changelog_entries;
pub mod comments;
pub mod counts;
pub mod deliveries;
pub mod delivery_queue;
pub mod delivery_races;
pub mod erasure;
pub mod events;
pub mod examination;
pub mod export;
pub mod health;
pub mod help_articles;
pub mod help_redirects;
pub mod images;
pub mod import;
pub mod instance;
pub mod keys;
pub mod labels;
pub mod lists;
pub mod mail_queue;
pub mod merge;
pub mod moderation;
pub mod notices;
pub mod oidc;
pub mod one_person;
pub mod organizations;
pub mod passwords;
pub mod races;
pub mod receipts;
pub mod record_races;
pub mod records;
pub mod saved_views;
pub mod schema;
pub mod search;
pub mod second_factors;
pub mod sessions;
pub mod settlements;
pub mod similar;
pub mod sso_secrets;
pub mod users;
pub mod votes;
pub mod webhook_subscriptions;

use crate::build::Imported;
use crate::system::{self, deadline, patiently};
use async_trait::async_trait;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::{Mailing, Subject};
use hearback_domain::record::{Known, OfKind, Step};
use hearback_domain::told::mailings;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::mail_queue::Written;
use hearback_ports::page::{Page, PageRequest};
use hearback_ports::{
    Change, Examination, IdempotencyKey, Kind, Limit, Ports, Receipt, Record, Recorded, Schema,
    StoreError, WriteResult,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// A store that cases are run on.
#[derive(Clone)]
pub struct Stage {
    /// The store, with [`system::MachineClock`] and [`system::OrderedIds`] beside it.
    pub ports: Ports,
    /// Its schema, which is up to date.
    pub schema: Arc<dyn Schema>,
    /// The store from its operator's side.
    pub examination: Arc<dyn Examination>,
    /// The store's committed data, read without the ports.
    pub probe: Arc<dyn Probe>,
}

/// Reads committed data of a store that no port returns.
#[async_trait]
pub trait Probe: Send + Sync {
    /// The number of an organization's rows in each table, or in the store's counterpart of a
    /// table. Tables without rows may be left out. Cases read the counts of
    /// `webhook_subscriptions`, `events`, `deliveries`, `delivery_attempts`, `sessions`, `sign_ins`
    /// and `spent_tokens` by name, and compare all other counts with earlier ones.
    async fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64>;

    /// The state of each mail: `pending`, `sending`, `sent` or `failed`. If an attempt failed, the
    /// state is followed by a space and the [code](hearback_domain::mail::MailFailure) of the last
    /// failure: `failed interrupted`, or `pending unreachable` before another attempt.
    async fn mails(&self, organization: OrganizationId) -> BTreeMap<(MailingId, UserId), String>;
}

/// Runs one case on a harness's store.
pub fn run<S, C>(harness: impl FnOnce() -> S, case: impl FnOnce(Stage) -> C)
where
    S: Future<Output = Stage>,
    C: Future<Output = ()>,
{
    // The number does not depend on the processors: a store with one writer refuses a call that
    // waits too long for the writer.
    static SEATS: Semaphore = Semaphore::const_new(4);
    system::block_on(async {
        let _seat = SEATS.acquire().await.unwrap();
        case(harness().await).await;
    });
}

/// Declares a `#[test]` for each case of the suite. `$harness` is an `async fn() -> Stage`. It is
/// called for each case and returns the same store each time. The tests are in modules with the
/// names of the suite's modules.
#[macro_export]
macro_rules! conformance {
    ($harness:expr) => {
        async fn conformance_stage() -> $crate::conformance::Stage {
            $harness().await
        }

        $crate::cases! {
            article_search {
                a_search_finds_long_queries_and_long_texts,
                a_search_finds_rare_articles_at_any_place_of_the_list,
                a_search_finds_an_article_that_moves_meanwhile_once_or_not_at_all,
                a_search_with_thousands_of_hits_is_walked_in_each_order_with_each_filter,
                a_page_of_a_search_begins_behind_a_place_without_article,
                a_new_article_is_found_at_once,
                a_deleted_organizations_articles_are_found_no_more_until_they_are_imported_again,
            }
            audit {
                entries_are_listed_newest_first_by_actor_action_target_and_time,
                old_entries_are_removed_in_parts_the_oldest_first,
            }
            backlog {
                an_organization_has_entries_to_publish_once_one_is_due,
                the_earliest_of_many_scheduled_entries_decides,
                an_organization_has_mails_to_write_until_all_of_its_mailings_are_written,
                an_organization_has_mails_to_send_if_one_is_due_or_was_interrupted,
                an_organization_has_deliveries_to_remove_once_one_has_ended_for_long,
                the_earliest_of_many_deliveries_that_have_ended_decides,
                an_organization_has_deliveries_to_give_up_once_a_subscription_was_inactive_for_long,
                an_organization_has_receipts_to_remove_once_one_is_old,
                deliveries_wait_until_they_end_and_are_due_while_they_have_no_lease,
                entries_wait_while_they_are_scheduled,
                mails_wait_until_they_are_on_their_way,
                the_backlog_of_all_organizations_is_counted_up_to_a_limit,
                organizations_are_listed_by_id_in_parts,
                a_deleted_organization_has_nothing_to_do,
            }
            cancellation {
                a_toggle_whose_caller_goes_away_is_done_with_its_event_or_not_at_all,
                a_merge_whose_caller_goes_away_is_done_as_a_whole_or_not_at_all,
                a_creation_whose_caller_goes_away_is_done_with_its_mailing_and_receipt_or_not_at_all,
            }
            changelog_entries {
                a_list_of_entries_is_of_any_number_of_labels,
                a_list_of_entries_leaves_out_the_skipped_ones,
                a_new_entry_has_a_mailing_only_if_it_is_announced,
                due_entries_are_found_never_a_millisecond_early_and_earliest_first,
                another_organizations_entries_are_not_due,
                an_entry_shows_its_links_in_their_order,
                of_three_schedulers_at_once_exactly_one_publishes_each_entry,
            }
            comments {
                the_public_comments_of_posts_are_counted_for_each_audience,
            }
            counts {
                counts_move_with_each_kind_of_change,
                the_recent_votes_of_a_post_are_those_of_the_last_refresh,
                the_numbers_of_days_stay_until_they_are_counted_anew,
                counts_are_true_after_any_history,
                votes_of_64_callers_at_once_on_one_post_all_count,
                searches_add_up_by_day_up_to_the_most_of_a_day,
                of_many_searches_at_once_no_more_are_kept_than_the_most_of_a_day,
                old_searches_are_removed_in_parts_the_oldest_first,
                the_articles_that_have_answers_begin_with_the_least_helpful_one,
            }
            deliveries {
                a_delivery_is_found_by_its_identifier,
                a_delivered_delivery_is_replayed_if_that_is_asked_for,
                a_delivery_is_listed_in_its_present_state,
                deliveries_are_listed_newest_first_and_of_one_time_by_event_descending,
                a_list_of_deliveries_is_of_a_state_a_type_a_time_or_all_of_these,
                the_attempts_of_a_delivery_are_listed_by_number,
                a_failed_delivery_that_is_replayed_is_sent_again_unchanged,
                only_failed_deliveries_are_replayed,
                a_replayed_delivery_to_an_inactive_subscription_waits,
                deliveries_that_ended_before_a_time_are_removed_earliest_first,
                an_event_is_kept_as_long_as_a_delivery_of_it_is,
                pending_deliveries_of_a_long_inactive_subscription_are_given_up,
                a_subscription_whose_receiver_was_given_up_waits_as_long_as_any_other,
                another_organizations_deliveries_are_as_unknown_ones,
                a_pending_delivery_stays_while_others_of_its_event_are_removed,
            }
            delivery_queue {
                an_event_is_handed_out_once_for_each_subscription_that_receives_it,
                a_delivery_is_handed_out_with_all_that_is_sent,
                a_delivery_is_handed_out_once_it_is_due,
                the_deliveries_of_a_queue_are_handed_out_by_when_they_are_due_then_by_event,
                queues_are_walked_by_organization_then_by_subscription,
                each_queue_hands_out_no_more_than_its_room,
                a_claim_goes_on_behind_the_queue_at_which_its_limit_was_reached,
                a_long_queue_hides_neither_its_own_end_nor_the_others,
                nothing_is_handed_out_to_a_subscription_while_it_is_not_active,
                a_delivery_has_one_holder_until_its_lease_has_run_out,
                the_first_dispatch_is_kept_for_all_attempts,
                the_previous_secret_is_handed_out_until_its_time_has_run_out,
                a_released_delivery_is_handed_out_again_at_once,
                a_delivery_is_its_organizations_alone,
                eight_claimers_at_once_are_handed_each_delivery_once,
            }
            delivery_races {
                every_vote_that_comes_or_goes_is_sent_once_to_each_subscription,
                a_delivery_that_is_claimed_while_it_is_settled_ends_once,
                failures_that_are_settled_at_once_all_count,
                subscriptions_that_are_deleted_while_events_come_and_go_leave_nothing,
                two_subscriptions_that_are_deleted_at_once_leave_no_event_of_both,
                deliveries_that_are_removed_by_several_at_once_are_removed_once_with_their_events,
                a_delivery_that_is_replayed_while_it_is_removed_is_pending_or_gone,
                an_organization_that_is_deleted_while_its_events_are_sent_leaves_nothing,
            }
            erasure {
                what_was_deleted_before_a_time_loses_its_content_and_what_belongs_to_it,
                of_three_servers_that_erase_at_once_each_record_is_erased_once,
                a_merged_post_gets_its_votes_back_though_the_other_one_is_erased,
                the_votes_of_a_merged_post_go_with_it_after_the_other_one_is_erased,
                the_votes_of_a_deleted_source_stay_on_a_post_that_is_not_erased,
                votes_that_an_older_record_says_moved_stay_for_the_end_of_the_merge,
                a_tombstone_keeps_its_slug,
                nothing_finds_an_erased_post_by_its_texts,
                tombstones_are_imported_as_they_were_exported,
            }
            events {
                an_event_is_recorded_with_the_contracts_payload,
                an_event_goes_to_each_subscription_that_receives_it,
                nothing_is_recorded_if_no_subscription_receives_it,
                a_vote_on_a_roadmap_post_records_no_event,
                a_toggle_that_is_refused_or_not_recorded_leaves_no_event,
                events_are_listed_by_id_in_parts,
                another_organizations_events_are_not_listed,
                the_ledger_has_the_events_that_are_for_it,
                an_event_of_the_ledger_outlives_its_deliveries,
                a_subscription_to_boards_receives_the_events_of_these_boards,
                the_fan_out_reaches_each_subscription_that_receives,
            }
            examination {
                a_store_that_is_set_up_for_tests_has_no_problem,
                an_examination_changes_nothing,
                a_store_reports_its_time_or_that_of_its_last_write,
            }
            export {
                an_export_shows_every_record_as_it_was_written_by_kind_and_id,
                every_imported_record_is_exported,
                a_comment_comes_after_the_one_that_it_answers,
                a_snapshot_is_of_the_moment_at_which_it_was_made,
                a_snapshot_finds_an_organization_by_its_slug_in_any_case,
                an_organization_that_is_not_there_has_no_records,
                of_the_keys_only_the_active_one_is_exported,
                a_subscription_is_exported_without_its_history,
            }
            health {
                a_store_answers_a_ping,
                pools_are_counted,
            }
            help_articles {
                the_articles_beside_an_article_are_those_that_the_portal_shows_in_its_parent,
            }
            help_redirects {
                a_published_article_is_found_at_every_address_that_it_had,
                redirects_that_are_made_at_once_make_no_chain_and_no_circle,
                redirects_that_are_made_lead_to_present_pages,
            }
            import {
                a_record_that_breaks_a_unique_rule_is_named,
                of_several_unique_rules_the_identifiers_comes_first,
                a_second_active_key_and_a_known_key_are_named,
                a_record_that_refers_to_a_missing_record_is_named,
                of_several_wrong_references_the_first_one_is_named,
                a_merge_that_lists_a_missing_user_is_named,
                a_parent_comment_on_another_post_is_a_mismatch,
                a_comment_that_answers_itself_has_a_missing_parent,
                the_first_fault_of_a_large_batch_is_named,
                a_link_to_a_missing_record_is_named,
                posts_and_articles_name_nothing_later_before_they_are_linked,
                imported_records_exist_once_the_import_ends,
                an_import_that_is_given_up_leaves_nothing,
                several_organizations_are_imported_at_once,
                an_import_records_no_event,
                boards_and_statuses_make_way_unless_records_name_them,
            }
            images {
                an_image_is_found_as_it_was_added_in_its_organization_alone,
                an_image_is_stored_once_and_reviewed_at_the_latest_time,
                images_take_no_more_than_the_quota,
                of_many_images_at_once_no_more_are_added_than_fit,
                images_are_due_in_the_order_of_their_reviews,
                only_an_image_that_is_due_is_postponed_or_removed,
                an_organization_that_is_gone_takes_no_images,
            }
            instance {
                a_name_has_no_value_at_first,
                the_first_value_of_a_name_stays,
                the_first_of_several_at_once_wins,
                every_secret_is_sealed_anew_and_nothing_else_changes,
                any_number_of_secrets_are_sealed_anew_once_each,
                a_secret_that_cannot_be_sealed_anew_is_named_and_nothing_is_changed,
                secrets_are_sealed_anew_only_while_the_known_fact_holds_and_by_one_at_a_time,
                a_secret_that_is_replaced_during_a_reseal_stays_replaced,
            }
            keys {
                an_organization_has_no_key_at_first,
                a_key_that_was_added_is_active_and_has_its_holder,
                a_holder_knows_whether_there_is_a_help_center_and_a_ledger,
                an_imported_key_works,
                there_is_no_second_active_key,
                no_two_keys_are_alike_in_any_organization,
                a_replaced_key_is_good_for_nothing_any_more,
                a_revoked_key_is_good_for_nothing_and_leaves_its_place,
                another_organizations_key_is_neither_replaced_nor_revoked,
                of_many_keys_added_at_once_one_is_active,
                of_many_replacements_at_once_one_is_done,
                each_change_of_a_key_has_its_entry_and_none_without_a_change,
            }
            labels {
                labels_are_known_if_all_are_active,
                another_organizations_labels_are_as_unknown_ones,
            }
            lists {
                a_list_has_the_active_records_of_its_organization_in_order_on_pages_of_any_size,
                a_list_without_pages_has_the_active_records_of_its_organization_in_order,
                a_record_is_found_while_it_is_active_by_its_organization_alone,
                a_page_begins_behind_a_place_without_record,
                a_walk_shows_each_record_once_despite_writes_meanwhile,
            }
            mail_queue {
                each_mailing_is_written_in_batches_in_the_order_of_the_recipients,
                there_is_nothing_to_write_without_a_mailing,
                a_mailing_without_recipients_ends,
                the_mails_of_an_entry_are_of_its_organization_alone,
                mails_go_to_exactly_the_users_whom_a_mailing_reaches,
                an_entry_that_reached_nobody_is_mailed_when_it_is_published_again,
                the_readers_of_an_entry_are_counted_before_it_is_mailed,
                a_mailing_is_queued_once,
                many_writers_at_once_write_each_mail_once,
                a_mail_is_handed_out_once_it_is_due_with_its_recipient,
                mails_are_handed_out_earliest_first_up_to_the_limit,
                a_claim_hands_out_no_more_mails_than_its_limit,
                eight_senders_at_once_are_handed_each_mail_once,
                an_interrupted_mail_is_given_up_and_never_handed_out_again,
                every_outcome_is_kept_and_ends_the_mail_or_puts_it_off,
                only_the_holder_of_a_mail_settles_it,
                a_mail_that_is_put_off_comes_back_when_it_is_due_and_counts_its_tries,
                a_user_who_unsubscribed_meanwhile_is_no_recipient,
                a_user_whom_a_mailing_does_not_reach_any_more_is_no_recipient,
                who_unsubscribes_while_mails_are_written_gets_none_that_is_not_written_yet,
                mails_change_nothing_else,
            }
            moderation {
                what_asks_for_the_attention_of_the_team_is_counted_up_to_a_limit,
            }
            notices {
                a_reader_sees_and_reads_notifications_and_nobody_elses,
                a_notification_stays_until_its_mail_is_sent,
                eight_senders_at_once_are_handed_a_digest_once_and_whole,
                a_digest_has_the_newest_changes_and_the_portal_has_all,
                each_subject_is_kept_and_reaches_whom_it_is_about,
                the_latest_trouble_is_kept_until_a_mail_is_taken,
                a_user_is_found_by_an_address_in_any_case_and_the_very_one_first,
                the_team_is_its_linked_members,
            }
            merge {
                a_merge_case_has_the_state_of_both_posts_and_of_the_merger,
                a_merge_marks_the_source_and_moves_its_votes_and_nothing_else,
                of_two_votes_of_one_voter_the_older_one_stays,
                a_large_merge_happens_at_one_moment_while_its_votes_move,
                posts_that_were_merged_into_the_source_follow_it,
                a_merge_is_stale_if_a_post_is_not_open,
                a_merge_is_done_once,
                a_merge_keeps_its_receipt_and_a_taken_one_leaves_nothing_of_it,
                a_vote_that_moved_is_not_withdrawn_from_the_post_that_it_was_on,
                another_organizations_posts_are_not_merged,
                the_end_of_a_merge_gives_both_posts_all_their_votes_back,
                the_end_of_all_merges_gives_each_post_its_votes_back,
                the_end_of_a_large_merge_waits_until_its_votes_have_moved,
                the_votes_that_an_older_record_says_moved_go_back,
                the_end_of_a_merge_is_stale_if_the_post_is_not_merged_into_that_one,
            }
            oidc {
                providers_are_listed_as_they_were_added_and_removed_once,
                of_many_providers_at_once_no_more_are_added_than_the_most,
                an_account_is_of_one_linked_user,
                providers_and_accounts_are_of_one_organization_that_is_there,
                each_change_of_a_provider_has_its_entry_and_none_without_a_change,
            }
            one_person {
                all_that_refers_to_a_user_goes_to_another_one,
                who_takes_the_place_of_a_user_is_not_mailed_about_changes_of_that_user,
                users_are_merged_though_the_other_one_is_merged_or_deleted_meanwhile,
                an_erased_person_is_in_no_record_event_delivery_mail_or_receipt,
                the_events_of_a_merged_user_are_erased_with_the_other_one,
            }
            organizations {
                an_organization_is_found_by_its_slug_in_any_case,
                a_taken_slug_is_refused_in_any_case,
                an_organization_is_found_by_its_host_in_any_case,
                a_taken_host_is_refused,
                a_taken_identifier_is_refused,
                organizations_are_listed_by_slug_in_code_points,
                of_many_organizations_of_one_slug_at_once_one_is_added,
                a_deletion_takes_everything_of_an_organization_and_nothing_else,
                a_deleted_organization_is_gone_before_its_rows_are,
                two_removals_at_once_take_records_that_refer_to_each_other,
                a_deletion_of_a_missing_organization_is_stale,
            }
            passwords {
                a_new_password_ends_the_other_sessions_of_its_user,
                a_password_goes_with_the_link_of_its_user_and_does_not_come_back,
                tries_count_until_the_first_one_is_over,
                of_many_tries_at_once_no_more_are_counted_than_the_most,
                a_password_is_of_one_organization_that_is_there,
            }
            saved_views {
                the_views_of_a_user_are_listed_by_name_and_replaced_under_it,
                views_go_with_the_link_of_their_user,
                of_many_views_at_once_no_more_are_kept_than_the_most,
            }
            races {
                of_64_toggles_of_one_vote_at_once_half_cast_and_half_withdraw,
                of_64_toggles_of_one_roadmap_vote_at_once_half_cast_and_half_withdraw,
                the_votes_of_64_users_on_one_post_at_once_all_count,
                a_toggle_that_is_repeated_under_one_key_is_done_once,
                twelve_posts_merged_into_each_other_at_once_become_one,
                two_posts_merged_into_each_other_at_once_make_no_circle,
                votes_that_are_cast_while_their_post_is_merged_go_along,
                toggles_and_merges_of_the_same_posts_at_once_lose_no_vote,
                an_article_that_is_made_again_and_again_under_one_key_is_made_once,
                records_that_are_made_while_categories_move_have_their_parents,
                an_organization_that_is_deleted_while_it_is_written_to_leaves_nothing,
            }
            receipts {
                every_answer_is_given_again,
                a_receipt_is_found_until_it_is_older_than_a_time,
                a_receipt_is_found_by_its_organization_path_and_key_alone,
                only_a_receipt_older_than_a_time_is_forgotten,
                old_receipts_are_removed_in_parts_the_oldest_first,
            }
            record_races {
                of_many_records_made_at_once_no_two_have_the_same_position,
                of_50_tags_of_one_name_at_once_one_is_made,
                of_50_tags_of_one_code_at_once_each_is_made_with_a_number,
                of_64_creates_with_one_external_identifier_all_answer_the_same_tag,
                edits_of_different_values_of_one_record_at_once_all_last,
                edits_and_a_deletion_at_once_leave_the_record_deleted,
                nothing_is_made_in_a_record_once_its_deletion_is_done,
                changes_of_several_records_in_any_order_wait_for_each_other_and_end,
                an_organization_that_is_deleted_while_records_change_leaves_nothing,
                a_merged_post_is_edited_while_its_target_is_merged_and_both_end,
            }
            records {
                records_of_every_kind_are_loaded_as_they_were_written,
                an_edit_writes_each_value_and_nothing_else,
                an_edit_is_stale_if_any_value_differs,
                the_counters_of_an_article_are_neither_compared_nor_written,
                records_of_every_kind_are_made_with_all_that_they_list,
                a_vote_is_removed_once,
                a_change_names_the_first_record_that_it_needs_and_that_is_not_there_and_active,
                an_edit_needs_only_the_references_that_it_adds,
                a_change_is_done_with_its_receipt_events_and_mailing_or_not_at_all,
                each_type_of_event_is_recorded_with_its_change,
                a_slug_is_taken_in_any_case_even_by_a_deleted_record_of_the_kind,
                a_deleted_tag_gives_up_its_code_its_external_identifier_and_its_name,
                posts_do_not_show_a_deleted_tag_and_are_returned_until_none_has_it,
                a_follow_up_returns_the_records_that_it_affects,
                a_record_that_must_be_unused_is_not_deleted_while_posts_refer_to_it,
                a_change_moves_the_counts_of_an_article_and_an_edit_rests_on_none,
                articles_that_move_are_returned_by_position,
                articles_that_were_to_move_to_a_deleted_collection_move_to_its_replacement,
                a_list_has_its_active_records_by_position,
                a_deleted_status_category_or_label_keeps_its_code,
                a_subscription_that_an_edit_deactivates_is_inactive_since_then,
                the_default_status_moves_in_one_change_that_clears_it_first,
                identifiers_of_a_kind_are_listed_in_their_order,
                names_are_found_among_the_records_of_a_kind,
                a_new_record_goes_behind_the_last_position_that_was_ever_given_in_its_list,
                a_record_that_moves_goes_to_the_end_of_its_new_list,
                an_edited_post_or_article_is_found_by_its_new_text_alone,
                a_category_that_moves_takes_its_articles_along,
            }
            schema {
                a_schema_that_is_up_to_date_stays_as_it_is,
            }
            search {
                a_search_finds_one_and_two_characters_too,
                a_search_folds_case_one_character_for_one_and_normalizes_nothing,
                a_search_takes_every_character_literally,
                a_search_finds_nothing_across_two_texts,
                a_search_finds_rare_posts_at_any_place_of_the_list,
                a_search_finds_the_records_whose_folded_texts_contain_it,
            }
            second_factors {
                a_second_factor_is_shown_in_its_session_and_ends_the_others,
                a_session_of_a_user_with_a_second_factor_wants_it_until_it_is_shown,
                a_code_is_good_once_also_for_many_at_once,
                of_many_set_ups_at_once_one_is_stored,
                new_recovery_codes_replace_the_former_ones_and_nothing_else,
                a_second_factor_goes_with_the_link_of_its_user_and_does_not_come_back,
                a_second_factor_is_of_one_organization_that_is_there,
            }
            sessions {
                a_session_is_found_with_its_user_until_it_is_over,
                a_session_is_of_a_linked_user,
                a_session_ends_with_the_link_of_its_user_and_does_not_come_back,
                a_session_ends_with_the_block_of_its_user_and_does_not_come_back,
                the_sessions_of_a_merged_user_are_over,
                a_visit_is_noted_unless_a_later_one_is,
                sessions_end_one_by_one_or_all_but_one,
                a_user_has_the_newest_sessions_up_to_the_most,
                of_many_sessions_at_once_no_more_stay_than_a_user_may_have,
                a_user_who_is_unlinked_while_sessions_begin_has_none,
                open_invitations_are_listed_in_the_order_of_their_making,
                a_sign_in_is_redeemed_once_as_it_was_stored,
                a_sign_in_is_redeemed_by_64_at_once_one_time,
                no_more_wrong_codes_than_the_most_are_answered_to_64_at_once,
                an_address_has_no_more_sign_ins_than_the_most,
                of_many_sign_ins_of_an_address_at_once_no_more_are_stored_than_the_most,
                an_invitation_is_always_stored_and_replaces_the_earlier_one,
                what_is_over_is_removed_in_parts,
                all_that_is_over_is_pruned_in_parts,
                a_token_is_spent_once_until_it_is_over,
                a_token_is_spent_by_one_of_64_at_once,
                nothing_begins_in_an_organization_that_is_gone,
                another_organizations_sessions_sign_ins_and_tokens_are_as_unknown_ones,
            }
            settlements {
                the_outcome_of_a_delivery_is_kept_and_ends_it_or_puts_it_off,
                every_answer_is_kept_as_it_was,
                only_the_holder_of_a_delivery_settles_it,
                a_late_settlement_is_kept_unless_another_has_the_delivery,
                of_settlements_of_one_delivery_at_once_its_holders_first_one_is_kept,
                a_settlement_of_a_missing_delivery_changes_nothing,
                a_receiver_that_is_gone_is_deactivated_at_once_and_reported_once,
                a_receiver_is_given_up_after_120_hours_five_failures_and_two_events_and_not_before,
                a_success_makes_up_for_all_failures_before_it,
                the_outcomes_of_deliveries_decide_the_state_of_receivers,
            }
            similar {
                candidates_are_open_posts_of_the_organization_or_of_a_board,
                an_old_post_is_a_candidate_by_its_present_title,
            }
            sso_secrets {
                secrets_are_listed_as_they_were_added_the_newest_first,
                a_secret_is_removed_once_and_makes_room,
                of_many_secrets_at_once_no_more_are_added_than_the_most,
                a_secret_is_of_one_organization_that_is_there,
                each_change_of_a_secret_has_its_entry_and_none_without_a_change,
            }
            users {
                a_user_is_found_by_the_persons_id_as_it_was_written,
                the_id_of_a_link_finds_no_user,
                an_address_is_found_to_the_letter,
                an_empty_address_finds_no_user,
                inactive_users_are_not_found,
                a_user_who_is_no_longer_linked_is_found_behind_a_linked_one,
                a_person_has_a_profile_in_each_organization,
                another_organizations_users_are_as_unknown_ones,
                an_unsubscribed_user_gets_no_more_mail_linked_or_not,
                unsubscribing_an_unknown_user_changes_nothing,
            }
            votes {
                a_ballot_has_the_post_the_flag_of_its_board_the_voter_and_their_vote,
                a_ballot_on_a_roadmap_post_has_the_same,
                a_ballot_on_a_missing_post_has_the_voter,
                a_ballot_on_a_merged_post_is_for_the_end_of_its_chain,
                a_chain_of_merges_that_ends_or_begins_at_an_inactive_post_has_no_ballot,
                a_post_on_a_deleted_board_has_the_flag_of_that_board,
                another_organizations_posts_and_users_are_not_on_a_ballot,
                a_vote_is_cast_and_withdrawn,
                a_vote_can_be_cast_and_withdrawn_at_any_time,
                casting_is_stale_while_the_voter_has_a_vote_on_the_post,
                casting_is_stale_on_a_post_that_was_merged_or_deleted_or_never_was,
                withdrawing_is_stale_once_the_vote_is_gone,
                withdrawing_is_stale_where_the_vote_is_not_on_that_post_or_not_in_that_organization,
                a_receipt_that_is_taken_leaves_nothing_of_the_change,
                votes_of_many_voters_are_cast_and_withdrawn_together,
                of_votes_together_one_that_does_not_hold_leaves_nothing_of_the_others,
                the_targets_are_found_on_which_a_user_has_a_vote,
            }
            webhook_subscriptions {
                the_latest_success_of_a_receiver_is_noted,
                a_subscription_is_found_and_listed_as_it_was_written,
                subscriptions_are_listed_by_time_of_creation_then_by_id,
                a_new_subscription_is_listed_and_receives_later_events,
                a_new_subscription_is_stale_if_the_organization_is_gone,
                a_new_secret_replaces_the_old_one_which_is_kept_for_a_while,
                the_rotation_that_a_subscription_awaits_leaves_no_previous_secret,
                a_rotation_changes_neither_activity_nor_health,
                a_subscription_is_deactivated_once_and_activated_with_a_clean_record,
                a_deactivated_subscription_keeps_its_deliveries,
                a_subscription_is_deleted_with_everything_that_is_its_alone,
                a_change_of_a_missing_subscription_is_stale,
                another_organizations_subscriptions_are_as_unknown_ones,
            }
        }
    };
}

/// Declares the tests of the listed cases. Only [`conformance!`] uses it.
#[doc(hidden)]
#[macro_export]
macro_rules! cases {
    ($($port:ident { $($case:ident,)+ })+) => {$(
        mod $port {$(
            #[test]
            fn $case() {
                $crate::conformance::run(super::conformance_stage, $crate::conformance::$port::$case);
            }
        )+}
    )+};
}

/// Records a change and asserts that the result is `expected`.
pub(crate) async fn ends(
    expected: Recorded,
    record: impl AsyncFn() -> Result<Recorded, StoreError>,
) {
    let recorded = match expected {
        Recorded::Stale => patiently(|| record()).await,
        Recorded::Done | Recorded::Taken(_) | Recorded::Missing(_) | Recorded::InUse(_) => {
            settled(record).await
        }
    };
    assert_eq!(recorded, expected);
}

/// A change of these steps, with the needs that a use case derives from them, and the mailings of
/// entries. Nobody hears of changes of posts.
pub(crate) fn change(steps: Vec<Step>, at: Time) -> Change {
    let needs = steps.iter().flat_map(Step::needs).map(|need| need.key()).collect();
    let mut mailings = mailings(&steps, &[], &Known::default(), false, None, system::fresh);
    mailings.retain(|mailing| matches!(mailing.subject, Subject::Entry(_)));
    Change { steps, needs, mailings, ..Change::at(at) }
}

/// Applies a change and asserts that the result is `expected`.
pub(crate) async fn applies(
    stage: &Stage,
    organization: OrganizationId,
    change: &Change,
    expected: Recorded,
) {
    ends(expected, async || stage.ports.records.apply(organization, change.clone()).await).await;
}

/// Queues a mailing.
pub(crate) async fn queue(stage: &Stage, organization: OrganizationId, mailing: Mailing) {
    let change = Change { mailings: vec![mailing], ..Change::at(crate::build::at(0)) };
    applies(stage, organization, &change, Recorded::Done).await;
}

/// Makes a record.
pub(crate) async fn make(stage: &Stage, organization: OrganizationId, record: impl OfKind) {
    let change = change(vec![Step::make(record)], crate::build::at(0));
    applies(stage, organization, &change, Recorded::Done).await;
}

/// Records a change. Retries while the store returns [`Recorded::Stale`], as a use case does: a
/// cautious store may return it without a conflicting change. Under serializable isolation, it
/// does.
pub(crate) async fn settled(record: impl AsyncFn() -> Result<Recorded, StoreError>) -> Recorded {
    let deadline = deadline();
    loop {
        let recorded = patiently(|| record()).await;
        if recorded != Recorded::Stale || Instant::now() > deadline {
            return recorded;
        }
    }
}

/// Deletes an organization, and removes all its rows.
pub async fn delete_organization(ports: &Ports, id: OrganizationId) {
    ends(Recorded::Done, async || ports.organizations.delete(id).await).await;
    while patiently(|| ports.organizations.remove(id)).await > 0 {}
}

/// The records and row counts of an organization, for comparison with a later inventory.
#[derive(Debug, PartialEq)]
pub(crate) struct Inventory {
    records: Vec<Record>,
    rows: BTreeMap<String, i64>,
}

/// Reads the [`Inventory`].
pub(crate) async fn inventory(stage: &Stage, organization: OrganizationId) -> Inventory {
    let rows =
        stage.probe.rows(organization).await.into_iter().filter(|&(_, rows)| rows > 0).collect();
    Inventory { records: export_all(&stage.ports, organization).await, rows }
}

/// The inventories of the twin and of the opposite, whose records have the same identifiers.
pub(crate) async fn others(stage: &Stage, acme: &Imported) -> [Inventory; 2] {
    [inventory(stage, acme.twin().id()).await, inventory(stage, acme.opposite().id()).await]
}

impl Inventory {
    /// Returns whether the organization has neither records nor rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.rows.is_empty()
    }
}

/// Every record of an organization, as an export reads them.
pub async fn export_all(ports: &Ports, organization: OrganizationId) -> Vec<Record> {
    let mut snapshot = ports.exporter.snapshot().await.unwrap();
    let mut records = Vec::new();
    for kind in KINDS {
        let mut after = None;
        loop {
            let page = snapshot.page(organization, *kind, after, 500).await.unwrap();
            records.extend(page.batch.into_records());
            let Some(next) = page.next else { break };
            after = Some(next);
        }
    }
    records
}

/// All kinds, in the order of an export.
pub(crate) const KINDS: &[Kind] = <Kind as hearback_domain::ClosedSet>::ALL;

/// Reads a list from its first page to its last. Asserts that each page but the last is full.
pub(crate) async fn walk<T, K>(
    limit: i64,
    page: impl AsyncFnMut(PageRequest<K>) -> Result<Page<T, K>, StoreError>,
) -> Vec<T> {
    walk_while(limit, page, async || {}).await
}

/// [`walk`] with a call of `meanwhile` after each of the first seven pages. If each call wrote
/// records ahead of the walk, and every page had its call, the walk would never end.
pub(crate) async fn walk_while<T, K>(
    limit: i64,
    mut page: impl AsyncFnMut(PageRequest<K>) -> Result<Page<T, K>, StoreError>,
    mut meanwhile: impl AsyncFnMut(),
) -> Vec<T> {
    let limit = Limit::new(limit).unwrap();
    let mut items = Vec::new();
    let mut after = None;
    let mut pages = 0;
    loop {
        let Page { items: some, next } = page(PageRequest { after, limit }).await.unwrap();
        assert!(some.len() == limit.get() || next.is_none(), "a page with a next page is full");
        items.extend(some);
        if next.is_none() {
            return items;
        }
        after = next;
        pages += 1;
        if pages < 8 {
            meanwhile().await;
        }
    }
}

/// Runs `work` while other reads look up records without pause.
pub(crate) async fn beside_reads<T>(
    stage: &Stage,
    organization: OrganizationId,
    work: impl Future<Output = T>,
) -> T {
    let reads = async {
        loop {
            assert_eq!(
                stage.ports.feedback_posts.find(organization, system::fresh()).await.unwrap(),
                None
            );
            // A store that never waits would not let `work` run.
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        done = work => done,
        () = reads => unreachable!("the reads have no end"),
    }
}

/// The first page of a list, with at most 100 records.
pub(crate) fn first_page<K>() -> PageRequest<K> {
    behind(None)
}

/// The page behind a key, with at most 100 records.
pub(crate) fn behind<K>(after: impl Into<Option<K>>) -> PageRequest<K> {
    PageRequest { after: after.into(), limit: Limit::new(Limit::MAX).unwrap() }
}

/// A receipt of a write.
pub(crate) fn receipt(key: &str, answer: WriteResult, at: Time) -> Receipt {
    Receipt {
        path: "/votes/toggle",
        key: IdempotencyKey::parse(key).unwrap(),
        body: [7; 32],
        answer,
        at,
    }
}

/// The stored result of the write with this receipt. `None` if the receipt is not stored.
pub(crate) async fn kept(
    stage: &Stage,
    organization: OrganizationId,
    receipt: &Receipt,
) -> Option<WriteResult> {
    let found = stage
        .ports
        .receipts
        .find(organization, receipt.path, receipt.key.clone(), Time::MIN)
        .await
        .unwrap();
    found.map(|kept| kept.answer)
}

/// Writes a batch of up to `limit` mails of an organization, as they are to be delivered.
pub async fn write_some(
    ports: &Ports,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> Result<Written, StoreError> {
    let Some(draft) = ports.mail_queue.next(organization, limit).await? else {
        return Ok(Written::Nothing);
    };
    let mails = draft.users.iter().map(|it| (it.user_id, draft.mailing.delivery(it, now)));
    let mails = mails.collect();
    ports.mail_queue.write(organization, draft, mails, now).await
}

/// Writes all mails of an organization, up to `limit` in a batch. Returns their number.
pub(crate) async fn write_mails(
    stage: &Stage,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> usize {
    let before = Uuid::from_u128(organization.0.as_u128() - 1).into();
    let deadline = deadline();
    let mut count = 0;
    // The loop ends when the backlog is empty. A single call of `write` may write no batch, because
    // of another writer or because the store is cautious.
    while stage.ports.backlog.organizations(Task::WriteMails, now, Some(before), 1).await.unwrap()
        == [organization]
    {
        assert!(Instant::now() < deadline, "some mails are not written in time");
        if let Written::Batch(some) =
            write_some(&stage.ports, organization, now, limit).await.unwrap()
        {
            count += some;
        }
    }
    count
}
