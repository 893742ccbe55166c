"""What the class sees of the board, and the file of confirmed reviews."""

import io

import pandas as pd

from bertsent.classroom.board import offer, set_board
from bertsent.classroom.board_tables import confirmed_table, entries_table, ranking_table
from bertsent.data.sources import load_reviews
from bertsent.ui.shared.downloads import safe_csv
from tests.classroom.test_board import says


def test_of_what_waits_neither_label_nor_probability_is_shown(played):
    offer(played, "ann", "=SUM of its parts, and less", 0, says(0.9))
    table = entries_table(played.look())
    assert list(table["standing"])[:2] == ["waiting", "confirmed"]
    assert pd.isna(table["label"][0]) and pd.isna(table["p_wrong"][0]) and table["points"][0] == 0
    assert table["label"][1] == "POSITIVE" and table["points"][1] == 90


def test_the_ranking_has_the_nicknames_of_the_room(played):
    table = ranking_table(played.look())
    assert set(table["nickname"]) == {"Ann", "Bo", "Cy", "Di"}
    assert table["points"].sum() == 12 * 90
    played.remove(played.member("ann"))
    assert "somebody who left" in set(ranking_table(played.look())["nickname"])


def test_the_file_of_confirmed_reviews_can_be_trained_on(played, tmp_path):
    path = tmp_path / "board.csv"
    path.write_bytes(safe_csv(confirmed_table(played.look().board)))
    entries = played.look().board.confirmed
    read = load_reviews(path, contrastive=False)
    assert [(e.text, e.label) for e in read] == [(e.text, e.label) for e in entries]


def test_the_file_holds_what_fooled_any_model_and_no_formula(played):
    entry = offer(played, "ann", "=SUM of its parts, and less", 0, says(0.9)).entry
    from bertsent.classroom.board import judge

    judge(played, "bo", entry.id, 0)
    set_board(played, "builtin")
    frame = pd.read_csv(io.BytesIO(safe_csv(confirmed_table(played.look().board))))
    assert len(frame) == 13 and frame["text"].iloc[-1] == "'=SUM of its parts, and less"
    assert "Ann" not in frame.to_string()
