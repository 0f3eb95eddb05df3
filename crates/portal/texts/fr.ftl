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
no-boards-team = Créez un premier tableau avec l’API : POST /feedback-boards/create.
no-posts-title = Aucune idée pour l’instant
no-posts-text = Dites en premier ce qui manque.
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
resume-title = Presque terminé
resume-text = Vous êtes connecté. Relisez votre idée, puis publiez-la.
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
no-plans-title = Aucun projet pour l’instant
no-plans-text = Ce que l’équipe prévoit apparaîtra ici.
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

# Signing in.
sign-in-title = Se connecter à { $name }
sign-in-text = Nous vous envoyons un e-mail avec un lien et un code. Il n’y a pas de mot de passe.
sign-in-draft = Connectez-vous pour publier votre idée. Elle est conservée en attendant.
sign-in-submit = Recevoir l’e-mail
sign-in-off = La connexion par e-mail est désactivée ici.
sso-submit = Se connecter avec { $name }
sso-text = Connectez-vous avec votre compte { $name }.
sso-title = La connexion n’a pas abouti
sso-state = La connexion a pris trop de temps ou a commencé dans un autre navigateur. Recommencez.
sso-token = La preuve envoyée par { $name } n’est pas valide. Recommencez. Si cela se reproduit, indiquez ceci à l’équipe :
sso-team = Cette adresse appartient à un membre de l’équipe. Les membres de l’équipe ne se connectent pas de cette façon.
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
form-text = Revenez en arrière, rechargez la page et envoyez-le à nouveau. Votre texte est toujours dans votre navigateur.
refused-title = Ce n’est pas possible
refused = La page a changé entre-temps. Rechargez-la.
refused-blocked = L’équipe a bloqué ce compte.
refused-voting = Ce tableau n’accepte pas de votes.
refused-commenting = Ce tableau n’accepte pas de commentaires.
refused-merged = Cette idée a été fusionnée avec une autre.
busy-title = Un instant, s’il vous plaît
busy-text = Il y a beaucoup d’activité en ce moment. Réessayez dans quelques secondes.
broken-title = Un problème est survenu
broken-text = L’erreur vient de nous, et elle est enregistrée. Réessayez dans un instant.
limited-title = Trop de requêtes
limited-text = Attendez une minute, puis réessayez.
large-title = C’est trop long
large-text = Raccourcissez votre texte, puis envoyez-le à nouveau.
