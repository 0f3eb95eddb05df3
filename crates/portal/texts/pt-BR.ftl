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
done-voted = Seu voto conta.
done-same = Isto foi enviado há um momento. Aqui está.
done-again = Você entrou de novo depois que este formulário foi aberto. O que você escreveu ainda está aqui: envie mais uma vez.
done-not = Você entrou, mas o que enviou não é mais possível.

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
tags = Etiquetas
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
no-boards-team = As ideias ficam em quadros. Crie o primeiro com a API: POST /feedback-boards/create.
empty-how = Ver como se faz
empty-boards = Ver as ideias
no-posts-title = Ainda não há ideias
no-posts-text = Seja a primeira pessoa a dizer o que falta.
no-posts-team = Escreva você a primeira ideia ou coloque um link para esta página no seu produto.
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
roadmap-columns = Colunas
roadmap-by-status = Por status
roadmap-by-eta = Por data
term-earlier = Antes
term-quarter = { $quarter }º trimestre de { $year }
term-later = Mais tarde
no-plans-title = Ainda não há planos
no-plans-text = Quando a equipe planejar algo, aparecerá aqui.
no-plans-team = Mostre o que você planeja. Adicione o primeiro plano com a API: POST /roadmap-posts/create. O roadmap precisa mostrar o status dele.
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
no-entries-team = Anuncie as novidades. Publique a primeira com a API: POST /changelog/create.
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
no-articles-team = Responda ao que perguntam com frequência. Publique o primeiro artigo com a API: POST /help-articles/create.
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

# Guests, and spam.
guest = Convidado
guest-alone = Você escreve como convidado. Entre mais tarde neste navegador e será seu.
guest-mail = Enviamos um e-mail a você. O que você envia aqui conta assim que você confirmar.
guest-account = Você tem uma conta?
trap = Deixe este campo vazio
doubt-trap = Um campo oculto foi preenchido, como fazem os programas. Tudo o que você escreveu continua aqui: envie mais uma vez.
doubt-fast = Isso foi muito rápido. Revise o que escreveu e envie mais uma vez.
doubt-old = Esta página ficou aberta por tempo demais. Tudo o que você escreveu continua aqui: envie mais uma vez.
doubt-limited = Muita coisa acabou de ser enviada da sua rede. Tudo o que você escreveu continua aqui: espere um minuto e envie mais uma vez.
act-submit = Enviar o e-mail
act-vote = Votar em “{ $title }”
act-vote-text = Você não precisa de conta: enviamos um e-mail, e seu voto conta assim que você confirmar.
act-follow = Acompanhar “{ $title }”
act-follow-text = Você recebe um e-mail a cada comentário e a cada mudança de status.
act-follow-open = Receber e-mails
act-changelog-text = Você não precisa de conta: enviamos um e-mail a você. Assim que confirmar seu endereço, você recebe um quando houver novidades.
act-code-text = Enviamos um e-mail para { $email }. Abra o link que está nele ou digite o código aqui. Ambos valem por 24 horas.
act-confirm = Confirmar
act-link-title = Isto é seu?
act-link-text = Confirme, e passa a contar. Você também entra na conta. Se não for seu, feche esta página.
act-is-post = Sua ideia
act-is-comment = Seu comentário
act-is-vote = Seu voto em
act-is-follow = E-mails sobre
mail-act-subject = Confirme o que você enviou a { $name }
mail-act-intro = Você escreveu ou votou em { $name }. Isso conta assim que você confirmar.
mail-changelog-subject = Confirme que você quer receber e-mails de { $name }
mail-changelog-intro = Você quer um e-mail quando houver novidades em { $name }. Ele chega assim que você confirmar seu endereço.
mail-act-end = Ambos valem uma única vez, por 24 horas. Se não foi você, ignore este e-mail: nada acontece.

