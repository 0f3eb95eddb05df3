# The frame of all pages.
skip = Zum Inhalt springen
nav-sections = Bereiche
nav-account = Konto
nav-trail = Du bist hier
nav-around = Weitere Artikel
tab-feedback = Feedback
tab-roadmap = Roadmap
tab-changelog = Changelog
tab-help = Hilfe
search = Suchen
sign-in = Anmelden
sign-out = Abmelden
language = Sprache
language-choose = Auswählen
powered = Erstellt mit { $product }
date = { $day }. { $month ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
 } { $year }
someone = Ehemaliges Mitglied
save = Speichern
cancel = Abbrechen
edit = Bearbeiten
delete = Löschen
copy = Kopieren
copied = Kopiert
yes = Ja
no = Nein
more = Mehr anzeigen
to-start = Zur ersten Seite

# What the visitor has done.
done-posted = Deine Idee ist veröffentlicht. Du bekommst eine E-Mail, wenn sich ihr Status ändert.
done-waits = Danke. Das Team sieht sich das an, bevor andere es sehen.
done-commented = Dein Kommentar ist veröffentlicht.
done-saved = Gespeichert.
done-deleted = Gelöscht.
done-signed-in = Du bist angemeldet.
done-signed-out = Du bist abgemeldet.
done-thanks = Danke für deine Antwort.
done-voted = Deine Stimme zählt.
done-same = Das wurde gerade eben schon gesendet. Hier ist es.
done-again = Du hast dich neu angemeldet, seit dieses Formular geöffnet wurde. Was du geschrieben hast, ist noch da: Sende es noch einmal ab.
done-not = Du bist angemeldet, aber was du gesendet hast, ist nicht mehr möglich.

# Boards and lists of posts.
home-title = Was sollen wir als Nächstes bauen?
home-text = Sag uns, was dir helfen würde. Wir lesen alles.
boards = Boards
boards-all = Alle Boards
posts = Ideen
sort = Sortierung
sort-top = Beliebt
sort-trending = Im Trend
sort-new = Neu
tags = Tags
status = Status
category = Kategorie
category-none = Keine Kategorie
filter = Filter
filter-all = Alle
filter-reset = Alles anzeigen
search-posts = Ideen durchsuchen
new-idea = Idee teilen
no-boards-title = Hier gibt es noch nichts zu sehen
no-boards = Für dich ist kein Board offen. Wenn du ein Konto hast, melde dich an.
no-boards-team = Ideen werden auf Boards gesammelt. Lege das erste über die API an: POST /feedback-boards/create.
empty-how = So geht es
empty-boards = Zu den Ideen
no-posts-title = Noch keine Ideen
no-posts-text = Sag als Erstes, was dir fehlt.
no-posts-team = Schreib selbst die erste Idee, oder verlinke diese Seite in deinem Produkt.
nothing-found = Nichts gefunden
nothing-found-text = Versuch es mit anderen Wörtern oder weniger Filtern.
pinned = Angepinnt
waits = Wartet auf das Team
waits-text = Bis zur Freigabe sehen das nur du und das Team.
comments = { $count ->
    [0] Keine Kommentare
    [one] { $shown } Kommentar
   *[other] { $shown } Kommentare
 }
votes = { $count ->
    [one] { $shown } Stimme
   *[other] { $shown } Stimmen
 }
vote-for = Für „{ $title }“ stimmen
votes-closed = Abstimmung geschlossen

# A post.
official = Offizielles Update
eta = Erwartet am { $date }
comment = Kommentar schreiben
comment-submit = Kommentieren
comment-sign-in = Zum Kommentieren anmelden
more-comments = Weitere Kommentare anzeigen
reply = Antworten
reply-submit = Antworten
markdown = Du kannst Markdown verwenden.
voters = { $count ->
    [one] { $shown } Person möchte das
   *[other] { $shown } Personen möchten das
 }
