# SPDX-License-Identifier: Apache-2.0
"""The manifests for Kubernetes: the demo as an example of an application, and what the Prometheus Operator needs to scrape
it and to evaluate the rules. The name of all is that of the Prometheus job."""

import re

import rule_files
from settings import JOB
from yaml_text import document

# A name has fewer characters than a label.
NAME = re.sub("[_.]", "-", JOB.lower())
PORT = 9464
# An arbitrary user that is not root, and a folder that a volume makes writable.
USER = 65532
DATA = "/var/lib/axiom"
LABELS = {"app.kubernetes.io/name": JOB}
# The namespace in which Prometheus runs: the only one that may connect.
MONITORING = "monitoring"

SELECTED = "# If your Prometheus Operator selects only certain labels, add them in a kustomization (labels).\n"
NATIVE = """# Native histograms: up to Prometheus 3.7, set enableFeatures: [native-histograms] in the object Prometheus. From 3.8 on, with the
# Prometheus Operator 0.88 or later, add here to spec: scrapeNativeHistograms: true. Older operators refuse the field.
"""
COMMENTS = {
    "deployment.yml": "# The demo as an example. Name your image in a kustomization (images), and change the arguments.\n",
    "network-policy.yml": f"# Only Prometheus connects, which runs in the namespace {MONITORING}.\n",
    "service-monitor.yml": SELECTED + NATIVE,
    "prometheus-rule.yml": SELECTED,
}


def files():
    """Returns the text of each file, by its path in the folder `kubernetes`."""
    manifests = {
        "deployment.yml": deployment(),
        "service.yml": service(),
        "network-policy.yml": network_policy(),
        "service-monitor.yml": service_monitor(),
        "prometheus-rule.yml": prometheus_rule(),
    }
    manifests["kustomization.yml"] = kustomization(sorted(manifests))
    return {
        name: rule_files.ORIGIN + COMMENTS.get(name, "") + document(manifest) for name, manifest in manifests.items()
    }


def deployment():
    return {
        **_head("apps/v1", "Deployment"),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": LABELS},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {"metadata": {"labels": LABELS}, "spec": _pod()},
        },
    }


def _pod():
    return {
        "automountServiceAccountToken": False,
        # After SIGTERM the application ends what runs; its own limits are shorter.
        "terminationGracePeriodSeconds": 30,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container()],
        "volumes": [{"name": "data", "emptyDir": {"sizeLimit": "256Mi"}}],
    }


def _container():
    return {
        "name": "application",
        # Your image, whose entry point is the application. `kustomize edit set image` replaces it.
        "image": f"{NAME}:latest",
        "args": [
            "--host=0.0.0.0",
            f"--port={PORT}",
            # Prometheus and the kubelet name the address of the pod in the header Host.
            "--allowed-host=$(POD_IP)",
            f"--data-dir={DATA}",
        ],
        "env": [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        "ports": [{"name": "metrics", "containerPort": PORT}],
        # A start may take a minute. Afterwards a process that does not answer for 30 s is restarted.
        "startupProbe": _probe("/healthz", period=2, failures=30),
        "livenessProbe": _probe("/healthz", period=10, failures=3),
        "readinessProbe": _probe("/readyz", period=5, failures=2),
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi"},
            "limits": {"cpu": "1", "memory": "256Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "data", "mountPath": DATA}],
    }


def _probe(path, *, period, failures):
    return {
        "httpGet": {"path": path, "port": "metrics"},
        "periodSeconds": period,
        "timeoutSeconds": 2,
        "failureThreshold": failures,
    }


def service():
    return {
        **_head("v1", "Service"),
        "spec": {
            # Without an address of its own: Prometheus scrapes each pod.
            "clusterIP": "None",
            "selector": LABELS,
            "ports": [{"name": "metrics", "port": PORT, "targetPort": "metrics"}],
        },
    }


def network_policy():
    """Only Prometheus connects. Probes come from the node, which Kubernetes always admits."""
    return {
        **_head("networking.k8s.io/v1", "NetworkPolicy"),
        "spec": {
            "podSelector": {"matchLabels": LABELS},
            "policyTypes": ["Ingress"],
            "ingress": [
                {
                    "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": MONITORING}}}],
                    "ports": [{"port": "metrics", "protocol": "TCP"}],
                }
            ],
        },
    }


def service_monitor():
    return {
        **_head("monitoring.coreos.com/v1", "ServiceMonitor"),
        "spec": {
            # The label of the service that becomes the label `job`, which the alerts about targets name.
            "jobLabel": "app.kubernetes.io/name",
            "selector": {"matchLabels": LABELS},
            "endpoints": [{"port": "metrics", "path": "/metrics", "interval": "15s", "scrapeTimeout": "10s"}],
        },
    }


def prometheus_rule():
    return {**_head("monitoring.coreos.com/v1", "PrometheusRule"), "spec": {"groups": rule_files.groups()}}


def kustomization(resources):
    return {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources}


def _head(version, kind):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": NAME, "labels": LABELS}}
