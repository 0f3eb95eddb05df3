# The frame of all pages.
skip = Ir al contenido
nav-sections = Secciones
nav-account = Cuenta
nav-trail = Estás aquí
nav-around = Otros artículos
tab-feedback = Sugerencias
tab-roadmap = Hoja de ruta
tab-changelog = Novedades
tab-help = Ayuda
search = Buscar
sign-in = Iniciar sesión
sign-out = Cerrar sesión
language = Idioma
language-choose = Elegir
powered = Hecho con { $product }
date = { $day } de { $month ->
    [1] enero
    [2] febrero
    [3] marzo
    [4] abril
    [5] mayo
    [6] junio
    [7] julio
    [8] agosto
    [9] septiembre
    [10] octubre
    [11] noviembre
   *[12] diciembre
 } de { $year }
someone = Alguien que ya no está
save = Guardar
cancel = Cancelar
edit = Editar
delete = Eliminar
copy = Copiar
copied = Copiado
yes = Sí
no = No
more = Mostrar más
to-start = Ir a la primera página

# What the visitor has done.
done-posted = Tu idea está publicada. Recibirás un correo cuando cambie su estado.
done-waits = Gracias. El equipo lo revisará antes de que otros lo vean.
done-commented = Tu comentario está publicado.
done-saved = Guardado.
done-deleted = Eliminado.
done-signed-in = Has iniciado sesión.
done-signed-out = Has cerrado sesión.
done-thanks = Gracias por tu respuesta.
done-voted = Tu voto cuenta.
done-same = Esto se envió hace un momento. Aquí está.
done-again = Has vuelto a iniciar sesión desde que se abrió este formulario. Lo que escribiste sigue aquí: envíalo otra vez.
done-not = Has iniciado sesión, pero lo que enviaste ya no es posible.

# Boards and lists of posts.
home-title = ¿Qué deberíamos crear ahora?
home-text = Cuéntanos qué te ayudaría. Lo leemos todo.
boards = Tableros
boards-all = Todos los tableros
posts = Ideas
sort = Orden
sort-top = Más votadas
sort-trending = En tendencia
sort-new = Nuevas
tags = Etiquetas
status = Estado
category = Categoría
category-none = Sin categoría
filter = Filtrar
filter-all = Todo
filter-reset = Mostrar todo
search-posts = Buscar ideas
new-idea = Compartir una idea
no-boards-title = Aún no hay nada que ver
no-boards = No hay ningún tablero abierto para ti. Si tienes una cuenta, inicia sesión.
no-boards-team = Las ideas se reúnen en tableros. Crea el primero con la API: POST /feedback-boards/create.
empty-how = Ver cómo se hace
empty-boards = Ver las ideas
no-posts-title = Aún no hay ideas
no-posts-text = Sé la primera persona en decir qué falta.
no-posts-team = Escribe tú la primera idea o enlaza esta página desde tu producto.
nothing-found = Sin resultados
nothing-found-text = Prueba con otras palabras o con menos filtros.
pinned = Fijada
waits = Pendiente del equipo
waits-text = Hasta que se acepte, esto solo es visible para ti y para el equipo.
comments = { $count ->
    [0] Sin comentarios
    [one] { $shown } comentario
   *[other] { $shown } comentarios
 }
votes = { $count ->
    [one] { $shown } voto
   *[other] { $shown } votos
 }
vote-for = Votar por «{ $title }»
votes-closed = La votación está cerrada

# A post.
official = Respuesta oficial
eta = Previsto para el { $date }
comment = Añadir un comentario
comment-submit = Comentar
comment-sign-in = Inicia sesión para comentar
more-comments = Mostrar más comentarios
reply = Responder
reply-submit = Responder
markdown = Puedes usar Markdown.
voters = { $count ->
    [one] { $shown } persona quiere esto
   *[other] { $shown } personas quieren esto
 }
voters-title = Personas que quieren esto
follow = Mantenerme al tanto
follow-all = Todo
follow-status = Solo el estado
follow-none = Nada
follow-all-text = Recibes un correo por cada comentario y cada cambio de estado.
follow-status-text = Recibes un correo cuando cambia el estado.
follow-none-text = No recibes correos sobre esto.
status-history = Historial de estado
merged = Fusionado con esta
share = Compartir

