"""Bytes on the wire, sent to the real web server: the whole body is kept, or nothing."""

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from secrets import token_hex
from select import select
from typing import Any
from urllib.parse import quote_from_bytes

import pytest

from tests.api.conftest import RECORD, SUBMIT, Web
from verifier.record import LIMIT

FULL = RECORD + b"#" * (LIMIT - len(RECORD))
"""Exactly as large as a record may be."""


def ask(web: Web, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
    """A plain request: the status and the JSON of its answer."""
    connection = HTTPConnection("127.0.0.1", web.port, timeout=20)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text)


@pytest.fixture
def token(web: Web) -> str:
    """Of somebody who has handed in nothing yet."""
    status, body = ask(web, "POST", "/api/v1/contestants", b'{"name": "%s"}' % token_hex(8).encode())
    assert status == 201
    return f"Bearer {body['token']}"


def stored(web: Web, token: str) -> int:
    """How much they have handed in."""
    return len(ask(web, "GET", "/api/v1/me/submissions", Authorization=token)[1]["submissions"])


@contextmanager
def wire(web: Web, token: str, *headers: str, path: str = SUBMIT) -> Iterator[socket.socket]:
    """A connection on which the head of an upload has been sent."""
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as connection:
        lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: {token}", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        yield connection


def answered(connection: socket.socket) -> tuple[int, Any]:
    """The status and the JSON of the answer."""
    file = connection.makefile("rb")
    status = int(file.readline().split()[1])
    length = 0
    while line := file.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    text = file.read(length)
    return status, json.loads(text) if text else None


def test_a_client_hangs_up_in_the_middle(web: Web, token: str) -> None:
    with wire(web, token, f"Content-Length: {len(RECORD)}") as connection:
        connection.sendall(RECORD[:1000])
    assert ask(web, "GET", "/healthz")[0] == 200
    time.sleep(0.5)
    assert stored(web, token) == 0


def test_more_is_promised_than_comes(web: Web, token: str) -> None:
    with wire(web, token, f"Content-Length: {len(RECORD) + 1}") as connection:
        connection.sendall(RECORD)
        connection.shutdown(socket.SHUT_WR)
        status, body = answered(connection)
    assert (status, body["code"]) == (400, "body-cut-short")
    assert str(len(RECORD)) in body["detail"]
    assert stored(web, token) == 0


def test_less_is_promised_than_comes(web: Web, token: str) -> None:
    """What was promised is the record; the rest is no second request that anybody would answer."""
    with wire(web, token, f"Content-Length: {len(RECORD) - 10}") as connection:
        connection.sendall(RECORD)
        status, body = answered(connection)
    assert status == 202
    assert body["size"] == len(RECORD) - 10
    assert stored(web, token) == 1


def test_no_length(web: Web, token: str) -> None:
    with wire(web, token) as connection:
        status, body = answered(connection)
    assert (status, body["code"]) == (411, "length-required")


@pytest.mark.parametrize("headers", [[], ["Content-Length: 5"]], ids=["chunked", "chunked with a length"])
def test_chunks_without_a_length(web: Web, token: str, headers: list[str]) -> None:
    with wire(web, token, "Transfer-Encoding: chunked", *headers) as connection:
        connection.sendall(b"5\r\nabcde\r\n0\r\n\r\n")
        status, body = answered(connection)
    assert (status, body["code"]) == (411, "length-required")
    assert stored(web, token) == 0


@pytest.mark.parametrize("length", ["-1", "+5", "5, 6", "five", "99999999999999999999999999"])
def test_a_length_that_is_none(web: Web, token: str, length: str) -> None:
    with wire(web, token, f"Content-Length: {length}") as connection:
        connection.sendall(b"abcde")
        status, _ = answered(connection)
    assert status in (400, 411, 413)
    assert stored(web, token) == 0


def bare(record: bytes) -> tuple[bytes, str]:
    return record, "application/octet-stream"


def curl(record: bytes) -> tuple[bytes, str]:
    return record, "application/x-www-form-urlencoded"


def text_form(record: bytes) -> tuple[bytes, str]:
    return b"csrf_token=a&record=" + quote_from_bytes(record).encode(), "application/x-www-form-urlencoded"


def worst_text_form(record: bytes) -> tuple[bytes, str]:
    return b"record=" + b"".join(b"%%%02X" % byte for byte in record), "application/x-www-form-urlencoded"


