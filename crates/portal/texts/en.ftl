# The frame of all pages.
skip = Skip to content
nav-sections = Sections
nav-account = Account
nav-trail = You are here
nav-around = Other articles
tab-feedback = Feedback
tab-roadmap = Roadmap
tab-changelog = Changelog
tab-help = Help
search = Search
sign-in = Sign in
sign-out = Sign out
language = Language
language-choose = Choose
powered = Made with { $product }
date = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
 } { $day }, { $year }
someone = Someone who left
save = Save
cancel = Cancel
edit = Edit
delete = Delete
copy = Copy
copied = Copied
yes = Yes
no = No
more = Show more
to-start = Go to the first page

# What the visitor has done.
done-posted = Your idea is posted. You get a mail when its status changes.
done-waits = Thank you. The team looks at it before others see it.
done-commented = Your comment is posted.
done-saved = Saved.
done-deleted = Deleted.
done-signed-in = You are signed in.
done-signed-out = You are signed out.
done-thanks = Thank you for the answer.

# Boards and lists of posts.
home-title = What should we build next?
home-text = Tell us what would help you. We read everything.
boards = Boards
boards-all = All boards
posts = Ideas
sort = Order
sort-top = Top
sort-trending = Trending
sort-new = New
status = Status
category = Category
category-none = No category
filter = Filter
filter-all = All
filter-reset = Show everything
search-posts = Search ideas
new-idea = Share an idea
no-boards-title = Nothing to see here yet
no-boards = There is no board that is open to you. If you have an account, sign in.
no-boards-team = Make a first board with the API: POST /feedback-boards/create.
no-posts-title = No ideas yet
no-posts-text = Be the first to say what is missing.
nothing-found = Nothing found
nothing-found-text = Try other words, or fewer filters.
pinned = Pinned
waits = Waits for the team
waits-text = Only you and the team see this until it is accepted.
comments = { $count ->
    [0] No comments
    [one] { $shown } comment
   *[other] { $shown } comments
 }
votes = { $count ->
    [one] { $shown } vote
   *[other] { $shown } votes
 }
vote-for = Vote for “{ $title }”
votes-closed = Votes are closed

# A post.
official = Official update
eta = Expected { $date }
comment = Add a comment
comment-submit = Comment
comment-sign-in = Sign in to comment
more-comments = Show more comments
reply = Reply
reply-submit = Reply
markdown = You can use Markdown.
voters = { $count ->
    [one] { $shown } person wants this
   *[other] { $shown } people want this
 }
voters-title = People who want this
follow = Keep me posted
follow-all = Everything
follow-status = Status only
follow-none = Nothing
follow-all-text = You get a mail about each comment and each change of the status.
follow-status-text = You get a mail when the status changes.
follow-none-text = You get no mail about this.
status-history = Status so far
merged = Merged into this
share = Share

# Writing.
new-title = Share an idea
edit-title = Edit your idea
edit-comment = Edit your comment
new-submit = Post the idea
new-sign-in = You sign in in the next step. Nothing is lost.
title = Title
title-hint = One idea in one short sentence.
details = Details
preview = Preview
preview-back = Write
similar = Similar ideas
similar-text = Is yours among them? A vote counts more than a second post.
resume-title = Almost done
resume-text = You are signed in. Look at your idea once more, and post it.
faults = Please check this:
fault-title-missing = Write a title.
fault-comment-missing = Write something first.
fault-too-long = This is too long: at most { $shown } characters fit.
fault-category = This category does not exist any more. Choose another one.
fault-no-status = The team has not set this up yet: there is no status for new ideas.
fault-email = This is no email address. It looks like name@example.com.
fault-name = Write your name.
delete-post-title = Delete this idea?
delete-post-text = “{ $title }” will be gone for everybody.
delete-comment-title = Delete this comment?

# Roadmap.
roadmap-text = What we are working on, and what comes next.
no-plans-title = No plans yet
no-plans-text = When the team plans something, it appears here.
linked = { $count ->
    [one] { $shown } idea behind it
   *[other] { $shown } ideas behind it
 }

