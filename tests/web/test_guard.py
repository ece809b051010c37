"""Nobody comes in but whoever has a token, from this machine's own page or as a pipeline."""

import json

import pytest

from asgi_cases import connect, request
from shoal.web.guard import Guard
from shoal.web.keys import Keys

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
OWN = f"http://{HOST}"


class Inside:
    """An application that takes note of who came in."""

    def __init__(self):
        self.came = []
        self.read = 0

    async def __call__(self, scope, receive, send):
        self.came.append((scope["type"], scope.get("path")))
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
        elif scope["type"] == "http":
            more = True
            while more:
                message = await receive()
                self.read += len(message.get("body", b""))
                more = message.get("more_body", False)
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}
            )
            await send({"type": "http.response.body", "body": b"inside"})


@pytest.fixture
def keys():
    return Keys()


@pytest.fixture
def inside():
    return Inside()


@pytest.fixture
def guard(inside, keys):
    return Guard(inside, keys=keys, port=PORT, large={"/api/v1/uploads/": 1000})


@pytest.fixture
def cookie(guard, keys):
    got = request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [keys.invite().encode()])
    return got.header("set-cookie")[0].split(";")[0]


def error_of(answer):
    shape = json.loads(answer.body)
    assert list(shape) == ["error"]
    assert list(shape["error"]) == ["sentence", "exit"]
    return shape["error"]


def test_the_token_is_changed_for_a_cookie_once(guard, keys, inside):
    token = keys.invite().encode()
    first = request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [token[:7], token[7:]])
    assert first.status == 204
    (cookie,) = first.header("set-cookie")
    assert cookie.startswith(f"shoal-{PORT}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert token.decode() not in cookie
    second = request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [token])
    assert second.status == 401
    assert not second.header("set-cookie")
    assert not inside.came


@pytest.mark.parametrize("body", [b"", b"wrong", b"x" * 300, b"\xff"])
def test_a_wrong_token_leaves_the_right_one_valid(guard, keys, body):
    token = keys.invite().encode()
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [body]).status == 401
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [token]).status == 204


def test_a_body_in_many_small_pieces_is_not_read_for_ever(guard, keys):
    keys.invite()
    pieces = [b"x" * 100] * 50
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, pieces).status == 401
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, []).status == 401


def test_no_invitation_is_no_empty_token(guard):
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}).status == 401


def test_the_token_is_posted(guard):
    got = request(guard, "GET", "/token", {"host": HOST})
    assert got.status == 405
    assert got.header("allow") == ["POST"]


def test_whoever_has_the_cookie_is_let_in(guard, inside, cookie):
    assert request(guard, "GET", "/", {"host": HOST, "cookie": cookie}).body == b"inside"
    assert request(guard, "GET", "/", {"host": HOST, "cookie": f"a=b; {cookie}; c"}).body == b"inside"
    got = request(guard, "POST", "/x", {"host": HOST, "origin": OWN, "cookie": cookie})
    assert got.body == b"inside"
    localhost = {"host": f"localhost:{PORT}", "origin": f"http://localhost:{PORT}", "cookie": cookie}
    assert request(guard, "PUT", "/x", localhost).body == b"inside"
    assert inside.came == [("http", "/"), ("http", "/"), ("http", "/x"), ("http", "/x")]


def test_without_a_cookie_the_page_is_the_one_that_takes_the_token(guard, inside):
    for method in ("GET", "HEAD"):
        got = request(guard, method, "/", {"host": HOST})
        assert got.status == 401
        assert b"location.hash" in got.body
        assert b"http://" not in got.body
        assert b"https://" not in got.body
        assert "unsafe" not in got.header("content-security-policy")[0]
    assert not inside.came


