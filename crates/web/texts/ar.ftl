# The frame of all pages.
skip = الانتقال إلى المحتوى
nav-sections = الأقسام
nav-account = الحساب
nav-trail = أنت هنا
nav-around = مقالات أخرى
tab-feedback = الاقتراحات
tab-roadmap = خارطة الطريق
tab-changelog = سجل التغييرات
tab-help = المساعدة
search = بحث
sign-in = تسجيل الدخول
sign-out = تسجيل الخروج
language = اللغة
language-choose = اختيار
powered = أُنشئ باستخدام { $product }
date = { $day } { $month ->
    [1] يناير
    [2] فبراير
    [3] مارس
    [4] أبريل
    [5] مايو
    [6] يونيو
    [7] يوليو
    [8] أغسطس
    [9] سبتمبر
    [10] أكتوبر
    [11] نوفمبر
   *[12] ديسمبر
 } { $year }
someone = مستخدم سابق
save = حفظ
cancel = إلغاء
edit = تعديل
delete = حذف
copy = نسخ
copied = تم النسخ
yes = نعم
no = لا
more = عرض المزيد
to-start = الانتقال إلى الصفحة الأولى

# What the visitor has done.
done-posted = نُشرت فكرتك. ستصلك رسالة بالبريد عندما تتغير حالتها.
done-waits = شكرًا لك. سيطّلع الفريق على ما كتبته قبل أن يراه الآخرون.
done-commented = نُشر تعليقك.
done-saved = تم الحفظ.
done-deleted = تم الحذف.
done-signed-in = تم تسجيل دخولك.
done-signed-out = تم تسجيل خروجك.
done-thanks = شكرًا لك على الإجابة.
done-voted = تم احتساب صوتك.
done-same = أُرسل هذا قبل لحظات. ها هو.
done-again = لقد سجّلت الدخول من جديد منذ فتح هذا النموذج. ما كتبته ما زال هنا: أرسله مرة أخرى.
done-not = تم تسجيل دخولك، لكن ما أرسلته لم يعد ممكنًا.

# Boards and lists of posts.
home-title = ماذا ينبغي أن نبني بعد ذلك؟
home-text = أخبرنا بما يفيدك. نحن نقرأ كل شيء.
boards = اللوحات
boards-all = كل اللوحات
posts = الأفكار
sort = الترتيب
sort-top = الأعلى تصويتًا
sort-trending = الرائجة
sort-new = الأحدث
tags = الوسوم
status = الحالة
category = الفئة
category-none = بلا فئة
filter = تصفية
filter-all = الكل
filter-reset = عرض الكل
search-posts = البحث في الأفكار
new-idea = شارك فكرة
no-boards-title = لا شيء هنا بعد
no-boards = لا توجد لوحة متاحة لك. إذا كان لديك حساب، فسجّل الدخول.
no-boards-team = تُجمع الأفكار على اللوحات. أنشئ أول لوحة عبر واجهة API: POST /feedback-boards/create.
empty-how = شاهد كيف يتم ذلك
empty-boards = تصفّح الأفكار
no-posts-title = لا توجد أفكار بعد
no-posts-text = كن أول من يقول ما الذي ينقص.
no-posts-team = اكتب أول فكرة بنفسك، أو ضع في منتجك رابطًا إلى هذه الصفحة.
nothing-found = لم يُعثر على شيء
nothing-found-text = جرّب كلمات أخرى أو عوامل تصفية أقل.
pinned = مثبّتة
waits = بانتظار الفريق
waits-text = لا يرى هذا سواك أنت والفريق حتى تتم الموافقة عليه.
comments = { $count ->
    [zero] لا توجد تعليقات
    [one] تعليق واحد
    [two] تعليقان
    [few] { $shown } تعليقات
    [many] { $shown } تعليقًا
   *[other] { $shown } تعليق
 }
votes = { $count ->
    [zero] لا أصوات
    [one] صوت واحد
    [two] صوتان
    [few] { $shown } أصوات
    [many] { $shown } صوتًا
   *[other] { $shown } صوت
 }
vote-for = التصويت لفكرة «{ $title }»
votes-closed = التصويت مغلق

# A post.
official = تحديث رسمي
eta = متوقع في { $date }
comment = أضف تعليقًا
comment-submit = تعليق
comment-sign-in = سجّل الدخول للتعليق
more-comments = عرض المزيد من التعليقات
reply = رد
reply-submit = إرسال الرد
markdown = يمكنك استخدام Markdown.
voters = { $count ->
    [zero] لا أحد يريد هذا بعد
    [one] شخص واحد يريد هذا
    [two] شخصان يريدان هذا
    [few] { $shown } أشخاص يريدون هذا
    [many] { $shown } شخصًا يريدون هذا
   *[other] { $shown } شخص يريدون هذا
 }
voters-title = من يريدون هذا
follow = أبقني على اطلاع
follow-all = كل شيء
follow-status = الحالة فقط
follow-none = لا شيء
follow-all-text = تصلك رسالة بالبريد عند كل تعليق وكل تغيير في الحالة.
follow-status-text = تصلك رسالة بالبريد عندما تتغير الحالة.
follow-none-text = لا تصلك رسائل عن هذا.
status-history = سجل الحالة
merged = ما دُمج في هذا الاقتراح
share = مشاركة

# Writing.
new-title = شارك فكرة
edit-title = تعديل فكرتك
edit-comment = تعديل تعليقك
new-submit = نشر الفكرة
new-sign-in = ستسجّل الدخول في الخطوة التالية. لن يضيع شيء.
title = العنوان
title-hint = فكرة واحدة في جملة قصيرة واحدة.
details = التفاصيل
preview = معاينة
preview-back = كتابة
similar = أفكار مشابهة
similar-text = هل فكرتك بينها؟ الصوت أجدى من فكرة مكررة.
faults = يُرجى التحقق مما يلي:
fault-title-missing = اكتب عنوانًا.
fault-comment-missing = اكتب شيئًا أولًا.
fault-too-long = { $count ->
    [zero] النص طويل جدًا: الحد الأقصى { $shown } حرف.
    [one] النص طويل جدًا: الحد الأقصى حرف واحد.
    [two] النص طويل جدًا: الحد الأقصى حرفان.
    [few] النص طويل جدًا: الحد الأقصى { $shown } أحرف.
    [many] النص طويل جدًا: الحد الأقصى { $shown } حرفًا.
   *[other] النص طويل جدًا: الحد الأقصى { $shown } حرف.
 }
fault-category = لم تعد هذه الفئة موجودة. اختر فئة أخرى.
fault-no-status = لم يُكمل الفريق الإعداد بعد: لا توجد حالة للأفكار الجديدة.
fault-email = هذا ليس عنوان بريد إلكتروني. العنوان الصحيح يشبه name@example.com.
fault-name = اكتب اسمك.
delete-post-title = هل تريد حذف هذه الفكرة؟
delete-post-text = ستختفي «{ $title }» لدى الجميع.
delete-comment-title = هل تريد حذف هذا التعليق؟

# Roadmap.
roadmap-text = ما نعمل عليه الآن، وما سيأتي بعده.
roadmap-columns = الأعمدة
roadmap-by-status = حسب الحالة
roadmap-by-eta = حسب التاريخ
term-earlier = سابقًا
term-quarter = الربع { $quarter } من { $year }
term-later = لاحقًا
no-plans-title = لا توجد خطط بعد
no-plans-text = عندما يخطط الفريق لشيء، سيظهر هنا.
no-plans-team = اعرض ما تخطط له. أضف أول خطة عبر واجهة API: POST /roadmap-posts/create. يجب أن تعرض خارطة الطريق حالتها.
linked = { $count ->
    [zero] لا أفكار وراء هذا
    [one] فكرة واحدة وراء هذا
    [two] فكرتان وراء هذا
    [few] { $shown } أفكار وراء هذا
    [many] { $shown } فكرة وراء هذا
   *[other] { $shown } فكرة وراء هذا
 }

# Changelog.
changelog-text = ما الجديد، وما تحسّن، وما أُصلح.
entry-new = جديد
entry-improvement = تحسين
entry-fixed = إصلاح
entry-posts = الأفكار وراء هذا
labels = التصنيفات
no-entries-title = لم يُنشر شيء بعد
no-entries-text = سيُعلن عن الإصدارات الجديدة هنا.
no-entries-team = أعلن عن الجديد. انشر أول مدخل عبر واجهة API: POST /changelog/create.
more-entries = منشورات أقدم
changelog-follow = ابقَ على اطلاع
changelog-follows = تصلك رسالة بالبريد عند وجود جديد.
changelog-follows-not = احصل على رسالة بالبريد عند وجود جديد.
changelog-start = تلقي الرسائل
changelog-stop = إيقاف الرسائل

# Help center.
help-title = كيف يمكننا مساعدتك؟
help-text = إجابات وإرشادات.
search-help = البحث في مركز المساعدة
found-for = نتائج البحث عن «{ $text }»
help-nothing = جرّب كلمات أخرى أو تصفّح المجموعات.
no-articles-title = لا توجد مقالات بعد
no-articles-text = ستظهر المقالات هنا.
no-articles-team = أجب عمّا يُسأل كثيرًا. انشر أول مقالة عبر واجهة API: POST /help-articles/create.
contents = المحتويات
updated = آخر تحديث في { $date }
helpful = هل كان هذا مفيدًا؟
related = مقالات ذات صلة
before = السابق
behind = التالي

