# The frame of all pages.
skip = 跳到正文
nav-sections = 栏目
nav-account = 账号
nav-trail = 当前位置
nav-around = 其他文章
tab-feedback = 反馈
tab-roadmap = 路线图
tab-changelog = 更新日志
tab-help = 帮助
search = 搜索
sign-in = 登录
sign-out = 退出登录
language = 语言
language-choose = 选择
powered = 由 { $product } 制作
date = { $year }年{ $month }月{ $day }日
someone = 已离开的用户
save = 保存
cancel = 取消
edit = 编辑
delete = 删除
copy = 复制
copied = 已复制
yes = 是
no = 否
more = 显示更多
to-start = 回到第一页

# What the visitor has done.
done-posted = 你的想法已发布。状态有变化时，我们会发邮件通知你。
done-waits = 谢谢。团队查看之后，其他人才能看到。
done-commented = 你的评论已发布。
done-saved = 已保存。
done-deleted = 已删除。
done-signed-in = 你已登录。
done-signed-out = 你已退出登录。
done-thanks = 谢谢你的回答。

# Boards and lists of posts.
home-title = 我们接下来该做什么？
home-text = 告诉我们什么对你有帮助。每一条我们都会看。
boards = 反馈板
boards-all = 全部反馈板
posts = 想法
sort = 排序
sort-top = 票数最多
sort-trending = 热门
sort-new = 最新
status = 状态
category = 类别
category-none = 无类别
filter = 筛选
filter-all = 全部
filter-reset = 显示全部
search-posts = 搜索想法
new-idea = 分享想法
no-boards-title = 这里还没有内容
no-boards = 没有对你开放的反馈板。如果你有账号，请登录。
no-boards-team = 请通过 API 创建第一个反馈板：POST /feedback-boards/create。
no-posts-title = 还没有想法
no-posts-text = 来第一个说说还缺什么。
nothing-found = 没有找到
nothing-found-text = 换几个词，或减少筛选条件。
pinned = 置顶
waits = 等待团队审核
waits-text = 通过审核之前，只有你和团队能看到。
comments = { $count ->
    [0] 暂无评论
   *[other] { $shown } 条评论
 }
votes = { $shown } 票
vote-for = 为“{ $title }”投票
votes-closed = 投票已关闭

# A post.
official = 官方动态
eta = 预计 { $date }
comment = 添加评论
comment-submit = 评论
comment-sign-in = 登录后评论
more-comments = 显示更多评论
reply = 回复
reply-submit = 回复
markdown = 可以使用 Markdown。
voters = { $shown } 人想要
voters-title = 想要的人
follow = 接收通知
follow-all = 全部
follow-status = 仅状态
follow-none = 不接收
follow-all-text = 每有一条评论或状态变化，你都会收到邮件。
follow-status-text = 状态变化时，你会收到邮件。
follow-none-text = 你不会收到与此相关的邮件。
status-history = 状态记录
merged = 已合并到此处
share = 分享

# Writing.
new-title = 分享想法
edit-title = 编辑你的想法
edit-comment = 编辑你的评论
new-submit = 发布想法
new-sign-in = 下一步需要登录，已填写的内容不会丢失。
title = 标题
title-hint = 用一句短话说明一个想法。
details = 详细说明
preview = 预览
preview-back = 继续编写
similar = 类似的想法
similar-text = 你的想法在其中吗？投一票比重复发布更有用。
resume-title = 就快完成了
resume-text = 你已登录。再看一遍你的想法，然后发布。
faults = 请检查以下内容：
fault-title-missing = 请填写标题。
fault-comment-missing = 请先写点内容。
fault-too-long = 内容太长：最多 { $shown } 个字符。
fault-category = 该类别已不存在，请选择其他类别。
fault-no-status = 团队尚未设置完成：还没有用于新想法的状态。
fault-email = 这不是有效的邮箱地址，格式应为 name@example.com。
fault-name = 请填写你的名字。
delete-post-title = 删除这个想法？
delete-post-text = 所有人都将无法再看到“{ $title }”。
delete-comment-title = 删除这条评论？

# Roadmap.
roadmap-text = 我们正在做的，以及接下来要做的。
no-plans-title = 还没有计划
no-plans-text = 团队有了计划，就会显示在这里。
linked = 源自 { $shown } 个想法

