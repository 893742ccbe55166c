"""What can go wrong, in words for the person who meets it: what happened, then what to do."""


class BertsentError(Exception):
    """The root of every error this package raises on purpose; its text is fit for the screen."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(f"{what} {remedy}".strip())
        self.what, self.remedy = what, remedy

    @classmethod
    def raise_if(cls, wrong: object, what: str, remedy: str = "") -> None:
        """Raise this error if ``wrong`` is true."""
        if wrong:
            raise cls(what, remedy)


class BadInput(BertsentError, ValueError):
    """Something a person supplied cannot be used: a file, a text, a number."""


class NotAvailable(BertsentError):
    """Something asked for is not here now: a model, a run, the Hub."""


class OtherTask(NotAvailable):
    """A model answers another question than the one that is asked here; nothing is wrong."""


class BadCheckpoint(BertsentError):
    """A model folder is damaged, unsafe or of a kind that is not known."""


class Busy(BertsentError):
    """Somebody else holds what is needed: the run already has a worker."""


class NotAllowed(BertsentError):
    """Only somebody else may do that: who owns the run, or the host of the lab."""


class Cancelled(BertsentError):
    """A person asked for work in progress to stop; nothing half-made is kept."""
