"""The system calls that a student's program does not need, as a filter for bubblewrap (`--seccomp`).

They would get memory that no limit counts (that of queues and semaphores, anonymous files, and pages that a pipe
holds), or namespaces of its own, in which a program has capabilities. Locks, leases and watches of files would let two
programs talk to each other, or stop others, although no file can be written. Ended processes that nobody waits for
would take processor time that no limit counts. Which pages of a library are in memory is a message, too.
Leaves out: other processors than x86-64 and 64-bit ARM, for which there is no filter.
Source: the kernel's Documentation/userspace-api/seccomp_filter.rst, and include/uapi/linux/filter.h.
"""

from __future__ import annotations

import errno
import platform
import struct

# The number of the architecture, and those of the system calls, in this order; the last three depend on an argument.
NAMES = (
    *("shmget", "semget", "msgget", "mq_open", "memfd_create", "memfd_secret"),
    *("io_uring_setup", "unshare", "setns", "add_key", "keyctl"),
    *("vmsplice", "flock", "inotify_init1", "fanotify_init", "mincore", "fadvise64", "cachestat"),
    *("clone", "fcntl", "rt_sigaction"),
)
NUMBERS = {
    "x86_64": (
        0xC000003E,
        (29, 64, 68, 240, 319, 447, 425, 272, 308, 248, 250, 278, 73, 294, 300, 27, 221, 451, 56, 72, 13),
    ),
    "aarch64": (
        0xC00000B7,
        (194, 190, 186, 180, 279, 447, 425, 97, 268, 217, 219, 75, 32, 26, 262, 232, 223, 451, 220, 25, 134),
    ),
}
INOTIFY_INIT = 253  # on x86-64; 64-bit ARM has no call with this number
PREADV2 = {"x86_64": 327, "aarch64": 286}  # may read only what is in memory; the C library does without it
HARMLESS = (0, 1, 2, 3, 4, 1030)  # fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
SIGCHLD = 17  # whoever ignores it has children that end without a trace
CLONE3 = 435  # its flags are behind a pointer: with ENOSYS, the C library takes clone
NEW_USER = 0x10000000  # a flag of clone: a user namespace
OTHER_ABI = 0x40000000  # x32 on x86-64 has other numbers

LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # places in what the kernel shows to a filter
NEXT_ARGUMENT = 8
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # REFUSE plus the number of an error


def program(machine: str = "") -> bytes:
    """Return the filter for a machine, by default this one, or b"" if there is none.

    >>> len(program("x86_64")) % 8, program("abacus")
    (0, b'')
    """
    machine = machine or platform.machine()
    known = NUMBERS.get(machine)
    if not known:
        return b""
    architecture, (*calls, clone, fcntl, sigaction) = known
    # Each test is followed by what happens if it holds; otherwise the next test comes.
    start = [_step(LOAD, ARCHITECTURE), _step(EQUAL, architecture, 1, 0), _step(RETURN, REFUSE + errno.ENOSYS)]
    rules = [
        *(_if(EQUAL, number, REFUSE + errno.EPERM) for number in (*calls, INOTIFY_INIT)),
        *(_if(EQUAL, number, REFUSE + errno.ENOSYS) for number in (CLONE3, PREADV2[machine])),
        _if(AT_LEAST, OTHER_ABI, REFUSE + errno.ENOSYS),
        _with_argument(clone, 0, _if(HAS_BITS, NEW_USER, REFUSE + errno.EPERM)),
        _with_argument(fcntl, 1, *(_if(EQUAL, one, ALLOW) for one in HARMLESS), _step(RETURN, REFUSE + errno.EPERM)),
        _with_argument(sigaction, 0, _if(EQUAL, SIGCHLD, REFUSE + errno.EPERM)),
    ]
    return b"".join([*start, _step(LOAD, NUMBER), *rules, _step(RETURN, ALLOW)])


def _with_argument(call: int, argument: int, *tests: bytes) -> bytes:
    """Do what the tests of an argument say, if it is this call."""
    checked = b"".join([_step(LOAD, FIRST_ARGUMENT + argument * NEXT_ARGUMENT), *tests, _step(LOAD, NUMBER)])
    return _step(EQUAL, call, 0, len(checked) // 8) + checked


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _if(test: int, value: int, result: int) -> bytes:
    return _step(test, value, 0, 1) + _step(RETURN, result)