voters-title = Wer das möchte
follow = Auf dem Laufenden bleiben
follow-all = Alles
follow-status = Nur Status
follow-none = Nichts
follow-all-text = Du bekommst eine E-Mail bei jedem Kommentar und jeder Änderung des Status.
follow-status-text = Du bekommst eine E-Mail, wenn sich der Status ändert.
follow-none-text = Du bekommst dazu keine E-Mails.
status-history = Verlauf des Status
merged = Hiermit zusammengeführt
share = Teilen

# Writing.
new-title = Idee teilen
edit-title = Deine Idee bearbeiten
edit-comment = Deinen Kommentar bearbeiten
new-submit = Idee veröffentlichen
new-sign-in = Im nächsten Schritt meldest du dich an. Es geht nichts verloren.
title = Titel
title-hint = Eine Idee in einem kurzen Satz.
details = Details
preview = Vorschau
preview-back = Schreiben
similar = Ähnliche Ideen
similar-text = Ist deine dabei? Eine Stimme zählt mehr als ein zweiter Beitrag.
faults = Bitte prüfe Folgendes:
fault-title-missing = Gib einen Titel ein.
fault-comment-missing = Schreib zuerst etwas.
fault-too-long = Das ist zu lang: Höchstens { $shown } Zeichen sind möglich.
fault-category = Diese Kategorie gibt es nicht mehr. Wähle eine andere.
fault-no-status = Das Team hat das noch nicht eingerichtet: Es gibt keinen Status für neue Ideen.
fault-email = Das ist keine E-Mail-Adresse. Sie sieht so aus: name@example.com.
fault-name = Gib deinen Namen ein.
delete-post-title = Diese Idee löschen?
delete-post-text = „{ $title }“ verschwindet für alle.
delete-comment-title = Diesen Kommentar löschen?

# Roadmap.
roadmap-text = Woran wir arbeiten und was als Nächstes kommt.
roadmap-columns = Spalten
roadmap-by-status = Nach Status
roadmap-by-eta = Nach Termin
term-earlier = Früher
term-quarter = { $quarter }. Quartal { $year }
term-later = Später
no-plans-title = Noch keine Pläne
no-plans-text = Wenn das Team etwas plant, erscheint es hier.
no-plans-team = Zeig, was du planst. Lege den ersten Plan über die API an: POST /roadmap-posts/create. Die Roadmap muss seinen Status zeigen.
linked = { $count ->
    [one] { $shown } Idee dahinter
   *[other] { $shown } Ideen dahinter
 }

# Changelog.
changelog-text = Was neu ist, was besser ist und was behoben ist.
entry-new = Neu
entry-improvement = Verbessert
entry-fixed = Behoben
entry-posts = Ideen dahinter
labels = Labels
no-entries-title = Noch nichts veröffentlicht
no-entries-text = Neue Versionen werden hier angekündigt.
no-entries-team = Kündige an, was neu ist. Veröffentliche den ersten Eintrag über die API: POST /changelog/create.
more-entries = Ältere Einträge
changelog-follow = Auf dem neuesten Stand bleiben
changelog-follows = Du bekommst eine E-Mail, wenn es etwas Neues gibt.
changelog-follows-not = Lass dir eine E-Mail schicken, wenn es etwas Neues gibt.
changelog-start = E-Mails bekommen
changelog-stop = E-Mails abbestellen

# Help center.
help-title = Wie können wir helfen?
help-text = Antworten und Anleitungen.
search-help = Hilfe durchsuchen
found-for = Ergebnisse für „{ $text }“
help-nothing = Versuch es mit anderen Wörtern oder sieh die Sammlungen durch.
no-articles-title = Noch keine Artikel
no-articles-text = Artikel erscheinen hier.
no-articles-team = Beantworte, was oft gefragt wird. Veröffentliche den ersten Artikel über die API: POST /help-articles/create.
contents = Inhalt
updated = Aktualisiert am { $date }
helpful = War das hilfreich?
related = Ähnliche Artikel
before = Zurück
behind = Weiter

