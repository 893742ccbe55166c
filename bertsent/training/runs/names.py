"""Names for runs that are easy to say aloud in a classroom."""

import random

_MANNERS = (
    "amber brave bright calm candid careful cheerful clever cosy curious dapper eager fearless "
    "gentle glad golden humble keen kind "
    "lively lucky mellow merry mighty modest nimble patient plucky polite proud quick quiet rapid "
    "rosy serene silent sleepy sly snug "
    "spry steady sunny swift tidy upbeat vivid warm wise witty zesty"
).split()
_ANIMALS = (
    "badger beaver bison crane dingo dove eagle egret falcon ferret finch fox gecko gull hare "
    "hedgehog heron ibex jackal jay kestrel koala "
    "lark lemur lynx marmot marten mole moose newt ocelot osprey otter owl panda pika plover "
    "puffin quail raven robin seal sparrow stoat "
    "swan tapir thrush toad vole walrus weasel wren yak"
).split()


def suggest_name(taken: set[str]) -> str:
    """A name like ``curious-otter`` that is not in ``taken``."""
    for _ in range(100):
        name = f"{random.choice(_MANNERS)}-{random.choice(_ANIMALS)}"
        if name not in taken:
            return name
    return f"{name}-{len(taken) + 1}"
