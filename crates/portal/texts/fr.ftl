# The frame of all pages.
skip = Aller au contenu
nav-sections = Rubriques
nav-account = Compte
nav-trail = Vous êtes ici
nav-around = Autres articles
tab-feedback = Suggestions
tab-roadmap = Feuille de route
tab-changelog = Nouveautés
tab-help = Aide
search = Rechercher
sign-in = Se connecter
sign-out = Se déconnecter
language = Langue
language-choose = Choisir
powered = Réalisé avec { $product }
date = { $day ->
    [1] 1er
   *[other] { $day }
 } { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
 } { $year }
someone = Ancien membre
save = Enregistrer
cancel = Annuler
edit = Modifier
delete = Supprimer
copy = Copier
copied = Copié
yes = Oui
no = Non
more = Afficher plus
to-start = Aller à la première page

# What the visitor has done.
done-posted = Votre idée est publiée. Vous recevrez un e-mail quand son statut changera.
done-waits = Merci. L’équipe examine votre contribution avant que les autres ne la voient.
done-commented = Votre commentaire est publié.
done-saved = Enregistré.
done-deleted = Supprimé.
done-signed-in = Vous êtes connecté.
done-signed-out = Vous êtes déconnecté.
done-thanks = Merci pour votre réponse.
done-voted = Votre vote compte.
done-same = Ceci a été envoyé il y a un instant. Le voici.
done-again = Vous vous êtes reconnecté depuis l’ouverture de ce formulaire. Votre texte est toujours là : envoyez-le à nouveau.
done-not = Vous êtes connecté, mais ce que vous avez envoyé n’est plus possible.

# Boards and lists of posts.
home-title = Que devrions-nous créer ensuite ?
home-text = Dites-nous ce qui vous aiderait. Nous lisons tout.
boards = Tableaux
boards-all = Tous les tableaux
posts = Idées
sort = Tri
sort-top = Populaires
sort-trending = Tendances
sort-new = Récentes
tags = Étiquettes
status = Statut
category = Catégorie
category-none = Aucune catégorie
filter = Filtrer
filter-all = Tout
filter-reset = Tout afficher
search-posts = Rechercher des idées
new-idea = Proposer une idée
no-boards-title = Rien à voir ici pour l’instant
no-boards = Aucun tableau ne vous est accessible. Si vous avez un compte, connectez-vous.
no-boards-team = Les idées sont réunies sur des tableaux. Créez le premier avec l’API : POST /feedback-boards/create.
empty-how = Voir comment faire
empty-boards = Voir les idées
no-posts-title = Aucune idée pour l’instant
no-posts-text = Dites en premier ce qui manque.
no-posts-team = Écrivez vous-même la première idée, ou placez un lien vers cette page dans votre produit.
nothing-found = Aucun résultat
nothing-found-text = Essayez d’autres mots, ou moins de filtres.
pinned = Épinglé
waits = En attente de l’équipe
waits-text = Vous et l’équipe êtes les seuls à voir ceci jusqu’à son acceptation.
comments = { $count ->
    [0] Aucun commentaire
    [one] { $shown } commentaire
   *[other] { $shown } commentaires
 }
votes = { $count ->
    [one] { $shown } vote
   *[other] { $shown } votes
 }
vote-for = Voter pour « { $title } »
votes-closed = Les votes sont clos

# A post.
official = Réponse officielle
eta = Prévu le { $date }
comment = Ajouter un commentaire
comment-submit = Commenter
comment-sign-in = Se connecter pour commenter
more-comments = Afficher plus de commentaires
reply = Répondre
reply-submit = Répondre
markdown = Vous pouvez utiliser Markdown.
voters = { $count ->
    [one] { $shown } personne le souhaite
   *[other] { $shown } personnes le souhaitent
 }
voters-title = Personnes qui le souhaitent
follow = Me tenir au courant
follow-all = Tout
follow-status = Statut seulement
follow-none = Rien
follow-all-text = Vous recevez un e-mail à chaque commentaire et à chaque changement de statut.
follow-status-text = Vous recevez un e-mail quand le statut change.
follow-none-text = Vous ne recevez aucun e-mail à ce sujet.
status-history = Évolution du statut
merged = Fusionné avec celle-ci
share = Partager