# Search.
search-all = البحث في الأفكار والمقالات

# People and the account.
since = هنا منذ { $date }
profile-empty = لا شيء يمكنك رؤيته.
account = حسابك
name = الاسم
email = عنوان البريد الإلكتروني
language-browser = حسب المتصفح
account-mail = أرسلوا إليّ رسائل عمّا أتابعه وعن الجديد
data = بياناتك
data-text = ملف بكل ما هو محفوظ عنك، أو إنهاء حسابك.
data-export = تنزيل
data-delete = حذف حسابي
delete-account-text = سيُزال اسمك وعنوانك وكل ما يخصك نهائيًا.
delete-account-keep = الإبقاء على أفكاري وتعليقاتي وأصواتي دون اسمي
delete-account-all = حذفها أيضًا
sessions = جلساتك المفتوحة
sessions-text = أنهِ ما لا تعرفه منها.
session-seen = آخر استخدام في { $date }
session-this = هذا المتصفح
session-end = إنهاء
sessions-end = إنهاء كل الجلسات الأخرى

# Guests, and spam.
guest = ضيف
guest-alone = تكتب بصفة ضيف. سجّل الدخول لاحقًا في هذا المتصفح ليصبح ما كتبته لك.
guest-mail = نرسل إليك رسالة بالبريد. يُحتسب ما ترسله هنا بعد أن تؤكده.
guest-account = هل لديك حساب؟
trap = اترك هذا الحقل فارغًا
doubt-trap = تم ملء حقل مخفي كما تفعل البرامج. كل ما كتبته ما زال هنا: أرسله مرة أخرى.
doubt-fast = كان ذلك سريعًا جدًا. راجع ما كتبته ثم أرسله مرة أخرى.
doubt-old = بقيت هذه الصفحة مفتوحة وقتًا طويلًا. كل ما كتبته ما زال هنا: أرسله مرة أخرى.
doubt-limited = أُرسل الكثير من شبكتك للتو. كل ما كتبته ما زال هنا: انتظر دقيقة ثم أرسله مرة أخرى.
act-submit = أرسل إليّ الرسالة
act-vote = التصويت لفكرة «{ $title }»
act-vote-text = لا تحتاج إلى حساب: نرسل إليك رسالة بالبريد، ويُحتسب صوتك بعد أن تؤكده.
act-follow = متابعة «{ $title }»
act-follow-text = تصلك رسالة بالبريد عند كل تعليق وكل تغيير في الحالة.
act-follow-open = تلقّي الرسائل
act-changelog-text = لا تحتاج إلى حساب: نرسل إليك رسالة بالبريد، وبعد أن تؤكد عنوانك تصلك رسالة عند وجود جديد.
act-code-text = أرسلنا رسالة إلى { $email }. افتح الرابط الذي فيها أو اكتب الرمز هنا. كلاهما صالح لمدة 24 ساعة.
act-confirm = تأكيد
act-link-title = هل هذا منك؟
act-link-text = أكّده ليُحتسب، وسيتم تسجيل دخولك أيضًا. إذا لم يكن منك، فأغلق هذه الصفحة.
act-is-post = فكرتك
act-is-comment = تعليقك
act-is-vote = صوتك لفكرة
act-is-follow = رسائل حول
mail-act-subject = أكّد ما أرسلته إلى { $name }
mail-act-intro = كتبت أو صوّتَّ لدى { $name }. يُحتسب ذلك بعد أن تؤكده.
mail-changelog-subject = أكّد أنك تريد رسائل { $name }
mail-changelog-intro = تريد رسالة بالبريد عند وجود جديد في { $name }. تصلك بعد أن تؤكد عنوانك.
mail-act-end = كلاهما صالح لمرة واحدة ولمدة 24 ساعة. إذا لم تكن أنت، فتجاهل هذه الرسالة ولن يحدث شيء.

# Signing in.
sign-in-title = تسجيل الدخول إلى { $name }
sign-in-text = نرسل إليك رسالة بالبريد فيها رابط ورمز. لا حاجة إلى كلمة مرور.
sign-in-draft = سجّل الدخول لإرسال ما كتبته. سيبقى محفوظًا حتى ذلك الحين.
sign-in-submit = إرسال الرسالة إليّ
sign-in-off = تسجيل الدخول بالبريد معطّل هنا.
sso-submit = تسجيل الدخول عبر { $name }
sso-text = سجّل الدخول بحسابك لدى { $name }.
sso-title = تعذّر تسجيل الدخول
sso-state = استغرق تسجيل الدخول وقتًا طويلًا، أو بدأ في متصفح آخر. ابدأ من جديد.
sso-token = الإثبات الذي أرسله { $name } غير صالح. ابدأ من جديد. إذا تكرر ذلك فأخبر الفريق بما يلي:
sso-team = هذا العنوان لأحد أعضاء الفريق. أعضاء الفريق لا يسجّلون الدخول بهذه الطريقة.
password = كلمة المرور
sign-in-password = سجّل الدخول بعنوانك وكلمة مرورك.
sign-in-both = سجّل الدخول بكلمة مرورك، أو برسالة فيها رابط ورمز.
password-missing = اكتب كلمة مرورك، أو اختر الرسالة.
password-wrong = العنوان أو كلمة المرور غير صحيح.
password-too-many = كانت المحاولات كثيرة جدًا. انتظر عشر دقائق، أو سجّل الدخول بالبريد.
password-text = بكلمة مرور تسجّل الدخول من دون رسالة.
password-open = تعيين كلمة المرور أو تغييرها
password-present = كلمة المرور الحالية
password-present-wrong = هذه ليست كلمة مرورك الحالية.
password-new = كلمة المرور الجديدة
password-others = عند تغييرها تنتهي جلساتك الأخرى.
password-personal = اسمك وعنوانك أول ما يجرّبه الآخرون. اختر شيئًا آخر.
password-common = كثيرون يستخدمون كلمة المرور هذه. اختر غيرها.
password-save = حفظ كلمة المرور
password-remove = إزالة كلمة المرور
password-proof = قبل تعيين كلمة مرور، أثبت أن هذا العنوان لك: سجّل الدخول بالبريد مرة أخرى.
password-forgot = هل نسيت كلمة المرور؟ سجّل الدخول بالبريد مرة أخرى وعيّن كلمة جديدة.
password-ask = لتعيين كلمة مرور جديدة، اطلب دعوة من الفريق.
or = أو
oidc-submit = المتابعة عبر { $name }
oidc-failed = لم يسجّل { $name } دخولك. ابدأ من جديد. إن تكرر ذلك فأخبر الفريق:
oidc-refused = لم يُسجَّل دخولك عند { $name }. ابدأ من جديد، أو اختر طريقة أخرى.
oidc-no-email = لم يخبرنا { $name } بعنوان بريدك. اسمح بذلك هناك، أو سجّل الدخول بطريقة أخرى.
oidc-unverified = لم يؤكد { $name } عنوان بريدك. أكّده هناك، ثم ابدأ من جديد.
link-address = ستسجّل الدخول باسم { $email }.
password-short = استخدم { $shown } أحرف على الأقل. الجملة القصيرة كلمة مرور جيدة.
code-title = تفقّد بريدك
code-text = أرسلنا رسالة إلى { $email }. افتح الرابط الذي فيها أو اكتب الرمز هنا. كلاهما صالح لعشر دقائق.
code = الرمز
code-hint = لم تصلك الرسالة؟ تفقّد مجلد البريد غير المرغوب فيه.
code-again = إرسال رسالة أخرى
code-wrong = { $count ->
    [zero] هذا ليس الرمز الصحيح. لم تبقَ لك محاولات.
    [one] هذا ليس الرمز الصحيح. بقيت لك محاولة واحدة.
    [two] هذا ليس الرمز الصحيح. بقيت لك محاولتان.
    [few] هذا ليس الرمز الصحيح. بقيت لك { $shown } محاولات.
    [many] هذا ليس الرمز الصحيح. بقيت لك { $shown } محاولة.
   *[other] هذا ليس الرمز الصحيح. بقيت لك { $shown } محاولة.
 }
code-gone = لم يعد الرمز صالحًا. اطلب رمزًا جديدًا.
link-text = نقرة واحدة ويتم تسجيل دخولك.
link-gone = استُخدم هذا الرابط من قبل أو انتهت صلاحيته. اطلب رابطًا جديدًا.
mail-subject = تسجيل الدخول إلى { $name }
mail-intro = تريد تسجيل الدخول إلى { $name }.
mail-code = اكتب هذا الرمز في المتصفح الذي طلبته منه:
mail-link = أو افتح هذا الرابط واضغط الزر:
mail-end = كلاهما صالح لمرة واحدة ولمدة عشر دقائق. إذا لم تطلب هذا، فتجاهل هذه الرسالة.

