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
done-voted = Your vote counts.
done-same = This was sent a moment ago. Here it is.
done-again = You have signed in anew since this form was opened. What you wrote is still here: send it once more.
done-not = You are signed in, but what you sent is not possible any more.

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
tags = Tags
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
no-boards-team = Ideas are collected on boards. Make the first one with the API: POST /feedback-boards/create.
empty-how = See how it is done
empty-boards = See the ideas
no-posts-title = No ideas yet
no-posts-text = Be the first to say what is missing.
no-posts-team = Write the first idea yourself, or link to this page from your product.
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
roadmap-columns = Columns
roadmap-by-status = By status
roadmap-by-eta = By date
term-earlier = Earlier
term-quarter = Q{ $quarter } { $year }
term-later = Later
no-plans-title = No plans yet
no-plans-text = When the team plans something, it appears here.
no-plans-team = Show what you plan. Add the first plan with the API: POST /roadmap-posts/create. The roadmap has to show its status.
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
no-entries-team = Announce what is new. Publish the first entry with the API: POST /changelog/create.
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
no-articles-team = Answer what people often ask. Publish the first article with the API: POST /help-articles/create.
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

# Guests, and spam.
guest = Guest
guest-alone = You post as a guest. Sign in later in this browser, and it becomes yours.
guest-mail = We send you a mail. What you send here counts once you have confirmed it.
guest-account = Do you have an account?
trap = Leave this field empty
doubt-trap = A hidden field was filled in, as programs do. Everything that you wrote is still here: send it once more.
doubt-fast = That was very fast. Take a look at what you wrote, and send it once more.
doubt-old = This page was open for too long. Everything that you wrote is still here: send it once more.
doubt-limited = A lot was sent from your network just now. Everything that you wrote is still here: wait a minute, then send it once more.
act-submit = Send me the mail
act-vote = Vote for “{ $title }”
act-vote-text = You need no account: we send you a mail, and your vote counts once you have confirmed it.
act-follow = Keep me posted about “{ $title }”
act-follow-text = You get a mail about each comment and each change of the status.
act-follow-open = Get mails
act-changelog-text = You need no account: we send you a mail, and you get one when something is new once you have confirmed your address.
act-code-text = We sent a mail to { $email }. Open the link in it, or type the code here. Both are good for 24 hours.
act-confirm = Confirm
act-link-title = Is this from you?
act-link-text = Confirm, and it counts. You are signed in, too. If it is not from you, close this page.
act-is-post = Your idea
act-is-comment = Your comment
act-is-vote = Your vote for
act-is-follow = Mails about
mail-act-subject = Confirm what you sent to { $name }
mail-act-intro = You have written or voted at { $name }. It counts once you have confirmed it.
mail-changelog-subject = Confirm that you want mails of { $name }
mail-changelog-intro = You want a mail when something is new at { $name }. It comes once you have confirmed your address.
mail-act-end = Both are good once, for 24 hours. If this was not you, ignore this mail: nothing happens then.

# Signing in.
sign-in-title = Sign in to { $name }
sign-in-text = We send you a mail with a link and a code. There is no password.
sign-in-draft = Sign in to send what you wrote. It is kept meanwhile.
sign-in-submit = Send me the mail
sign-in-off = Signing in by mail is switched off here.
sso-submit = Sign in with { $name }
sso-text = Sign in with your account at { $name }.
sso-title = The sign-in did not work
sso-state = The sign-in took too long, or began in another browser. Begin anew.
sso-token = The proof that { $name } sent is not valid. Begin anew. If this happens again, tell the team:
sso-team = This address belongs to a member of the team. Members of the team do not sign in this way.
password = Password
sign-in-password = Sign in with your address and your password.
sign-in-both = Sign in with your password, or by a mail with a link and a code.
password-missing = Type your password, or choose the mail.
password-wrong = The address or the password is wrong.
password-too-many = There were too many tries. Wait ten minutes, or sign in by mail.
password-text = With a password you sign in without a mail.
password-open = Set or change the password
password-present = Present password
password-present-wrong = This is not your present password.
password-new = New password
password-others = When it changes, your other sessions end.
password-personal = Your name and your address are the first that others try. Choose something else.
password-common = Many people have this password. Choose another one.
password-save = Save the password
password-remove = Remove the password
password-proof = Before you set a password, show that this address is yours: sign in by mail once more.
password-forgot = Have you forgotten the password? Sign in by mail once more, and set a new one.
password-ask = To set a new password, ask the team for an invitation.
or = or
oidc-submit = Continue with { $name }
oidc-failed = { $name } did not sign you in. Begin anew. If this happens again, tell the team:
oidc-refused = You were not signed in at { $name }. Begin anew, or choose another way.
oidc-no-email = { $name } did not tell us your email address. Allow it there, or choose another way to sign in.
oidc-unverified = { $name } has not confirmed your email address. Confirm it there, and begin anew.
link-address = You sign in as { $email }.
password-short = Use at least { $shown } characters. A short sentence is a good password.
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
form-text = Go back, load the page again, and send it once more.
refused-title = This is not possible
refused = The page has changed meanwhile. Load it again.
refused-blocked = The team has blocked this account.
refused-voting = This board takes no votes.
refused-commenting = This board takes no comments.
refused-merged = This idea was merged into another one.
no-organization-title = No organization yet
no-organization-text = Hearback runs, but it has no organization to show. Make the first one on the server:
busy-title = One moment, please
busy-text = There is much to do right now. Try again in a few seconds.
broken-title = Something went wrong
broken-text = The fault is ours, and it is recorded. Try again in a moment.
limited-title = Too many requests
limited-text = Wait a minute, then try again.
large-title = This is too long
large-text = Shorten what you wrote, and send it again.

