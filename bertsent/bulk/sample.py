"""Some rows of a finished job of ``embed`` with their vectors, in one file that the Map opens."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bertsent.bulk.job import PARTS, BulkJob, OutputFolder, Written
from bertsent.files import atomic_path
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.embedding import model_key
from bertsent.space.known_vectors import how_embedded, with_vectors_note

ROWS, FROM_PARTS, SEED = 5_000, 200, 42


def write_sample(
    output: OutputFolder, job: BulkJob, parts: list[Written], model: LoadedModel
) -> Path | None:
    """Draw at most 5,000 rows, from at most 200 parts of a large job, and write them beside the
    parts; None where no row was answered. The same job gives the same sample.

    Raises:
        OSError: the disk is full or not writable.
    """
    path = output.folder / f"{output.folder.name}-sample.parquet"
    draw = random.Random(SEED)
    filled = [part for part in sorted(parts, key=lambda each: each.part) if part.rows]
    if not filled:
        return None
    chosen = sorted(draw.sample(filled, min(len(filled), FROM_PARTS)), key=lambda part: part.part)
    total = sum(part.rows for part in chosen)
    places = sorted(draw.sample(range(total), min(total, ROWS)))
    tables, start = [], 0
    for part in chosen:
        own = [place - start for place in places if start <= place < start + part.rows]
        start += part.rows
        if own:
            tables.append(pq.read_table(output.folder / PARTS / f"{part.part}.parquet").take(own))
    table = pa.concat_tables(tables)
    ids = pc.binary_join_element_wise(table["file"], table["row"].cast(pa.string()), ":")
    columns = [name for name in ("text", "vector", "p_positive") if name in table.column_names]
    table = pa.table({"id": ids, **{name: table[name] for name in columns}})
    how = how_embedded(job.pooling, job.layer, model.layers)
    with atomic_path(path) as unfinished:
        pq.write_table(with_vectors_note(table, model_key(model), how), unfinished)
    return path