# Faults.
gone-title = لا شيء هنا
gone-text = الصفحة غير موجودة، أو لا يحق لك رؤيتها. قد تحتاج إلى تسجيل الدخول.
form-title = انتهت صلاحية هذا النموذج
form-text = ارجع وأعد تحميل الصفحة، ثم أرسله مرة أخرى.
refused-title = هذا غير ممكن
refused = تغيّرت الصفحة في هذه الأثناء. أعد تحميلها.
refused-blocked = حظر الفريق هذا الحساب.
refused-voting = هذه اللوحة لا تقبل الأصوات.
refused-commenting = هذه اللوحة لا تقبل التعليقات.
refused-merged = دُمجت هذه الفكرة في فكرة أخرى.
no-organization-title = لا توجد منظمة بعد
no-organization-text = يعمل Hearback، لكن لا توجد منظمة لعرضها بعد. أنشئ أول منظمة على الخادم:
busy-title = لحظة من فضلك
busy-text = الضغط كبير الآن. حاول مرة أخرى بعد بضع ثوانٍ.
broken-title = حدث خطأ ما
broken-text = الخطأ من جانبنا، وقد سُجّل. حاول مرة أخرى بعد قليل.
limited-title = طلبات كثيرة جدًا
limited-text = انتظر دقيقة ثم حاول مرة أخرى.
large-title = النص طويل جدًا
large-text = اختصر ما كتبته ثم أرسله مرة أخرى.

# Notifications, and mails about what happens.
notices = الإشعارات
notices-unread = { $count ->
    [zero] لا إشعارات غير مقروءة ({ $shown })
    [one] إشعار واحد غير مقروء ({ $shown })
    [two] إشعاران غير مقروءين ({ $shown })
    [few] { $shown } إشعارات غير مقروءة
   *[other] { $shown } إشعارًا غير مقروء
 }
notices-read-all = وضع علامة مقروء على الكل
notices-none = لا جديد
notices-none-text = عندما يتغير شيء في فكرة تتابعها، سيظهر هنا.
notices-choose = اختر ما يصلك بالبريد
notice-new = جديد
notice-read = وضع علامة مقروء
notice-gone = هذا المحتوى لم يعد متاحًا.
done-address-asked = أرسلنا رسالة إلى العنوان الجديد. افتح الرابط الذي فيها لتأكيده.
done-address = تم تغيير عنوانك.
done-mail-sent = قبل خادم البريد رسالة الاختبار. انظر في صندوق الوارد.
mail-trouble = خادم البريد لا يقبل رسائلنا. اطّلع على رده.
mail-trouble-text = لم تُرسل آخر رسالة. هذا هو الرد:
mail-server = خادم البريد
mail-server-text = لا توجد مشكلة معروفة.
mail-test = أرسل لي رسالة اختبار
mail-test-subject = { $name }: رسالة اختبار
mail-test-text = وصلت هذه الرسالة: خادم البريد يعمل.
mail-test-end = طلبتها من حسابك لدى { $name }.
mail = البريد
post-mail = عن الأفكار التي أتابعها
post-mail-instant = فورًا، رسالة لكل تغيير
post-mail-daily = مرة في اليوم
post-mail-weekly = مرة في الأسبوع، يوم الاثنين
post-mail-off = أبدًا
changelog-mail = أرسل لي أيضًا ما هو جديد في سجل التغييرات
address-text = نرسل رابطًا إلى العنوان الجديد. يسري بعد أن تؤكده.
address-change = تغيير العنوان
address-confirm = تأكيد العنوان
address-confirm-text = من الآن تسجل الدخول بهذا العنوان وتصل الرسائل إليه. تبقى مسجلًا هنا فقط.
address-taken = هذا العنوان مستخدم في حساب آخر.
address-gone = استُخدم هذا الرابط أو انتهت صلاحيته. غيّر العنوان مرة أخرى.
mail-address-subject = { $name }: أكّد عنوانك
mail-address = تريد استخدام هذا العنوان لحسابك لدى { $name }. افتح هذا الرابط في المتصفح الذي سجلت الدخول فيه واضغط الزر:
mail-address-end = الرابط صالح مرة واحدة لعشر دقائق. إن لم تطلب هذا فتجاهل الرسالة.
mail-moved-subject = { $name }: تغيّر عنوانك
mail-moved = حسابك لدى { $name } له عنوان آخر من الآن. تصل الرسائل إليه لا إلى هذا العنوان.
mail-moved-end = إن لم تكن أنت من غيّره فأخبر الفريق فورًا.
news-status = { $title } أصبح الآن { $status }
news-comment = تعليق على { $title }
news-comment-by = علّق { $name } على { $title }
news-merged = دُمجت { $old } في { $title }
news-accepted = قُبلت { $title }
news-owner = { $title } أصبحت من مسؤوليتك
news-queue = هناك ما ينتظر الإشراف
news-digest = { $count ->
    [zero] لا تغييرات ({ $shown })
    [one] تغيير واحد ({ $shown })
    [two] تغييران ({ $shown })
    [few] { $shown } تغييرات
   *[other] { $shown } تغييرًا
 }
mail-status = الحالة الآن { $status }.
mail-comment = تعليق:
mail-comment-by = { $name }:
mail-merged = دُمجت { $old } التي تتابعها في هذه الفكرة. تُحتسب الأصوات هنا من الآن.
mail-accepted = قُبلت فكرتك. يمكن للآخرين الآن رؤيتها والتصويت والتعليق.
mail-owner = أنت الآن المسؤول عن هذه الفكرة.
mail-queue = هناك أفكار أو تعليقات تنتظر أن يقبلها أحد أعضاء الفريق أو يرفضها.
mail-why-news = تصلك هذه الرسالة لأنك مشترك في أخبار { $name }.
mail-why-post = تصلك هذه الرسالة لأنك تتابع أفكارًا لدى { $name }.
mail-why-you = تصلك هذه الرسالة لأنها تخصك لدى { $name }.
mail-why-team = تصلك هذه الرسالة بصفتك عضوًا في فريق { $name }.
mail-unfollow = إلغاء متابعة هذه الفكرة
mail-unfollow-changelog = إلغاء رسائل سجل التغييرات
mail-unsubscribe = إلغاء كل الرسائل
mail-choose = اختر ما يصلك
stop-title = تم
stop-all = لن تصلك رسائل أخرى من { $name }.
stop-changelog = لن تصلك رسالة عند وجود جديد في { $name }. تستمر الرسائل الأخرى في الوصول.
stop-post = لن تصلك أخبار هذه الفكرة في { $name }. تستمر الرسائل الأخرى في الوصول.

image = صورة
image-file = الملف
image-hint = PNG أو JPEG أو GIF أو WebP أو AVIF، حتى { $shown } ميغابايت.
image-add = إضافة إلى النص
image-drop = اسحب الصور إلى النص أو الصقها فيه.
image-wait = جارٍ رفع الصورة…
image-done = الصورة في النص.
image-failed = تعذّر رفع الصورة.
picture = الصورة الشخصية
picture-use = استخدام هذه الصورة
picture-remove = إزالة الصورة
fault-image-missing = اختر ملفًا أولًا.
fault-image-large = الملف كبير جدًا. الحد الأقصى { $shown } ميغابايت.
fault-image-pixels = عدد بكسلات الصورة كبير جدًا. الحد الأقصى { $shown } مليون: صغّر الصورة.
fault-image-format = الملف ليس صورة من نوع معروف. استخدم PNG أو JPEG أو GIF أو WebP أو AVIF.
fault-image-broken = الصورة تالفة. احفظها من جديد أو اختر صورة أخرى.
fault-image-full = لم تعد هناك مساحة للصور هنا. يُرجى إبلاغ الفريق.
fault-image-busy = يصل عدد كبير من الصور في هذه اللحظة. أعد المحاولة بعد قليل.

# The dashboard.
desk-inbox = صندوق الوارد
desk-moderation = الإشراف
desk-roadmap = خارطة الطريق
desk-roadmap-posts = الخطط
desk-changelog = سجل التغييرات
desk-help-articles = المقالات
desk-help-versions = الإصدارات
desk-help-collections = المجموعات
desk-help-categories = فئات المقالات
desk-help-redirects = عمليات إعادة التوجيه
desk-people = المستخدمون
desk-companies = الشركات
desk-posts = الأفكار
desk-comments = التعليقات
desk-votes = الأصوات
desk-webhooks = خطافات الويب
desk-deliveries = عمليات التسليم
desk-events = الأحداث
desk-audit = سجل التدقيق
desk-boards = اللوحات
desk-statuses = الحالات
desk-categories = الفئات
desk-tags = الوسوم
desk-labels = التصنيفات
desk-roadmap-boards = خرائط الطريق
desk-group-people = المستخدمون
desk-group-system = عمليات الربط
desk-group-set-up = الإعداد
desk-settings = الإعدادات
desk-settings-text = القوائم التي تُنظَّم بها لوحاتك وخارطة الطريق وسجل التغييرات.
desk-organization = المنظمة
desk-keys = مفتاح API
desk-menu = لوحة التحكم
desk-portal = فتح البوابة
desk-yes = نعم
desk-no = لا
desk-filter = تصفية
desk-reset = عرض الكل
desk-next = الصفحة التالية
desk-nothing = لا شيء هنا بعد.
desk-nothing-found = لم يُعثر على شيء.
desk-not-allowed = دورك لا يسمح بهذا.
desk-choose-posts = اختر فكرة واحدة على الأقل.
desk-choose-items = اختر فكرة أو تعليقًا واحدًا على الأقل.
desk-view-new = الأحدث
desk-view-open = المفتوحة
desk-view-started = قيد التنفيذ
desk-view-trending = الرائجة
desk-views = طرق العرض
desk-votes-count = { $count ->
    [zero] لا أصوات
    [one] صوت واحد
    [two] صوتان
    [few] { $shown } أصوات
    [many] { $shown } صوتًا
   *[other] { $shown } صوت
 }
