# SPDX-License-Identifier: Apache-2.0
"""Checks the manifests for Kubernetes without a cluster.

    manifests.py          their schemas, their names, and their rules; prints what is wrong, and fails if anything is
    manifests.py DEMO     also runs the demo as the manifest says; see confined.py
"""

import copy
import re
import sys
from pathlib import Path

import kubernetes_validate
import yaml
from cloudcoil.models.prometheus_operator.v1 import PrometheusRule, ServiceMonitor

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Dashboards/kubernetes"
RULES = ROOT / "Dashboards/prometheus"
PAGE = ROOT / "Documentation/kubernetes.md"
sys.dont_write_bytecode = True

import confined  # noqa: E402

OF_OPERATOR = {"ServiceMonitor": ServiceMonitor, "PrometheusRule": PrometheusRule}
# The oldest and the newest version of Kubernetes whose schemas the package has.
VERSIONS = ("1.25", "1.37")
JOB = "axiom"


def manifests():
    return {path.name: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yml"))}


def with_tls(all_manifests):
    """The manifests of which the page says what to change for TLS, with these changes."""
    section = PAGE.read_text().split("\n## TLS\n")[1].split("\n## ")[0]
    probes, monitor = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", section, re.DOTALL))
    changed = {name: copy.deepcopy(all_manifests[name]) for name in ("deployment.yml", "service-monitor.yml")}
    changed["deployment.yml"]["spec"]["template"]["spec"]["containers"][0] |= probes
    changed["service-monitor.yml"]["spec"] |= monitor
    return {f"{name} with TLS": manifest for name, manifest in changed.items()}


# MARK: schemas


def schemas(all_manifests):
    for name, manifest in all_manifests.items():
        if manifest["kind"] in OF_OPERATOR:
            yield from (f"{name}: {problem}" for problem in of_operator(manifest))
        elif manifest["kind"] == "Kustomization":
            yield from (f"{name}: {problem}" for problem in of_kustomize(manifest))
        else:
            yield from (f"{name}: {problem}" for problem in of_kubernetes(manifest))


def of_kubernetes(manifest):
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"Kubernetes {version}: {error.message}"


def of_operator(manifest):
    """The models of the operator ignore what they do not know. So what they read must be all that there is."""
    try:
        model = OF_OPERATOR[manifest["kind"]].model_validate(manifest)
    except ValueError as error:
        yield str(error)
        return
    read = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    yield from unread(manifest, read, "")


def unread(given, read, path):
    if isinstance(given, dict) and isinstance(read, dict):
        for key in given:
            yield from unread(given[key], read[key], f"{path}.{key}") if key in read else [f"{path}.{key} is unknown"]
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        for index, (one, other) in enumerate(zip(given, read)):
            yield from unread(one, other, f"{path}[{index}]")
    elif given != read:
        yield f"{path} is read as {read!r}"


def of_kustomize(manifest):
    """No package has its schema."""
    if manifest["apiVersion"] != "kustomize.config.k8s.io/v1beta1" or manifest.keys() - {"apiVersion", "kind", "resources"}:
        yield f"unknown version or field: {manifest}"


# MARK: names that must agree


def agreement(of):
    deployment, service, policy, monitor = (
        of[f"{name}.yml"]["spec"] for name in ("deployment", "service", "network-policy", "service-monitor")
    )
    labels = deployment["template"]["metadata"]["labels"]
    container = deployment["template"]["spec"]["containers"][0]
    [port], [endpoint] = service["ports"], monitor["endpoints"]
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    probes = [container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")]
    rules = [
        ("the deployment selects its pods", deployment["selector"]["matchLabels"].items() <= labels.items()),
        ("the service selects the pods", service["selector"].items() <= labels.items()),
        ("the policy selects the pods", policy["podSelector"]["matchLabels"].items() <= labels.items()),
        ("the monitor selects the service", monitor["selector"]["matchLabels"].items() <= of["service.yml"]["metadata"]["labels"].items()),
        ("the service leads to a port of the container", port["targetPort"] in ports),
        ("the service has the port of the container", port["port"] == ports.get(port["targetPort"])),
        ("the monitor scrapes the port of the service", endpoint["port"] == port["name"]),
        ("the probes ask at a port of the container", all(probe["port"] in ports for probe in probes)),
        ("the policy admits to the port", policy["ingress"][0]["ports"][0]["port"] in ports),
        ("the job has the name in the alerts", of["service.yml"]["metadata"]["labels"][monitor["jobLabel"]] == JOB),
        ("the kustomization lists all files", {*of["kustomization.yml"]["resources"], "kustomization.yml"} == {*of}),
        ("the rules are those of the rule files", of["prometheus-rule.yml"]["spec"]["groups"] == rule_groups()),
    ]
    yield from (f"not true: {what}" for what, holds in rules if not holds)


def rule_groups():
    names = ("axiom.recording.yml", "axiom.fleet.yml", "axiom.alerts.yml")
    return [group for name in names for group in yaml.safe_load((RULES / name).read_text())["groups"]]


# MARK: planted faults


def faults():
    """Yields the planted faults that no check finds."""
    plants = {
        "an unknown field of a container": ("deployment.yml", "automountServiceAccountToken", "automountToken"),
        "an unknown field of a monitor": ("service-monitor.yml", "scrapeTimeout", "timeout"),
        "a probe of an unknown port": ("deployment.yml", "port: metrics", "port: http"),
        "a service of other pods": ("service.yml", "  selector:\n    app.kubernetes.io/name: axiom", "  selector: {a: b}"),
        "a rule that differs": ("prometheus-rule.yml", "severity: critical", "severity: warning"),
        "a list of too few files": ("kustomization.yml", "- service.yml\n", ""),
        "an unknown field of a rule": ("prometheus-rule.yml", "annotations:", "notes:"),
    }
    for what, (name, old, new) in plants.items():
        text = (FOLDER / name).read_text()
        planted = {**manifests(), name: yaml.safe_load(text.replace(old, new, 1))}
        if old not in text or not [*schemas({name: planted[name]}), *agreement(planted)]:
            yield f"this planted fault is not found: {what}"


def main(arguments):
    problems = [*schemas(manifests() | with_tls(manifests())), *agreement(manifests()), *faults()]
    if arguments:
        problems += confined.problems(manifests()["deployment.yml"], Path(arguments[0]).resolve())
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