# Writing.
new-title = Compartir una idea
edit-title = Editar tu idea
edit-comment = Editar tu comentario
new-submit = Publicar la idea
new-sign-in = Iniciarás sesión en el siguiente paso. No se pierde nada.
title = Título
title-hint = Una idea en una frase corta.
details = Detalles
preview = Vista previa
preview-back = Escribir
similar = Ideas parecidas
similar-text = ¿Está la tuya entre ellas? Un voto vale más que una idea repetida.
faults = Revisa lo siguiente:
fault-title-missing = Escribe un título.
fault-comment-missing = Primero escribe algo.
fault-too-long = Es demasiado largo: caben { $shown } caracteres como máximo.
fault-category = Esta categoría ya no existe. Elige otra.
fault-no-status = El equipo aún no lo ha configurado: no hay un estado para las ideas nuevas.
fault-email = Esto no es una dirección de correo. Debe ser como name@example.com.
fault-name = Escribe tu nombre.
delete-post-title = ¿Eliminar esta idea?
delete-post-text = «{ $title }» desaparecerá para todos.
delete-comment-title = ¿Eliminar este comentario?

# Roadmap.
roadmap-text = En qué estamos trabajando y qué viene después.
roadmap-columns = Columnas
roadmap-by-status = Por estado
roadmap-by-eta = Por fecha
term-earlier = Antes
term-quarter = T{ $quarter } { $year }
term-later = Más adelante
no-plans-title = Aún no hay planes
no-plans-text = Cuando el equipo planee algo, aparecerá aquí.
no-plans-team = Muestra lo que planeas. Añade el primer plan con la API: POST /roadmap-posts/create. La hoja de ruta debe mostrar su estado.
linked = { $count ->
    [one] { $shown } idea de origen
   *[other] { $shown } ideas de origen
 }

# Changelog.
changelog-text = Lo nuevo, lo mejorado y lo corregido.
entry-new = Nuevo
entry-improvement = Mejorado
entry-fixed = Corregido
entry-posts = Ideas de origen
labels = Etiquetas
no-entries-title = Aún no hay nada publicado
no-entries-text = Las nuevas versiones se anunciarán aquí.
no-entries-team = Anuncia las novedades. Publica la primera con la API: POST /changelog/create.
more-entries = Entradas anteriores
changelog-follow = Mantente al día
changelog-follows = Recibes un correo cuando hay algo nuevo.
changelog-follows-not = Recibe un correo cuando haya algo nuevo.
changelog-start = Recibir correos
changelog-stop = Dejar de recibir correos

# Help center.
help-title = ¿En qué podemos ayudarte?
help-text = Respuestas e instrucciones.
search-help = Buscar en el centro de ayuda
found-for = Resultados de «{ $text }»
help-nothing = Prueba con otras palabras o explora las colecciones.
no-articles-title = Aún no hay artículos
no-articles-text = Los artículos aparecerán aquí.
no-articles-team = Responde a lo que se pregunta a menudo. Publica el primer artículo con la API: POST /help-articles/create.
contents = Contenido
updated = Actualizado el { $date }
helpful = ¿Te ha resultado útil?
related = Artículos relacionados
before = Anterior
behind = Siguiente

# Search.
search-all = Buscar ideas y artículos

# People and the account.
since = Aquí desde el { $date }
profile-empty = Nada que puedas ver.
account = Tu cuenta
name = Nombre
email = Dirección de correo
language-browser = El del navegador
account-mail = Enviarme correos sobre lo que sigo y las novedades
data = Tus datos
data-text = Un archivo con todo lo que está guardado sobre ti, o el fin de tu cuenta.
data-export = Descargar
data-delete = Eliminar mi cuenta
delete-account-text = Tu nombre, tu dirección y todo lo demás sobre ti se eliminan para siempre.
delete-account-keep = Conservar mis ideas, comentarios y votos, sin mi nombre
delete-account-all = Eliminarlos también
sessions = Tus sesiones abiertas
sessions-text = Cierra las que no reconozcas.
session-seen = Último uso: { $date }
session-this = este navegador
session-end = Cerrar
sessions-end = Cerrar todas las demás

