"""What every step is given: where things are, what the user chose, the clock and the log."""
import dataclasses
import os
import pathlib
import typing

from gpu_box.command import Clock


@dataclasses.dataclass
class Box:
    root: pathlib.Path  # of the tree
    build: pathlib.Path  # CMake's folder
    scratch: pathlib.Path  # for what a step writes while it works
    torch: typing.Optional[dict]  # machine.libtorch()
    cards: list  # machine.cards()
    quick: bool  # tiny sizes: whether it works, not how fast it is
    targets: typing.Optional[list]  # that the build step makes; None: all that the others need
    goldens: str  # which tests: a filter of GoogleTest
    clock: Clock = None  # of the step at hand
    log: typing.TextIO = None  # of the step at hand

    def environment(self, **more):
        """For the project's own programs: none of the caller's settings for them."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PLUME_")}
        return {**kept, **more}
