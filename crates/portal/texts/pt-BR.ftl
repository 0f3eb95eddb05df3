# The frame of all pages.
skip = Ir para o conteúdo
nav-sections = Seções
nav-account = Conta
nav-trail = Você está aqui
nav-around = Outros artigos
tab-feedback = Sugestões
tab-roadmap = Roadmap
tab-changelog = Novidades
tab-help = Ajuda
search = Buscar
sign-in = Entrar
sign-out = Sair
language = Idioma
language-choose = Escolher
powered = Feito com { $product }
date = { $day ->
    [1] 1º
   *[other] { $day }
 } de { $month ->
    [1] janeiro
    [2] fevereiro
    [3] março
    [4] abril
    [5] maio
    [6] junho
    [7] julho
    [8] agosto
    [9] setembro
    [10] outubro
    [11] novembro
   *[12] dezembro
 } de { $year }
someone = Alguém que saiu
save = Salvar
cancel = Cancelar
edit = Editar
delete = Excluir
copy = Copiar
copied = Copiado
yes = Sim
no = Não
more = Mostrar mais
to-start = Ir para a primeira página

# What the visitor has done.
done-posted = Sua ideia foi publicada. Você receberá um e-mail quando o status dela mudar.
done-waits = Agradecemos o envio. A equipe vai analisar antes que outras pessoas vejam.
done-commented = Seu comentário foi publicado.
done-saved = Salvo.
done-deleted = Excluído.
done-signed-in = Você entrou.
done-signed-out = Você saiu.
done-thanks = Agradecemos a resposta.

# Boards and lists of posts.
home-title = O que devemos criar agora?
home-text = Conte o que ajudaria você. Nós lemos tudo.
boards = Quadros
boards-all = Todos os quadros
posts = Ideias
sort = Ordem
sort-top = Mais votadas
sort-trending = Em alta
sort-new = Novas
status = Status
category = Categoria
category-none = Sem categoria
filter = Filtrar
filter-all = Tudo
filter-reset = Mostrar tudo
search-posts = Buscar ideias
new-idea = Compartilhar uma ideia
no-boards-title = Ainda não há nada para ver aqui
no-boards = Nenhum quadro está aberto para você. Se você tem uma conta, entre.
no-boards-team = Crie o primeiro quadro com a API: POST /feedback-boards/create.
no-posts-title = Ainda não há ideias
no-posts-text = Seja a primeira pessoa a dizer o que falta.
nothing-found = Nada encontrado
nothing-found-text = Tente outras palavras ou menos filtros.
pinned = Fixada
waits = Aguardando a equipe
waits-text = Só você e a equipe veem isto até que seja aceito.
comments = { $count ->
    [0] Nenhum comentário
    [one] { $shown } comentário
   *[other] { $shown } comentários
 }
votes = { $count ->
    [one] { $shown } voto
   *[other] { $shown } votos
 }
vote-for = Votar em “{ $title }”
votes-closed = A votação está encerrada

# A post.
official = Atualização oficial
eta = Previsto para { $date }
comment = Adicionar um comentário
comment-submit = Comentar
comment-sign-in = Entre para comentar
more-comments = Mostrar mais comentários
reply = Responder
reply-submit = Responder
markdown = Você pode usar Markdown.
voters = { $count ->
    [one] { $shown } pessoa quer isto
   *[other] { $shown } pessoas querem isto
 }
voters-title = Pessoas que querem isto
follow = Quero acompanhar
follow-all = Tudo
follow-status = Só o status
follow-none = Nada
follow-all-text = Você recebe um e-mail a cada comentário e a cada mudança de status.
follow-status-text = Você recebe um e-mail quando o status muda.
follow-none-text = Você não recebe e-mails sobre isto.
status-history = Histórico do status
merged = Mesclado a esta
share = Compartilhar

# Writing.
new-title = Compartilhar uma ideia
edit-title = Editar sua ideia
edit-comment = Editar seu comentário
new-submit = Publicar a ideia
new-sign-in = Você entra na próxima etapa. Nada se perde.
title = Título
title-hint = Uma ideia em uma frase curta.
details = Detalhes
preview = Prévia
preview-back = Escrever
similar = Ideias parecidas
similar-text = A sua está entre elas? Um voto vale mais do que uma ideia repetida.
resume-title = Quase pronto
resume-text = Você entrou. Revise sua ideia mais uma vez e publique.
faults = Verifique o seguinte:
fault-title-missing = Escreva um título.
fault-comment-missing = Escreva algo primeiro.
fault-too-long = O texto é longo demais: cabem no máximo { $shown } caracteres.
fault-category = Esta categoria não existe mais. Escolha outra.
fault-no-status = A equipe ainda não configurou isto: não há um status para novas ideias.
fault-email = Este não é um endereço de e-mail. Ele deve ser como name@example.com.
fault-name = Escreva seu nome.
delete-post-title = Excluir esta ideia?
delete-post-text = “{ $title }” deixará de existir para todos.
delete-comment-title = Excluir este comentário?

