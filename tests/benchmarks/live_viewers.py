"""Thirty viewers of one live run, over real websockets: how much slower the run gets while they
watch its curves.

Each viewer does what a browser does: opens Fine-tune, and asks for the live part again as often as
the page says. The run is watched
and left alone in turns; its speed is what its own log says. On two cores the server that draws for
thirty shares them with the run.
"""

import asyncio
import contextlib
import os
import statistics
import time

from tests.benchmarks.live_server import SpeedOfRun, live_server
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import temporary_home

VIEWERS, PAGE = 30, "Fine-tune"


def rows(quick: bool) -> list[Row]:
    """Tokens a second of a live run with thirty viewers and without any."""
    turns, seconds = (1, 12) if quick else (4, 25)
    alone, watched, looks = _measured(turns, seconds)
    how = (
        f"{turns} turns of {seconds} s each; {looks:,.0f} redraws a turn over {VIEWERS} "
        f"websockets; {os.cpu_count()} cores"
    )
    return [
        Row(
            f"a run that {VIEWERS} people watch, tokens/s",
            "tokens/s",
            watched,
            alone,
            f"against nobody; {how}",
            more_is_better=True,
        )
    ]


def _measured(turns: int, seconds: float) -> tuple[float, float, float]:
    from bertsent.training.config import TrainingConfig
    from bertsent.training.runs.launcher import launch, prepare_run
    from tests.benchmarks.reviews import front

    with temporary_home(), live_server() as server:
        run = prepare_run(front(1_600), TrainingConfig(epochs=20, max_length=256))
        launch(run)
        try:
            while not run.history().steps:
                time.sleep(0.3)
            alone, watched, looks = [], [], []
            for _ in range(turns):
                speed = SpeedOfRun(run)
                time.sleep(seconds)
                alone.append(speed.tokens_per_second())
                pace, redraws = asyncio.run(_watch(server.port, run, seconds))
                watched.append(pace)
                looks.append(redraws)
        finally:
            run.request("stop")
            while run.alive():
                time.sleep(0.2)
    return statistics.median(alone), statistics.median(watched), statistics.median(looks)


async def _watch(port: int, run, seconds: float) -> tuple[float, int]:  # a Run
    """Tokens a second while thirty people look, once all of them have the page before them, and how
    many redraws they were sent.
    """
    there, over, redraws = asyncio.Semaphore(0), asyncio.Event(), [0]
    people = [
        asyncio.create_task(_viewer(port, run.id, there, over, redraws)) for _ in range(VIEWERS)
    ]
    for _ in people:
        await asyncio.wait_for(there.acquire(), 180)
    speed, redraws[0] = SpeedOfRun(run), 0
    await asyncio.sleep(seconds)
    pace = speed.tokens_per_second()
    over.set()
    await asyncio.gather(*people)
    return pace, redraws[0]


async def _viewer(
    port: int, run: str, there: asyncio.Semaphore, over: asyncio.Event, redraws: list[int]
) -> None:
    """One browser's conversation, until it is over."""
    import websockets
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    async with websockets.connect(
        f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None
    ) as line:
        await line.send(_asking(run))
        polls: dict[str, asyncio.Task] = {}
        loaded = False
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                message = ForwardMsg.FromString(await asyncio.wait_for(line.recv(), 0.5))
                if message.WhichOneof("type") == "auto_rerun":
                    fragment = message.auto_rerun
                    if (
                        fragment.fragment_id in polls
                    ):  # asked to look more or less often, as a browser is
                        polls[fragment.fragment_id].cancel()
                    polls[fragment.fragment_id] = asyncio.create_task(
                        _poll(line, run, fragment.fragment_id, fragment.interval)
                    )
                if message.WhichOneof("type") == "script_finished":
                    redraws[0] += 1
                    if not loaded and polls:
                        loaded = True
                        there.release()
        for poll in polls.values():
            poll.cancel()


async def _poll(line, run: str, fragment: str, interval: float) -> None:  # a websocket
    while True:
        await asyncio.sleep(interval)
        await line.send(_asking(run, fragment))


def _asking(run: str, fragment: str = "") -> bytes:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    asked = BackMsg()
    asked.rerun_script.query_string = f"run={run}"
    asked.rerun_script.page_name = PAGE
    if fragment:
        asked.rerun_script.fragment_id, asked.rerun_script.is_auto_rerun = fragment, True
    return asked.SerializeToString()