# Changelog.
changelog-text = What is new, what is better, and what is mended.
entry-new = New
entry-improvement = Improved
entry-fixed = Fixed
entry-posts = Ideas behind this
labels = Labels
no-entries-title = Nothing published yet
no-entries-text = New versions will be announced here.
more-entries = Older entries
changelog-follow = Stay up to date
changelog-follows = You get a mail when something is new.
changelog-follows-not = Get a mail when something is new.
changelog-start = Get mails
changelog-stop = Stop mails

# Help center.
help-title = How can we help?
help-text = Answers and instructions.
search-help = Search the help center
found-for = Results for “{ $text }”
help-nothing = Try other words, or look through the collections.
no-articles-title = No articles yet
no-articles-text = Articles will appear here.
contents = Contents
updated = Updated { $date }
helpful = Was this helpful?
related = Related articles
before = Previous
behind = Next

# Search.
search-all = Search ideas and articles

# People and the account.
since = Here since { $date }
profile-empty = Nothing that you could see.
account = Your account
name = Name
email = Email address
language-browser = As the browser says
account-mail = Send me mail about what I follow and what is new
data = Your data
data-text = A file with all that is stored about you, or the end of your account.
data-export = Download
data-delete = Delete my account
delete-account-text = Your name, your address and everything else about you are removed for good.
delete-account-keep = Keep my ideas, comments and votes, without my name
delete-account-all = Delete them, too
sessions = Where you are signed in
sessions-text = End what you do not know.
session-seen = Last used { $date }
session-this = this browser
session-end = End
sessions-end = End all others

# Signing in.
sign-in-title = Sign in to { $name }
sign-in-text = We send you a mail with a link and a code. There is no password.
sign-in-draft = Sign in to post your idea. It is kept meanwhile.
sign-in-submit = Send me the mail
sign-in-off = Signing in by mail is switched off here.
sso-submit = Sign in with { $name }
sso-text = Sign in with your account at { $name }.
sso-title = The sign-in did not work
sso-state = The sign-in took too long, or began in another browser. Begin anew.
sso-token = The proof that { $name } sent is not valid. Begin anew. If this happens again, tell the team:
sso-team = This address belongs to a member of the team. Members of the team do not sign in this way.
code-title = Look into your mail
code-text = We sent a mail to { $email }. Open the link in it, or type the code here. Both are good for ten minutes.
code = Code
code-hint = No mail? Look into the spam folder.
code-again = Send another one
code-wrong = { $count ->
    [one] This is not the code. You have { $shown } more try.
   *[other] This is not the code. You have { $shown } more tries.
 }
code-gone = The code is not good any more. Let us send you a new one.
link-text = One click, and you are in.
link-gone = This link was used already, or is too old. Let us send you a new one.
mail-subject = Sign in to { $name }
mail-intro = You want to sign in to { $name }.
mail-code = Type this code in the browser in which you asked for it:
mail-link = Or open this link and press the button:
mail-end = Both are good once, for ten minutes. If you did not ask for this, ignore this mail.

# Faults.
gone-title = There is nothing here
gone-text = The page does not exist, or you may not see it. Perhaps you have to sign in.
form-title = This form has expired
form-text = Go back, load the page again, and send it once more. What you wrote is still in your browser.
refused-title = This is not possible
refused = The page has changed meanwhile. Load it again.
refused-blocked = The team has blocked this account.
refused-voting = This board takes no votes.
refused-commenting = This board takes no comments.
refused-merged = This idea was merged into another one.
busy-title = One moment, please
busy-text = There is much to do right now. Try again in a few seconds.
broken-title = Something went wrong
broken-text = The fault is ours, and it is recorded. Try again in a moment.
limited-title = Too many requests
limited-text = Wait a minute, then try again.
large-title = This is too long
large-text = Shorten what you wrote, and send it again.