# Guests, and spam.
guest = Invitado
guest-alone = Escribes como invitado. Inicia sesión más tarde en este navegador y será tuyo.
guest-mail = Te enviamos un correo. Lo que envíes aquí cuenta en cuanto lo confirmes.
guest-account = ¿Tienes una cuenta?
trap = Deja este campo vacío
doubt-trap = Se rellenó un campo oculto, como hacen los programas. Todo lo que escribiste sigue aquí: envíalo otra vez.
doubt-fast = Eso fue muy rápido. Revisa lo que escribiste y envíalo otra vez.
doubt-old = Esta página estuvo abierta demasiado tiempo. Todo lo que escribiste sigue aquí: envíalo otra vez.
doubt-limited = Se acaba de enviar mucho desde tu red. Todo lo que escribiste sigue aquí: espera un minuto y envíalo otra vez.
act-submit = Enviarme el correo
act-vote = Votar por «{ $title }»
act-vote-text = No necesitas cuenta: te enviamos un correo y tu voto cuenta en cuanto lo confirmes.
act-follow = Seguir «{ $title }»
act-follow-text = Recibes un correo con cada comentario y cada cambio de estado.
act-follow-open = Recibir correos
act-changelog-text = No necesitas una cuenta: te enviamos un correo. En cuanto confirmes tu dirección, recibirás uno cuando haya algo nuevo.
act-code-text = Hemos enviado un correo a { $email }. Abre el enlace que contiene o escribe el código aquí. Ambos son válidos durante 24 horas.
act-confirm = Confirmar
act-link-title = ¿Es tuyo?
act-link-text = Confírmalo y contará. Además iniciarás sesión. Si no es tuyo, cierra esta página.
act-is-post = Tu idea
act-is-comment = Tu comentario
act-is-vote = Tu voto por
act-is-follow = Correos sobre
mail-act-subject = Confirma lo que enviaste a { $name }
mail-act-intro = Has escrito o votado en { $name }. Cuenta en cuanto lo confirmes.
mail-changelog-subject = Confirma que quieres recibir correos de { $name }
mail-changelog-intro = Quieres un correo cuando haya algo nuevo en { $name }. Llegará en cuanto confirmes tu dirección.
mail-act-end = Ambos son válidos una sola vez, durante 24 horas. Si no fuiste tú, ignora este correo: no pasará nada.

# Signing in.
sign-in-title = Iniciar sesión en { $name }
sign-in-text = Te enviamos un correo con un enlace y un código. No hay contraseña.
sign-in-draft = Inicia sesión para enviar lo que escribiste. Mientras tanto, se conserva.
sign-in-submit = Recibir el correo
sign-in-off = El inicio de sesión por correo está desactivado aquí.
sso-submit = Iniciar sesión con { $name }
sso-text = Inicia sesión con tu cuenta de { $name }.
sso-title = No se pudo iniciar sesión
sso-state = El inicio de sesión tardó demasiado o comenzó en otro navegador. Empieza de nuevo.
sso-token = La prueba que envió { $name } no es válida. Empieza de nuevo. Si vuelve a ocurrir, comunica esto al equipo:
sso-team = Esta dirección pertenece a un miembro del equipo. Los miembros del equipo no inician sesión de esta forma.
password = Contraseña
sign-in-password = Inicia sesión con tu dirección y tu contraseña.
sign-in-both = Inicia sesión con tu contraseña, o con un correo que lleva un enlace y un código.
password-missing = Escribe tu contraseña o elige el correo.
password-wrong = La dirección o la contraseña no es correcta.
password-too-many = Ha habido demasiados intentos. Espera diez minutos o inicia sesión por correo.
password-text = Con una contraseña inicias sesión sin correo.
password-open = Poner o cambiar la contraseña
password-present = Contraseña actual
password-present-wrong = Esta no es tu contraseña actual.
password-new = Contraseña nueva
password-others = Si cambia, tus otras sesiones terminan.
password-personal = Tu nombre y tu dirección son lo primero que otros prueban. Elige otra cosa.
password-common = Muchas personas tienen esta contraseña. Elige otra.
password-save = Guardar la contraseña
password-remove = Quitar la contraseña
password-proof = Antes de poner una contraseña, demuestra que esta dirección es tuya: inicia sesión por correo otra vez.
password-forgot = ¿Has olvidado la contraseña? Inicia sesión por correo otra vez y pon una nueva.
password-ask = Para poner una contraseña nueva, pide una invitación al equipo.
or = o
oidc-submit = Continuar con { $name }
oidc-failed = { $name } no ha iniciado tu sesión. Empieza de nuevo. Si vuelve a ocurrir, díselo al equipo:
oidc-refused = No has iniciado sesión en { $name }. Empieza de nuevo o elige otra forma.
oidc-no-email = { $name } no nos ha dado tu dirección de correo. Permítelo allí o inicia sesión de otra forma.
oidc-unverified = { $name } no ha confirmado tu dirección de correo. Confírmala allí y empieza de nuevo.
link-address = Inicias sesión como { $email }.
password-short = Usa al menos { $shown } caracteres. Una frase corta es una buena contraseña.
code-title = Mira tu correo
code-text = Hemos enviado un correo a { $email }. Abre el enlace que contiene o escribe el código aquí. Ambos son válidos durante diez minutos.
code = Código
code-hint = ¿No te ha llegado? Mira en la carpeta de spam.
code-again = Enviar otro
code-wrong = { $count ->
    [one] Este no es el código. Te queda { $shown } intento.
   *[other] Este no es el código. Te quedan { $shown } intentos.
 }
