"""Nobody comes in but whoever has a token, from this machine's own page or as a pipeline."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asgi_cases import connect, request
from shoal.base.errors import InputError
from shoal.web.server import guard as module
from shoal.web.server.guard import Guard, Keys

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
OWN = f"http://{HOST}"
PAGE = {"host": HOST, "origin": OWN}
SOCKET = "/_nicegui_ws/socket.io/"


class Inside:
    """An application that takes note of who came in."""

    def __init__(self):
        self.came = []
        self.prefixes = []
        self.read = 0

    async def __call__(self, scope, receive, send):
        self.came.append((scope["type"], scope.get("path")))
        self.prefixes += [value for name, value in scope.get("headers", ()) if name == b"x-forwarded-prefix"]
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
def key(guard, keys):
    """The key of a page that was let in."""
    return request(guard, "POST", "/token", PAGE, [keys.invite().encode()]).body.decode()


def error_of(answer):
    shape = json.loads(answer.body)
    assert list(shape) == ["error"]
    assert list(shape["error"]) == ["sentence", "exit"]
    return shape["error"]


def test_the_token_is_changed_for_the_key_once(guard, keys, inside):
    token = keys.invite().encode()
    first = request(guard, "POST", "/token", PAGE, [token[:7], token[7:]])
    assert first.status == 200
    assert keys.has_key(first.body)
    assert first.header("cache-control") == ["no-store"]
    assert first.body not in (token, keys.door.encode(), keys.bearer.encode())
    second = request(guard, "POST", "/token", PAGE, [token])
    assert second.status == 401
    assert first.body not in second.body
    assert not inside.came


@pytest.mark.parametrize("body", [b"", b"wrong", b"x" * 300, b"\xff"])
def test_a_wrong_token_leaves_the_right_one_valid(guard, keys, body):
    token = keys.invite().encode()
    assert request(guard, "POST", "/token", PAGE, [body]).status == 401
    assert request(guard, "POST", "/token", PAGE, [token]).status == 200


def test_a_body_in_many_small_pieces_is_not_read_for_ever(guard, keys):
    keys.invite()
    pieces = [b"x" * 100] * 50
    assert request(guard, "POST", "/token", PAGE, pieces).status == 401
    assert request(guard, "POST", "/token", PAGE, []).status == 401


def test_no_invitation_is_no_empty_token(guard):
    assert request(guard, "POST", "/token", PAGE).status == 401


def test_the_token_is_posted(guard):
    got = request(guard, "GET", "/token", {"host": HOST})
    assert got.status == 405
    assert got.header("allow") == ["POST"]


def test_whoever_has_the_key_is_let_in(guard, inside, key):
    assert request(guard, "GET", "/", {"host": HOST, "x-shoal-key": key}).body == b"inside"
    assert request(guard, "POST", "/x", PAGE | {"x-shoal-key": key}).body == b"inside"
    localhost = {"host": f"localhost:{PORT}", "origin": f"http://localhost:{PORT}", "x-shoal-key": key}
    assert request(guard, "PUT", "/x", localhost).body == b"inside"
    assert inside.came == [("http", "/"), ("http", "/x"), ("http", "/x")]


@pytest.mark.parametrize("path", ["/", "/project/5/data", "/nothing", "/_nicegui/x"])
def test_a_browser_without_the_key_gets_the_page_that_asks_for_a_ticket(guard, inside, path):
    for method in ("GET", "HEAD"):
        got = request(guard, method, path, {"host": HOST, "accept": "text/html,*/*;q=0.8"})
        assert got.status == 401
        assert b"place.hash" in got.body
        assert b"http://" not in got.body
        assert b"https://" not in got.body
        assert "unsafe" not in got.header("content-security-policy")[0]
    for method, place in (("POST", path), ("GET", "/api/v1/jobs")):
        error_of(request(guard, method, place, PAGE | {"accept": "text/html"}))
    assert not inside.came


@pytest.mark.parametrize(
    "path", ["/", "/data", "/_nicegui/x.js", "/api/v1/jobs", "//", "/token/", "/api/v1/../x"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD", "TRACE", "STRANGE"])
def test_without_the_key_there_is_401_and_no_redirect(guard, inside, path, method):
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
def test_foreign_requests_are_refused_with_the_key_too(guard, inside, key, case, method, path):
    headers = {"host": HOST, "origin": OWN, "x-shoal-key": key, **FOREIGN[case]}
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
    assert request(guard, "POST", "/token", PAGE, [token]).status == 200


@pytest.mark.parametrize("sign", ["\n", "\r", "\0", "\x1b"])
def test_addresses_with_control_signs_are_nowhere(guard, inside, key, sign):
    got = request(guard, "GET", f"/api/v1/jobs/{sign}", {"host": HOST, "x-shoal-key": key})
    assert got.status == 404
    assert error_of(got)["exit"] == 2
    assert not inside.came


def test_two_hosts_or_two_origins_are_refused(guard, key):
    own = [("host", HOST), ("origin", OWN), ("x-shoal-key", key)]
    assert request(guard, "GET", "/", [*own, ("host", HOST)]).status == 403
    assert request(guard, "GET", "/", [*own, ("origin", "http://evil.example")]).status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "STRANGE"])
def test_what_changes_something_states_its_origin(guard, inside, key, method):
    assert request(guard, method, "/", {"host": HOST, "x-shoal-key": key}).status == 403
    assert not inside.came


def test_pipelines_need_no_origin_but_a_foreign_one_is_refused(guard, keys, inside):
    bearer = {"host": HOST, "authorization": f"Bearer {keys.bearer}"}
    assert request(guard, "POST", "/api/v1/jobs", bearer).body == b"inside"
    for case in FOREIGN.values():
        assert request(guard, "POST", "/api/v1/jobs", bearer | case).status == 403
    assert len(inside.came) == 1


def test_the_bearer_token_opens_the_rest_interface_alone(guard, keys, key):
    bearer = {"host": HOST, "authorization": f"bearer {keys.bearer}"}
    assert request(guard, "GET", "/api/v1/jobs", bearer).status == 200
    assert request(guard, "GET", "/", bearer).status == 401
    assert request(guard, "GET", "/apis", bearer).status == 401
    assert connect(guard, "/api/v1/x", bearer | {"origin": OWN})[0]["type"] == "websocket.close"


@pytest.mark.parametrize(
    "stated", ["Bearer wrong", "Bearer", "Bearer ", "Basic {}", "{}", "Bearer {}x", "Bearer é"]
)
def test_a_wrong_bearer_token_is_refused_even_beside_the_key(guard, keys, key, stated):
    headers = {"host": HOST, "x-shoal-key": key, "authorization": stated.format(keys.bearer)}
    assert request(guard, "GET", "/api/v1/jobs", headers).status == 401


@pytest.mark.parametrize("value", ["", "wrong", "é", "{}x", "{} "])
def test_a_wrong_key_is_none(guard, inside, key, value):
    wrong = value.format(key)
    assert request(guard, "GET", "/", {"host": HOST, "x-shoal-key": wrong}).status == 401
    twice = [("host", HOST), ("x-shoal-key", key), ("x-shoal-key", wrong)]
    assert request(guard, "GET", "/", twice).status == 401
    assert not inside.came


def secrets_of(keys):
    """All that opens something, by what it is: a ticket for the first screen among them."""
    told = keys.admit(keys.invite().encode())
    return {"key": told, "door": keys.door, "bearer": keys.bearer, "ticket": keys.ticket("/")}


@given(
    names=st.lists(st.sampled_from(["shoal", f"shoal-{PORT}", "x-shoal-key", "ticket", "Authorization"])),
    what=st.lists(st.sampled_from(["key", "door", "bearer", "ticket", "Bearer {bearer}"]), min_size=1),
    path=st.sampled_from(
        [
            "/",
            "/project/1/data",
            "/alive",
            "/ticket",
            "/api/v1/jobs",
            "/api/v1/jobs/1/private",
            "/api/v1/uploads/a",
            "/_nicegui/3/static/x.js",
            "/_nicegui/auto/static/x",
            SOCKET,
        ]
    ),
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
)
def test_no_cookie_opens_anything_whatever_it_holds(names, what, path, method):
    """A browser sends cookies to every port of this machine: were every secret in one, it would still be none."""
    inside, keys = Inside(), Keys()
    guard, found = Guard(inside, keys=keys, port=PORT), secrets_of(keys)
    values = [found.get(one) or one.format(**found) for one in what]
    cookie = "; ".join(f"{name}={value}" for name in names or [f"shoal-{PORT}"] for value in values)
    got = request(guard, method, path, PAGE | {"cookie": cookie, "accept": "text/html"})
    assert got.status == 401
    assert connect(guard, SOCKET, PAGE | {"cookie": cookie}) == [{"type": "websocket.close", "code": 1008}]
    assert not inside.came


def test_no_answer_sets_a_cookie(guard, keys, key):
    answers = [request(guard, "POST", "/token", PAGE, [keys.invite().encode()])]
    answers.append(request(guard, "POST", "/ticket", PAGE | {"x-shoal-key": key}, [b"/"]))
    answers += [request(guard, "GET", path, {"host": HOST}) for path in ("/", "/x", "/api/v1/jobs")]
    assert [answer.header("set-cookie") for answer in answers] == [[]] * len(answers)


def ticket(guard, key, path):
    got = request(guard, "POST", "/ticket", PAGE | {"x-shoal-key": key}, [path.encode()])
    assert got.status == 200
    return got.body.decode()


def test_a_ticket_opens_its_path_once(guard, inside, key):
    made = ticket(guard, key, "/project/1/d%C3%A4ta")
    assert request(guard, "GET", f"/project/1/däta?ticket={made}", {"host": HOST}).body == b"inside"
    assert request(guard, "GET", f"/project/1/däta?ticket={made}", {"host": HOST}).status == 401
    assert inside.came == [("http", "/project/1/däta")]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/project/2/data"),
        ("GET", "/project/1/data/"),
        ("GET", "/api/v1/jobs"),
        ("POST", "/project/1/data"),
        ("HEAD", "/project/1/data"),
    ],
)
def test_a_ticket_opens_nothing_else(guard, inside, key, method, path):
    made = ticket(guard, key, "/project/1/data")
    assert request(guard, method, f"{path}?ticket={made}", PAGE).status == 401
    assert request(guard, "GET", f"/project/1/data?ticket={made}&ticket=x", PAGE).status == 401
    assert connect(guard, f"{SOCKET}?ticket={made}", PAGE)[0]["type"] == "websocket.close"
    assert not inside.came


def test_a_ticket_that_nobody_uses_ends_after_a_minute(inside):
    time = [1000.0]
    keys = Keys(now=lambda: time[0])
    guard = Guard(inside, keys=keys, port=PORT)
    late, soon = keys.ticket("/"), keys.ticket("/")
    time[0] += 59
    assert request(guard, "GET", f"/?ticket={soon}", {"host": HOST}).status == 200
    time[0] += 1
    assert request(guard, "GET", f"/?ticket={late}", {"host": HOST}).status == 401


@pytest.mark.parametrize("who", ["nobody", "bearer", "door", "cookie", "ticket"])
def test_tickets_are_given_to_whoever_has_the_key(guard, keys, inside, who):
    found = secrets_of(keys)
    headers = {
        "bearer": {"authorization": f"Bearer {found['bearer']}"},
        "door": {"x-shoal-key": found["door"]},
        "cookie": {"cookie": f"shoal-{PORT}={found['key']}"},
    }
    path = f"/ticket?ticket={keys.ticket('/ticket')}" if who == "ticket" else "/ticket"
    assert request(guard, "POST", path, PAGE | headers.get(who, {}), [b"/"]).status == 401
    assert (
        request(guard, "POST", "/ticket", {"host": HOST, "x-shoal-key": found["key"]}, [b"/"]).status == 403
    )
    got = request(guard, "GET", "/ticket", {"host": HOST, "x-shoal-key": found["key"]})
    assert (got.status, got.header("allow")) == (405, ["POST"])
    assert not inside.came


def test_the_door_leads_to_what_a_screen_loads_and_nowhere_else(guard, keys, inside):
    door = f"/{keys.door}"
    for path in ("/_nicegui/3/static/x.js", f"{SOCKET}"):
        assert request(guard, "GET", door + path, {"host": HOST}).body == b"inside"
        assert inside.came.pop() == ("http", path)
        assert request(guard, "GET", path, {"host": HOST}).status == 401
        other = "y" if door[1] == "x" else "x"
        assert request(guard, "GET", f"/{other}{door[2:]}{path}", {"host": HOST}).status == 401
        assert request(guard, "GET", f"/é{path}", {"host": HOST}).status == 401
        assert request(guard, "POST", door + path, {"host": HOST}).status == 403
    for path in (
        "",
        "/",
        "/project/1/data",
        "/api/v1/jobs",
        "/alive",
        "/ticket",
        "/_nicegui/auto/static/x",
        "//x",
    ):
        assert request(guard, "GET", door + path, {"host": HOST}).status == 401
    assert not inside.came


def test_only_the_guard_says_what_stands_before_the_files_of_a_screen(guard, keys, key, inside):
    headers = {"host": HOST, "x-shoal-key": key, "x-forwarded-prefix": "//evil.example"}
    request(guard, "GET", "/", headers)
    connect(guard, f"/{keys.door}{SOCKET}", PAGE | {"x-forwarded-prefix": "//evil.example"})
    assert inside.prefixes == [f"/{keys.door}".encode()] * 2


def test_websockets_are_for_the_own_page(guard, keys, inside, key):
    place = f"/{keys.door}{SOCKET}"
    assert connect(guard, place, PAGE) == [{"type": "websocket.accept"}]
    assert inside.came == [("websocket", SOCKET)]
    inside.came.clear()
    refused = [(place, PAGE | case) for case in FOREIGN.values()]
    refused += [(place, {"host": HOST}), (SOCKET, PAGE), (f"/wrong{SOCKET}", PAGE)]
    refused += [(SOCKET, PAGE | {"x-shoal-key": key}), (SOCKET, PAGE | {"cookie": f"shoal-{PORT}={key}"})]
    for path, wrong in refused:
        assert connect(guard, path, wrong) == [{"type": "websocket.close", "code": 1008}]
    assert not inside.came


def test_answers_keep_browsers_careful(guard, key, keys):
    for answer in (
        request(guard, "GET", "/", {"host": HOST, "x-shoal-key": key}),
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
def test_whoever_still_sends_is_heard_for_a_while_so_that_the_answer_is_seen(
    guard, keys, more, unread, monkeypatch
):
    monkeypatch.setattr(module, "_DISCARDED", 1000)
    headers = {"host": HOST, "authorization": f"Bearer {keys.bearer}", **more}
    got = request(guard, "PUT", "/api/v1/uploads/a", headers, [b"x" * 400] * 10)
    assert got.status == 413
    assert got.header("connection") == ["close"]
    assert got.unread == unread


@pytest.mark.parametrize(("status", "unread"), [(413, 6), (507, 6), (422, 9)])
def test_where_there_is_no_place_for_a_body_its_sender_is_heard_for_a_while(
    keys, status, unread, monkeypatch
):
    monkeypatch.setattr(module, "_DISCARDED", 1000)

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


# The secrets of a server.


def test_the_bearer_token_comes_from_the_environment_or_is_new(monkeypatch):
    monkeypatch.setenv("SHOAL_TOKEN", "a-token-of-a-pipeline")
    assert Keys.from_environment().has_bearer(b"a-token-of-a-pipeline")
    monkeypatch.delenv("SHOAL_TOKEN")
    made = {Keys.from_environment().bearer for _ in range(3)}
    assert len(made) == 3
    assert min(map(len, made)) >= 40


@pytest.mark.parametrize(
    "weak", ["short", "with blanks in the middle", "ünïcödé-ünïcödé-ünï", "line\nbreak-line-break"]
)
def test_a_token_that_is_weak_or_cannot_be_sent_is_refused(weak):
    with pytest.raises(InputError, match="SHOAL_TOKEN: give at least 16") as told:
        Keys(weak)
    assert weak not in str(told.value)


def test_a_new_invitation_voids_the_old_one():
    keys = Keys()
    old, new = keys.invite().encode(), keys.invite().encode()
    assert keys.admit(old) is None
    assert keys.admit(new) is not None
    assert keys.admit(new) is None


def test_tickets_that_were_not_used_do_not_pile_up():
    time = [0.0]
    keys = Keys(now=lambda: time[0])
    for _ in range(50):
        keys.ticket("/")
        time[0] += 10
    assert len(keys._tickets) == 6
