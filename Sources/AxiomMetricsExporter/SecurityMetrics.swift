// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomMetrics

/// Counts the reloads of certificates and the clients that were refused, and says when the certificate expires.
struct SecurityMetrics: Sendable {
    private let reloads: Family<Counter, String>
    private let refused: Family<Counter, String>
    /// Nil without TLS.
    private let expiry: Gauge?
    private let onProblem: @Sendable (String) -> Void
    /// Anybody can have a certificate refused. That must neither fill a log nor displace other messages from it.
    private let refusals: FailureLog

    /// The most refused certificates of a minute that are written: fewer than a ``FailureLog`` has lines.
    static let refusalLines = 5

    /// - Throws: `MetricsError` if the registry has other metrics with the names.
    init(
        _ registry: Registry,
        hasCertificate: Bool,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws(MetricsError) {
        reloads = try registry.counters(
            "axiom_exporter_certificate_reloads_total",
            help:
                "Files of certificates that the exporter read again: success, or failure if it kept the last good ones.",
            labels: Label<String>("outcome")
        )
        refused = try registry.counters(
            "axiom_exporter_clients_refused_total",
            help:
                "Clients that the exporter refused: for their certificate, for the credentials of a request, or because "
                + "their handshake did not end (which counts refused certificates, too).",
            labels: Label<String>("reason")
        )
        expiry =
            hasCertificate
            ? try registry.gauge(
                "axiom_exporter_certificate_expiry_timestamp_seconds",
                help: "When the certificate that the exporter uses expires, in seconds since 1970."
            ) : nil
        self.onProblem = onProblem
        refusals = FailureLog(limit: Self.refusalLines, write: onProblem)
        for outcome in ["success", "failure"] { _ = reloads(outcome) }
        for reason in ["certificate", "credentials", "handshake"] { _ = refused(reason) }
    }

    func setExpiry(_ seconds: Int) { expiry?.set(Double(seconds)) }

    func record(_ event: SecurityEvent) {
        switch event {
        case .certificatesReloaded(let seconds):
            setExpiry(seconds)
            reloads("success").increment()
        case .reloadFailed(let message):
            reloads("failure").increment()
            onProblem(message)
        case .clientCertificateRefused(let message):
            refused("certificate").increment()
            refusals.add(message)
        case .handshakeFailed: refused("handshake").increment()
        case .credentialsRefused: refused("credentials").increment()
        }
    }
}