# Writing.
new-title = Proposer une idée
edit-title = Modifier votre idée
edit-comment = Modifier votre commentaire
new-submit = Publier l’idée
new-sign-in = Vous vous connecterez à l’étape suivante. Rien ne sera perdu.
title = Titre
title-hint = Une idée en une courte phrase.
details = Détails
preview = Aperçu
preview-back = Écrire
similar = Idées similaires
similar-text = La vôtre en fait-elle partie ? Un vote compte plus qu’une idée en double.
faults = Veuillez vérifier ceci :
fault-title-missing = Saisissez un titre.
fault-comment-missing = Écrivez d’abord quelque chose.
fault-too-long = C’est trop long : { $shown } caractères au maximum.
fault-category = Cette catégorie n’existe plus. Choisissez-en une autre.
fault-no-status = L’équipe n’a pas encore terminé la configuration : il n’y a pas de statut pour les nouvelles idées.
fault-email = Ce n’est pas une adresse e-mail. Elle doit ressembler à name@example.com.
fault-name = Saisissez votre nom.
delete-post-title = Supprimer cette idée ?
delete-post-text = « { $title } » disparaîtra pour tout le monde.
delete-comment-title = Supprimer ce commentaire ?

# Roadmap.
roadmap-text = Ce sur quoi nous travaillons, et ce qui vient ensuite.
roadmap-columns = Colonnes
roadmap-by-status = Par statut
roadmap-by-eta = Par date
term-earlier = Plus tôt
term-quarter = T{ $quarter } { $year }
term-later = Plus tard
no-plans-title = Aucun projet pour l’instant
no-plans-text = Ce que l’équipe prévoit apparaîtra ici.
no-plans-team = Montrez ce que vous prévoyez. Ajoutez le premier projet avec l’API : POST /roadmap-posts/create. La feuille de route doit afficher son statut.
linked = { $count ->
    [one] { $shown } idée à l’origine
   *[other] { $shown } idées à l’origine
 }

# Changelog.
changelog-text = Ce qui est nouveau, amélioré ou corrigé.
entry-new = Nouveau
entry-improvement = Amélioré
entry-fixed = Corrigé
entry-posts = Idées à l’origine
labels = Étiquettes
no-entries-title = Rien de publié pour l’instant
no-entries-text = Les nouvelles versions seront annoncées ici.
no-entries-team = Annoncez les nouveautés. Publiez la première avec l’API : POST /changelog/create.
more-entries = Entrées plus anciennes
changelog-follow = Rester informé
changelog-follows = Vous recevez un e-mail quand il y a du nouveau.
changelog-follows-not = Recevez un e-mail quand il y a du nouveau.
changelog-start = Recevoir les e-mails
changelog-stop = Ne plus recevoir d’e-mails

# Help center.
help-title = Comment pouvons-nous vous aider ?
help-text = Des réponses et des guides.
search-help = Rechercher dans l’aide
found-for = Résultats pour « { $text } »
help-nothing = Essayez d’autres mots, ou parcourez les collections.
no-articles-title = Aucun article pour l’instant
no-articles-text = Les articles apparaîtront ici.
no-articles-team = Répondez aux questions fréquentes. Publiez le premier article avec l’API : POST /help-articles/create.
contents = Sommaire
updated = Mis à jour le { $date }
helpful = Cet article vous a-t-il été utile ?
related = Articles liés
before = Précédent
behind = Suivant

# Search.
search-all = Rechercher des idées et des articles

# People and the account.
since = Membre depuis le { $date }
profile-empty = Rien que vous puissiez voir.
account = Votre compte
name = Nom
email = Adresse e-mail
language-browser = Celle du navigateur
account-mail = M’envoyer des e-mails sur ce que je suis et sur les nouveautés
data = Vos données
data-text = Un fichier avec tout ce qui est enregistré sur vous, ou la fin de votre compte.
data-export = Télécharger
data-delete = Supprimer mon compte
delete-account-text = Votre nom, votre adresse et tout ce qui vous concerne sont supprimés définitivement.
delete-account-keep = Garder mes idées, commentaires et votes, sans mon nom
delete-account-all = Les supprimer aussi
sessions = Vos connexions
sessions-text = Mettez fin à celles que vous ne reconnaissez pas.
session-seen = Dernière utilisation le { $date }
session-this = ce navigateur
session-end = Mettre fin
sessions-end = Mettre fin à toutes les autres