# Roadmap.
roadmap-text = No que estamos trabalhando e o que vem a seguir.
no-plans-title = Ainda não há planos
no-plans-text = Quando a equipe planejar algo, aparecerá aqui.
linked = { $count ->
    [one] { $shown } ideia de origem
   *[other] { $shown } ideias de origem
 }

# Changelog.
changelog-text = O que há de novo, o que melhorou e o que foi corrigido.
entry-new = Novo
entry-improvement = Melhorado
entry-fixed = Corrigido
entry-posts = Ideias de origem
labels = Etiquetas
no-entries-title = Nada publicado ainda
no-entries-text = Novas versões serão anunciadas aqui.
more-entries = Publicações mais antigas
changelog-follow = Fique por dentro
changelog-follows = Você recebe um e-mail quando há novidades.
changelog-follows-not = Receba um e-mail quando houver novidades.
changelog-start = Receber e-mails
changelog-stop = Parar de receber e-mails

# Help center.
help-title = Como podemos ajudar?
help-text = Respostas e instruções.
search-help = Buscar na central de ajuda
found-for = Resultados para “{ $text }”
help-nothing = Tente outras palavras ou explore as coleções.
no-articles-title = Ainda não há artigos
no-articles-text = Os artigos aparecerão aqui.
contents = Conteúdo
updated = Atualizado em { $date }
helpful = Isto foi útil?
related = Artigos relacionados
before = Anterior
behind = Próximo

# Search.
search-all = Buscar ideias e artigos

# People and the account.
since = Aqui desde { $date }
profile-empty = Nada que você possa ver.
account = Sua conta
name = Nome
email = Endereço de e-mail
language-browser = O mesmo do navegador
account-mail = Enviar e-mails para mim sobre o que acompanho e sobre novidades
data = Seus dados
data-text = Um arquivo com tudo o que está guardado sobre você, ou o fim da sua conta.
data-export = Baixar
data-delete = Excluir minha conta
delete-account-text = Seu nome, seu endereço e tudo o mais sobre você são removidos para sempre.
delete-account-keep = Manter minhas ideias, comentários e votos, sem meu nome
delete-account-all = Excluí-los também
sessions = Suas sessões abertas
sessions-text = Encerre as que você não reconhece.
session-seen = Último uso em { $date }
session-this = este navegador
session-end = Encerrar
sessions-end = Encerrar todas as outras

# Signing in.
sign-in-title = Entrar em { $name }
sign-in-text = Enviamos a você um e-mail com um link e um código. Não há senha.
sign-in-draft = Entre para publicar sua ideia. Ela fica guardada enquanto isso.
sign-in-submit = Receber o e-mail
sign-in-off = A entrada por e-mail está desativada aqui.
sso-submit = Entrar com { $name }
sso-text = Entre com a sua conta de { $name }.
sso-title = Não foi possível entrar
sso-state = A entrada demorou demais ou começou em outro navegador. Comece de novo.
sso-token = A prova enviada por { $name } não é válida. Comece de novo. Se isso se repetir, informe isto à equipe:
sso-team = Este endereço pertence a um membro da equipe. Membros da equipe não entram desta forma.
code-title = Confira seu e-mail
code-text = Enviamos um e-mail para { $email }. Abra o link que está nele ou digite o código aqui. Ambos valem por dez minutos.
code = Código
code-hint = Nenhum e-mail? Confira a pasta de spam.
code-again = Enviar outro
code-wrong = { $count ->
    [one] Este não é o código. Você tem mais { $shown } tentativa.
   *[other] Este não é o código. Você tem mais { $shown } tentativas.
 }
code-gone = O código não é mais válido. Peça um novo.
link-text = Um clique e você entra.
link-gone = Este link já foi usado ou é antigo demais. Peça um novo.
mail-subject = Entrar em { $name }
mail-intro = Você quer entrar em { $name }.
mail-code = Digite este código no navegador em que você o pediu:
mail-link = Ou abra este link e clique no botão:
mail-end = Ambos valem uma única vez, por dez minutos. Se você não pediu isto, ignore este e-mail.

# Faults.
gone-title = Não há nada aqui
gone-text = A página não existe ou você não pode vê-la. Talvez seja preciso entrar.
form-title = Este formulário expirou
form-text = Volte, recarregue a página e envie mais uma vez. O que você escreveu ainda está no seu navegador.
refused-title = Isto não é possível
refused = A página mudou nesse meio-tempo. Recarregue-a.
refused-blocked = A equipe bloqueou esta conta.
refused-voting = Este quadro não aceita votos.
refused-commenting = Este quadro não aceita comentários.
refused-merged = Esta ideia foi unida a outra.
busy-title = Um momento, por favor
busy-text = Há muita atividade agora. Tente de novo em alguns segundos.
broken-title = Algo deu errado
broken-text = A falha é nossa e foi registrada. Tente de novo daqui a pouco.
limited-title = Solicitações demais
limited-text = Espere um minuto e tente de novo.
large-title = O texto é longo demais
large-text = Encurte o que você escreveu e envie de novo.
