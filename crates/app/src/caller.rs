//! Callers of use cases, and their permissions.

use crate::error::{Error, Precondition};
use crate::portable::Secrets;
use hearback_domain::audit::Door;
use hearback_domain::id::{AuditEntryId, OrganizationId, UserId};
use hearback_domain::moderation::Audience;
use hearback_domain::organization::Organization;
use hearback_domain::permission::{Permission, Role};
use hearback_domain::plan::{Feature, Plan};
use hearback_domain::record::{Kind, Record, Step};
use hearback_domain::user::User;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{Ports, StoreError};

/// The caller of a use case. A door makes it, and makes no decision with it.
///
/// A use case gets the organization from [`Caller::view`] or [`Caller::manage`] alone. So every use
/// case checks the permission of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    organization: OrganizationId,
    plan: Plan,
    who: Who,
    action: &'static str,
    keeps_events: bool,
    /// The import of people to which the changes of the caller belong.
    import: Option<AuditEntryId>,
    /// Whether a rule for visitors has admitted what the caller does.
    is_admitted: bool,
}

/// The kinds of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A program with the organization's API key.
    Key,
    /// A member of the team.
    Member {
        /// The person.
        user: UserId,
        /// The person's role.
        role: Role,
    },
    /// A visitor of the portal. Permissions are for the team: a visitor has none.
    Visitor {
        /// The person, unless it is a guest.
        user: Option<UserId>,
    },
    /// The operator, at the command line.
    CommandLine,
    /// The program itself, in its background steps.
    Background,
}

/// The refusal of a caller's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The organization's plan does not include the feature.
    #[error("the plan does not include {0:?}")]
    Feature(Feature),
    /// The visitor has not signed in.
    #[error("the visitor has not signed in")]
    NotSignedIn,
    /// The visitor is a member of the team, and has not shown the second factor.
    #[error("the visitor has not shown the second factor")]
    SecondFactor,
    /// The caller does not have the permission.
    #[error("the caller does not have the permission {0}")]
    Permission(Permission),
}

impl Caller {
    /// A caller in an organization with a plan.
    pub const fn new(organization: OrganizationId, plan: Plan, who: Who) -> Self {
        let (action, keeps_events, import, is_admitted) = ("", false, None, false);
        Self { organization, plan, who, action, keeps_events, import, is_admitted }
    }

    /// The caller with the name of the action: the path of the endpoint, or the name of the
    /// background step.
    pub const fn doing(self, action: &'static str) -> Self {
        Self { action, ..self }
    }

    /// The caller, whose organization keeps its events in a ledger or not.
    pub const fn keeping_events(self, keeps_events: bool) -> Self {
        Self { keeps_events, ..self }
    }

    /// The caller, whose changes belong to an import of people.
    #[must_use]
    pub const fn importing(self, import: AuditEntryId) -> Self {
        Self { import: Some(import), ..self }
    }

    /// The import of people to which the changes of the caller belong.
    pub(crate) fn import_id(self) -> Option<AuditEntryId> {
        self.import
    }

    /// The caller, for a use case that a rule for visitors has admitted. It needs no permission.
    pub(crate) const fn admitted(self) -> Self {
        Self { is_admitted: true, ..self }
    }

    /// Whether the events of what the caller does are kept in the ledger.
    pub(crate) fn keeps_events(self) -> bool {
        self.keeps_events
    }

    /// The audience that the caller belongs to.
    pub fn audience(self) -> Audience {
        match self.who {
            Who::Visitor { user } => Audience::Visitor(user),
            Who::Key | Who::Member { .. } | Who::CommandLine | Who::Background => Audience::Team,
        }
    }

