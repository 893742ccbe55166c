"""One BLAS thread while somebody computes, and all of them again afterwards."""

import subprocess
import sys
import threading

import pytest

from bertsent import blas_threads as blas_limits
from bertsent.blas_threads import one_thread
from bertsent.settings import PROJECT
from tests.conftest import wait_until


def blas_threads() -> set[int]:
    from threadpoolctl import threadpool_info

    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def set_blas_threads(count: int) -> None:
    """In a thread that ends, because threadpoolctl lets only one living thread set the limit."""
    from threadpoolctl import threadpool_limits

    setting = threading.Thread(target=threadpool_limits, args=(count, "blas"))
    setting.start()
    setting.join()


@pytest.fixture
def two_threads():
    import numpy  # noqa: F401 - loads BLAS

    wait_until(lambda: not blas_limits._inside)  # a map that an earlier test left behind
    usual = max(blas_threads())
    set_blas_threads(2)
    assert blas_threads() == {2}
    yield
    set_blas_threads(usual)


def test_threads_that_overlap_leave_the_limit_as_they_found_it(two_threads) -> None:
    """Two maps at a time: the second to begin noted the limit of the first as the usual one, was
    the last to leave, and BLAS stayed at one thread until the server was restarted.
    """
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen = []

    def first() -> None:
        with one_thread():
            first_is_in.set()
            second_is_in.wait(10)
        first_is_out.set()

    def second() -> None:
        first_is_in.wait(10)
        with one_thread():
            second_is_in.set()
            first_is_out.wait(10)
            seen.append(blas_threads())

    threads = [threading.Thread(target=each) for each in (first, second)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert seen == [{1}]  # the one that is left still has its limit
    assert blas_threads() == {2}


def test_an_error_inside_and_a_nested_limit_take_it_back(two_threads) -> None:
    with pytest.raises(ZeroDivisionError), one_thread(), one_thread():
        assert blas_threads() == {1}
        raise ZeroDivisionError
    assert blas_threads() == {2}


def test_work_that_outlives_the_program_ends_quietly() -> None:
    """A map that was still being computed when the server stopped raised "cannot schedule new
    futures after shutdown".
    """
    code = """
import atexit, threading
from bertsent.blas_threads import one_thread

inside, exiting, left = (threading.Event() for _ in range(3))

def work():
    with one_thread():
        inside.set()
        exiting.wait(20)
    with one_thread():
        left.set()

def end():  # runs after the interpreter has shut its executors down
    exiting.set()
    print("left" if left.wait(20) else "stuck")

atexit.register(end)
threading.Thread(target=work, daemon=True).start()
inside.wait(20)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT, check=True
    )
    assert (done.stdout, done.stderr) == ("left\n", "")


def test_nothing_else_limits_the_threads() -> None:
    for path in (PROJECT / "bertsent").rglob("*.py"):
        if path.name != "blas_threads.py":
            assert "threadpool_limits" not in path.read_text(encoding="utf-8"), path