# Guests, and spam.
guest = Invité
guest-alone = Vous écrivez en tant qu’invité. Connectez-vous plus tard dans ce navigateur, et cela vous appartiendra.
guest-mail = Nous vous envoyons un e-mail. Ce que vous envoyez ici compte dès que vous l’avez confirmé.
guest-account = Vous avez un compte ?
trap = Laissez ce champ vide
doubt-trap = Un champ caché a été rempli, comme le font les robots. Tout ce que vous avez écrit est encore là : envoyez-le une nouvelle fois.
doubt-fast = C’était très rapide. Relisez ce que vous avez écrit, puis envoyez-le une nouvelle fois.
doubt-old = Cette page est restée ouverte trop longtemps. Tout ce que vous avez écrit est encore là : envoyez-le une nouvelle fois.
doubt-limited = Votre réseau vient d’envoyer beaucoup de choses. Tout ce que vous avez écrit est encore là : attendez une minute, puis envoyez-le une nouvelle fois.
act-submit = Recevoir l’e-mail
act-vote = Voter pour « { $title } »
act-vote-text = Aucun compte n’est nécessaire : nous vous envoyons un e-mail, et votre vote compte dès que vous l’avez confirmé.
act-follow = Suivre « { $title } »
act-follow-text = Vous recevez un e-mail à chaque commentaire et à chaque changement de statut.
act-follow-open = Recevoir des e-mails
act-changelog-text = Aucun compte n’est nécessaire : nous vous envoyons un e-mail. Dès que vous avez confirmé votre adresse, vous en recevez un quand il y a du nouveau.
act-code-text = Nous avons envoyé un e-mail à { $email }. Ouvrez le lien qu’il contient, ou saisissez le code ici. Les deux sont valables 24 heures.
act-confirm = Confirmer
act-link-title = Est-ce bien de vous ?
act-link-text = Confirmez, et cela compte. Vous serez aussi connecté. Si ce n’est pas de vous, fermez cette page.
act-is-post = Votre idée
act-is-comment = Votre commentaire
act-is-vote = Votre vote pour
act-is-follow = E-mails à propos de
mail-act-subject = Confirmez ce que vous avez envoyé à { $name }
mail-act-intro = Vous avez écrit ou voté chez { $name }. Cela compte dès que vous l’avez confirmé.
mail-changelog-subject = Confirmez que vous voulez recevoir les e-mails de { $name }
mail-changelog-intro = Vous voulez un e-mail quand il y a du nouveau chez { $name }. Il vient dès que vous avez confirmé votre adresse.
mail-act-end = Les deux sont valables une seule fois, pendant 24 heures. Si ce n’était pas vous, ignorez cet e-mail : rien ne se passera.

# Signing in.
sign-in-title = Se connecter à { $name }
sign-in-text = Nous vous envoyons un e-mail avec un lien et un code. Il n’y a pas de mot de passe.
sign-in-draft = Connectez-vous pour envoyer ce que vous avez écrit. Votre texte est conservé en attendant.
sign-in-submit = Recevoir l’e-mail
sign-in-off = La connexion par e-mail est désactivée ici.
sso-submit = Se connecter avec { $name }
sso-text = Connectez-vous avec votre compte { $name }.
sso-title = La connexion n’a pas abouti
sso-state = La connexion a pris trop de temps ou a commencé dans un autre navigateur. Recommencez.
sso-token = La preuve envoyée par { $name } n’est pas valide. Recommencez. Si cela se reproduit, indiquez ceci à l’équipe :
sso-team = Cette adresse appartient à un membre de l’équipe. Les membres de l’équipe ne se connectent pas de cette façon.
password = Mot de passe
sign-in-password = Connectez-vous avec votre adresse et votre mot de passe.
sign-in-both = Connectez-vous avec votre mot de passe, ou par un e-mail contenant un lien et un code.
password-missing = Saisissez votre mot de passe, ou choisissez l’e-mail.
password-wrong = L’adresse ou le mot de passe est incorrect.
password-too-many = Trop de tentatives. Attendez dix minutes, ou connectez-vous par e-mail.
password-text = Avec un mot de passe, vous vous connectez sans e-mail.
password-open = Définir ou changer le mot de passe
password-present = Mot de passe actuel
password-present-wrong = Ce n’est pas votre mot de passe actuel.
password-new = Nouveau mot de passe
password-others = S’il change, vos autres sessions prennent fin.
password-personal = Votre nom et votre adresse sont ce que l’on essaie en premier. Choisissez autre chose.
password-common = Beaucoup de personnes ont ce mot de passe. Choisissez-en un autre.
password-save = Enregistrer le mot de passe
password-remove = Supprimer le mot de passe
password-proof = Avant de définir un mot de passe, montrez que cette adresse est la vôtre : connectez-vous encore une fois par e-mail.
password-forgot = Mot de passe oublié ? Connectez-vous encore une fois par e-mail et définissez-en un nouveau.
password-ask = Pour définir un nouveau mot de passe, demandez une invitation à l’équipe.
or = ou
oidc-submit = Continuer avec { $name }
oidc-failed = { $name } ne vous a pas connecté. Recommencez. Si cela se reproduit, dites-le à l’équipe :
oidc-refused = Vous n’avez pas été connecté chez { $name }. Recommencez, ou choisissez une autre voie.
oidc-no-email = { $name } ne nous a pas donné votre adresse e-mail. Autorisez-le là-bas, ou connectez-vous autrement.
oidc-unverified = { $name } n’a pas confirmé votre adresse e-mail. Confirmez-la là-bas, puis recommencez.
link-address = Vous vous connectez en tant que { $email }.
password-short = Au moins { $shown } caractères. Une courte phrase fait un bon mot de passe.
code-title = Consultez votre messagerie
code-text = Nous avons envoyé un e-mail à { $email }. Ouvrez le lien qu’il contient, ou saisissez le code ici. Les deux sont valables dix minutes.
code = Code
code-hint = Pas d’e-mail ? Regardez dans les courriers indésirables.
code-again = En envoyer un autre
code-wrong = { $count ->
    [one] Ce n’est pas le bon code. Il vous reste { $shown } essai.
   *[other] Ce n’est pas le bon code. Il vous reste { $shown } essais.
 }