# Notifications, and mails about what happens.
notices = Notifications
notices-unread = { $count ->
    [one] { $shown } unread
   *[other] { $shown } unread
 }
notices-read-all = Mark all as read
notices-none = Nothing new
notices-none-text = When something happens to an idea that you follow, it is here.
notices-choose = Choose what is mailed to you
notice-new = New
notice-read = Mark as read
notice-gone = This is no longer available.
done-address-asked = We sent a mail to the new address. Open the link in it to confirm it.
done-address = Your address is changed.
done-mail-sent = The mail server has taken the test mail. Look into your inbox.
mail-trouble = The mail server does not take our mails. See what it says.
mail-trouble-text = The latest mail was not sent. This is the answer:
mail-server = Mail server
mail-server-text = No trouble is known.
mail-test = Send me a test
mail-test-subject = { $name }: test mail
mail-test-text = This mail has arrived: the mail server works.
mail-test-end = You asked for it in your account at { $name }.
mail = Mail
post-mail = About ideas that I follow
post-mail-instant = At once, one mail for each change
post-mail-daily = Once a day
post-mail-weekly = Once a week, on Monday
post-mail-off = Never
changelog-mail = Mail me what is new in the changelog, too
address-text = We send a link to a new address. It takes effect when you have confirmed it.
address-change = Change the address
address-confirm = Confirm the address
address-confirm-text = From now on you sign in with this address, and mails go to it. You stay signed in here, and nowhere else.
address-taken = Another account has this address.
address-gone = This link was used already, or is too old. Change the address once more.
mail-address-subject = { $name }: confirm your address
mail-address = You want to use this address for your account at { $name }. Open this link in the browser in which you are signed in, and press the button:
mail-address-end = The link is good once, for ten minutes. If you did not ask for this, ignore this mail.
mail-moved-subject = { $name }: your address was changed
mail-moved = Your account at { $name } has another address from now on. Mails go to it, and not to this address.
mail-moved-end = If it was not you who changed it, tell the team at once.
news-status = { $title } is now { $status }
news-comment = Comment on { $title }
news-comment-by = { $name } commented on { $title }
news-merged = { $old } was merged into { $title }
news-accepted = { $title } was accepted
news-owner = { $title } is yours now
news-queue = Something waits for moderation
news-digest = { $count ->
    [one] { $shown } change
   *[other] { $shown } changes
 }
mail-status = The status is now { $status }.
mail-comment = A comment:
mail-comment-by = { $name }:
mail-merged = { $old }, which you follow, was merged into this idea. The votes count here from now on.
mail-accepted = Your idea was accepted. Others can see it now, vote and comment.
mail-owner = You are the owner of this idea now.
mail-queue = Ideas or comments wait until somebody on the team accepts or rejects them.
mail-why-news = You get this since you are subscribed to news of { $name }.
mail-why-post = You get this since you follow ideas at { $name }.
mail-why-you = You get this since it is about you at { $name }.
mail-why-team = You get this as a member of the team of { $name }.
mail-unfollow = Unfollow this idea
mail-unfollow-changelog = Unsubscribe from the changelog
mail-unsubscribe = Unsubscribe from all mails
mail-choose = Choose what you get
stop-title = Done
stop-all = You will get no more mails of { $name }.
stop-changelog = You will get no more mail when something is new at { $name }. Other mails still come.
stop-post = You will hear no more of this idea at { $name }. Other mails still come.

image = Image
image-file = File
image-hint = PNG, JPEG, GIF, WebP or AVIF, up to { $shown } MB.
image-add = Add to the text
image-drop = Drop or paste images into the text.
image-wait = Uploading the image …
image-done = The image is in the text.
image-failed = The image could not be uploaded.
picture = Picture
picture-use = Use this picture
picture-remove = Remove the picture
fault-image-missing = Choose a file first.
fault-image-large = The file is too large. The most is { $shown } MB.
fault-image-pixels = The image has too many pixels. The most is { $shown } million: make it smaller.
fault-image-format = The file is not an image of a known kind. Take PNG, JPEG, GIF, WebP or AVIF.
fault-image-broken = The image is damaged. Save it anew, or take another one.
fault-image-full = There is no more room for images here. Please tell the team.
fault-image-busy = Too many images are arriving at this moment. Try again soon.
