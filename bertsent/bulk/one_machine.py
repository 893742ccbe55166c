"""The parts of a job, one after the other in this process: what a cluster is measured against."""

from bertsent.bulk.answering import answerer
from bertsent.bulk.inputs import parts_of
from bertsent.bulk.job import BulkJob, OutputFolder
from bertsent.progress import Progress, no_progress
from bertsent.training.precision import choose_device


def work_here(output: OutputFolder, job: BulkJob, progress: Progress = no_progress) -> None:
    """Answer every part that is not finished.

    Raises:
        BertsentError: the model or an input cannot be used.
        OSError: the disk is full or not writable.
    """
    finished = output.finished()
    done = sum(part.rows + part.bad for part in finished.values())
    left, made = max(job.total - done, 1), 0
    answer = answerer(job, choose_device())
    for number, file in enumerate(job.inputs):
        for part in parts_of(file, number, job.rows):
            if part.name not in finished:
                output.write(part.name, *answer(part))
                made += len(part.texts)
                progress(made / left)