code-gone = El código ya no es válido. Pide uno nuevo.
link-text = Un clic y ya estás dentro.
link-gone = Este enlace ya se ha usado o es demasiado antiguo. Pide uno nuevo.
mail-subject = Iniciar sesión en { $name }
mail-intro = Quieres iniciar sesión en { $name }.
mail-code = Escribe este código en el navegador en el que lo pediste:
mail-link = O abre este enlace y pulsa el botón:
mail-end = Ambos son válidos una sola vez, durante diez minutos. Si no lo has pedido tú, ignora este correo.

# Faults.
gone-title = Aquí no hay nada
gone-text = La página no existe o no puedes verla. Quizá tengas que iniciar sesión.
form-title = Este formulario ha caducado
form-text = Vuelve atrás, recarga la página y envíalo otra vez.
refused-title = Esto no es posible
refused = La página ha cambiado entretanto. Recárgala.
refused-blocked = El equipo ha bloqueado esta cuenta.
refused-voting = Este tablero no admite votos.
refused-commenting = Este tablero no admite comentarios.
refused-merged = Esta idea se ha combinado con otra.
no-organization-title = Aún no hay ninguna organización
no-organization-text = Hearback funciona, pero todavía no tiene ninguna organización que mostrar. Crea la primera en el servidor:
busy-title = Un momento, por favor
busy-text = Ahora mismo hay mucha actividad. Inténtalo de nuevo en unos segundos.
broken-title = Algo ha salido mal
broken-text = El fallo es nuestro y ha quedado registrado. Inténtalo de nuevo en un momento.
limited-title = Demasiadas solicitudes
limited-text = Espera un minuto e inténtalo de nuevo.
large-title = Es demasiado largo
large-text = Acorta lo que escribiste y envíalo otra vez.

# Notifications, and mails about what happens.
notices = Notificaciones
notices-unread = { $count ->
    [one] { $shown } sin leer
   *[other] { $shown } sin leer
 }