# Search.
search-all = Ideen und Artikel durchsuchen

# People and the account.
since = Dabei seit dem { $date }
profile-empty = Nichts, was du sehen könntest.
account = Dein Konto
name = Name
email = E-Mail-Adresse
language-browser = Wie im Browser eingestellt
account-mail = Schickt mir E-Mails zu dem, was ich verfolge, und zu Neuigkeiten
data = Deine Daten
data-text = Eine Datei mit allem, was über dich gespeichert ist, oder das Ende deines Kontos.
data-export = Herunterladen
data-delete = Mein Konto löschen
delete-account-text = Dein Name, deine Adresse und alles andere über dich werden endgültig entfernt.
delete-account-keep = Meine Ideen, Kommentare und Stimmen ohne meinen Namen behalten
delete-account-all = Auch sie löschen
sessions = Wo du angemeldet bist
sessions-text = Beende, was du nicht kennst.
session-seen = Zuletzt genutzt am { $date }
session-this = dieser Browser
session-end = Beenden
sessions-end = Alle anderen beenden

# Guests, and spam.
guest = Gast
guest-alone = Du schreibst als Gast. Melde dich später in diesem Browser an, dann gehört es dir.
guest-mail = Wir schicken dir eine E-Mail. Was du hier absendest, zählt, sobald du es bestätigt hast.
guest-account = Hast du ein Konto?
trap = Lass dieses Feld leer
doubt-trap = Ein verstecktes Feld war ausgefüllt, wie es Programme tun. Alles, was du geschrieben hast, ist noch da: Sende es noch einmal ab.
doubt-fast = Das ging sehr schnell. Sieh dir an, was du geschrieben hast, und sende es noch einmal ab.
doubt-old = Diese Seite war zu lange offen. Alles, was du geschrieben hast, ist noch da: Sende es noch einmal ab.
doubt-limited = Aus deinem Netz kam gerade sehr viel. Alles, was du geschrieben hast, ist noch da: Warte eine Minute und sende es dann noch einmal ab.
act-submit = E-Mail anfordern
act-vote = Für „{ $title }“ stimmen
act-vote-text = Du brauchst kein Konto: Wir schicken dir eine E-Mail, und deine Stimme zählt, sobald du sie bestätigt hast.
act-follow = „{ $title }“ folgen
act-follow-text = Du bekommst eine E-Mail bei jedem Kommentar und jeder Änderung des Status.
act-follow-open = E-Mails bekommen
act-changelog-text = Du brauchst kein Konto: Wir schicken dir eine E-Mail. Sobald du deine Adresse bestätigt hast, bekommst du eine, wenn es etwas Neues gibt.
act-code-text = Wir haben eine E-Mail an { $email } geschickt. Öffne den Link darin oder gib den Code hier ein. Beide gelten 24 Stunden.
act-confirm = Bestätigen
act-link-title = Ist das von dir?
act-link-text = Bestätige es, dann zählt es. Du bist damit auch angemeldet. Wenn es nicht von dir ist, schließ diese Seite.
act-is-post = Deine Idee
act-is-comment = Dein Kommentar
act-is-vote = Deine Stimme für
act-is-follow = E-Mails über
mail-act-subject = Bestätige, was du an { $name } gesendet hast
mail-act-intro = Du hast bei { $name } etwas geschrieben oder abgestimmt. Es zählt, sobald du es bestätigt hast.
mail-changelog-subject = Bestätige, dass du E-Mails von { $name } möchtest
mail-changelog-intro = Du möchtest eine E-Mail, wenn es bei { $name } etwas Neues gibt. Sie kommt, sobald du deine Adresse bestätigt hast.
mail-act-end = Beide gelten einmal und 24 Stunden lang. Wenn du das nicht warst, ignoriere diese E-Mail: Dann geschieht nichts.

