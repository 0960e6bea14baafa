// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension HTTPServerConfiguration {
    /// What makes a valid configuration less safe than it looks, each with its remedy; empty if nothing does. No sentence has a
    /// secret.
    package var securityAdvice: [String] {
        var advice: [String] = []
        let isLoopback = (try? SocketAddress(configuredHost: host))?.isLoopback ?? false
        if authentication != nil, tls == nil, !isLoopback {
            advice.append(
                "passwords and tokens pass the network in clear text, because the server at \(host) has no TLS; set tls, or "
                    + "listen at 127.0.0.1 behind a proxy with TLS"
            )
        }
        if let file = tls?.keyFile, Self.isReadableByAll(file) {
            advice.append("every user of this machine may read the private key \(file); set its mode to 0600 or 0640")
        }
        return advice
    }

    private static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o004 != 0
    }
}
