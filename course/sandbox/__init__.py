"""Run a student's notebook in another process, and call its functions from there.

The grader keeps the reference and the hidden tests. The other process has only the student's code; the two exchange
plain values as JSON. `process` starts it in a sandbox of the system, such as bubblewrap, if there is one.
"""