# Signing in.
sign-in-title = Bei { $name } anmelden
sign-in-text = Wir schicken dir eine E-Mail mit einem Link und einem Code. Ein Passwort gibt es nicht.
sign-in-draft = Melde dich an, um abzuschicken, was du geschrieben hast. Es bleibt so lange erhalten.
sign-in-submit = E-Mail anfordern
sign-in-off = Die Anmeldung per E-Mail ist hier ausgeschaltet.
sso-submit = Mit { $name } anmelden
sso-text = Melde dich mit deinem Konto bei { $name } an.
sso-title = Die Anmeldung hat nicht geklappt
sso-state = Die Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Beginne noch einmal.
sso-token = Der Nachweis von { $name } ist nicht gültig. Beginne noch einmal. Wenn das wieder geschieht, teile dem Team dies mit:
sso-team = Diese Adresse gehört einem Mitglied des Teams. Mitglieder des Teams melden sich nicht auf diesem Weg an.
password = Passwort
sign-in-password = Melde dich mit deiner Adresse und deinem Passwort an.
sign-in-both = Melde dich mit deinem Passwort an oder mit einer Mail, die einen Link und einen Code enthält.
password-missing = Gib dein Passwort ein, oder wähle die Mail.
password-wrong = Die Adresse oder das Passwort ist falsch.
password-too-many = Es gab zu viele Versuche. Warte zehn Minuten, oder melde dich per Mail an.
password-text = Mit einem Passwort meldest du dich ohne Mail an.
password-open = Passwort festlegen oder ändern
password-present = Jetziges Passwort
password-present-wrong = Das ist nicht dein jetziges Passwort.
password-new = Neues Passwort
password-others = Wenn es sich ändert, enden deine anderen Sitzungen.
password-personal = Deinen Namen und deine Adresse probieren andere zuerst. Wähle etwas anderes.
password-common = Viele Menschen haben dieses Passwort. Wähle ein anderes.
password-save = Passwort speichern
password-remove = Passwort entfernen
password-proof = Zeige zuerst, dass diese Adresse dir gehört: Melde dich noch einmal per Mail an.
password-forgot = Passwort vergessen? Melde dich noch einmal per Mail an und lege ein neues fest.
password-ask = Bitte das Team um eine Einladung, um ein neues Passwort festzulegen.
or = oder
oidc-submit = Weiter mit { $name }
oidc-failed = { $name } hat dich nicht angemeldet. Beginne von vorn. Wenn es wieder geschieht, sag es dem Team:
oidc-refused = Du wurdest bei { $name } nicht angemeldet. Beginne von vorn, oder wähle einen anderen Weg.
oidc-no-email = { $name } hat uns deine E-Mail-Adresse nicht genannt. Erlaube es dort, oder melde dich auf einem anderen Weg an.
oidc-unverified = { $name } hat deine E-Mail-Adresse nicht bestätigt. Bestätige sie dort, und beginne von vorn.
link-address = Du meldest dich als { $email } an.
password-short = Nimm mindestens { $shown } Zeichen. Ein kurzer Satz ist ein gutes Passwort.
code-title = Sieh in dein Postfach
code-text = Wir haben eine E-Mail an { $email } geschickt. Öffne den Link darin oder gib den Code hier ein. Beide gelten zehn Minuten.
code = Code
code-hint = Keine E-Mail? Sieh im Spam-Ordner nach.
code-again = Neue E-Mail anfordern
code-wrong = { $count ->
    [one] Das ist nicht der richtige Code. Du hast noch { $shown } Versuch.
   *[other] Das ist nicht der richtige Code. Du hast noch { $shown } Versuche.
 }
code-gone = Der Code gilt nicht mehr. Lass dir einen neuen schicken.
link-text = Ein Klick, und du bist drin.
link-gone = Dieser Link wurde schon benutzt oder ist zu alt. Lass dir einen neuen schicken.
mail-subject = Bei { $name } anmelden
mail-intro = Du möchtest dich bei { $name } anmelden.
mail-code = Gib diesen Code in dem Browser ein, in dem du ihn angefordert hast:
mail-link = Oder öffne diesen Link und drücke auf den Button:
mail-end = Beide gelten einmal und zehn Minuten lang. Wenn du das nicht angefordert hast, ignoriere diese E-Mail.

