"""Two hosts train one run with ``accelerate launch``: two network namespaces that see each other
over one wire, and a folder that both see.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertsent.settings import PROJECT
from bertsent.training.events import Finished
from tests.conftest import wait_until
from tests.process_tree import children
from tests.training.loop_harness import SENTINELS, LoopHarness, recipe
from tests.training.workers import new_run

pytestmark = [pytest.mark.machines, pytest.mark.timeout(1_200)]
HOSTS = ("btsa", "btsb")
PATIENCE = 300


def ip(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wire() -> Iterator[None]:
    """Two hosts, 10.77.0.1 and 10.77.0.2."""
    if not shutil.which("ip") or ip("netns", "add", HOSTS[0]).returncode:
        pytest.skip("network namespaces are not permitted here (ip netns add, as root)")
    try:
        ip("netns", "add", HOSTS[1])
        ip("link", "add", HOSTS[0], "netns", HOSTS[0], "type", "veth", "peer", "name", HOSTS[1])
        if ip("link", "set", HOSTS[1], "netns", HOSTS[1]).returncode:
            pytest.skip("no wire between network namespaces is permitted here")
        for number, host in enumerate(HOSTS, start=1):
            for words in (
                ("addr", "add", f"10.77.0.{number}/24", "dev", host),
                ("link", "set", host, "up"),
                ("link", "set", "lo", "up"),
            ):
                assert not ip("-n", host, *words).returncode
        yield
    finally:
        for host in HOSTS:
            ip("netns", "del", host)


def launched(number: int, folder: Path) -> subprocess.Popen:
    """``accelerate launch`` on one host, in a session of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "GLOO_SOCKET_IFNAME": HOSTS[number],
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu"]
    command += ["--num_machines", "2", "--num_processes", "2", "--machine_rank", str(number)]
    command += ["--main_process_ip", "10.77.0.1", "--main_process_port", "29577"]
    command += ["--mixed_precision", "no", "--dynamo_backend", "no"]
    return subprocess.Popen(
        ["ip", "netns", "exec", HOSTS[number], *command]
        + ["-m", "bertsent.training.worker", str(folder)],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def ended(hosts: list[subprocess.Popen]) -> list[str]:
    """What both hosts printed, after they have ended."""
    try:
        return [host.communicate(timeout=PATIENCE)[0] for host in hosts]
    finally:
        for host in hosts:
            for process in [*children(host.pid), host.pid] if host.poll() is None else ():
                os.kill(process, signal.SIGKILL)


def worker_of(host: subprocess.Popen) -> int:
    """The process of a host that trains; its launcher is another one."""
    below = children(host.pid)
    return next(pid for pid, what in below.items() if "bertsent.training.worker" in what)


def course(tiny_backbone, toy_reviews, **changes) -> LoopHarness:
    config = recipe(trains="head", dropout=0.0, **changes)
    return LoopHarness(tiny_backbone, toy_reviews, config, None, SENTINELS)


def losses(history) -> list[float]:
    return [step.loss for step in {step.step: step for step in history.steps}.values()]


def test_two_hosts_learn_what_one_process_does(wire, lab, tiny_backbone, toy_reviews):
    """The same losses but for rounding, and a sentence that was added on the page."""
    alone = course(tiny_backbone, toy_reviews)
    alone.go()
    run = new_run(alone)
    run.set_sentinels((*SENTINELS, "a sentence of the page"))
    hosts = [launched(number, run.folder) for number in (0, 1)]
    said = ended(hosts)
    history = run.history()
    assert isinstance(history.last, Finished), "\n".join(said)
    assert [host.returncode for host in hosts] == [0, 0]
    assert losses(history) == pytest.approx(losses(alone.history), abs=1e-5)
    assert "a sentence of the page" in history.sentinels[-1].scores


def test_a_host_killed_in_the_middle_leaves_a_run_that_resumes(
    wire, lab, tiny_backbone, toy_reviews
):
    """The second host dies by ``kill -9``; the first one leaves, and both go on later with the same
    losses as if nothing had happened. A pause and a stop from the page reach both.
    """
    alone = course(tiny_backbone, toy_reviews, epochs=100, save_seconds=0.0)
    alone.go()
    run, reached = new_run(alone), 0
    for end in ("interrupted", "paused", "stopped"):
        hosts = [launched(number, run.folder) for number in (0, 1)]
        wait_until(
            lambda: run.history().step >= reached + 3 or hosts[0].poll() is not None,  # noqa: B023
            PATIENCE,
        )
        if end == "interrupted":
            os.kill(worker_of(hosts[1]), signal.SIGKILL)
        else:
            run.request({"paused": "pause", "stopped": "stop"}[end])
        said = ended(hosts)
        assert run.status().state == end, "\n".join(said)
        run.request("")
        assert reached + 3 <= run.history().step < 400
        reached = run.history().step
    steps = losses(run.history())
    assert steps == pytest.approx(losses(alone.history)[: len(steps)], abs=1e-5)


def test_a_pause_before_the_beginning_reaches_both(wire, lab, tiny_backbone, toy_reviews):
    """The second host waited for ever for the first one, which had left."""
    run = new_run(course(tiny_backbone, toy_reviews))
    run.request("pause")
    hosts = [launched(number, run.folder) for number in (0, 1)]
    said = ended(hosts)
    assert run.status().state == "paused", "\n".join(said)
    assert [host.returncode for host in hosts] == [0, 0]


def test_a_host_with_a_disk_of_its_own_is_told_before_anything_starts(
    wire, lab, tiny_backbone, toy_reviews, tmp_path
):
    run = new_run(course(tiny_backbone, toy_reviews))
    copy = shutil.copytree(run.folder, tmp_path / "copy" / run.id)
    hosts = [launched(0, run.folder), launched(1, copy)]
    for said in ended(hosts):
        assert "Process 1 on host" in said and "disk that all hosts share" in said
        assert "exitcode  : 2" in said.replace("exitcode : 2", "exitcode  : 2")
    assert run.status().state == "new" and not (copy / "events.jsonl").exists()
