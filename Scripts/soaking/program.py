# SPDX-License-Identifier: Apache-2.0
"""The demo as a child process: its addresses, its lines, its configuration, its clock and its sizes."""

import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.request

LIBRARY = "libfaketime.so.1"
INSTALLATION = "libfaketime is missing: apt-get install libfaketime"
COMPILER_INSTALLATION = "clang is missing: it comes with Swift, whose folder must be in PATH"
# A build for debugging writes a warning for a missed budget, and a release build writes an error.
MISSED_BUDGET = ("axiom: warning: budget ", "axiom: error: budget ")


def fetch(url, body=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=body), timeout=30) as answer:
        return answer.read().decode()


def faketime_library():
    """The path of libfaketime; None if it is not installed."""
    found = glob.glob(f"/usr/lib/*/faketime/{LIBRARY}") + glob.glob(f"/usr/lib/faketime/{LIBRARY}")
    return found[0] if found else None


def compiler():
    """The path of a C compiler: Swift comes with one."""
    return shutil.which("clang") or shutil.which("cc")


class Demo:
    """A running shop-oracle.

    libfaketime shifts its wall clock by the offset in a file, which it reads again each second. The monotonic clock, timers
    and the times of files stay true."""

    def __init__(self, path, seconds, rate, say):
        self._say = say
        self._folder = tempfile.TemporaryDirectory(prefix="axiom-soak-")
        self._clock = os.path.join(self._folder.name, "clock")
        self._settings = os.path.join(self._folder.name, "shop.json")
        self.generation = self.missed_budgets = 0
        self.set_clock(0)
        self._write_settings()
        self.arguments = [
            "--port", "0", "--rate", f"{rate:g}", "--duration", f"{round(seconds)}s", "--linger", "30m", "--config",
            self._settings,
        ]
        # The first program under libfaketime gets another environment in memory. Swift finds the arguments of the program
        # beside the environment, so `env` is the first one, and becomes the demo.
        self._process = subprocess.Popen(
            ["env", path] + self.arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self._environment()
        )
        self.pid = self._process.pid
        self.metrics = self.upstream = None
        self._served, self._ended = threading.Event(), threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()
        if not self._served.wait(60) or self.upstream is None:
            self.stop()
            raise RuntimeError("shop-oracle did not serve within 60 s")

    def _environment(self):
        timers = os.path.join(self._folder.name, "timers.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timers.c")
        subprocess.run([compiler(), "-shared", "-fPIC", "-O1", "-o", timers, source], check=True)
        return dict(
            os.environ, LD_PRELOAD=f"{timers}:{faketime_library()}", FAKETIME_TIMESTAMP_FILE=self._clock, FAKETIME_CACHE_DURATION="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1", FAKETIME_DONT_RESET="1", NO_FAKE_STAT="1",
        )

    def _follow(self):
        for line in self._process.stdout:
            if line.startswith(MISSED_BUDGET):
                self.missed_budgets += 1  # Hundreds in each outage.
            else:
                self._say("  shop-oracle: " + line.rstrip())
            match = re.search(r"http://127\.0\.0\.1:\d+", line)
            if match and line.startswith("metrics:"):
                self.metrics = match[0]
            if match and line.startswith("upstream:"):
                self.upstream = match[0]
                self._served.set()
            if " actions; " in line:
                self._ended.set()
        self._served.set()
        self._ended.set()

    @property
    def is_running(self):
        return self._process.poll() is None

    def wait_for_load(self, seconds):
        """Waits for the summary of the load. Returns whether the demo still runs."""
        return self._ended.wait(seconds) and self.is_running

    def stop(self):
        """Ends the program. Returns its exit code; -9 if it had to be killed."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._folder.cleanup()
            # What libfaketime leaves behind.
            for name in [f"faketime_shm_{self.pid}", f"sem.faketime_sem_{self.pid}"]:
                pathlib.Path("/dev/shm", name).unlink(missing_ok=True)

    # Disturbances

    def set_faults(self, mode):
        fetch(self.upstream + "/faults", mode.encode())

    def set_clock(self, offset):
        self._replace(self._clock, f"{offset:+d}\n")

    def reload(self):
        """Changes the configuration and tells the demo."""
        self._write_settings()
        self._process.send_signal(signal.SIGHUP)

    def _write_settings(self):
        self.generation += 1
        values = {
            "network": {"timeout": 1.5 if self.generation % 2 else 1.6},
            # What a flag keeps is released when it changes: a flag that changes seldom shows what a screen leaves there.
            "flags": {"tax-notice": self.generation // 16 % 2 == 1},
        }
        self._replace(self._settings, json.dumps(values))

    @staticmethod
    def _replace(path, text):
        """A reader sees the old file or the new one."""
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    # Sizes

    def memory(self):
        """The bytes of all anonymous pages, swapped ones included, and of file-backed pages."""
        with open(f"/proc/{self.pid}/status") as file:
            sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", file.read(), re.MULTILINE))
        return (int(sizes["RssAnon"]) + int(sizes["VmSwap"])) * 1024, int(sizes["RssFile"]) * 1024

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def processor_seconds(self):
        return processor_seconds(self.pid)

    def processor_wait(self):
        return processor_wait(self.pid)


def processor_wait(pid):
    """The seconds for which the present threads of a process were ready to run, and other programs had the processors."""
    waited = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path) as file:
                waited += int(file.read().split()[1])
        except OSError:
            pass  # The thread has ended.
    return waited / 1e9


def processor_seconds(pid):
    """The time that a process has used of all processors."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