    /// The name of the action, as the audit log has it.
    pub fn action(self) -> &'static str {
        self.action.trim_start_matches('/')
    }

    /// The way by which the caller came.
    pub fn door(self) -> Door {
        match self.who {
            Who::Key => Door::Api,
            Who::Member { .. } => Door::Dashboard,
            Who::Visitor { .. } => Door::Portal,
            Who::CommandLine => Door::CommandLine,
            Who::Background => Door::Background,
        }
    }

    /// The user behind the caller.
    pub fn user(self) -> Option<UserId> {
        match self.who {
            Who::Member { user, .. } => Some(user),
            Who::Visitor { user } => user,
            Who::Key | Who::CommandLine | Who::Background => None,
        }
    }

    /// The organization, without a check. Only a change that was checked before may ask.
    pub(crate) fn organization(self) -> OrganizationId {
        self.organization
    }

    /// The program itself, at work for an organization. No plan limits it.
    pub const fn background(organization: OrganizationId) -> Self {
        Self::new(organization, Plan::FULL, Who::Background)
    }

    /// The operator, at work for an organization. No plan limits it.
    pub const fn command_line(organization: OrganizationId) -> Self {
        Self::new(organization, Plan::FULL, Who::CommandLine)
    }

    /// [`Caller::background`], with the ledger of the organization.
    pub(crate) async fn at_work(
        ports: &Ports,
        organization: OrganizationId,
    ) -> Result<Self, StoreError> {
        let key = (Kind::Organization, organization.0);
        let known = ports.records.load(organization, vec![key]).await?;
        let keeps = known.any(organization).is_some_and(|it: &Organization| it.events_ledger);
        Ok(Self::background(organization).keeping_events(keeps))
    }

    /// The organization, if the caller may read its records of a kind.
    pub fn view(self, kind: Kind) -> Result<OrganizationId, Denied> {
        self.ask(Permission::View(kind))
    }

    /// The organization, if the caller may make, change and remove its records of a kind.
    pub fn manage(self, kind: Kind) -> Result<OrganizationId, Denied> {
        self.ask(Permission::Manage(kind))
    }

    /// The organization, if the caller may invite members and change their roles.
    pub fn manage_members(self) -> Result<OrganizationId, Denied> {
        self.ask(Permission::ManageMembers)
    }

    /// The organization, if the caller may fill it with the records of a file.
    pub fn import(self) -> Result<OrganizationId, Denied> {
        self.ask(Permission::Import)
    }

    /// The organization, if the caller may take all of its records out.
    pub fn export(self, secrets: Secrets) -> Result<OrganizationId, Denied> {
        match secrets {
            Secrets::LeaveOut => self.ask(Permission::Export),
            Secrets::Write => self.ask(Permission::ExportSecrets),
        }
    }

    /// Whether the caller may give a person a role, or take it away.
    pub(crate) fn may_give(self, from: Option<Role>, to: Option<Role>) -> bool {
        match self.who {
            Who::Member { role, .. } => role.may_give(from, to),
            Who::CommandLine | Who::Background => true,
            Who::Key | Who::Visitor { .. } => false,
        }
    }

    /// Whether the caller may make a step. A member of the team changes the address, the role and
    /// the membership of another member, and blocks the member, only if the caller may take the role
    /// away: whoever has the address can sign in as the member. No member blocks or deletes oneself.
    /// Admins make API keys, so a key does none of this to an owner.
    pub(crate) fn may_step(self, step: &Step) -> Result<(), Error> {
        let Some(Record::User(before)) = step.before() else { return Ok(()) };
        let Some(role) = before.role().filter(|_| before.is_active) else { return Ok(()) };
        let values = |user: &User| {
            let User { is_active, is_blocked, email, portal_role, .. } = user;
            (*is_active, *is_blocked, email.clone(), portal_role.clone())
        };
        let stays = |user: &User| user.is_active && !user.is_blocked;
        let after = match step.after() {
            Some(Record::User(after)) => Some(after),
            _ => None,
        };
        if after.is_some_and(|after| values(after) == values(before)) {
            return Ok(());
        }
        let to = after.filter(|after| after.is_active).and_then(User::role);
        let gives = || self.may_give(Some(role), to);
        match self.who {
            Who::Member { user, .. } => {
                // The link in a mail to the new address admits the change of one's own.
                let may = match user == before.user_id {
                    true => after.is_some_and(stays) && (self.is_admitted || gives()),
                    false => gives(),
                };
                let denied = Denied::Permission(Permission::ManageMembers);
                may.then_some(()).ok_or(Error::Denied(denied))
            }
            Who::Key if role == Role::Owner => Err(Error::Refused(Precondition::OwnerKept)),
            // Visitors change what is theirs, and programs mirror the addresses of people.
            Who::Visitor { .. } | Who::Key | Who::CommandLine | Who::Background => Ok(()),
        }
    }

    fn ask(self, permission: Permission) -> Result<OrganizationId, Denied> {
        let lacking =
            Feature::of(permission.kind()).filter(|feature| !self.plan.includes(*feature));
        if let Some(feature) = lacking {
            return Err(Denied::Feature(feature));
        }
        let is_permitted = match self.who {
            Who::Key => permission.is_held_by_keys(),
            Who::Member { role, .. } => self.is_admitted || role.may(permission),
            Who::Visitor { .. } => self.is_admitted,
            Who::CommandLine | Who::Background => true,
        };
        if is_permitted { Ok(self.organization) } else { Err(Denied::Permission(permission)) }
    }
}

