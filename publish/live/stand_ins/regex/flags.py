"""The flags of `regex` that the stand-in supports."""

from __future__ import annotations

import enum


class RegexFlag(enum.IntFlag):
    """The flags that are supported, with the values of `regex`."""

    IGNORECASE = I = 0x2  # noqa: E741
    MULTILINE = M = 0x8
    DOTALL = S = 0x10
    UNICODE = U = 0x20
    VERBOSE = X = 0x40
    VERSION1 = V1 = 0x100
    VERSION0 = V0 = 0x2000


I = IGNORECASE = RegexFlag.I  # noqa: E741
M = MULTILINE = RegexFlag.M
S = DOTALL = RegexFlag.S
U = UNICODE = RegexFlag.U
X = VERBOSE = RegexFlag.X
V0 = VERSION0 = RegexFlag.V0
V1 = VERSION1 = RegexFlag.V1