notices-read-all = Marcar todo como leído
notices-none = Nada nuevo
notices-none-text = Cuando cambie una idea que sigues, lo verás aquí.
notices-choose = Elegir qué recibes por correo
notice-new = Nuevo
notice-read = Marcar como leído
notice-gone = Esto ya no está disponible.
done-address-asked = Hemos enviado un correo a la nueva dirección. Abre el enlace para confirmarla.
done-address = Tu dirección se ha cambiado.
done-mail-sent = El servidor de correo ha aceptado el correo de prueba. Mira tu bandeja de entrada.
mail-trouble = El servidor de correo no acepta nuestros correos. Mira qué responde.
mail-trouble-text = El último correo no se envió. Esta es la respuesta:
mail-server = Servidor de correo
mail-server-text = No se conoce ningún problema.
mail-test = Enviarme una prueba
mail-test-subject = { $name }: correo de prueba
mail-test-text = Este correo ha llegado: el servidor de correo funciona.
mail-test-end = La pediste en tu cuenta de { $name }.
mail = Correo
post-mail = Sobre las ideas que sigo
post-mail-instant = Al momento, un correo por cambio
post-mail-daily = Una vez al día
post-mail-weekly = Una vez por semana, el lunes
post-mail-off = Nunca
changelog-mail = Enviarme también las novedades
address-text = Enviamos un enlace a la nueva dirección. Vale cuando la hayas confirmado.
address-change = Cambiar la dirección
address-confirm = Confirmar la dirección
address-confirm-text = Desde ahora entras con esta dirección y los correos llegan a ella. La sesión sigue abierta aquí y en ningún otro sitio.
address-taken = Otra cuenta tiene esta dirección.
address-gone = Este enlace ya se usó o es demasiado antiguo. Cambia la dirección otra vez.
mail-address-subject = { $name }: confirma tu dirección
mail-address = Quieres usar esta dirección para tu cuenta de { $name }. Abre este enlace en el navegador en el que iniciaste sesión y pulsa el botón:
mail-address-end = El enlace vale una vez, durante diez minutos. Si no lo pediste, ignora este correo.
mail-moved-subject = { $name }: tu dirección se ha cambiado
mail-moved = Tu cuenta de { $name } tiene ahora otra dirección. Los correos llegan a ella y no a esta.
mail-moved-end = Si no fuiste tú, avisa al equipo enseguida.
news-status = { $title } ahora está { $status }
news-comment = Comentario en { $title }
news-comment-by = { $name } comentó { $title }
news-merged = { $old } se ha unido a { $title }
news-accepted = { $title } se ha aceptado
news-owner = { $title } ahora es tuya
news-queue = Hay contenido que espera moderación
news-digest = { $count ->
    [one] { $shown } cambio
   *[other] { $shown } cambios
 }
mail-status = El estado ahora es { $status }.
mail-comment = Un comentario:
mail-comment-by = { $name }:
mail-merged = { $old }, que sigues, se ha unido a esta idea. Los votos cuentan aquí desde ahora.
mail-accepted = Tu idea se ha aceptado. Los demás ya pueden verla, votar y comentar.
mail-owner = Ahora eres responsable de esta idea.
mail-queue = Hay ideas o comentarios que esperan a que alguien del equipo los acepte o los rechace.
mail-why-news = Recibes esto porque estás suscrito a las novedades de { $name }.
mail-why-post = Recibes esto porque sigues ideas en { $name }.
mail-why-you = Recibes esto porque te afecta en { $name }.
mail-why-team = Recibes esto como miembro del equipo de { $name }.
mail-unfollow = Dejar de seguir esta idea
mail-unfollow-changelog = Cancelar los correos de novedades
mail-unsubscribe = Cancelar todos los correos
mail-choose = Elegir qué recibes
stop-title = Hecho
stop-all = No recibirás más correos de { $name }.
stop-changelog = No recibirás más correos cuando haya algo nuevo en { $name }. Los demás correos siguen llegando.
stop-post = No sabrás nada más de esta idea en { $name }. Los demás correos siguen llegando.

image = Imagen
image-file = Archivo
image-hint = PNG, JPEG, GIF, WebP o AVIF, hasta { $shown } MB.
image-add = Añadir al texto
image-drop = Arrastra o pega imágenes en el texto.
image-wait = Subiendo la imagen…
image-done = La imagen está en el texto.
image-failed = No se pudo subir la imagen.
picture = Foto
picture-use = Usar esta foto
picture-remove = Quitar la foto
fault-image-missing = Elige primero un archivo.
fault-image-large = El archivo es demasiado grande. El máximo es de { $shown } MB.
fault-image-pixels = La imagen tiene demasiados píxeles. El máximo es de { $shown } millones: redúcela.
fault-image-format = El archivo no es una imagen de un tipo conocido. Usa PNG, JPEG, GIF, WebP o AVIF.
fault-image-broken = La imagen está dañada. Guárdala de nuevo o elige otra.
fault-image-full = Ya no queda espacio para imágenes aquí. Avisa al equipo, por favor.
fault-image-busy = Están llegando demasiadas imágenes en este momento. Inténtalo de nuevo en breve.
