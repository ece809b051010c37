"""`shoal serve` for tests of its page: what is begun on nearly every screen is done in a thread, not in a new process.

A process imports for two seconds what this one has imported already. Jobs that tests cancel stay in processes, as all
jobs are in `tests/web/server/test_jobs.py` and `test_rest.py`.
"""

import asyncio
from pathlib import Path

from shoal.__main__ import main
from shoal.web.server.job_folder import JobSpec
from web_cases import Threaded

APART = ("run", "pareto", "compare")
in_a_process = asyncio.create_subprocess_exec


async def start(*command, **how):
    """A worker for the job of a folder."""
    if JobSpec.read(Path(command[-1])).kind in APART:
        return await in_a_process(*command, **how)
    return Threaded(command[-1])


if __name__ == "__main__":
    asyncio.create_subprocess_exec = start
    main()