desk-comments-count = { $count ->
    [zero] لا توجد تعليقات
    [one] تعليق واحد
    [two] تعليقان
    [few] { $shown } تعليقات
    [many] { $shown } تعليقًا
   *[other] { $shown } تعليق
 }
desk-note = ملاحظة داخلية
desk-note-text = لا يراها سوى الفريق.
desk-note-add = إضافة الملاحظة
desk-answer-text = يقرؤه كل من يرى الفكرة.
desk-answer-add = رد
desk-edit = تعديل
desk-activity = النشاط
desk-similar = أفكار مشابهة
desk-voters = المصوّتون
desk-no-votes = لم يصوّت أحد بعد.
desk-in-portal = فتح في البوابة
desk-more-acts = المزيد
desk-merged-into = دُمجت في «{ $title }»
desk-a-month = شهريًا
desk-choose = اختر فكرة لفتحها هنا.
desk-change-chosen = تغيير الأفكار المختارة
desk-chosen = اختيار «{ $title }»
desk-find = بحث
desk-find-text = البحث بالاسم أو العنوان
desk-changed = غيّر شخص آخر هذا في هذه الأثناء.
desk-changed-text = ما كتبته موجود أدناه. انقل إليه ما تريد الإبقاء عليه من التغيير الآخر، ثم احفظ مرة أخرى.
desk-theirs = ما حُفظ في هذه الأثناء
desk-yours = ما كتبته أنت
desk-sure = هل تريد فعل هذا؟
desk-effects = سيتغير ما يلي:
desk-confirm = نعم، نفّذ
desk-cancel = رجوع
desk-done = تم
desk-key-text = تستدعي البرامج واجهة API بهذا المفتاح. من يملكه يستطيع قراءة كل اقتراحاتك وتغييرها.
desk-key-none = ليس لدى منظمتك مفتاح API بعد.
desk-key-generate = إنشاء مفتاح
desk-key-show = عرض المفتاح
desk-key-rotate = استبدال المفتاح
desk-key-rotate-text = يُرفض المفتاح القديم في كل مكان حالما تؤكد الصفحة التالية ذلك. يستغرق هذا بضع ثوانٍ.
desk-key-revoke = إبطال المفتاح
desk-key-revoke-text = تُرفض البرامج التي تستخدم المفتاح من ذلك الحين.
desk-key-shown = مفتاح API الخاص بك
desk-key-raced = غيّر شخص آخر المفتاح في هذه الأثناء. تحقق مرة أخرى.
desk-accept = قبول
desk-reject = رفض
desk-spam = محتوى مزعج
desk-wait = إعادة إلى الانتظار
desk-trust = الثقة بالكتّاب من الآن
desk-block = حظر الكتّاب
desk-queue-empty = لا شيء بانتظارك.
desk-queue-more = هناك المزيد. ابدأ بهذه أولًا.
desk-by-author = الكاتب
desk-move = نقل
desk-move-to = نقل «{ $title }» إلى
desk-linked = { $count ->
    [zero] لا أفكار
    [one] فكرة واحدة
    [two] فكرتان
    [few] { $shown } أفكار
    [many] { $shown } فكرة
   *[other] { $shown } فكرة
 }
