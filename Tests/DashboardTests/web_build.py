# SPDX-License-Identifier: Apache-2.0
"""The build tools of the page, which stand beside its sources."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Dashboards" / "web" / "build"))

import assemble  # noqa: E402, F401