@pytest.mark.parametrize(
    "path", ["/", "/data", "/_nicegui/x.js", "/api/v1/jobs", "//", "/token/", "/api/v1/../x"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD", "TRACE", "STRANGE"])
def test_without_a_cookie_there_is_401_and_no_redirect(guard, inside, path, method):
    got = request(guard, method, path, {"host": HOST, "origin": OWN})
    assert got.status == 401
    assert got.header("www-authenticate") == ['Bearer realm="shoal"']
    assert not got.header("location")
    if path != "/" or method not in ("GET", "HEAD"):
        assert error_of(got)["exit"] == 2
    assert not inside.came


FOREIGN = {
    "foreign origin": {"origin": "http://evil.example"},
    "null origin": {"origin": "null"},
    "other port": {"origin": "http://127.0.0.1:9999"},
    "other name for this machine": {"origin": f"http://localhost:{PORT}"},
    "https": {"origin": f"https://{HOST}"},
    "origin with a path": {"origin": f"{OWN}/"},
    "foreign host": {"host": f"evil.example:{PORT}", "origin": f"http://evil.example:{PORT}"},
    "host without a port": {"host": "127.0.0.1", "origin": "http://127.0.0.1"},
    "host with another port": {"host": "127.0.0.1:9999", "origin": "http://127.0.0.1:9999"},
    "no host": {"host": None},
    "host that begins alike": {"host": f"{HOST}.evil.example", "origin": f"http://{HOST}.evil.example"},
}


@pytest.mark.parametrize("case", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/api/v1/jobs"])
def test_foreign_requests_are_refused_with_the_cookie_too(guard, inside, cookie, case, method, path):
    headers = {"host": HOST, "origin": OWN, "cookie": cookie, **FOREIGN[case]}
    got = request(guard, method, path, headers)
    assert got.status == 403
    assert error_of(got)["exit"] == 2
    assert not inside.came


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_pages_cannot_use_the_token(guard, keys, case):
    token = keys.invite().encode()
    headers = {"host": HOST, "origin": OWN, **FOREIGN[case]}
    assert request(guard, "POST", "/token", headers, [token]).status == 403
    assert request(guard, "POST", "/token", {"host": HOST}, [token]).status == 403
    assert request(guard, "POST", "/token", {"host": HOST, "origin": OWN}, [token]).status == 204


@pytest.mark.parametrize("sign", ["\n", "\r", "\0", "\x1b"])
def test_addresses_with_control_signs_are_nowhere(guard, inside, cookie, sign):
    got = request(guard, "GET", f"/api/v1/jobs/{sign}", {"host": HOST, "cookie": cookie})
    assert got.status == 404
    assert error_of(got)["exit"] == 2
    assert not inside.came


def test_two_hosts_or_two_origins_are_refused(guard, cookie):
    own = [("host", HOST), ("origin", OWN), ("cookie", cookie)]
    assert request(guard, "GET", "/", [*own, ("host", HOST)]).status == 403
    assert request(guard, "GET", "/", [*own, ("origin", "http://evil.example")]).status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "STRANGE"])
def test_what_changes_something_states_its_origin(guard, inside, cookie, method):
    assert request(guard, method, "/", {"host": HOST, "cookie": cookie}).status == 403
    assert not inside.came


def test_pipelines_need_no_origin_but_a_foreign_one_is_refused(guard, keys, inside):
    bearer = {"host": HOST, "authorization": f"Bearer {keys.bearer}"}
    assert request(guard, "POST", "/api/v1/jobs", bearer).body == b"inside"
    for case in FOREIGN.values():
        assert request(guard, "POST", "/api/v1/jobs", bearer | case).status == 403
    assert len(inside.came) == 1


def test_the_bearer_token_opens_the_rest_interface_alone(guard, keys, cookie):
    bearer = {"host": HOST, "authorization": f"bearer {keys.bearer}"}
    assert request(guard, "GET", "/api/v1/jobs", bearer).status == 200
    assert request(guard, "GET", "/", bearer).status == 401
    assert request(guard, "GET", "/apis", bearer).status == 401
    assert connect(guard, "/api/v1/x", bearer | {"origin": OWN})[0]["type"] == "websocket.close"


@pytest.mark.parametrize(
    "stated", ["Bearer wrong", "Bearer", "Bearer ", "Basic {}", "{}", "Bearer {}x", "Bearer é"]
)
def test_a_wrong_bearer_token_is_refused_even_beside_a_cookie(guard, keys, cookie, stated):
    headers = {"host": HOST, "cookie": cookie, "authorization": stated.format(keys.bearer)}
    assert request(guard, "GET", "/api/v1/jobs", headers).status == 401


@pytest.mark.parametrize("value", ["", "wrong", "é", "{}x"])
def test_a_wrong_cookie_is_none(guard, cookie, value):
    name, _, right = cookie.partition("=")
    headers = {"host": HOST, "cookie": f"{name}={value.format(right)}"}
    assert request(guard, "GET", "/", headers).status == 401
    assert request(guard, "GET", "/", {"host": HOST, "cookie": f"shoal-1={right}"}).status == 401


def test_websockets_are_for_the_own_page(guard, inside, cookie):
    headers = {"host": HOST, "origin": OWN, "cookie": cookie}
    assert connect(guard, headers=headers) == [{"type": "websocket.accept"}]
    inside.came.clear()
    refused = [headers | case for case in FOREIGN.values()]
    refused += [headers | {"origin": None}, headers | {"cookie": None}, headers | {"cookie": "shoal-8123=x"}]
    for wrong in refused:
        assert connect(guard, headers=wrong) == [{"type": "websocket.close", "code": 1008}]
    assert not inside.came


def test_answers_keep_browsers_careful(guard, cookie, keys):
    for answer in (
        request(guard, "GET", "/", {"host": HOST, "cookie": cookie}),
        request(guard, "GET", "/", {"host": HOST}),
        request(guard, "GET", "/", {}),
        request(guard, "GET", "/api/v1/jobs", {"host": HOST, "authorization": f"Bearer {keys.bearer}"}),
    ):
        assert answer.header("x-content-type-options") == ["nosniff"]
        assert answer.header("referrer-policy") == ["no-referrer"]
        (policy,) = answer.header("content-security-policy")
        assert policy.startswith(("default-src 'self'", "default-src 'none'"))
        assert "frame-ancestors 'none'" in policy
        assert "http:" not in policy


def test_the_name_app_is_kept_and_starting_and_ending_pass(guard, inside):
    import asyncio

    assert guard.app is inside
    asyncio.run(guard({"type": "lifespan"}, None, None))
    assert inside.came == [("lifespan", None)]


@pytest.mark.parametrize("length", ["1001", "9" * 30, "9" * 5000])
def test_a_stated_length_that_is_too_long_is_refused_unread(guard, inside, keys, length):
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}", "content-length": length}
    got = request(guard, "PUT", "/api/v1/uploads/a", headers)
    assert got.status == 413
    assert error_of(got)["exit"] == 2
    assert not inside.came


