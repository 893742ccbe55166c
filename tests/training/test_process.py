import subprocess
import sys
from pathlib import Path

import pytest

from bertsent.training.process import NICENESS

GROUP = Path("/proc/self/autogroup")
GIVE_WAY = (
    "import os; from pathlib import Path; from bertsent.training.process import give_way; "
    "give_way(); print(os.nice(0)); print(Path('/proc/self/autogroup').read_text().split()[-1])"
)


@pytest.mark.skipif(not GROUP.exists(), reason="this system does not group processes by session")
@pytest.mark.parametrize("own_session", [True, False])
def test_a_process_that_trains_gives_way_with_its_group_and_never_with_a_terminals(
    own_session: bool,
) -> None:
    before = GROUP.read_text().split()[-1]
    done = subprocess.run(
        [sys.executable, "-c", GIVE_WAY], start_new_session=own_session, capture_output=True
    )
    niceness, group = done.stdout.decode().split()
    assert int(niceness) >= NICENESS
    assert group == (str(NICENESS) if own_session else before)
    assert GROUP.read_text().split()[-1] == before