def file_form(record: bytes) -> tuple[bytes, str]:
    head = b'--edge\r\nContent-Disposition: form-data; name="record"; filename="r.txt"\r\n\r\n'
    return head + record + b"\r\n--edge--\r\n", "multipart/form-data; boundary=edge"


def field_form(record: bytes) -> tuple[bytes, str]:
    head = b'--edge\r\nContent-Disposition: form-data; name="record"\r\n\r\n'
    return head + record + b"\r\n--edge--\r\n", "multipart/form-data; boundary=edge"


WAYS = [bare, curl, text_form, worst_text_form, file_form, field_form]


@pytest.mark.parametrize("way", WAYS)
def test_one_mebibyte_is_taken(web: Web, token: str, way: Callable[[bytes], tuple[bytes, str]]) -> None:
    body, kind = way(FULL)
    status, row = ask(web, "POST", SUBMIT, body, Authorization=token, Content_Type=kind)
    assert status == 202, row
    assert row["size"] == LIMIT
    status, verdict = ask(web, "POST", "/api/v1/verify", body, Content_Type=kind)
    assert (status, verdict["accepted"]) == (200, True)


@pytest.mark.parametrize("way", WAYS)
def test_one_byte_more_is_too_large(web: Web, token: str, way: Callable[[bytes], tuple[bytes, str]]) -> None:
    body, kind = way(FULL + b"#")
    for path in (SUBMIT, "/api/v1/verify"):
        status, answer = ask(web, "POST", path, body, Authorization=token, Content_Type=kind)
        assert (status, answer["code"]) == (413, "too-large")
        assert answer["verdict"]["accepted"] is False
        assert answer["verdict"]["error"]["code"] == "too-large"
    assert stored(web, token) == 0


def test_a_gigabyte_is_refused_when_it_is_announced(web: Web, token: str) -> None:
    begun = time.monotonic()
    with wire(web, token, "Content-Length: 1073741824") as connection:
        status, body = answered(connection)
    assert (status, body["verdict"]["error"]["code"]) == (413, "too-large")
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity, gzip"])
def test_a_compressed_record(web: Web, token: str, encoding: str) -> None:
    status, answer = ask(web, "POST", SUBMIT, gzip.compress(RECORD), Authorization=token, Content_Encoding=encoding)
    assert (status, answer["code"]) == (415, "bad-encoding")
    assert stored(web, token) == 0


def test_identity_is_no_encoding(web: Web, token: str) -> None:
    assert ask(web, "POST", SUBMIT, RECORD, Authorization=token, Content_Encoding="identity")[0] == 202


def test_a_client_that_waits_for_permission(web: Web, token: str) -> None:
    with wire(web, token, f"Content-Length: {len(RECORD)}", "Expect: 100-continue") as connection:
        assert connection.recv(1000).startswith(b"HTTP/1.1 100")
        connection.sendall(RECORD)
        assert answered(connection)[0] == 202


def test_a_slow_client_is_waited_for(web: Web, token: str) -> None:
    with wire(web, token, f"Content-Length: {len(RECORD)}") as connection:
        for start in range(0, len(RECORD), 500):
            connection.sendall(RECORD[start : start + 500])
            time.sleep(0.05)
        status, body = answered(connection)
    assert (status, body["size"]) == (202, len(RECORD))


def test_clients_that_never_end_leave_threads_for_the_others(web: Web, token: str) -> None:
    """Of four threads one waits for the bodies of an address; its other uploads are told to come again."""
    with ExitStack() as held:
        connections = [held.enter_context(wire(web, token, "Content-Length: 100")) for _ in range(6)]
        for _ in range(10):
            assert ask(web, "GET", "/api/v1/contests")[0] == 200
        told = [answered(connection) for connection in connections if ready(connection)]
        assert [(status, body["code"]) for status, body in told] == [(503, "too-many-uploads")] * 5
    assert ask(web, "POST", SUBMIT, RECORD, Authorization=token)[0] == 202
    assert stored(web, token) == 1


def ready(connection: socket.socket) -> bool:
    """Whether there is something to read within two seconds."""
    return bool(select([connection], [], [], 2)[0])


def test_what_has_no_body_needs_no_length(web: Web, token: str) -> None:
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answered(connection)[0] == 200
