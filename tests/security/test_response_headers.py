"""What every answer tells the browser."""

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from bertsent.ui.host_key import teacher_key
from bertsent.ui.page_policy import nonce, page_policy
from bertsent.ui.response_headers import ResponseHeaders
from tests.security.conftest import Answer, ask


@pytest.fixture(autouse=True)
def own_lab(lab: Path) -> None:
    """Its key marks the scripts."""


def answer_of(response: Response, path: str = "/") -> Answer:
    return ask(lambda nothing: ResponseHeaders(response), path)


def directives(policy: str) -> dict[str, list[str]]:
    return {part.split()[0]: part.split()[1:] for part in policy.split("; ")}


@pytest.mark.parametrize(
    ("response", "path"),
    [
        (HTMLResponse("<p>"), "/"),
        (PlainTextResponse("no", status_code=404), "/absent"),
        (Response(status_code=304), "/"),
        (Response(b"x", media_type="image/png"), "/media/x.png"),
    ],
)
def test_every_answer_has_the_headers(response: Response, path: str) -> None:
    answer = answer_of(response, path)
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("referrer-policy") == "same-origin"
    assert answer.header("x-frame-options") == "SAMEORIGIN"


def test_the_policy_lets_no_foreign_script_run() -> None:
    policy = directives(answer_of(HTMLResponse("<p>")).header("content-security-policy"))
    scripts = policy["script-src"]
    hashes = [source for source in scripts if source.startswith("'sha256-")]
    assert set(scripts) - set(hashes) == {"'self'", "blob:", f"'nonce-{nonce()}'"}
    assert policy["default-src"] == policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == ["'self'"]
    assert policy["object-src"] == ["'none'"]
    assert not re.search(r"unsafe-eval|https?:|\*", page_policy())


def test_the_inline_script_of_the_page_is_known_by_its_hash() -> None:
    script = "\n      window.prerenderReady = false\n    "
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page_policy()


def test_a_page_that_a_browser_still_has_gets_the_policy_of_this_server() -> None:
    """After a restart the browser kept the old policy, and the frames' new nonce was refused."""
    unchanged = answer_of(Response(status_code=304))
    assert nonce() in unchanged.header("content-security-policy")
    script = answer_of(Response(status_code=304), "/static/js/index.js")
    assert not script.header("content-security-policy")


def test_all_copies_of_a_lab_have_one_nonce_and_another_lab_has_another(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process drew its own: behind a proxy a page of one copy refused the BertViz frames that
    another copy sent.
    """
    code = "from bertsent.ui.page_policy import nonce; print(nonce())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == nonce() and teacher_key() not in nonce()
    mine = nonce()
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "another"))
    assert nonce() != mine and len(nonce()) == 22, "128 bits"


def test_a_lab_that_cannot_keep_a_key_has_a_nonce_all_the_same(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "teacher-key").write_text("")  # as a full disk leaves it
    assert nonce() == nonce() and f"'nonce-{nonce()}'" in page_policy()


@pytest.mark.parametrize("path", ["/media/ab.svg", "/media/ab.html", "/_stcore/host-config"])
def test_a_file_that_is_opened_by_itself_runs_nothing(path: str) -> None:
    policy = directives(answer_of(HTMLResponse("<script>"), path).header("content-security-policy"))
    assert policy["default-src"] == ["'none'"] and policy["sandbox"] == []
    assert "script-src" not in policy


def test_a_policy_of_its_own_stays() -> None:
    own = HTMLResponse("<p>", headers={"content-security-policy": "default-src 'none'"})
    assert answer_of(own).header("content-security-policy") == "default-src 'none'"