# Signing in.
sign-in-title = Entrar em { $name }
sign-in-text = Enviamos a você um e-mail com um link e um código. Não há senha.
sign-in-draft = Entre para enviar o que você escreveu. O texto fica guardado enquanto isso.
sign-in-submit = Receber o e-mail
sign-in-off = A entrada por e-mail está desativada aqui.
sso-submit = Entrar com { $name }
sso-text = Entre com a sua conta de { $name }.
sso-title = Não foi possível entrar
sso-state = A entrada demorou demais ou começou em outro navegador. Comece de novo.
sso-token = A prova enviada por { $name } não é válida. Comece de novo. Se isso se repetir, informe isto à equipe:
sso-team = Este endereço pertence a um membro da equipe. Membros da equipe não entram desta forma.
password = Senha
sign-in-password = Entre com seu endereço e sua senha.
sign-in-both = Entre com sua senha ou por um e-mail com um link e um código.
password-missing = Digite sua senha ou escolha o e-mail.
password-wrong = O endereço ou a senha está incorreto.
password-too-many = Houve tentativas demais. Espere dez minutos ou entre por e-mail.
password-text = Com uma senha, você entra sem e-mail.
password-open = Definir ou alterar a senha
password-present = Senha atual
password-present-wrong = Esta não é sua senha atual.
password-new = Nova senha
password-others = Quando ela muda, suas outras sessões terminam.
password-personal = Seu nome e seu endereço são o que outros tentam primeiro. Escolha outra coisa.
password-common = Muitas pessoas têm esta senha. Escolha outra.
password-save = Salvar a senha
password-remove = Remover a senha
password-proof = Antes de definir uma senha, mostre que este endereço é seu: entre por e-mail mais uma vez.
password-forgot = Esqueceu a senha? Entre por e-mail mais uma vez e defina uma nova.
password-ask = Para definir uma nova senha, peça um convite à equipe.
or = ou
oidc-submit = Continuar com { $name }
oidc-failed = { $name } não fez seu login. Comece de novo. Se acontecer outra vez, avise a equipe:
oidc-refused = Você não entrou em { $name }. Comece de novo ou escolha outro caminho.
oidc-no-email = { $name } não nos informou seu endereço de e-mail. Permita isso lá ou entre de outra forma.
oidc-unverified = { $name } não confirmou seu endereço de e-mail. Confirme-o lá e comece de novo.
link-address = Você entra como { $email }.
password-short = Use pelo menos { $shown } caracteres. Uma frase curta é uma boa senha.
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
form-text = Volte, recarregue a página e envie mais uma vez.
refused-title = Isto não é possível
refused = A página mudou nesse meio-tempo. Recarregue-a.
refused-blocked = A equipe bloqueou esta conta.
refused-voting = Este quadro não aceita votos.
refused-commenting = Este quadro não aceita comentários.
refused-merged = Esta ideia foi unida a outra.
no-organization-title = Ainda não há nenhuma organização
no-organization-text = O Hearback está funcionando, mas ainda não tem nenhuma organização para mostrar. Crie a primeira no servidor:
busy-title = Um momento, por favor
busy-text = Há muita atividade agora. Tente de novo em alguns segundos.
broken-title = Algo deu errado
broken-text = A falha é nossa e foi registrada. Tente de novo daqui a pouco.
limited-title = Solicitações demais
limited-text = Espere um minuto e tente de novo.
large-title = O texto é longo demais
large-text = Encurte o que você escreveu e envie de novo.

# Notifications, and mails about what happens.
notices = Notificações
notices-unread = { $count ->
    [one] { $shown } não lida
   *[other] { $shown } não lidas
 }