# Faults.
gone-title = Hier ist nichts
gone-text = Die Seite gibt es nicht, oder du darfst sie nicht sehen. Vielleicht musst du dich anmelden.
form-title = Dieses Formular ist abgelaufen
form-text = Geh zurück, lade die Seite neu und sende es noch einmal ab.
refused-title = Das geht nicht
refused = Die Seite hat sich inzwischen geändert. Lade sie neu.
refused-blocked = Das Team hat dieses Konto gesperrt.
refused-voting = Auf diesem Board kann man nicht abstimmen.
refused-commenting = Auf diesem Board kann man nicht kommentieren.
refused-merged = Diese Idee wurde mit einer anderen zusammengeführt.
no-organization-title = Noch keine Organisation
no-organization-text = Hearback läuft, hat aber noch keine Organisation, die es zeigen könnte. Lege die erste auf dem Server an:
busy-title = Einen Moment bitte
busy-text = Gerade ist viel los. Versuch es in ein paar Sekunden noch einmal.
broken-title = Etwas ist schiefgegangen
broken-text = Der Fehler liegt bei uns und ist protokolliert. Versuch es gleich noch einmal.
limited-title = Zu viele Anfragen
limited-text = Warte eine Minute und versuch es dann noch einmal.
large-title = Das ist zu lang
large-text = Kürze deinen Text und sende ihn noch einmal ab.

# Notifications, and mails about what happens.
notices = Benachrichtigungen
notices-unread = { $count ->
    [one] { $shown } ungelesen
   *[other] { $shown } ungelesen
 }
notices-read-all = Alle als gelesen markieren
notices-none = Nichts Neues
notices-none-text = Wenn sich bei einer Idee etwas tut, der du folgst, steht es hier.
notices-choose = Wählen, was du per E-Mail bekommst
notice-new = Neu
notice-read = Als gelesen markieren
notice-gone = Das ist nicht mehr verfügbar.
done-address-asked = Wir haben eine E-Mail an die neue Adresse gesendet. Öffne den Link darin, um sie zu bestätigen.
done-address = Deine Adresse ist geändert.
done-mail-sent = Der Mailserver hat die Testmail angenommen. Sieh in deinen Posteingang.
mail-trouble = Der Mailserver nimmt unsere E-Mails nicht an. Sieh nach, was er meldet.
mail-trouble-text = Die letzte E-Mail wurde nicht gesendet. Das ist die Antwort:
mail-server = Mailserver
mail-server-text = Es sind keine Störungen bekannt.
mail-test = Testmail an mich senden
mail-test-subject = { $name }: Testmail
mail-test-text = Diese E-Mail ist angekommen: Der Mailserver funktioniert.
mail-test-end = Du hast sie in deinem Konto bei { $name } angefordert.
mail = E-Mail
post-mail = Zu Ideen, denen ich folge
post-mail-instant = Sofort, eine E-Mail je Änderung
post-mail-daily = Einmal am Tag
post-mail-weekly = Einmal pro Woche, am Montag
post-mail-off = Nie
changelog-mail = Auch Neues aus dem Changelog per E-Mail senden
address-text = An eine neue Adresse senden wir einen Link. Sie gilt, sobald du sie bestätigt hast.
address-change = Adresse ändern
address-confirm = Adresse bestätigen
address-confirm-text = Ab jetzt meldest du dich mit dieser Adresse an, und E-Mails gehen an sie. Du bleibst hier angemeldet und sonst nirgends.
address-taken = Ein anderes Konto hat diese Adresse.
address-gone = Dieser Link wurde schon benutzt oder ist zu alt. Ändere die Adresse noch einmal.
mail-address-subject = { $name }: Bestätige deine Adresse
mail-address = Du möchtest diese Adresse für dein Konto bei { $name } verwenden. Öffne diesen Link in dem Browser, in dem du angemeldet bist, und drücke den Knopf:
mail-address-end = Der Link gilt einmal, zehn Minuten lang. Wenn du das nicht angefordert hast, ignoriere diese E-Mail.
mail-moved-subject = { $name }: Deine Adresse wurde geändert
mail-moved = Dein Konto bei { $name } hat ab jetzt eine andere Adresse. E-Mails gehen an sie und nicht mehr an diese.
mail-moved-end = Wenn nicht du das geändert hast, melde es sofort dem Team.
news-status = { $title } ist jetzt { $status }
news-comment = Kommentar zu { $title }
news-comment-by = { $name } hat { $title } kommentiert
news-merged = { $old } wurde mit { $title } zusammengeführt
news-accepted = { $title } wurde angenommen
news-owner = { $title } gehört jetzt dir
news-queue = Etwas wartet auf die Moderation
news-digest = { $count ->
    [one] { $shown } Änderung
   *[other] { $shown } Änderungen
 }
