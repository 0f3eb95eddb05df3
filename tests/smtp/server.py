"""A mail server for tests, on a free port of the loopback interface.

The first line of output is the port, as JSON. Each line of input is a command, a JSON array. The
server answers it with one line:

    ["behave", STAGE, BEHAVIOUR]  sets the behaviour at a stage (connect, mail, rcpt, data, end):
                                  "accept", "drop" (the connection), "hang" (without an answer), or
                                  the answer, such as "550 5.1.1 unknown"
    ["hung"]                      waits until a client hangs
    ["received"]                  returns the mails that were accepted
    ["connections"]               returns the number of connections so far
    ["close"]                     closes the connections

The server ends when its input ends.
"""

import argparse
import asyncio
import email
import email.policy
import json
import logging
import os
import ssl
import sys
import threading
import traceback
import warnings

from aiosmtpd.smtp import SMTP, AuthResult


class Server:
    """The state that all connections share."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.behaviours = {}
        self.received = []
        self.connections = 0
        self.transports = set()
        self.hung = asyncio.Event()
        self.tls = None
        if arguments.tls:
            self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.tls.load_cert_chain(arguments.certificate)

    async def start(self):
        loop = asyncio.get_running_loop()
        implicit = self.tls if self.arguments.tls == "implicit" else None
        server = await loop.create_server(self.connection, "127.0.0.1", 0, ssl=implicit)
        return server.sockets[0].getsockname()[1]

    def connection(self):
        arguments = self.arguments
        return Connection(
            self,
            ident="Tests",
            hostname="mail.example",
            enable_SMTPUTF8=arguments.utf8,
            tls_context=self.tls if arguments.tls == "starttls" else None,
            authenticator=self.authenticate if arguments.user else None,
            auth_required=bool(arguments.user),
            auth_require_tls=False,
            auth_exclude_mechanism=arguments.without,
        )

    def authenticate(self, server, session, envelope, mechanism, data):
        user, password = data.login.decode(), data.password.decode()
        if (user, password) == (self.arguments.user, self.arguments.password):
            return AuthResult(success=True, auth_data=user)
        # Some servers repeat the password.
        return AuthResult(success=False, handled=False, message=f"535 5.7.8 not {user} with {password}")

    async def come_of(self, stage, connection, answer):
        """Returns the answer at a stage: `answer`, unless the test set another behaviour."""
        behaviour = self.behaviours.get(stage, "accept")
        if behaviour == "accept":
            return answer
        if behaviour == "drop":
            connection.transport.abort()
        elif behaviour == "hang":
            self.hung.set()
        else:
            return behaviour
        await asyncio.Event().wait()

    async def handle_MAIL(self, connection, session, envelope, address, options):
        answer = await self.come_of("mail", connection, "250 OK")
        if answer.startswith("250"):
            envelope.mail_from = address
            envelope.mail_options.extend(options)
        return answer

    async def handle_RCPT(self, connection, session, envelope, address, options):
        answer = await self.come_of("rcpt", connection, "250 OK")
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, connection, session, envelope):
        answer = await self.come_of("end", connection, "250 OK")
        if answer.startswith("250"):
            self.received.append(received(connection, session, envelope))
        return answer


class Connection(SMTP):
    def __init__(self, server, **options):
        super().__init__(server, **options)
        self.server = server
        server.connections += 1
        self.number = server.connections

    def connection_made(self, transport):
        self.server.transports.add(transport)
        super().connection_made(transport)

    async def _handle_client(self):
        answer = await self.server.come_of("connect", self, None)
        if answer:
            await self.push(answer)
            self.transport.close()
        else:
            await super()._handle_client()

    async def smtp_DATA(self, argument):
        answer = await self.server.come_of("data", self, None)
        if answer:
            await self.push(answer)
        else:
            await super().smtp_DATA(argument)


def received(connection, session, envelope):
    data = envelope.content
    parsed = email.message_from_bytes(data, policy=email.policy.default)
    text, html = (parsed.get_body((kind,)) for kind in ("plain", "html"))
    return {
        "from": envelope.mail_from,
        "to": envelope.rcpt_tos,
        # Each byte becomes the character with its number.
        "data": data.decode("latin-1"),
        "headers": [[name, readable(value)] for name, value in parsed.items()],
        "recipients": [[one.display_name, readable(one.addr_spec)] for one in parsed["To"].addresses],
        "text": content(text),
        "html": content(html),
        "hello": session.host_name,
        "user": session.auth_data,
        "encrypted": connection.transport.get_extra_info("ssl_object") is not None,
        "connection": connection.number,
    }


def readable(value):
    """Decodes a header's value. Python leaves bytes beyond ASCII undecoded."""
    return str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def content(part):
    """Returns the text of a part, with LF line ends."""
    return part.get_content().replace("\r\n", "\n") if part else ""


async def answer(server, command, *arguments):
    if command == "behave":
        stage, behaviour = arguments
        server.behaviours[stage] = behaviour
        server.hung.clear()
    elif command == "hung":
        await server.hung.wait()
    elif command == "received":
        return server.received
    elif command == "connections":
        return server.connections
    elif command == "close":
        while server.transports:
            server.transports.pop().abort()
    else:
        raise ValueError(f"no such command: {command}")


def write(value):
    print(json.dumps(value), flush=True)


def read_commands(server, loop):
    try:
        for line in sys.stdin:
            work = answer(server, *json.loads(line))
            write(asyncio.run_coroutine_threadsafe(work, loop).result())
    except Exception:
        traceback.print_exc()
    finally:
        # A process that waits for an answer sees the end.
        os._exit(0)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", choices=["starttls", "implicit"])
    parser.add_argument("--certificate", help="a file with the certificate and its key, as PEM")
    parser.add_argument("--user")
    parser.add_argument("--password")
    parser.add_argument("--without", action="append", help="a mechanism of AUTH that is not offered")
    parser.add_argument("--utf8", action="store_true", help="offer SMTPUTF8")
    # Tests need insecure settings and broken connections: no warning about them is of use.
    warnings.simplefilter("ignore")
    logging.disable()
    server = Server(parser.parse_args())
    write(await server.start())
    threading.Thread(target=read_commands, args=(server, asyncio.get_running_loop()), daemon=True).start()
    await asyncio.Event().wait()


asyncio.run(main())
