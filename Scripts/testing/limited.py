# SPDX-License-Identifier: Apache-2.0
"""Runs a program of tests with a limit of time, and counts what happened.

If the limit passes, the tests must be stuck: they are ended, those that did not end are named, and the stacks of their threads
are printed (if gdb is installed). If a signal ends the tests, such as that of a crash, it is named with those tests."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

STACK_SECONDS = 120
# Tests that wait for their turn have started too, so those that hang are few of many. A log may keep its last lines only.
NAMED_TESTS = 40
# Swift Testing ends with this code if the filters leave no test.
NO_TESTS = 69
# With all at once each takes minutes, and limits of time in it expire.
WIDTH = ["--experimental-maximum-parallelization-width", "16"]


@dataclass
class Outcome:
    """The tests by what happened to them; each is a pair of its name and what was said of it."""
    passed: int = 0
    # The names of those that passed.
    names: list = field(default_factory=list)
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    # Why the program did not end by itself; empty if it did.
    ended: str = ""

    def __iadd__(self, other):
        self.passed += other.passed
        self.names += other.names
        self.failed += other.failed
        self.skipped += other.skipped
        self.ended = self.ended or other.ended
        return self

    @property
    def is_good(self):
        return not self.failed and not self.ended

    @property
    def count(self):
        return self.passed + len(self.failed) + len(self.skipped)


def run(program, options, minutes, environment, quiet=False):
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.jsonl")
        command = [program, "--testing-library", "swift-testing", *WIDTH, *options]
        command += ["--event-stream-output-path", events, "--event-stream-version", "0"]
        output = subprocess.DEVNULL if quiet else None
        tests = subprocess.Popen(command, start_new_session=True, env=environment, stdout=output, stderr=output)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: end(tests, number))
        ended, stacks = wait(tests, minutes)
        outcome, running = read(events)
        outcome.ended = ended
        if ended:
            print(f"\n✘ {ended}. These had started and did not end:", *running[:NAMED_TESTS], sep="\n✘   ")
            if len(running) > NAMED_TESTS:
                print(f"✘   and {len(running) - NAMED_TESTS} more")
            print(stacks, end="", flush=True)
        return outcome


def wait(tests, minutes):
    """Why the tests did not end by themselves, and the stacks of their threads then; empty if they did."""
    try:
        code = tests.wait(minutes * 60)
    except subprocess.TimeoutExpired:
        return f"The tests did not end within {minutes:g} minutes", stop(tests)
    return describe(code), ""


def describe(code):
    if code < 0:
        return f"The tests were ended by the signal {signal.Signals(-code).name}"
    return "" if code in (0, 1, NO_TESTS) else f"The program of the tests ended with {code}"


def end(tests, number):
    kill(tests.pid, number)
    sys.exit(128 + number)


def stop(tests):
    """Ends the tests. Returns the stacks and the states of their threads."""
    found = "".join(stacks(process) + states(process) for process, command in processes(tests.pid) if ".xctest" in command)
    kill(tests.pid, signal.SIGKILL)
    return found


def states(process):
    """What the kernel says of each thread: whether it runs, and what it waits for."""
    command = ["ps", "-L", "-o", "lwp,stat,time,wchan:24,comm", "-p", str(process)]
    return subprocess.run(command, capture_output=True, text=True).stdout


def stacks(process):
    command = ["gdb", "--batch", "--pid", str(process), "-ex", "thread apply all backtrace 20"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=STACK_SECONDS).stdout
    except FileNotFoundError:
        return "Install gdb to see the stacks of the threads: apt-get install gdb\n"
    except subprocess.TimeoutExpired:
        return f"gdb printed no stacks within {STACK_SECONDS} seconds\n"


def kill(session, number):
    for process, _ in processes(session):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def processes(session):
    """The processes of a session, with the program of each."""
    listing = subprocess.run(["ps", "-eo", "pid=,sid=,args="], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        process, its_session, command = line.split(None, 2)
        if int(its_session) == session:
            yield int(process), command.split()[0]


def read(path):
    """The outcome of the tests that ended, and the names of those that did not, in the order of their start."""
    outcome, names, issues, running = Outcome(), {}, {}, {}
    for kind, payload in records(path):
        test = payload.get("testID")
        if kind == "test":
            if payload["kind"] == "function":
                names[payload["id"]] = f"{payload.get('displayName', payload['name'])} ({payload['id']})"
        elif payload["kind"] == "issueRecorded":
            if not payload["issue"].get("isKnown") and payload["issue"].get("isFailure", True):
                issues.setdefault(test, []).extend(texts(payload))
        elif payload["kind"] == "testStarted" and test in names:
            running[test] = True
        elif payload["kind"] == "testSkipped" and test in names:
            outcome.skipped.append((names[test], " ".join(texts(payload))))
        elif payload["kind"] == "testEnded" and running.pop(test, False):
            if test not in issues:
                outcome.passed += 1
                outcome.names.append(names[test])
    outcome.failed = [(names.get(test, str(test)), "\n".join(said)) for test, said in issues.items()]
    return outcome, [names[test] for test in running]


def records(path):
    try:
        with open(path) as lines:
            for line in lines:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                yield record["kind"], record["payload"]
    except FileNotFoundError:
        return


def texts(payload):
    return [message["text"] for message in payload.get("messages", [])]