mail-status = Der Status ist jetzt { $status }.
mail-comment = Ein Kommentar:
mail-comment-by = { $name }:
mail-merged = { $old }, der du folgst, wurde mit dieser Idee zusammengeführt. Die Stimmen zählen ab jetzt hier.
mail-accepted = Deine Idee wurde angenommen. Andere können sie jetzt sehen, abstimmen und kommentieren.
mail-owner = Du bist jetzt für diese Idee zuständig.
mail-queue = Ideen oder Kommentare warten, bis jemand aus dem Team sie annimmt oder ablehnt.
mail-why-news = Du bekommst dies, weil du Neuigkeiten von { $name } abonniert hast.
mail-why-post = Du bekommst dies, weil du Ideen bei { $name } folgst.
mail-why-you = Du bekommst dies, weil es bei { $name } um dich geht.
mail-why-team = Du bekommst dies als Mitglied des Teams von { $name }.
mail-unfollow = Dieser Idee nicht mehr folgen
mail-unfollow-changelog = Neuigkeiten abbestellen
mail-unsubscribe = Alle E-Mails abbestellen
mail-choose = Auswählen, was du bekommst
stop-title = Erledigt
stop-all = Du bekommst keine E-Mails von { $name } mehr.
stop-changelog = Du bekommst keine E-Mail mehr, wenn es bei { $name } etwas Neues gibt. Andere E-Mails kommen weiterhin.
stop-post = Du hörst nichts mehr von dieser Idee bei { $name }. Andere E-Mails kommen weiterhin.

image = Bild
image-file = Datei
image-hint = PNG, JPEG, GIF, WebP oder AVIF, bis { $shown } MB.
image-add = In den Text einfügen
image-drop = Zieh Bilder in den Text, oder füge sie ein.
image-wait = Das Bild wird hochgeladen …
image-done = Das Bild ist im Text.
image-failed = Das Bild konnte nicht hochgeladen werden.
picture = Profilbild
picture-use = Dieses Bild verwenden
picture-remove = Bild entfernen
fault-image-missing = Wähle zuerst eine Datei aus.
fault-image-large = Die Datei ist zu groß. Erlaubt sind höchstens { $shown } MB.
fault-image-pixels = Das Bild hat zu viele Pixel. Erlaubt sind höchstens { $shown } Millionen: Verkleinere es.
fault-image-format = Die Datei ist kein Bild einer bekannten Art. Verwende PNG, JPEG, GIF, WebP oder AVIF.
fault-image-broken = Das Bild ist beschädigt. Speichere es neu, oder nimm ein anderes.
fault-image-full = Hier ist kein Platz mehr für Bilder. Bitte sag dem Team Bescheid.
fault-image-busy = Gerade kommen zu viele Bilder an. Versuche es gleich noch einmal.