code-gone = Ce code n’est plus valable. Demandez-en un nouveau.
link-text = Un clic, et vous êtes connecté.
link-gone = Ce lien a déjà été utilisé, ou il est trop ancien. Demandez-en un nouveau.
mail-subject = Se connecter à { $name }
mail-intro = Vous souhaitez vous connecter à { $name }.
mail-code = Saisissez ce code dans le navigateur où vous l’avez demandé :
mail-link = Ou ouvrez ce lien et appuyez sur le bouton :
mail-end = Les deux sont valables une seule fois, pendant dix minutes. Si vous n’avez rien demandé, ignorez cet e-mail.

# Faults.
gone-title = Il n’y a rien ici
gone-text = La page n’existe pas, ou vous n’y avez pas accès. Vous devez peut-être vous connecter.
form-title = Ce formulaire a expiré
form-text = Revenez en arrière, rechargez la page et envoyez-le à nouveau.
refused-title = Ce n’est pas possible
refused = La page a changé entre-temps. Rechargez-la.
refused-blocked = L’équipe a bloqué ce compte.
refused-voting = Ce tableau n’accepte pas de votes.
refused-commenting = Ce tableau n’accepte pas de commentaires.
refused-merged = Cette idée a été fusionnée avec une autre.
no-organization-title = Aucune organisation pour l’instant
no-organization-text = Hearback fonctionne, mais n’a encore aucune organisation à afficher. Créez la première sur le serveur :
busy-title = Un instant, s’il vous plaît
busy-text = Il y a beaucoup d’activité en ce moment. Réessayez dans quelques secondes.
broken-title = Un problème est survenu
broken-text = L’erreur vient de nous, et elle est enregistrée. Réessayez dans un instant.
limited-title = Trop de requêtes
limited-text = Attendez une minute, puis réessayez.
large-title = C’est trop long
large-text = Raccourcissez votre texte, puis envoyez-le à nouveau.

# Notifications, and mails about what happens.
notices = Notifications
notices-unread = { $count ->
    [one] { $shown } non lue
   *[other] { $shown } non lues
 }