desk-no-roadmap = لا توجد خارطة طريق بعد.
desk-column-empty = لا شيء بعد
desk-keyboard = لوحة المفاتيح
desk-key-next = الفكرة التالية
desk-key-before = الفكرة السابقة
desk-key-choose = اختيار
desk-key-status = الحالة
desk-key-tag = الوسوم
desk-key-merge = دمج
desk-key-search = بحث
desk-key-help = هذه المساعدة
set-welcome-title = العنوان فوق اللوحات
set-welcome-text = النص تحت العنوان
set-logo = رابط الشعار
set-favicon = رابط الأيقونة
set-accent = لون التمييز
set-theme = فاتح أو داكن
set-theme-auto = حسب نظام الزائر
set-theme-light = فاتح
set-theme-dark = داكن
set-host = اسم مضيف البوابة
set-shows-feedback = عرض اللوحات
set-shows-roadmap = عرض خارطة الطريق
set-shows-changelog = عرض سجل التغييرات
set-shows-help = عرض مركز المساعدة
set-shows-counts = عرض عدد أصوات الفكرة
set-indexed = السماح لمحركات البحث بإدراج البوابة
set-private = على الزوار تسجيل الدخول أولًا
set-by-mail = تسجيل الدخول بالبريد
set-by-password = تسجيل الدخول بكلمة المرور
set-sso-url = رابط تسجيل الدخول الخاص بك
set-ledger = الاحتفاظ بكل الأحداث لتقرأها البرامج لاحقًا
set-css = ورقة أنماط خاصة بك
fault-number = اكتب عددًا صحيحًا.
fault-json = اكتب JSON، مثل ‎{"{"}"plan": "pro"{"}"}‎.
fault-host-taken = اسم المضيف هذا لمنظمة أخرى.
field-access-code = من يمكنه رؤيتها
field-action = الإجراء
field-actor-id = المنفّذ
field-add-tag-ids = إضافة وسوم
field-allowed-email-domains = نطاقات البريد المسموح لها بالرؤية
field-allowed-user-ids = المستخدمون المسموح لهم بالرؤية
field-article-id = المقالة
field-articles-deleted = المقالات التي ستُحذف
field-articles-moved = المقالات التي ستُنقل
field-at = الوقت
field-attempt-count = عدد المحاولات
field-attempts = المحاولات
field-attributes = السمات
field-author-email = عنوان بريد الكاتب
field-author-external-id = المعرّف الخارجي للكاتب
field-author-id = الكاتب
field-author-name = اسم الكاتب
field-avatar-url = رابط الصورة الشخصية
field-block-author = حظر الكاتب
field-board-id = اللوحة
field-board-ids = من هذه اللوحات فقط
field-body = المحتوى المرسل
field-categories-deleted = الفئات التي ستُحذف
field-categories-moved = الفئات التي ستُنقل
field-category-id = الفئة
field-code = الرمز
field-collection-id = المجموعة
field-color = اللون
field-comment = التعليق
field-comment-count = التعليقات
field-comment-id = التعليق
field-comment-moderation-code = التعليقات تنتظر الإشراف
field-comments-deleted = التعليقات التي ستُحذف
field-comments-moved = التعليقات التي ستُنقل
field-company-id = الشركة
field-company-name = الشركة
field-content = النص
field-content-code = الأفكار والتعليقات
field-created-after = أُنشئ بعد
field-created-at = تاريخ الإنشاء
field-created-before = أُنشئ قبل
field-customer-status = حالة العميل
field-data = القيم
field-delete-articles = حذف المقالات أيضًا
field-delete-posts = حذف الأفكار أيضًا
field-delivery-id = عملية التسليم
field-description = الوصف
field-details = النص
field-door = عبر
field-duration-ms = بالميلي ثانية
field-email = عنوان البريد الإلكتروني
field-ended-at = وقت الانتهاء
field-entry-id = المدخل
field-error = الخطأ
field-eta = متوقع في
field-eta-is-public = عرض التاريخ للجميع
field-event-id = معرّف الحدث
field-event-type = الحدث
field-event-types = الأحداث
field-excerpt = الملخص
field-external-id = المعرّف الخارجي
field-failing-since = بداية الفشل
field-featured-image-url = رابط الصورة
field-feedback-post-id = الفكرة
field-feedback-post-ids = أفكار اللوحات
field-from-path = من المسار
field-guest-code = الضيوف
field-headers = الترويسات المرسلة
field-helpful-count = مفيد
field-icon = الأيقونة
field-icon-url = رابط الأيقونة
field-id = المعرّف
field-ids = الترتيب
field-into-post-id = الدمج في الفكرة
field-into-tag-id = الدمج في الوسم
field-into-user-id = الدمج في المستخدم
field-is-active = نشط
field-is-blocked = محظور
field-is-commenting-enabled = التعليق مفتوح
field-is-default-status = حالة الأفكار الجديدة
field-is-favourite = مفضّل
field-is-helpful = هل كان مفيدًا
field-is-pinned = مثبّت
field-is-public = مرئي للجميع
field-is-subscribed = يريد الرسائل
field-is-trusted = موثوق
field-is-voting-enabled = التصويت مفتوح
field-label-id = التصنيف
field-label-ids = التصنيفات
field-last-success-at = آخر نجاح
field-level = الإشعارات
field-locale = اللغة
field-merge-post-id = الفكرة
field-merge-user-id = المستخدم
field-merged-into-id = مدموج في
field-moderation-status-code = الإشراف
field-monthly-spend = الإنفاق الشهري
field-move-posts-to-board-id = نقل الأفكار إلى اللوحة
field-move-to-collection-id = نقل المقالات إلى المجموعة
field-name = الاسم
field-next-attempt-at = المحاولة التالية
field-not-helpful-count = غير مفيد
field-note = ملاحظة للمصوّتين
field-notify = إرسال إشعار بالبريد
field-notify-voters = مراسلة المصوّتين للأفكار المرتبطة
field-occurred-at = وقت الحدوث
field-overlap-seconds = عدد الثواني التي يوقّع فيها كلا السرّين
field-owner-id = المسؤول
field-parent-comment-id = رد على
field-portal-role = الدور
field-position = الموضع
field-post-id = الفكرة
field-post-ids = الأفكار
field-post-moderation-code = الأفكار تنتظر الإشراف
field-post-template = بداية الأفكار الجديدة
field-post-type = نوع الفكرة
field-posts-deleted = الأفكار التي ستُحذف
field-posts-moved = الأفكار التي ستُنقل
field-published = النشر فورًا
field-published-at = تاريخ النشر
field-redirect-id = إعادة التوجيه
field-reject-pending = رفض ما ينتظر الإشراف
field-related-article-ids = مقالات ذات صلة
field-remove-tag-ids = إزالة وسوم
field-replacement-category-id = الفئة الجديدة للأفكار
field-replacement-status-id = الحالة الجديدة للأفكار
field-response = محتوى الاستجابة
field-roadmap-board-id = خارطة الطريق
field-scheduled-at = موعد النشر
field-scheduled-for = النشر في
field-search = بحث
field-show-on-feedback = العرض على اللوحات
field-show-on-portal = العرض في البوابة
field-show-on-roadmap = العرض على خارطة الطريق
field-show-post-dates = عرض التواريخ
field-signing-secret = سرّ التوقيع: يُعرض هذه المرة فقط
field-slug = جزء الرابط
field-sort = الترتيب
field-source-url = المصدر
field-state = الحالة
field-status = رمز الحالة
field-status-changed-at = تاريخ تغيير الحالة
field-status-code = حالة النشر
field-status-group-code = مجموعة الحالات
field-status-id = الحالة
field-subscribe-author = إبلاغ الكاتب بالجديد
field-subscriptions-moved = المتابعات التي ستُنقل
field-sync-status = تأخذ الأفكار هذه الحالة
field-tag-id = الوسم
field-tag-ids = الوسوم
field-target-id = الهدف
field-target-kind = نوع الهدف
field-title = العنوان
field-to-path = إلى المسار
field-trust-author = الثقة بالكاتب
field-type = النوع
field-updated-at = تاريخ التغيير
field-url = الرابط
field-user-id = المستخدم
field-version = الإصدار
field-view-count = المشاهدات
field-visibility-code = يراه
field-vote-count = الأصوات
field-voted = صوّت
field-voter-email = عنوان بريد المصوّت
field-voter-external-id = المعرّف الخارجي للمصوّت
field-voter-id = المستخدم
field-voter-name = اسم المصوّت
field-votes-deleted = الأصوات التي ستُحذف
field-votes-dropped = أصوات من صوّتوا للفكرتين معًا
field-votes-moved = الأصوات التي ستُنقل
field-webhook-id = خطاف الويب
hint-slug = أحرف وأرقام وشُرَط. إذا تُرك فارغًا فيُنشأ من الاسم.
hint-lines = واحد في كل سطر.
hint-utc = بتوقيت UTC. إذا تُرك فارغًا ففورًا.
hint-eta = بتوقيت UTC.
hint-events = دون اختيار: كل الأحداث.
hint-markdown = Markdown.
code-public = الجميع
code-signed-in = كل من سجّل الدخول
code-team = الفريق
code-custom = أشخاص محددون
code-off = أبدًا
code-first-post = أول ما يكتبه كل شخص
code-on = دائمًا
code-none = غير مسموح
code-email = بعنوان بريد إلكتروني
code-anonymous = دون عنوان بريد إلكتروني
code-pending = قيد الانتظار
code-accepted = مقبول
code-rejected = مرفوض
code-spam = محتوى مزعج
code-draft = مسودة
code-published = منشور
code-scheduled = مجدول
code-open = مفتوح
code-in-progress = قيد التنفيذ
code-completed = مكتمل
code-closed = مغلق
code-new = جديد
code-improvement = تحسين
code-fixed = إصلاح
code-internal = الفريق فقط
code-post = فكرة
code-comment = تعليق
code-feedback = فكرة على لوحة
code-roadmap = خطة في خارطة الطريق
code-delivered = تم التسليم
code-failed = فشل
code-all = كل شيء
code-status = تغييرات الحالة
code-anonymize = تبقى دون اسم
code-delete = تُحذف
code-votes = الأعلى تصويتًا
code-trending = الرائجة
code-newest = الأحدث أولًا
code-oldest = الأقدم أولًا
code-owner = المالك
code-admin = مدير
code-member = عضو
code-viewer = مشاهد
code-end-user = زائر
code-api = API
code-dashboard = لوحة التحكم
code-portal = البوابة
code-background = الخادم
code-spend = الأعلى إنفاقًا
code-comments = الأكثر تعليقات
code-name = حسب الاسم
code-updated = آخر ما تغيّر
code-monthly-spend = الأعلى إنفاقًا
code-by-title = حسب العنوان
code-position = حسب الموضع
verb-update = تغيير
verb-delete = حذف
verb-reorder = إعادة الترتيب
verb-block = حظر
verb-unblock = إلغاء الحظر
verb-merge = دمج
verb-unmerge = التراجع عن الدمج
verb-erase = محو البيانات الشخصية
verb-change-status = تغيير الحالة
verb-bulk-update = تغيير عدة عناصر
verb-add-tag = إضافة وسم
verb-remove-tag = إزالة وسم
verb-restore = استعادة
verb-subscribe = إضافة متابع
verb-unsubscribe = إنهاء متابعة
verb-toggle = تغيير صوت
verb-set = التصويت نيابةً عن شخص
verb-set-many = التصويت نيابةً عن عدة أشخاص
verb-link = ربط أفكار
verb-unlink = إلغاء ربط أفكار
verb-link-posts = ربط أفكار
verb-unlink-posts = إلغاء ربط أفكار
verb-decide = اتخاذ القرار
verb-rotate-secret = سرّ توقيع جديد
verb-test = إرسال اختبار
verb-replay = إعادة الإرسال
verb-publish = نشر
verb-unpublish = إلغاء النشر
verb-restore-version = استعادة إصدار
verb-feedback = الإجابة نيابةً عن شخص
fault-required = املأ هذا الحقل.
fault-slug-taken = جزء الرابط هذا مستخدم في سجل آخر.
fault-name-taken = هذا الاسم مستخدم في سجل آخر.
fault-code-taken = هذا الرمز مستخدم في سجل آخر.
fault-email-taken = هذا العنوان لمستخدم آخر.
happened-created = أنشأ الفكرة
happened-edited = عدّل الفكرة
happened-status-changed = غيّر الحالة
happened-owner-changed = غيّر المسؤول
happened-merged-in = دمج فكرة أخرى في هذه الفكرة
happened-merged = دمج الفكرة في فكرة أخرى
happened-unmerged = تراجع عن الدمج
happened-moderated = راجع الفكرة
happened-deleted = حذف الفكرة
happened-restored = استعاد الفكرة
desk-members = الفريق
desk-you = أنت
desk-role-of = دور { $name }
desk-no-member = لم يعد في الفريق
desk-invitations = دعوات مفتوحة
desk-until = صالحة حتى { $date }
desk-invite = دعوة شخص
desk-invite-again = إعادة الدعوة
desk-withdraw = سحب
desk-invited = الدعوة في الطريق
desk-invited-text = أُرسلت رسالة بهذا الرابط. يمكنك أيضًا تسليمه بنفسك: صالح مرة واحدة لمدة سبعة أيام.
desk-last-owner = يبقى المالك الأخير. عيّن مالكًا آخر أولًا.
desk-owners-alone = المالكون وحدهم يعيّنون المالكين ويعزلونهم.
desk-plan = إضافة إلى خارطة الطريق
invited-subject = دعوة إلى فريق { $name }
invited-text = أنت مدعو للعمل على ملاحظات { $name }. هذا الرابط يسجّل دخولك:
invited-end = الرابط صالح مرة واحدة لمدة سبعة أيام. إن لم تكن تتوقع دعوة فتجاهل هذه الرسالة.

