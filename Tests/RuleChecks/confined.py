# SPDX-License-Identifier: Apache-2.0
"""Runs a program as a Deployment confines it: its user, no capability, a read-only file system except for its volume, and
the address of a pod. Then asks it what the probes and the monitor ask.

    confined.py DEPLOYMENT.json PROGRAM    inside the namespaces that problems() makes

The seccomp profile, which a container engine applies, and the limits of memory and processor time are not applied.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POD_IP = "10.64.0.7"
LIMIT = 60
# File systems of the kernel, which a container has too.
KERNEL = ("/proc", "/sys", "/dev")


def problems(deployment, program):
    """Runs this file in a mount namespace and a network namespace of its own, and returns what it prints."""
    unshare = ["unshare", "--mount", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(deployment, file)
        file.flush()
        command = [*unshare, sys.executable, "-B", __file__, file.name, str(program)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=4 * LIMIT, stdin=subprocess.DEVNULL)
    lines = (run.stdout + run.stderr).splitlines()
    return lines or ([] if run.returncode == 0 else [f"confined.py ended with {run.returncode}"])


class Pod:
    """What of a Deployment matters to the process."""

    def __init__(self, deployment):
        spec = deployment["spec"]["template"]["spec"]
        self.container = spec["containers"][0]
        self.user, self.group = spec["securityContext"]["runAsUser"], spec["securityContext"]["fsGroup"]
        self.grace = spec["terminationGracePeriodSeconds"]
        self.volume = self.container["volumeMounts"][0]["mountPath"]
        self.size = spec["volumes"][0]["emptyDir"]["sizeLimit"].replace("Mi", "m")
        self.port = self.container["ports"][0]["containerPort"]
        self.arguments = [each.replace("$(POD_IP)", POD_IP) for each in self.container["args"]]
        self.memory = int(self.container["resources"]["limits"]["memory"].replace("Mi", "")) << 20
        context = {**spec["securityContext"], **self.container["securityContext"]}
        self.is_confined = (
            context["runAsNonRoot"] and self.user != 0 and context["readOnlyRootFilesystem"]
            and not context["allowPrivilegeEscalation"] and context["capabilities"] == {"drop": ["ALL"]}
        )

    def confinement(self):
        """The command that drops all privileges. In a user namespace of an ordinary user there is no other user."""
        user = [f"--reuid={self.user}", f"--regid={self.group}", "--clear-groups"] if is_root() else []
        return ["setpriv", *user, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]

    def probes(self):
        for name in ("startup", "liveness", "readiness"):
            probe = self.container[f"{name}Probe"]
            yield name, probe["httpGet"]["path"], probe["failureThreshold"] * probe["periodSeconds"]


def is_root():
    """Whether root is root outside of the user namespace too."""
    return Path("/proc/self/uid_map").read_text().split()[1] == "0"


# MARK: the namespaces


def run(*command):
    subprocess.run(command, check=True)


def confine(pod):
    """Gives the namespaces the address of the pod, the volume, and nothing else that can be written."""
    run("mount", "--make-rprivate", "/")
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", f"{POD_IP}/32", "dev", "lo")
    parent = str(Path(pod.volume).parent)
    run("mount", "-t", "tmpfs", "none", parent)
    os.mkdir(pod.volume)
    owner = f",gid={pod.group},mode=2770" if is_root() else ""
    run("mount", "-t", "tmpfs", "-o", f"size={pod.size}{owner}", "none", pod.volume)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, options = line.split()[4:6]
        place = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place)
        if place != pod.volume and not place.startswith(KERNEL) and "ro" not in options.split(","):
            kept = [each for each in options.split(",") if each in ("nosuid", "nodev", "noexec", "noatime", "relatime")]
            run("mount", "-o", ",".join(["remount", "bind", "ro", *kept]), place)


# MARK: the checks


def get(path, host=POD_IP):
    connection = http.client.HTTPConnection(POD_IP, get.port, timeout=5)
    try:
        connection.request("GET", path, headers={"Host": host})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def await_status(path, limit, process):
    deadline = time.monotonic() + limit
    while process.poll() is None:
        try:
            status = get(path)[0]
        except OSError as error:
            status = error
        if status == 200:
            return
        if time.monotonic() > deadline:
            yield f"{path} is not answered within {limit} s: {status}"
            return
        time.sleep(0.05)
    yield f"the program ended with {process.returncode}"


def answers(pod, process):
    """What the probes and Prometheus get, who name the address of the pod; and what another web page gets."""
    for name, path, limit in pod.probes():
        yield from (f"the {name} probe: {problem}" for problem in await_status(path, limit, process))
    status, page = get("/metrics", f"{POD_IP}:{pod.port}")
    if status != 200 or "axiom_build_info{" not in page:
        yield f"/metrics: {status} {page[:200]}"
    if get("/metrics", "rebound.example.org")[0] != 403:
        yield "/metrics is answered to a name that is not allowed"


def confinement(pod, process):
    """The process has the user of the manifest, no capability, and can write nowhere but in its volume."""
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":\t" in line)
    expected = {"CapEff": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1"}
    if is_root():
        expected["Uid"] = "\t".join([str(pod.user)] * 4)
    yield from (f"{name} is {status[name]}, not {value}" for name, value in expected.items() if status[name] != value)
    for folder in ("/", "/tmp", "/var/tmp", "/root", str(Path(pod.volume).parent)):
        if os.statvfs(folder).f_flag & os.ST_RDONLY == 0:
            yield f"{folder} can be written"
    if not os.listdir(pod.volume):
        yield f"{pod.volume} is empty: the data is elsewhere"
    peak = int(status["VmHWM"].split()[0]) << 10
    if peak > pod.memory:
        yield f"{peak >> 20} MiB of memory exceed the limit of {pod.memory >> 20} MiB"


def check(pod, program):
    get.port = pod.port
    # Instrumented builds would write profiles.
    environment = {"PATH": os.environ["PATH"], "LLVM_PROFILE_FILE": "/dev/null"}
    # Its warnings, such as those about slow actions on a busy machine, matter only if it fails.
    errors = os.fdopen(os.memfd_create("errors"), "w+")
    command = [*pod.confinement(), program, *pod.arguments]
    process = subprocess.Popen(command, env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=errors)
    try:
        yield from answers(pod, process)
        yield from confinement(pod, process.pid)
        process.send_signal(signal.SIGTERM)
        code = process.wait(pod.grace)
        if code != 0:
            yield f"after SIGTERM it ended with {code}"
    except (OSError, subprocess.TimeoutExpired) as error:
        yield str(error)
    finally:
        process.kill()
    if process.wait() != 0:
        errors.seek(0)
        yield errors.read()


def main(arguments):
    pod = Pod(json.loads(Path(arguments[0]).read_text()))
    confine(pod)
    found = [*([] if pod.is_confined else ["the Deployment confines less than is tested"]), *check(pod, arguments[1])]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