notices-read-all = Tout marquer comme lu
notices-none = Rien de nouveau
notices-none-text = Quand une idée que vous suivez évolue, vous le voyez ici.
notices-choose = Choisir ce que vous recevez par e-mail
notice-new = Nouveau
notice-read = Marquer comme lu
notice-gone = Ce contenu n’est plus disponible.
done-address-asked = Nous avons envoyé un e-mail à la nouvelle adresse. Ouvrez le lien qu’il contient pour la confirmer.
done-address = Votre adresse est modifiée.
done-mail-sent = Le serveur de messagerie a accepté l’e-mail de test. Regardez votre boîte de réception.
mail-trouble = Le serveur de messagerie refuse nos e-mails. Voir sa réponse.
mail-trouble-text = Le dernier e-mail n’a pas été envoyé. Voici la réponse :
mail-server = Serveur de messagerie
mail-server-text = Aucun problème connu.
mail-test = M’envoyer un test
mail-test-subject = { $name } : e-mail de test
mail-test-text = Cet e-mail est arrivé : le serveur de messagerie fonctionne.
mail-test-end = Vous l’avez demandé dans votre compte chez { $name }.
mail = E-mails
post-mail = Au sujet des idées que je suis
post-mail-instant = Tout de suite, un e-mail par changement
post-mail-daily = Une fois par jour
post-mail-weekly = Une fois par semaine, le lundi
post-mail-off = Jamais
changelog-mail = M’envoyer aussi les nouveautés du journal
address-text = Nous envoyons un lien à la nouvelle adresse. Elle est valable dès que vous l’avez confirmée.
address-change = Changer l’adresse
address-confirm = Confirmer l’adresse
address-confirm-text = Vous vous connecterez désormais avec cette adresse, et les e-mails y seront envoyés. Vous restez connecté ici, et nulle part ailleurs.
address-taken = Un autre compte a cette adresse.
address-gone = Ce lien a déjà servi ou est trop ancien. Changez l’adresse encore une fois.
mail-address-subject = { $name } : confirmez votre adresse
mail-address = Vous voulez utiliser cette adresse pour votre compte chez { $name }. Ouvrez ce lien dans le navigateur où vous êtes connecté, et appuyez sur le bouton :
mail-address-end = Le lien est valable une fois, pendant dix minutes. Si vous n’avez rien demandé, ignorez cet e-mail.
mail-moved-subject = { $name } : votre adresse a été modifiée
mail-moved = Votre compte chez { $name } a désormais une autre adresse. Les e-mails y sont envoyés, et plus à celle-ci.
mail-moved-end = Si ce n’est pas vous, prévenez l’équipe tout de suite.
news-status = { $title } est maintenant { $status }
news-comment = Commentaire sur { $title }
news-comment-by = { $name } a commenté { $title }
news-merged = { $old } a été fusionnée avec { $title }
news-accepted = { $title } a été acceptée
news-owner = { $title } est maintenant à vous
news-queue = Des contenus attendent la modération
news-digest = { $count ->
    [one] { $shown } changement
   *[other] { $shown } changements
 }
mail-status = Le statut est maintenant { $status }.
mail-comment = Un commentaire :
mail-comment-by = { $name } :
mail-merged = { $old }, que vous suivez, a été fusionnée avec cette idée. Les votes comptent désormais ici.
mail-accepted = Votre idée a été acceptée. Les autres peuvent maintenant la voir, voter et commenter.
mail-owner = Vous êtes maintenant responsable de cette idée.
mail-queue = Des idées ou des commentaires attendent que quelqu’un de l’équipe les accepte ou les refuse.
mail-why-news = Vous recevez ceci car vous êtes abonné aux nouvelles de { $name }.
mail-why-post = Vous recevez ceci car vous suivez des idées chez { $name }.
mail-why-you = Vous recevez ceci car cela vous concerne chez { $name }.
mail-why-team = Vous recevez ceci en tant que membre de l’équipe de { $name }.
mail-unfollow = Ne plus suivre cette idée
mail-unfollow-changelog = Se désabonner des nouveautés
mail-unsubscribe = Se désabonner de tous les e-mails
mail-choose = Choisir ce que vous recevez
stop-title = C’est fait
stop-all = Vous ne recevrez plus d’e-mails de { $name }.
stop-changelog = Vous ne recevrez plus d’e-mail quand il y a du nouveau chez { $name }. Les autres e-mails arrivent toujours.
stop-post = Vous n’entendrez plus parler de cette idée chez { $name }. Les autres e-mails arrivent toujours.

image = Image
image-file = Fichier
image-hint = PNG, JPEG, GIF, WebP ou AVIF, { $shown } Mo au plus.
image-add = Ajouter au texte
image-drop = Déposez ou collez des images dans le texte.
image-wait = Envoi de l’image…
image-done = L’image est dans le texte.
image-failed = L’image n’a pas pu être envoyée.
picture = Photo
picture-use = Utiliser cette photo
picture-remove = Retirer la photo
fault-image-missing = Choisissez d’abord un fichier.
fault-image-large = Le fichier est trop volumineux. Le maximum est de { $shown } Mo.
fault-image-pixels = L’image a trop de pixels. Le maximum est de { $shown } millions : réduisez-la.
fault-image-format = Ce fichier n’est pas une image d’un type connu. Choisissez PNG, JPEG, GIF, WebP ou AVIF.
fault-image-broken = L’image est endommagée. Enregistrez-la de nouveau ou choisissez-en une autre.
fault-image-full = Il n’y a plus de place pour les images ici. Merci de prévenir l’équipe.
fault-image-busy = Trop d’images arrivent en ce moment. Réessayez dans un instant.
