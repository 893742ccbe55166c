"""Where a visitor becomes the host and stops being it: the page ``/host``, and links with
``?key=…``, which lead to the same address without the key.

It is a page of its own because a cookie that scripts cannot read comes with an HTTP answer only.
"""

import html
from urllib.parse import parse_qs, parse_qsl, quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bertsent.ui.host_key import host_token, is_teacher_key
from bertsent.ui.rate_limits import TokenBuckets, client_address, too_many
from bertsent.ui.visitors import GIVEN_BACK, HOST_TOKEN, cookie, is_host

PATH, KEY = "/host", "key"
_LONGEST = 2_000  # bytes of a form
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 "Source Sans", system-ui, sans-serif; }
main { max-width: 30rem; margin: 12vh auto; padding: 0 1rem; }
h1 { font-size: 1.75rem; margin: 0 0 1rem; }
input, button { font: inherit; padding: .45rem .7rem; border-radius: .5rem;
  border: 1px solid light-dark(#8a8c96, #75777f); }
input { width: 100%; box-sizing: border-box; margin: .25rem 0 1rem; }
button { background: light-dark(#0072B2, #56B4E9); color: light-dark(#fff, #14120F); border: 0; }
a { color: light-dark(#0072B2, #56B4E9); margin-left: 1rem; }
.wrong { color: light-dark(#B23A00, #FF9A5C); }
"""
_BUTTONS = '<button>{button}</button><a href="/">Back to the lab</a>'
_ENTER = """<p>The host of this lab can pause, stop, change and delete every run, and starts runs
without limits. The teacher key is printed where the lab was started.</p>{note}
<form method="post"><label for="key">Teacher key</label>
<input id="key" name="key" type="password" autocomplete="off" required autofocus>{buttons}</form>"""
_LEAVE = """<p>You are the host of this lab in this browser.</p>
<form method="post"><input type="hidden" name="leave" value="1">{buttons}</form>"""
_WRONG = '<p class="wrong" role="alert">That is not the key of this lab.</p>'


class HostPage:
    """Middleware that answers for ``/host`` and for links with a key."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._attempts, self._all_attempts = TokenBuckets(10, 0.1), TokenBuckets(100, 1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request = Request(scope, receive)
        if request.method == "GET" and KEY in request.query_params:
            answer = self._enter(scope, request.query_params[KEY], _without_key(request))
        elif scope["path"] != PATH:
            return await self._app(scope, receive, send)
        elif request.method == "POST":
            answer = await self._post(request)
        else:
            answer = page(is_host=is_host(scope), wrong="wrong" in request.query_params)
        await answer(scope, receive, send)

    async def _post(self, request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _LONGEST:
                return page(is_host=False, wrong=True)
        fields = parse_qs(body.decode("utf-8", "replace"))
        if "leave" in fields:
            return _to("/", cookie(request.scope, HOST_TOKEN, GIVEN_BACK))
        return self._enter(request.scope, fields.get(KEY, [""])[0], "/")

    def _enter(self, scope: Scope, key: str, target: str) -> Response:
        if not (self._attempts.take(client_address(scope)) and self._all_attempts.take("")):
            return too_many
        if not is_teacher_key(key):
            return _to(f"{PATH}?wrong")
        return _to(target, cookie(scope, HOST_TOKEN, host_token()))


def _without_key(request: Request) -> str:
    """The address that was asked for, on this server and without the key."""
    kept = [pair for pair in parse_qsl(request.url.query) if pair[0] != KEY]
    path = "/" + quote(request.scope["path"].lstrip("/\\"))
    return f"{path}?{urlencode(kept)}" if kept else path


def _to(target: str, set_cookie: str = "") -> Response:
    answer = RedirectResponse(target, status_code=303, headers={"cache-control": "no-store"})
    if set_cookie:
        answer.headers["set-cookie"] = set_cookie
    return answer


def page(*, is_host: bool, wrong: bool) -> Response:
    """The page on which the key is given, or given back."""
    title = "You are the host" if is_host else "Host of the lab"
    buttons = _BUTTONS.format(button="Be a visitor again" if is_host else "Become the host")
    body = _LEAVE if is_host else _ENTER
    content = body.format(buttons=buttons, note=_WRONG if wrong else "")
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} · '
        f'bertsent</title><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{html.escape(title)}</h1>{content}</main>"
        "</body></html>",
        headers={"content-security-policy": _POLICY, "cache-control": "no-store"},
    )