impl From<KeyOwner> for Caller {
    fn from(KeyOwner { organization, help_center, events_ledger }: KeyOwner) -> Self {
        Self::new(organization, Plan { help_center }, Who::Key).keeping_events(events_ledger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::organization::HelpCenter;
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::record::OfKind;
    use hearback_domain::{ClosedSet, Time, Uuid};

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const USER: UserId = UserId(Uuid::from_u128(2));
    const BARE: Plan = Plan { help_center: HelpCenter::Disabled };

    fn member(role: Role) -> Who {
        Who::Member { user: USER, role }
    }

    #[test]
    fn each_caller_has_the_access_of_its_permissions() {
        let callers = [
            // View and manage tags, view and manage API keys.
            (Who::Key, [true, true, false, false]),
            (member(Role::Owner), [true, true, true, true]),
            (member(Role::Member), [true, true, false, false]),
            (member(Role::Viewer), [true, false, false, false]),
            (Who::Visitor { user: Some(USER) }, [false; 4]),
            (Who::Visitor { user: None }, [false; 4]),
            (Who::CommandLine, [true; 4]),
            (Who::Background, [true; 4]),
        ];
        for (who, expected) in callers {
            let caller = Caller::new(ORGANIZATION, Plan::FULL, who);
            let answers = [
                caller.view(Kind::Tag),
                caller.manage(Kind::Tag),
                caller.view(Kind::ApiKey),
                caller.manage(Kind::ApiKey),
            ];
            assert_eq!(answers.map(|answer| answer == Ok(ORGANIZATION)), expected, "{who:?}");
        }
        let viewer = Caller::new(ORGANIZATION, Plan::FULL, member(Role::Viewer));
        let denied = Denied::Permission(Permission::Manage(Kind::Tag));
        assert_eq!(viewer.manage(Kind::Tag), Err(denied));
    }

    #[test]
    fn a_member_of_the_team_is_changed_by_those_who_may_and_removed_by_others() {
        let user = |id: u128, role: Role| {
            let email = Email::parse("ada@example.com").unwrap();
            let id = Uuid::from_u128(id).into();
            let user = Handle::Email(email).user(None, Uuid::from_u128(9).into(), id, Time::MIN);
            User { portal_role: role.code().to_owned(), ..user }
        };
        let changes: [fn(User) -> User; 6] = [
            |user| User { name: "Ada L.".to_owned(), ..user },
            |user| User { email: "ada@example.org".to_owned(), ..user },
            |user| User { portal_role: "end_user".to_owned(), ..user },
            |user| User { is_blocked: true, ..user },
            |user| User { is_active: false, ..user },
            User::erased,
        ];
        let [all, name, own] = [
            [true; 6],
            [true, false, false, false, false, false],
            [true, true, true, false, false, false],
        ];
        let admitted = |role| Caller::new(ORGANIZATION, Plan::FULL, member(role)).admitted();
        let caller = |who| Caller::new(ORGANIZATION, Plan::FULL, who);
        for (caller, user, expected) in [
            (caller(Who::Key), user(3, Role::Owner), name),
            (caller(Who::Key), user(3, Role::Admin), all),
            (caller(Who::CommandLine), user(3, Role::Owner), all),
            (caller(member(Role::Owner)), user(3, Role::Owner), all),
            (caller(member(Role::Owner)), user(2, Role::Owner), own),
            (caller(member(Role::Admin)), user(3, Role::Owner), name),
            (caller(member(Role::Admin)), user(3, Role::Member), all),
            (caller(member(Role::Member)), user(3, Role::Member), name),
            (caller(member(Role::Member)), user(2, Role::Member), name),
            (admitted(Role::Member), user(2, Role::Member), own),
            (admitted(Role::Member), user(3, Role::Member), name),
        ] {
            let answers = changes.map(|change| {
                let before = user.clone().into_record();
                let step = Step::Edit { before, after: change(user.clone()).into_record() };
                caller.may_step(&step).is_ok()
            });
            assert_eq!(answers, expected, "{caller:?} {}", user.portal_role);
            // A deleted member is a user like any other.
            let gone = User { is_active: false, ..user };
            let step = Step::Edit {
                before: gone.clone().into_record(),
                after: gone.erased().into_record(),
            };
            assert!(caller.may_step(&step).is_ok());
        }
    }

    #[test]
    fn a_plan_is_looked_at_before_the_permissions() {
        for who in [Who::Key, member(Role::Owner), Who::Visitor { user: None }] {
            let caller = Caller::new(ORGANIZATION, BARE, who);
            let denied = Err(Denied::Feature(Feature::HelpCenter));
            assert_eq!(caller.view(Kind::HelpArticle), denied, "{who:?}");
            assert_eq!(caller.manage(Kind::HelpArticle), denied, "{who:?}");
        }
    }

    #[test]
    fn a_plan_does_not_limit_the_program_itself() {
        for &kind in Kind::ALL {
            assert_eq!(Caller::background(ORGANIZATION).manage(kind), Ok(ORGANIZATION), "{kind:?}");
        }
    }

    #[test]
    fn the_owner_of_a_key_calls_with_the_plan_of_its_organization() {
        let help_center = HelpCenter::Disabled;
        for events_ledger in [false, true] {
            let owner = KeyOwner { organization: ORGANIZATION, help_center, events_ledger };
            let expected = Caller::new(ORGANIZATION, BARE, Who::Key).keeping_events(events_ledger);
            assert_eq!(Caller::from(owner), expected);
            assert_eq!(expected.keeps_events(), events_ledger);
        }
    }
}
