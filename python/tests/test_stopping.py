"""Training runs without the interpreter's lock, says how far it is, and stops by Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import make_texts

import hapax

TEXTS, LABELS = make_texts(3000, seed=5, several=True)


def test_progress_is_told_and_may_stop():
    told = []
    hapax.train(TEXTS[:500], LABELS[:500], progress=lambda *step: told.append(step))
    assert any(what == "choosing parameters" and done for what, done, _ in told)
    assert told[-1][0] == "training"

    def stop(what, done, of):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hapax.train(TEXTS, LABELS, progress=stop)
    # Nothing is left broken.
    again = hapax.train(TEXTS[:500], LABELS[:500])
    assert again.to_bytes() == hapax.train(TEXTS[:500], LABELS[:500]).to_bytes()


CHILD = """
import signal, sys, time
# Shells have their background jobs ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[1])
import hapax
from conftest import make_texts
texts, labels = make_texts(40_000, seed=6, several=True)
print("begun", flush=True)
begun = time.monotonic()
try:
    hapax.train(texts, labels, threads=int(sys.argv[2]))
    print("finished")
except KeyboardInterrupt:
    print("stopped", time.monotonic() - begun)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_training(threads, request):
    command = [sys.executable, "-c", CHILD, request.path.parent, str(threads)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = child.communicate(timeout=60)
    assert out.startswith("stopped"), (out, err)
    # Nobody hears of what carried the stop through the threads.
    assert err == ""
    assert time.monotonic() - sent < 5


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    begun = time.monotonic()
    hapax.train(TEXTS, LABELS, "ovr", threads=1)
    ended = time.monotonic()
    done.set()
    ticking.join()
    during = [tick for tick in ticks if begun < tick < ended]
    assert ended - begun > 0.2
    assert len(during) > (ended - begun) / 0.05