notices-read-all = Marcar tudo como lido
notices-none = Nada de novo
notices-none-text = Quando algo mudar em uma ideia que você segue, aparecerá aqui.
notices-choose = Escolher o que você recebe por e-mail
notice-new = Novo
notice-read = Marcar como lido
notice-gone = Isto não está mais disponível.
done-address-asked = Enviamos um e-mail ao novo endereço. Abra o link nele para confirmar.
done-address = Seu endereço foi alterado.
done-mail-sent = O servidor de e-mail aceitou a mensagem de teste. Veja sua caixa de entrada.
mail-trouble = O servidor de e-mail não aceita nossas mensagens. Veja o que ele diz.
mail-trouble-text = A última mensagem não foi enviada. Esta é a resposta:
mail-server = Servidor de e-mail
mail-server-text = Nenhum problema conhecido.
mail-test = Enviar-me um teste
mail-test-subject = { $name }: mensagem de teste
mail-test-text = Esta mensagem chegou: o servidor de e-mail funciona.
mail-test-end = Você a pediu na sua conta em { $name }.
mail = E-mail
post-mail = Sobre ideias que sigo
post-mail-instant = Na hora, uma mensagem por mudança
post-mail-daily = Uma vez por dia
post-mail-weekly = Uma vez por semana, na segunda-feira
post-mail-off = Nunca
changelog-mail = Enviar-me também as novidades
address-text = Enviamos um link ao novo endereço. Ele vale depois que você confirmar.
address-change = Alterar o endereço
address-confirm = Confirmar o endereço
address-confirm-text = A partir de agora você entra com este endereço, e os e-mails vão para ele. Você continua conectado aqui, e em nenhum outro lugar.
address-taken = Outra conta tem este endereço.
address-gone = Este link já foi usado ou é antigo demais. Altere o endereço de novo.
mail-address-subject = { $name }: confirme seu endereço
mail-address = Você quer usar este endereço na sua conta em { $name }. Abra este link no navegador em que está conectado e pressione o botão:
mail-address-end = O link vale uma vez, por dez minutos. Se você não pediu isto, ignore esta mensagem.
mail-moved-subject = { $name }: seu endereço foi alterado
mail-moved = Sua conta em { $name } tem outro endereço a partir de agora. Os e-mails vão para ele, e não para este.
mail-moved-end = Se não foi você, avise a equipe imediatamente.
news-status = { $title } agora está { $status }
news-comment = Comentário em { $title }
news-comment-by = { $name } comentou em { $title }
news-merged = { $old } foi unida a { $title }
news-accepted = { $title } foi aceita
news-owner = { $title } agora é sua
news-queue = Há conteúdo à espera de moderação
news-digest = { $count ->
    [one] { $shown } mudança
   *[other] { $shown } mudanças
 }
mail-status = O status agora é { $status }.
mail-comment = Um comentário:
mail-comment-by = { $name }:
mail-merged = { $old }, que você segue, foi unida a esta ideia. Os votos contam aqui a partir de agora.
mail-accepted = Sua ideia foi aceita. Os outros já podem vê-la, votar e comentar.
mail-owner = Agora você é responsável por esta ideia.
mail-queue = Ideias ou comentários esperam até que alguém da equipe os aceite ou rejeite.
mail-why-news = Você recebe isto porque assina as novidades de { $name }.
mail-why-post = Você recebe isto porque segue ideias em { $name }.
mail-why-you = Você recebe isto porque diz respeito a você em { $name }.
mail-why-team = Você recebe isto como membro da equipe de { $name }.
mail-unfollow = Deixar de seguir esta ideia
mail-unfollow-changelog = Cancelar os e-mails de novidades
mail-unsubscribe = Cancelar todos os e-mails
mail-choose = Escolher o que você recebe
stop-title = Pronto
stop-all = Você não receberá mais e-mails de { $name }.
stop-changelog = Você não receberá mais e-mails quando houver novidades em { $name }. Os outros e-mails continuam chegando.
stop-post = Você não terá mais notícias desta ideia em { $name }. Os outros e-mails continuam chegando.

image = Imagem
image-file = Arquivo
image-hint = PNG, JPEG, GIF, WebP ou AVIF, até { $shown } MB.
image-add = Adicionar ao texto
image-drop = Arraste ou cole imagens no texto.
image-wait = Enviando a imagem…
image-done = A imagem está no texto.
image-failed = Não foi possível enviar a imagem.
picture = Foto
picture-use = Usar esta foto
picture-remove = Remover a foto
fault-image-missing = Escolha um arquivo primeiro.
fault-image-large = O arquivo é grande demais. O máximo é { $shown } MB.
fault-image-pixels = A imagem tem pixels demais. O máximo é { $shown } milhões: reduza-a.
fault-image-format = O arquivo não é uma imagem de um tipo conhecido. Use PNG, JPEG, GIF, WebP ou AVIF.
fault-image-broken = A imagem está danificada. Salve-a de novo ou escolha outra.
fault-image-full = Não há mais espaço para imagens aqui. Avise a equipe, por favor.
fault-image-busy = Há imagens demais chegando neste momento. Tente de novo em instantes.
