"""The tests grade submissions of their own: root may do it, and so may a machine without a sandbox."""

from __future__ import annotations

from course.sandbox import commands

commands.allow(without_sandbox=not commands.chosen(), as_root=True)
