"""The broker's own hop: a bare Celery worker that answers at once by way of Redis.

`python -m bench.servers.broker URL` is the worker; `there_and_back` asks it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.processes import Program

QUEUE = "bench"
TASK = "bench.answer"
READY = "the broker's worker is ready"


@contextmanager
def there_and_back(url: str) -> Iterator[Callable[[], float]]:
    """Gives what measures one hop there and back, in ms."""
    import redis
    from celery import Celery

    app = Celery("bench-asks", broker=url, set_as_current=False)
    program = Program([sys.executable, "-m", "bench.servers.broker", url])

    def hop() -> float:
        ref = str(time.monotonic_ns())
        began = time.perf_counter()
        app.send_task(TASK, args=[ref], queue=QUEUE, ignore_result=True)
        assert connection.blpop([ref], timeout=30)
        return (time.perf_counter() - began) * 1000

    with redis.Redis.from_url(url) as connection:
        try:
            program.wait_for(READY)
            yield hop
        finally:
            program.kill()
            app.close()


def main() -> None:
    """Works until it is ended."""
    import redis
    from celery import Celery
    from celery.signals import worker_ready

    url = sys.argv[1]
    app = Celery("bench", broker=url)
    app.conf.update(
        worker_pool="threads", worker_enable_remote_control=False, worker_redirect_stdouts=False
    )
    connection = redis.Redis.from_url(url)

    @app.task(name=TASK, ignore_result=True)
    def answer(ref: str) -> None:
        connection.rpush(ref, "here")

    worker_ready.connect(lambda **_sent: print(READY, flush=True), weak=False)
    app.worker_main(["worker", "-Q", QUEUE, "--concurrency=4", "--without-mingle", "-l", "ERROR"])


if __name__ == "__main__":
    main()