desk-insights = الإحصاءات
insights-span = المدة
insights-month = 30 يومًا
insights-quarter = 13 أسبوعًا
insights-year = 12 شهرًا
insights-years = 5 سنوات
insights-text = يُعاد العدّ كل عشر دقائق. لا تُحتسب المنشورات المحذوفة أو المدمجة أو المنتظرة.
insights-posts = منشورات جديدة
insights-posts-by-board = منشورات جديدة حسب اللوحة
insights-votes = الأصوات
insights-votes-by-board = الأصوات حسب اللوحة
insights-comments = التعليقات
insights-comments-by-board = التعليقات حسب اللوحة
insights-statuses = منشورات جديدة حسب حالتها الحالية
insights-most-votes = الأكثر أصواتًا على الإطلاق
insights-most-spend = أعلى إنفاق شهري للمصوّتين
insights-time = الوقت
insights-board = اللوحة
insights-status = الحالة
insights-post = المنشور
insights-number = العدد
insights-table = كجدول
insights-csv = { $title } بصيغة CSV
desk-waiting = { $count ->
    [zero] لا شيء بانتظار المراجعة
    [one] عنصر واحد بانتظار المراجعة
    [two] عنصران بانتظار المراجعة
    [few] { $shown } عناصر بانتظار المراجعة
    [many] { $shown } عنصرًا بانتظار المراجعة
   *[other] { $shown } عنصر بانتظار المراجعة
}
desk-failing = { $count ->
    [zero] لا يوجد تعذّر
    [one] واحد متعذّر
    [two] اثنان متعذّران
    [few] { $shown } متعذّرة
    [many] { $shown } متعذّرًا
   *[other] { $shown } متعذّر
}
desk-guide = الخطوات الأولى
desk-guide-text = ما تبقّى قبل أن يتمكن الناس من إرسال ملاحظاتهم.
desk-guide-import = استيراد ملاحظاتك من أداة أخرى قبل كل شيء
desk-guide-board = إنشاء لوحة للأفكار
desk-guide-look = إضافة شعارك أو لونك إلى البوابة
desk-guide-post = كتابة الفكرة الأولى
desk-guide-invite = دعوة شخص إلى الفريق
desk-guide-done = تم
desk-guide-open = لم يتم بعد
desk-help = مركز المساعدة
desk-help-empty = لا توجد مجموعات بعد.
desk-help-hidden = غير ظاهر في البوابة
desk-move-up = نقل إلى أعلى: { $title }
desk-move-down = نقل إلى أسفل: { $title }
desk-change = { $before } ← { $after }
desk-version = الإصدار { $number }
desk-version-now = الإصدار الحالي
desk-version-restore = استعادة هذا الإصدار
desk-version-older = الأقدم
desk-version-newer = الأحدث
desk-compare = مقارنة
desk-line = السطر
desk-line-changed = تغيّر
desk-line-added = أُضيف
desk-line-removed = حُذف
desk-no-difference = للإصدارين النص نفسه.
desk-mails = { $count ->
    [zero] لن يتلقى أحد رسالة
    [one] يتلقى شخص واحد رسالة
    [two] يتلقى شخصان رسالة
    [few] يتلقى { $shown } أشخاص رسالة
    [many] يتلقى { $shown } شخصًا رسالة
   *[other] يتلقى { $shown } شخص رسالة
}
desk-mails-many = يتلقى { $shown } شخص أو أكثر رسالة
second-factor = العامل الثاني
second-factor-text = مع رمز من تطبيق على هاتفك، لا يسجّل أحد الدخول باسمك ببريدك أو كلمة مرورك وحدهما.
second-factor-open = إعداد العامل الثاني أو تغييره
second-factor-since = مفعّل منذ { $date }.
second-factor-left = { $count ->
    [one] بقي رمز استرداد واحد.
   *[other] رموز الاسترداد المتبقية: { $shown }.
 }
second-factor-required = تطلب مؤسستك منك عاملًا ثانيًا. إلى أن تُعدّه، ترى ما يراه كل زائر.
second-factor-scan = امسح الصورة بتطبيق المصادقة، أو انسخ المفتاح إلى التطبيق. ثم اكتب الرمز الذي يعرضه التطبيق.
second-factor-key = المفتاح
second-factor-address = عنوان المفتاح
second-factor-picture = المفتاح كرمز QR
second-factor-app = رمز التطبيق
second-factor-set-up = إعداد
second-factor-again = لإعداد عامل ثانٍ، سجّل الدخول مرة أخرى. يجب أن يتم ذلك خلال عشر دقائق.
second-factor-sign-in = تسجيل الدخول مرة أخرى
second-factor-code = رمز التطبيق أو رمز استرداد
second-factor-change = تحلّ رموز الاسترداد الجديدة محل السابقة. عند إيقاف العامل الثاني تنتهي جلساتك الأخرى.
second-factor-codes = رموز استرداد جديدة
second-factor-off = إيقاف
second-factor-wrong = هذا الرمز خاطئ أو سبق استخدامه. انتظر الرمز التالي.
second-factor-too-many = محاولات كثيرة جدًا. انتظر عشر دقائق.
recovery-codes = رموز الاسترداد
recovery-codes-text = احفظ هذه الرموز في مكان آمن. كل منها يحل محل التطبيق مرة واحدة إذا فقدت هاتفك. لن تُعرض مرة أخرى.
recovery-codes-next = متابعة
second-step = الخطوة الثانية
second-step-text = اكتب الرمز الذي يعرضه تطبيق المصادقة، أو رمز استرداد.
second-step-lost = إذا فقدت كليهما، فاطلب ممن يشغّل هذه الخدمة إعادة ضبط عاملك الثاني.
set-second-factor = أدنى دور يحتاج إلى عامل ثانٍ
set-second-factor-none = لا أحد
desk-data = الاستيراد والتصدير
data-export-title = تصدير
data-export-text = كل سجلات هذه المنظمة في ملف واحد، كما هي لحظة النقر. يمكن استيراد الملف في مكان آخر. لا يحتوي على الصور ولا كلمات المرور ولا سجل التدقيق.
data-secrets = مع الأسرار: مفتاح API وأسرار توقيع Webhook
data-secrets-text = تُكتب الأسرار في الملف كنص مكشوف. من يملك الملف يستطيع قراءة كل ملاحظاتك وتغييرها. احفظه كما تحفظ كلمة المرور.
data-no-secrets = لا يحتوي الملف على أسرار. المالكون وحدهم يصدّرونها.
data-export-do = تنزيل الملف
data-import = استيراد
data-import-text = تصبح سجلات الملف سجلات لهذه المنظمة، كلها أو لا شيء منها. تحل لوحاته وحالاته محل الموجودة هنا. يبقى الاسم والعنوان والإعدادات كما هي هنا. لا يُرسل بريد إلى أحد.
data-import-people = من كان في الفريق بحسب الملف يكون في الفريق هنا أيضًا. من هو موجود هنا أصلًا، ويُعرف من عنوانه، يبقى كما كان.
data-dry-run = فحص الملف فقط دون تغيير أي شيء
data-file = الملف
data-file-text = ‏JSON Lines بالصيغة المحمولة كما يكتبها التصدير، حتى 1 غيبيبايت. يستطيع مشغّل هذه الخدمة استيراد ملفات أكبر.
data-import-do = بدء
data-filled = لدى هذه المنظمة سجلات بالفعل، والاستيراد لا يدمج أبدًا. يحتاج إلى منظمة ليس فيها سوى الأشخاص واللوحات والحالات التي بدأت بها.
data-coming = ملف في الطريق
data-running = الاستيراد جارٍ
data-checking = الفحص جارٍ
data-running-text = تُحمَّل هذه الصفحة من جديد تلقائيًا.
data-refresh = حمّلها الآن
data-records = { $count ->
    [zero] لا سجلات ({ $shown })
    [one] سجل واحد ({ $shown })
    [two] سجلان ({ $shown })
    [few] { $shown } سجلات
    [many] { $shown } سجلًا
   *[other] { $shown } سجل
 }
data-imported = استُورد الملف
data-checked = يمكن استيراد الملف. لم يتغير شيء.
data-failed = لم يُستورد الملف
data-unchanged = لم يتغير شيء.
data-line = السطر { $number }
data-fault-circle = تعود عمليات الدمج إلى هذه الفكرة نفسها.
data-fault-format = هذا لا يوافق صيغة النقل.
data-fault-kind = لا يوجد سجل من هذا النوع.
data-fault-long = السطر أطول من 16 ميبيبايت.
data-fault-member = لا يوجد في الصيغة حقل بهذا الاسم.
data-fault-merged-vote = ليس للفكرة المدموجة أصوات: فهي أصوات الفكرة التي دُمجت فيها.
data-fault-missing = ينقص حقل.
data-fault-not-there = السجل المذكور هنا ليس قبل هذا السطر. يأتي السجل بعد السجلات التي يذكرها.
data-fault-one-organization = لا يجوز أن يحتوي الملف إلا على سجلات منظمة واحدة.
data-fault-organization-first = تأتي منظمة السجلات أولًا.
data-fault-other-post = السجل المذكور هنا يخص فكرة أخرى.
data-fault-owners = المالكون وحدهم يعيّنون المالكين.
data-fault-taken = سجل آخر لديه هذا بالفعل.
data-fault-time = يحتاج السجل بهذه الحالة إلى هذا الوقت.
data-fault-type = نوع القيمة غير صحيح.
data-fault-version = هذا الإصدار ليس أقدم من مقاله.
data-store-busy = استيراد آخر يشغل المخزن. حاول مجددًا عند انتهائه.
data-broken = حدث خطأ هنا. السبب في سجل الخادم.
data-busy = استيراد أو تصدير آخر جارٍ. حاول مجددًا عند انتهائه.
data-elsewhere = لا يعرف هذا الخادم شيئًا عن الاستيراد: إما أن خادمًا آخر ينفذه أو أن هذا الخادم بدأ من جديد. الاستيراد المقطوع لم يغير شيئًا. والمكتمل مسجل في سجل التدقيق.
data-too-large = الملف أكبر من 1 غيبيبايت. يستطيع مشغّل هذه الخدمة استيراده.
data-no-file = اختر ملفًا غير فارغ.

