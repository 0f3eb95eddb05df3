# The frame of all pages.
skip = 本文へ移動
nav-sections = セクション
nav-account = アカウント
nav-trail = 現在の位置
nav-around = ほかの記事
tab-feedback = フィードバック
tab-roadmap = ロードマップ
tab-changelog = 更新履歴
tab-help = ヘルプ
search = 検索
sign-in = ログイン
sign-out = ログアウト
language = 言語
language-choose = 選択
powered = { $product } で作成
date = { $year }年{ $month }月{ $day }日
someone = 退会したユーザー
save = 保存
cancel = キャンセル
edit = 編集
delete = 削除
copy = コピー
copied = コピーしました
yes = はい
no = いいえ
more = もっと見る
to-start = 最初のページへ

# What the visitor has done.
done-posted = アイデアを投稿しました。ステータスが変わるとメールでお知らせします。
done-waits = ありがとうございます。公開前にチームが確認します。
done-commented = コメントを投稿しました。
done-saved = 保存しました。
done-deleted = 削除しました。
done-signed-in = ログインしました。
done-signed-out = ログアウトしました。
done-thanks = ご回答ありがとうございます。

# Boards and lists of posts.
home-title = 次に何を作るとよいでしょうか
home-text = あったら助かるものを教えてください。すべて目を通しています。
boards = ボード
boards-all = すべてのボード
posts = アイデア
sort = 並び順
sort-top = 人気
sort-trending = 急上昇
sort-new = 新着
status = ステータス
category = カテゴリー
category-none = カテゴリーなし
filter = 絞り込み
filter-all = すべて
filter-reset = すべて表示
search-posts = アイデアを検索
new-idea = アイデアを投稿
no-boards-title = まだ何もありません
no-boards = 閲覧できるボードがありません。アカウントをお持ちの場合はログインしてください。
no-boards-team = API で最初のボードを作成してください: POST /feedback-boards/create
no-posts-title = まだアイデアがありません
no-posts-text = 足りないものを最初に教えてください。
nothing-found = 見つかりませんでした
nothing-found-text = 別の言葉で検索するか、絞り込みを減らしてください。
pinned = 固定
waits = チームの確認待ち
waits-text = 承認されるまで、あなたとチームだけに表示されます。
comments = { $count ->
    [0] コメントはありません
   *[other] コメント { $shown } 件
 }
votes = { $shown } 票
vote-for = 「{ $title }」に投票
votes-closed = 投票は締め切りました

# A post.
official = 公式のお知らせ
eta = { $date }予定
comment = コメントを追加
comment-submit = コメントする
comment-sign-in = ログインしてコメント
more-comments = コメントをもっと見る
reply = 返信
reply-submit = 返信する
markdown = Markdown を使えます。
voters = { $shown } 人が希望しています
voters-title = 希望している人
follow = お知らせを受け取る
follow-all = すべて
follow-status = ステータスのみ
follow-none = なし
follow-all-text = コメントが付いたとき、ステータスが変わったときにメールが届きます。
follow-status-text = ステータスが変わったときにメールが届きます。
follow-none-text = このアイデアについてのメールは届きません。
status-history = ステータスの履歴
merged = 統合された投稿
share = 共有

# Writing.
new-title = アイデアを投稿
edit-title = アイデアを編集
edit-comment = コメントを編集
new-submit = アイデアを投稿する
new-sign-in = 次の画面でログインします。入力内容は失われません。
title = タイトル
title-hint = 1 つのアイデアを短い 1 文で書いてください。
details = 詳細
preview = プレビュー
preview-back = 編集に戻る
similar = 似ているアイデア
similar-text = この中に同じものはありませんか。重ねて投稿するより、1 票のほうが効果的です。
resume-title = あと少しです
resume-text = ログインしました。アイデアをもう一度確認して投稿してください。
faults = 次の点を確認してください:
fault-title-missing = タイトルを入力してください。
fault-comment-missing = 先に内容を入力してください。
fault-too-long = 長すぎます。{ $shown } 文字以内で入力してください。
fault-category = このカテゴリーはもうありません。別のものを選んでください。
fault-no-status = チームの設定がまだ済んでいません。新しいアイデア用のステータスがありません。
fault-email = メールアドレスの形式が正しくありません。例: name@example.com
fault-name = 名前を入力してください。
delete-post-title = このアイデアを削除しますか
delete-post-text = 「{ $title }」は誰からも見えなくなります。
delete-comment-title = このコメントを削除しますか

# Roadmap.
roadmap-text = いま取り組んでいることと、これからの予定です。
no-plans-title = まだ予定がありません
no-plans-text = チームの予定が決まると、ここに表示されます。
linked = もとになったアイデア { $shown } 件