@pytest.mark.parametrize("stated", [None, "5", "x"])
def test_bytes_are_counted_whatever_was_stated(guard, inside, keys, stated):
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}", "content-length": stated}
    got = request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 400] * 3)
    assert got.status == 413
    assert inside.read == 800
    got = request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 500] * 2)
    assert got.status == 200


@pytest.mark.parametrize(
    ("more", "unread"),
    [
        ({}, 4),  # three chunks reach the limit, and three more are thrown away
        ({"content-length": "4000"}, 7),
        ({"content-length": "4000", "expect": "100-continue"}, 10),
    ],
)
def test_whoever_still_sends_is_heard_for_a_while_so_that_the_answer_is_seen(guard, keys, more, unread):
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}", **more}
    got = request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 400] * 10)
    assert got.status == 413
    assert got.header("connection") == ["close"]
    assert got.unread == unread


@pytest.mark.parametrize(("status", "unread"), [(413, 6), (507, 6), (422, 9)])
def test_where_there_is_no_place_for_a_body_its_sender_is_heard_for_a_while(keys, status, unread):
    async def has_no_place(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"?"})

    guard = Guard(has_no_place, keys=keys, port=PORT, large={"/": 1000})
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}"}
    got = request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 400] * 10)
    assert got.status == status
    assert got.unread == unread


def test_what_an_application_says_of_a_cut_body_is_not_sent(keys):
    async def answers_500(scope, receive, send):
        try:
            while True:
                await receive()
        except Exception:
            await send({"type": "http.response.start", "status": 500, "headers": []})
            await send({"type": "http.response.body", "body": b"?"})

    guard = Guard(answers_500, keys=keys, port=PORT, large={"/": 10})
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}"}
    assert request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 11, b""]).status == 413


def test_other_faults_of_an_application_are_its_own(keys):
    async def breaks(scope, receive, send):
        raise ValueError("broken")

    guard = Guard(breaks, keys=keys, port=PORT)
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}"}
    with pytest.raises(ValueError, match="broken"):
        request(guard, "GET", "/api/v1/x", headers)