desk-view-name = اسم هذا العرض
desk-view-keep = احفظ هذا العرض
desk-view-forget = أزل العرض { $title }
desk-view-long = الاسم أو المرشّح أطول من اللازم.
desk-view-too-many = لديك 50 عرضًا بالفعل. أزل واحدًا أولًا.

insights-missed-searches = عمليات بحث بلا نتائج في المساعدة
insights-article-answers = المقالات الأقل فائدة على الإطلاق
insights-words = الكلمات
insights-article = المقالة
hint-attributes = سمة واحدة في كل سطر، مثل ‎plan = pro‎.

desk-new-plan = خطة جديدة
desk-new-entry = مدخل جديد
desk-new-article = مقالة جديدة
desk-new-collection = مجموعة جديدة
desk-new-help-category = فئة مقالات جديدة
desk-new-redirect = إعادة توجيه جديدة
desk-new-person = مستخدم جديد
desk-new-company = شركة جديدة
desk-new-post = فكرة جديدة
desk-new-comment = تعليق جديد
desk-new-webhook = خطاف ويب جديد
desk-new-board = لوحة جديدة
desk-new-status = حالة جديدة
desk-new-category = فئة جديدة
desk-new-tag = وسم جديد
desk-new-label = تصنيف جديد
desk-new-roadmap = خارطة طريق جديدة
hint-overlap = إذا تُرك فارغًا: يوم واحد. 0: لا يوقّع السرّ القديم بعد ذلك.
fault-above = اكتب عددًا لا يزيد على { $shown }.
fault-amount = اكتب مبلغًا، مثل 49 أو 49.90.
fault-article-not-restored = لا يمكن استعادة هذه المقالة. ربما استُعيدت من قبل، أو مضى على حذفها وقت طويل، أو فئتها أو مجموعتها محذوفة أيضًا.
fault-attribute-name = لا يزيد اسم السمة على 64 محرفًا: حروف لاتينية بلا علامات، وأرقام، ونقاط، وشُرَط، وشُرَط سفلية.
fault-attributes = عدد السمات كبير جدًا لسجل واحد. أزِل بعضها.
fault-below = اكتب عددًا لا يقل عن { $shown }.
fault-blocked = هذا المستخدم محظور. ألغِ حظره أولًا.
fault-board-has-posts = في هذه اللوحة أفكار. اختر اللوحة التي تُنقل إليها، أو احذفها أيضًا.
fault-cannot-merge = لا يمكن دمج هاتين الفكرتين: إحداهما محذوفة أو مدموجة من قبل.
fault-color = هذا ليس لونًا. اللون الصحيح يشبه ‎#4f46e5‎.
fault-domain = هذا ليس نطاق بريد. النطاق الصحيح يشبه ‎example.com‎.
fault-exclusive = لا يجتمع هذا مع حقل آخر. املأ واحدًا منهما فقط.
fault-external-id-taken = هذا المعرّف مستخدم في سجل آخر.
fault-future = لم يحن هذا الوقت بعد. اختر وقتًا مضى.
fault-gone = أحد العناصر التي اخترتها لم يعد موجودًا. اختر عنصرًا آخر.
fault-has-articles = توجد مقالات هنا. اختر المجموعة التي تُنقل إليها، أو احذفها أيضًا.
fault-host = هذا ليس اسم مضيف. الاسم الصحيح يشبه ‎feedback.example.com‎.
fault-internal-reply = التعليق الذي يردّ عليه هذا يراه الفريق فقط. اجعل الردّ للفريق فقط أيضًا.
fault-itself = الاثنان شيء واحد. اختر شيئًا آخر.
fault-merged = هذه الفكرة مدموجة في فكرة أخرى. غيّر تلك الفكرة، أو تراجع عن الدمج أولًا.
fault-new-status = تأخذ الأفكار الجديدة هذه الحالة. اختر أولًا حالة أخرى للأفكار الجديدة.
fault-no-comments = لا تقبل هذه اللوحة تعليقات عامة. اجعل هذا التعليق للفريق فقط، أو افتح التعليق في اللوحة.
fault-no-help-center = ليس لمنظمتك مركز مساعدة. يمكن لمن يدير هذا الخادم تفعيله.
fault-no-new-status = ليست للأفكار الجديدة حالة بعد. افتح إحدى الحالات واجعلها حالة الأفكار الجديدة.
fault-no-secret = استُورد خطاف الويب هذا من دون سرّ التوقيع. أنشئ سرّ توقيع جديدًا أولًا.
fault-no-votes = لا تقبل هذه اللوحة أصواتًا. افتح التصويت في اللوحة أولًا.
fault-not-merged = هذه الفكرة غير مدموجة. لا شيء للتراجع عنه.
fault-not-published = هذا المدخل غير منشور، فليس له تاريخ نشر. انشره أولًا.
fault-order = أضاف شخص آخر شيئًا أو أزاله في هذه الأثناء. راجع الترتيب وحاول مرة أخرى.
fault-parent = التعليق الذي يردّ عليه هذا موجود في فكرة أخرى.
fault-path = يبدأ المسار بالعلامة ‎/‎ ولا يحتوي على مسافات ولا على ‎?‎ ولا على ‎#‎.
fault-path-taken = تبدأ إعادة توجيه أخرى من هذا المسار. غيّرها، أو اختر مسارًا آخر.
fault-post-not-restored = لا يمكن استعادة هذه الفكرة. ربما استُعيدت من قبل، أو مضى على حذفها وقت طويل، أو لوحتها محذوفة أيضًا.
fault-published = هذا المدخل منشور من قبل.
fault-redirect-circle = تعود إعادة التوجيه هذه إلى مسارها نفسه. اختر وجهة أخرى.
fault-slug = استخدم حروفًا لاتينية بلا علامات، وأرقامًا، وشُرَطًا، ونقاطًا، وشُرَطًا سفلية، وعلامة ‎~‎، بلا مسافات.
fault-status-in-use = توجد أفكار بهذه الحالة. اختر الحالة التي تأخذها بدلًا منها.
fault-tag-twice = لا يمكن إضافة الوسم نفسه وإزالته. اختر أحد الأمرين.
fault-time = اكتب يومًا ووقتًا، مثل ‎2026-03-01T12:30‎.
fault-too-few = اختر { $shown } على الأقل.
fault-too-many = العدد كبير جدًا. الحد الأقصى { $shown }.
fault-too-short = { $count ->
    [zero] النص قصير جدًا: الحد الأدنى { $shown } حرف.
    [one] املأ هذا الحقل.
    [two] النص قصير جدًا: الحد الأدنى حرفان.
    [few] النص قصير جدًا: الحد الأدنى { $shown } أحرف.
    [many] النص قصير جدًا: الحد الأدنى { $shown } حرفًا.
   *[other] النص قصير جدًا: الحد الأدنى { $shown } حرف.
 }
