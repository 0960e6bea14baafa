# SPDX-License-Identifier: Apache-2.0
"""Runs tests as unittest names them, and what failed once more, alone: a browser on a busy machine is late, but not
twice in the same place. What fails twice has failed. Both failures are printed."""
import sys
import unittest


def run(names):
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(".", pattern="*_tests.py")
    result = unittest.TextTestRunner().run(tests)
    return result, [test.id() for test, _ in result.failures + result.errors]


result, failed = run(sys.argv[1:])
if failed:
    # What a fixture of a class or of a file broke has no name that can be loaded.
    can_run = all(name.split(".")[0].isidentifier() and " " not in name for name in failed)
    print("Once more:", *failed, file=sys.stderr)
    if can_run:
        result, failed = run(failed)
sys.exit(1 if failed or not result.wasSuccessful() else 0)