# Changelog.
changelog-text = 新機能、改善、修正のお知らせです。
entry-new = 新機能
entry-improvement = 改善
entry-fixed = 修正
entry-posts = もとになったアイデア
labels = ラベル
no-entries-title = まだお知らせはありません
no-entries-text = 新しいバージョンはここでお知らせします。
more-entries = 以前のお知らせ
changelog-follow = 最新情報を受け取る
changelog-follows = 新しいお知らせがあるとメールが届きます。
changelog-follows-not = 新しいお知らせをメールで受け取れます。
changelog-start = メールを受け取る
changelog-stop = メールを停止

# Help center.
help-title = どのようなことでお困りですか
help-text = よくある質問への回答と使い方をご覧いただけます。
search-help = ヘルプを検索
found-for = 「{ $text }」の検索結果
help-nothing = 別の言葉で検索するか、コレクションから探してください。
no-articles-title = まだ記事がありません
no-articles-text = 記事はここに表示されます。
contents = 目次
updated = { $date }更新
helpful = この記事は役に立ちましたか
related = 関連記事
before = 前へ
behind = 次へ

# Search.
search-all = アイデアと記事を検索

# People and the account.
since = { $date }から参加
profile-empty = 表示できるものはありません。
account = あなたのアカウント
name = 名前
email = メールアドレス
language-browser = ブラウザーの設定に従う
account-mail = フォロー中の内容と新しいお知らせをメールで受け取る
data = あなたのデータ
data-text = あなたについて保存されているすべてを含むファイル、またはアカウントの終了。
data-export = ダウンロード
data-delete = アカウントを削除
delete-account-text = お名前、メールアドレス、その他あなたに関する情報は完全に削除されます。
delete-account-keep = アイデア、コメント、投票は名前を消して残す
delete-account-all = それらも削除する
sessions = ログイン中のブラウザー
sessions-text = 心当たりのないものはログアウトしてください。
session-seen = 最終使用日: { $date }
session-this = このブラウザー
session-end = ログアウト
sessions-end = ほかをすべてログアウト

# Signing in.
sign-in-title = { $name } にログイン
sign-in-text = リンクとコードを記載したメールをお送りします。パスワードは不要です。
sign-in-draft = アイデアを投稿するにはログインしてください。内容は保存されています。
sign-in-submit = メールを受け取る
sign-in-off = ここではメールでのログインを利用できません。
sso-submit = { $name } でログイン
sso-text = { $name } のアカウントでログインしてください。
sso-title = ログインできませんでした
sso-state = 時間がかかりすぎたか、別のブラウザーで始められたログインです。もう一度やり直してください。
sso-token = { $name } から届いた証明が無効です。もう一度やり直してください。繰り返す場合は、次の内容をチームにお知らせください:
sso-team = このアドレスはチームのメンバーのものです。チームのメンバーはこの方法ではログインできません。
code-title = メールを確認してください
code-text = { $email } にメールを送りました。メール内のリンクを開くか、ここにコードを入力してください。どちらも 10 分間有効です。
code = コード
code-hint = メールが届かない場合は、迷惑メールフォルダーを確認してください。
code-again = もう一度送る
code-wrong = コードが違います。あと { $shown } 回入力できます。
code-gone = このコードは使えなくなりました。新しいコードをリクエストしてください。
link-text = あと 1 クリックでログインできます。
link-gone = このリンクは使用済みか、期限が切れています。新しいリンクをリクエストしてください。
mail-subject = { $name } へのログイン
mail-intro = { $name } へのログインがリクエストされました。
mail-code = ログインを始めたブラウザーで、次のコードを入力してください:
mail-link = または、次のリンクを開いてボタンを押してください:
mail-end = どちらも 1 回限り、10 分間有効です。お心当たりがない場合は、このメールを無視してください。

# Faults.
gone-title = ページが見つかりません
gone-text = ページが存在しないか、閲覧する権限がありません。ログインが必要な場合があります。
form-title = フォームの有効期限が切れました
form-text = 前の画面に戻ってページを再読み込みし、もう一度送信してください。入力内容はブラウザーに残っています。
refused-title = この操作はできません
refused = ページの内容が変わりました。再読み込みしてください。
refused-blocked = このアカウントはチームによりブロックされています。
refused-voting = このボードでは投票できません。
refused-commenting = このボードではコメントできません。
refused-merged = このアイデアは別のアイデアに統合されました。
busy-title = 少々お待ちください
busy-text = ただいま混み合っています。数秒後にもう一度お試しください。
broken-title = 問題が発生しました
broken-text = こちら側の問題で、すでに記録されています。しばらくしてからもう一度お試しください。
limited-title = リクエストが多すぎます
limited-text = 1 分ほど待ってから、もう一度お試しください。
large-title = 長すぎます
large-text = 内容を短くして、もう一度送信してください。
