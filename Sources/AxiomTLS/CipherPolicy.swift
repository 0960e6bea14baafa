// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP

/// The versions, cipher suites and curves of a TLS configuration, as a priority string of GnuTLS.
///
/// GnuTLS has no list of suites: it combines each key exchange with each cipher. ``text`` therefore allows exactly the
/// configured suites only if they are all combinations, which the initializer checks.
struct CipherPolicy: Sendable {
    /// A cipher with the algorithm that authenticates its records.
    private struct Cipher: Hashable, Sendable {
        /// The end of the suite's name for TLS 1.2.
        let name: String
        /// The name in GnuTLS.
        let priority: String
        let mac: String
        /// The name of the suite for TLS 1.3; nil if it has none.
        let modernName: String?
    }

    private static let ciphers = [
        Cipher(name: "AES_128_GCM_SHA256", priority: "AES-128-GCM", mac: "AEAD", modernName: "TLS_AES_128_GCM_SHA256"),
        Cipher(name: "AES_256_GCM_SHA384", priority: "AES-256-GCM", mac: "AEAD", modernName: "TLS_AES_256_GCM_SHA384"),
        Cipher(
            name: "CHACHA20_POLY1305_SHA256",
            priority: "CHACHA20-POLY1305",
            mac: "AEAD",
            modernName: "TLS_CHACHA20_POLY1305_SHA256"
        ),
        Cipher(name: "AES_128_CBC_SHA", priority: "AES-128-CBC", mac: "SHA1", modernName: nil),
        Cipher(name: "AES_256_CBC_SHA", priority: "AES-256-CBC", mac: "SHA1", modernName: nil),
    ]
    private static let exchanges = ["ECDHE_ECDSA": "ECDHE-ECDSA", "ECDHE_RSA": "ECDHE-RSA"]
    private static let curves = [
        "X25519": "X25519", "CurveP256": "SECP256R1", "CurveP384": "SECP384R1", "CurveP521": "SECP521R1",
    ]
    private static let defaultCurves = ["X25519", "CurveP256", "CurveP384", "CurveP521"]

    /// The names of all suites that a configuration may list.
    static let knownSuites: [String] =
        ciphers.compactMap(\.modernName)
        + exchanges.keys.sorted().flatMap { exchange in ciphers.map { "TLS_\(exchange)_WITH_\($0.name)" } }

    /// The priority string.
    let text: String

    /// - Throws: ``TLSProblem`` that names the suite or the curve.
    init(_ configuration: TLSConfiguration) throws(TLSProblem) {
        let suites = try Suites(configuration)
        var parts = ["NORMAL", "-VERS-ALL"]
        if configuration.maximumVersion == .tls13 { parts.append("+VERS-TLS1.3") }
        if configuration.minimumVersion == .tls12 { parts.append("+VERS-TLS1.2") }
        parts += ["-KX-ALL"] + suites.exchanges.map { "+\($0)" }
        parts += ["-CIPHER-ALL"] + suites.ciphers.map { "+\($0.priority)" }
        parts += ["-MAC-ALL"] + Self.unique(suites.ciphers.map(\.mac)).map { "+\($0)" }
        parts += ["-GROUP-ALL"] + (try Self.groups(configuration.curves))
        if configuration.prefersServerCipherSuites { parts.append("%SERVER_PRECEDENCE") }
        text = parts.joined(separator: ":")
    }

    private static func groups(_ curves: [String]) throws(TLSProblem) -> [String] {
        var groups: [String] = []
        for (index, curve) in (curves.isEmpty ? defaultCurves : curves).enumerated() {
            guard let group = Self.curves[curve] else {
                throw TLSProblem(
                    .curve(index),
                    "\(curve.debugDescription) is no known curve; known are \(defaultCurves.joined(separator: ", "))"
                )
            }
            groups.append("+GROUP-\(group)")
        }
        return groups
    }

    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }

    /// The key exchanges and the ciphers of the listed suites, in the order of the list.
    private struct Suites {
        var exchanges = CipherPolicy.exchanges.values.sorted()
        var ciphers = CipherPolicy.ciphers.filter { $0.modernName != nil }

        init(_ configuration: TLSConfiguration) throws(TLSProblem) {
            guard !configuration.cipherSuites.isEmpty else { return }
            var (classic, all): ([(exchange: String, cipher: Cipher)], [Cipher]) = ([], [])
            for (index, name) in configuration.cipherSuites.enumerated() {
                if let cipher = CipherPolicy.ciphers.first(where: { $0.modernName == name }) {
                    all.append(cipher)
                } else if let suite = Self.classic(name) {
                    classic.append(suite)
                    all.append(suite.cipher)
                } else {
                    throw Self.unknown(name, index)
                }
            }
            ciphers = CipherPolicy.unique(all)
            if configuration.minimumVersion == .tls12 {
                exchanges = CipherPolicy.unique(classic.map(\.exchange)).compactMap { CipherPolicy.exchanges[$0] }
                try Self.checkCombinations(configuration, classic, ciphers)
            }
            try Self.checkModern(configuration, ciphers)
        }

        private static func classic(_ name: String) -> (exchange: String, cipher: Cipher)? {
            for exchange in CipherPolicy.exchanges.keys {
                let prefix = "TLS_\(exchange)_WITH_"
                guard name.hasPrefix(prefix) else { continue }
                // Go has two names for these.
                var rest = String(name.dropFirst(prefix.count))
                if rest == "CHACHA20_POLY1305" { rest += "_SHA256" }
                return CipherPolicy.ciphers.first { $0.name == rest }.map { (exchange, $0) }
            }
            return nil
        }

        private static func unknown(_ name: String, _ index: Int) -> TLSProblem {
            let isInsecure = ["TLS_RSA_", "_RC4_", "_3DES_", "CBC_SHA256"].contains(where: name.contains)
            return TLSProblem(
                .cipherSuite(index),
                isInsecure
                    ? "\(name) is not offered, because it is insecure or lacks forward secrecy; remove it"
                    : "\(name.debugDescription) is no known cipher suite; known are "
                        + CipherPolicy.knownSuites.joined(separator: ", ")
            )
        }

        private static func checkCombinations(
            _ configuration: TLSConfiguration,
            _ classic: [(exchange: String, cipher: Cipher)],
            _ ciphers: [Cipher]
        ) throws(TLSProblem) {
            let last = configuration.cipherSuites.count - 1
            guard !classic.isEmpty else {
                throw TLSProblem(
                    .cipherSuite(last),
                    "no suite of the list is for TLS 1.2; set the oldest version to TLS13, or add one"
                )
            }
            for exchange in CipherPolicy.unique(classic.map(\.exchange)) {
                for cipher in ciphers where !classic.contains(where: { ($0.exchange, $0.cipher) == (exchange, cipher) })
                {
                    throw TLSProblem(
                        .cipherSuite(last),
                        "the list implies TLS_\(exchange)_WITH_\(cipher.name), because GnuTLS combines each key exchange "
                            + "with each cipher; add it, or remove the others of that cipher or key exchange"
                    )
                }
            }
        }

        private static func checkModern(
            _ configuration: TLSConfiguration,
            _ ciphers: [Cipher]
        ) throws(TLSProblem) {
            guard configuration.minimumVersion == .tls13, !ciphers.contains(where: { $0.modernName != nil }) else {
                return
            }
            throw TLSProblem(
                .cipherSuite(configuration.cipherSuites.count - 1),
                "no suite of the list has a cipher of TLS 1.3, the oldest version; add TLS_AES_128_GCM_SHA256"
            )
        }
    }
}