fault-trusted-blocked = لا يمكن الثقة بالكاتب وحظره معًا. اختر أحد الأمرين.
fault-url = هذا ليس عنوان ويب. العنوان الصحيح يشبه ‎https://example.com‎.
fault-value = هذه القيمة غير ممكنة هنا. اختر قيمة أخرى.
fault-webhook-url = لا تُرسل خطافات الويب إلى هذا العنوان. استخدم عنوانًا يبدأ بـ ‎https://‎ ويمكن الوصول إليه من الإنترنت.
desk-left-alone = تُرك كما كان
desk-undo = تراجع
desk-all-comments = كل التعليقات
desk-all-votes = كل الأصوات
desk-view-waiting = قيد الانتظار
field-votes-returned = الأصوات التي تعود
field-votes-restored = الأصوات التي تُستعاد
field-posts-followed = الأفكار التي تتبعها
field-urls-changed = العناوين التي تتغير
code-command-line = سطر الأوامر
desk-remove-sure = سيغادر { $name } الفريق ويُسجَّل خروجه فورًا. تبقى الأفكار والتعليقات. يمكن لدعوة أن تعيده.
desk-withdraw-sure = سيتوقف الرابط المرسل إلى { $email } عن العمل. يمكنك دعوة هذا العنوان مجددًا.
desk-remove-member = إزالة من الفريق
warn-users-delete = لن يتمكن الشخص من تسجيل الدخول ولن تصله رسائل. تبقى الأفكار والتعليقات والأصوات.
warn-users-block = يُسجَّل خروج الشخص، ولا يستطيع بعد ذلك تسجيل الدخول أو الكتابة أو التعليق أو التصويت. يمكنك إلغاء حظره في أي وقت.
warn-companies-delete = تختفي الشركة من كل القوائم ولا يُحتسب إنفاقها. يبقى أفرادها.
warn-feedback-posts-delete = تغادر الفكرة البوابة مع تعليقاتها وأصواتها. يمكن استعادتها حتى تُمحى نهائيًا: بعد 30 يومًا ما لم يُضبط الخادم على غير ذلك.
warn-comments-delete = يختفي التعليق وتبقى الردود. لا يمكن التراجع عن ذلك.
warn-categories-delete = تحصل أفكار هذه الفئة على الفئة البديلة أو تبقى بلا فئة. لا يمكن التراجع عن ذلك.
warn-tags-delete = تفقد كل الأفكار هذا الوسم. لا يمكن التراجع عن ذلك.
warn-tags-merge = تحصل كل الأفكار ذات هذا الوسم على الوسم الآخر ويُحذف هذا. لا يمكن التراجع عن ذلك.
warn-statuses-delete = تحصل الأفكار بهذه الحالة على الحالة البديلة. لا يمكن التراجع عن ذلك.
warn-roadmap-boards-delete = تُحذف خارطة الطريق إن لم تكن فيها خطط. لا يمكن التراجع عن ذلك.
warn-roadmap-posts-delete = تغادر الخطة خارطة الطريق. لا يمكن التراجع عن ذلك.
warn-webhooks-delete = لن تُرسل أحداث إلى هذا العنوان وتُحذف عمليات تسليمه. لا يمكن التراجع عن ذلك.
warn-webhooks-rotate-secret = من الآن يوقّع سرٌّ جديد كل طلب، ويُعرض مرة واحدة.
warn-labels-delete = لن يمكن اختيار هذه العلامة. تحتفظ بها الإدخالات التي تحملها. لا يمكن التراجع عن ذلك.
warn-changelog-delete = يغادر الإدخال البوابة ويبقى عنوانه محجوزًا. لا يمكن التراجع عن ذلك.
warn-help-articles-delete = تغادر المقالة مركز المساعدة. يمكن استعادتها حتى تُمحى نهائيًا: بعد 30 يومًا ما لم يُضبط الخادم على غير ذلك.
warn-help-redirects-delete = لن يقود العنوان السابق إلى الصفحة. يمكنك إنشاء إعادة التوجيه من جديد.
desk-sign-in = تسجيل الدخول
ways-providers = مزوّدو OpenID Connect
ways-providers-text = يسجّل الناس الدخول بحساب لديهم عند مزوّد. لكل مزوّد زر في صفحة تسجيل الدخول.
ways-no-provider = لا يوجد مزوّد بعد.
ways-redirect = عنوان إعادة التوجيه. سجّله عند المزوّد.
ways-visitors = يسجّل دخول الزوار.
ways-everybody = يسجّل دخول الزوار وأعضاء الفريق.
ways-remove = إزالة { $name }
ways-remove-text = بعد ذلك لا يسجّل أحد الدخول عبر { $name }. من سجّل الدخول يبقى كذلك. إذا أضفت المزوّد من جديد فسيحصل على عنوان إعادة توجيه آخر.
ways-add = إضافة مزوّد
ways-name = الاسم على الزر
ways-issuer = المُصدِر: رابط المزوّد
ways-client-id = معرّف العميل
ways-client-secret = سر العميل
ways-client-secret-text = يُحفظ مشفّرًا ولا يُعرض مرة أخرى أبدًا.
ways-email-claim = المطالبة (claim) التي فيها عنوان البريد
ways-verified-claim = المطالبة (claim) التي تقول إن العنوان مؤكَّد
ways-name-claim = المطالبة (claim) التي فيها الاسم
ways-picture-claim = المطالبة (claim) التي فيها رابط الصورة
ways-for-members = يسجّل أعضاء الفريق الدخول هنا أيضًا. ومن يدير المزوّد يستطيع عندئذ أن يسجّل الدخول باسم أي واحد منهم.
ways-owners-alone = المالكون وحدهم يضيفون مزوّدًا لأعضاء الفريق. اطلب ذلك من مالك.
ways-full = أقصى عدد للمزوّدين هو { $shown }. أزل واحدًا أولًا.
fault-issuer = لا يرسل هذا الخادم طلبات إلى هذا العنوان. استخدم عنوانًا يبدأ بـ ‎https://‎ ويمكن الوصول إليه من الإنترنت.
ways-sso = الدخول الموحّد
ways-sso-text = يسجّل برنامجك الخاص دخول الناس. يرسل رمزًا يوقّعه بسر. رابط تسجيل الدخول فيه إعداد من الإعدادات:
ways-no-secret = لا يوجد سر بعد.
ways-secret = السر، أُنشئ في { $date }
ways-former = السر السابق، أُنشئ في { $date }. يبقى صالحًا حتى تزيله.
ways-generate = إنشاء سر
ways-generate-text = يبقى السر الحالي صالحًا إلى جانب الجديد حتى تزيله.
ways-shown = السر الخاص بك
ways-shown-text = يُعرض هذه المرة فقط. أعطه لخادم برنامجك، ولا تعطه لأي متصفح.
ways-retire = إزالة السر السابق
ways-retire-text = بعد ذلك تُرفض الرموز الموقّعة بالسر السابق. من سجّل الدخول يبقى كذلك.
ways-raced = غيّر شخص آخر الأسرار في هذه الأثناء. تحقق مرة أخرى.
ways-check = فحص رمز
ways-check-text = لا يغيّر الفحص شيئًا، ويبقى الرمز صالحًا.
ways-token = الرمز
ways-token-known = يسجّل هذا الرمز دخول { $email }. هذا الشخص موجود هنا من قبل.
ways-token-new = يسجّل هذا الرمز دخول { $email }. هذا الشخص جديد هنا.
ways-token-bad = لا يسجّل هذا الرمز دخول أحد:
desk-changed-to = غيّر شخص آخر هذا إلى «{ $value }» في الأثناء. احفظ مرة أخرى لاستبداله.
desk-export-person = تنزيل كل ما هو مخزّن
people-import = استيراد الأشخاص
people-import-text = كل سطر في ملف CSV هو شخص. من كان هنا بالفعل، حسب المعرّف الخارجي أو العنوان، يحصل على القيم الجديدة، والباقون جدد. لا تُرسل أي رسالة، وترى التغييرات قبل حدوثها.
people-file = ملف CSV
people-file-text = حتى 5000 شخص و1 ميبيبايت بترميز UTF-8. يسمّي السطر الأول الأعمدة: email وexternal_id وname وavatar_url وcompany وcompany_id وmonthly_spend وcustomer_status وlocale وis_subscribed وcreated_at وattributes.… الخلية الفارغة لا تغيّر شيئًا. ويحتاج الإنفاق إلى company_id.
people-paste = أو الصق الأسطر
people-preview-do = عرض التغييرات
people-preview = ما يغيّره الملف
people-new = أشخاص جدد: { $shown }
people-changing = أشخاص يتغيرون: { $shown }
people-staying = أشخاص يبقون كما هم: { $shown }
people-wrong = أسطر فيها خطأ: { $shown }
people-left-out = تُتجاهل هذه الأعمدة: { $names }
people-import-effect = تُتجاهل الأسطر التي فيها خطأ. يمكنك التراجع عن الاستيراد لاحقًا ما لم يُستخدم الأشخاص في غير ذلك.
people-import-do = استيراد (التغييرات: { $shown })
people-nothing = لا يوجد ما يُستورد.
people-wrong-title = أسطر فيها خطأ
people-wrong-text = يتجاهل الاستيراد هذه الأسطر. صحّح الملف واختره من جديد، أو تابع من دونها.
people-changes = التغييرات
people-more = وغيرها: { $shown }
people-line = السطر
people-person = الشخص
people-is-new = جديد
people-new-company = شركة جديدة: { $name }
people-same = هذا الشخص موجود بالفعل في السطر { $shown }.
people-no-file = اختر ملفًا أو الصق أسطرًا.
people-no-text = الملف ليس نصًا بترميز UTF-8. احفظه بصيغة «CSV UTF-8».
people-too-large = الملف أكبر من 1 ميبيبايت. قسّمه أو استخدم الواجهة البرمجية.
people-empty = لا أشخاص في الملف.
people-no-handle = لا يسمّي السطر الأول عمود email ولا عمود external_id.
people-too-many = عدد الأشخاص في الملف أكثر من { $shown }. قسّمه أو استخدم الواجهة البرمجية.
people-ragged = عدد القيم في السطر { $shown } يختلف عن السطر الأول.
people-past = عمليات الاستيراد السابقة
people-import-of = الأشخاص في الملف: { $shown }
people-import-again = استيراد ملف آخر
people-importing = الاستيراد جارٍ. تُعاد هذه الصفحة تلقائيًا.
people-interrupted = انقطع الاستيراد. استورد الملف نفسه مرة أخرى: من استُورد بالفعل يبقى كما هو.
people-made = أشخاص أضيفوا: { $shown }
people-changed = أشخاص تغيروا: { $shown }
people-stayed = أشخاص بقوا كما كانوا: { $shown }
people-undo = التراجع عن هذا الاستيراد
people-undo-text = يُحذف الأشخاص والشركات الذين أنشأهم الاستيراد ما لم يفعلوا شيئًا بعده. ويستعيد الآخرون قيمهم السابقة. وما غيّره أحد بعد ذلك يبقى.
people-undo-do = التراجع عن الاستيراد
people-undoing = يجري التراجع عن الاستيراد. تُعاد هذه الصفحة تلقائيًا.
people-undone = تم التراجع. التغييرات الملغاة: { $shown }
people-kept = ما يبقى
people-kept-text = تغيّرت هذه أو استُخدمت بعد الاستيراد، وتبقى كما هي.
people-busy = عملية استيراد أشخاص أخرى أو التراجع عنها جارية. حاول مجددًا بعد انتهائها.
people-undo-interrupted = انقطع التراجع. تراجع عن الاستيراد مرة أخرى: التغييرات الملغاة تبقى كذلك.
people-kept-count = تغييرات تبقى: { $shown }