# Changelog.
changelog-text = 新增、改进和修复的内容。
entry-new = 新增
entry-improvement = 改进
entry-fixed = 修复
entry-posts = 源自这些想法
labels = 标签
no-entries-title = 还没有发布内容
no-entries-text = 新版本会在这里公布。
more-entries = 更早的内容
changelog-follow = 关注更新
changelog-follows = 有新内容时，你会收到邮件。
changelog-follows-not = 有新内容时，通过邮件通知你。
changelog-start = 接收邮件
changelog-stop = 停止接收邮件

# Help center.
help-title = 需要什么帮助？
help-text = 解答与使用说明。
search-help = 搜索帮助中心
found-for = “{ $text }”的搜索结果
help-nothing = 换几个词，或浏览各个合集。
no-articles-title = 还没有文章
no-articles-text = 文章会显示在这里。
contents = 目录
updated = 更新于 { $date }
helpful = 这篇文章有帮助吗？
related = 相关文章
before = 上一篇
behind = 下一篇

# Search.
search-all = 搜索想法和文章

# People and the account.
since = { $date }加入
profile-empty = 没有你可以查看的内容。
account = 你的账号
name = 名字
email = 邮箱地址
language-browser = 跟随浏览器
account-mail = 就我关注的内容和新动态给我发邮件
data = 你的数据
data-text = 下载关于你的全部已存数据，或注销账号。
data-export = 下载
data-delete = 注销我的账号
delete-account-text = 你的姓名、邮箱以及其他所有个人信息将被永久删除。
delete-account-keep = 保留我的想法、评论和投票，但不显示姓名
delete-account-all = 一并删除
sessions = 已登录的设备
sessions-text = 如有不认识的登录，请将其结束。
session-seen = 上次使用：{ $date }
session-this = 当前浏览器
session-end = 结束
sessions-end = 结束其他所有登录

# Signing in.
sign-in-title = 登录 { $name }
sign-in-text = 我们会给你发一封邮件，内含链接和验证码。无需密码。
sign-in-draft = 登录后即可发布你的想法。内容会先为你保留。
sign-in-submit = 给我发邮件
sign-in-off = 此处已关闭邮件登录。
sso-submit = 使用 { $name } 登录
sso-text = 请使用你的 { $name } 账户登录。
sso-title = 未能登录
sso-state = 登录用时过长，或是在另一个浏览器中开始的。请重新开始。
sso-token = { $name } 发来的凭证无效。请重新开始。如果再次出现，请把以下内容告诉团队：
sso-team = 此地址属于团队成员。团队成员不能以这种方式登录。
code-title = 查看你的邮箱
code-text = 我们已向 { $email } 发送邮件。打开其中的链接，或在这里输入验证码。两者均在十分钟内有效。
code = 验证码
code-hint = 没收到邮件？看看垃圾邮件文件夹。
code-again = 再发一封
code-wrong = 验证码不正确。还可以尝试 { $shown } 次。
code-gone = 验证码已失效。请重新获取。
link-text = 点一下即可登录。
link-gone = 该链接已被使用或已过期。请重新获取。
mail-subject = 登录 { $name }
mail-intro = 你正要登录 { $name }。
mail-code = 请在你发起登录的浏览器中输入此验证码：
mail-link = 或打开此链接并点击按钮：
mail-end = 两者均只能使用一次，十分钟内有效。如果这不是你本人的操作，请忽略此邮件。

# Faults.
gone-title = 这里什么也没有
gone-text = 页面不存在，或你无权查看。你可能需要登录。
form-title = 该表单已过期
form-text = 请返回并重新加载页面，然后再提交一次。你填写的内容仍保留在浏览器中。
refused-title = 无法执行此操作
refused = 页面在此期间已发生变化。请重新加载。
refused-blocked = 团队已封禁此账号。
refused-voting = 该反馈板不接受投票。
refused-commenting = 该反馈板不接受评论。
refused-merged = 该想法已合并到另一个想法中。
busy-title = 请稍候
busy-text = 现在有点忙。请过几秒再试。
broken-title = 出了点问题
broken-text = 这是我们的问题，已记录下来。请稍后再试。
limited-title = 请求过多
limited-text = 请等一分钟再试。
large-title = 内容太长
large-text = 请精简内容，然后再提交一次。
