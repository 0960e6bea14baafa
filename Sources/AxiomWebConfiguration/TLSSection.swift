// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomTLS

/// `tls_server_config`.
enum TLSSection {
    private static let keys = [
        "cert_file", "key_file", "client_auth_type", "client_ca_file", "client_allowed_sans", "min_version",
        "max_version", "cipher_suites", "prefer_server_cipher_suites", "curve_preferences",
    ]
    private static let inlineKeys = ["cert": "cert_file", "key": "key_file", "client_ca": "client_ca_file"]

    /// Nil if the section is missing or has no key.
    static func tls(_ root: YAMLTable) throws(WebConfigurationError) -> TLSConfiguration? {
        let section = "tls_server_config"
        guard let table = try root.table(section), !table.keys.isEmpty else { return nil }
        for key in table.keys {
            guard let remedy = inlineKeys[key] else { continue }
            throw table.error(key, "\(table.name(key)) with inline text is not supported; name a file with \(remedy)")
        }
        try table.allow(keys)
        guard let certificate = try table.filePath("cert_file"), let key = try table.filePath("key_file") else {
            let missing = table.keys.contains("cert_file") ? "key_file" : "cert_file"
            throw root.error(section, "\(table.name(missing)) is missing; name the file in PEM format")
        }
        var tls = TLSConfiguration(certificateFile: certificate, keyFile: key)
        try addVersions(&tls, table)
        try addClients(&tls, table)
        let (suites, curves) = (try table.list("cipher_suites"), try table.list("curve_preferences"))
        (tls.cipherSuites, tls.curves) = (suites.map(\.text), curves.map(\.text))
        tls.prefersServerCipherSuites = try table.flag("prefer_server_cipher_suites") ?? true
        try check(tls, table, suites: suites.map(\.line), curves: curves.map(\.line))
        return tls
    }

    private static func addVersions(_ tls: inout TLSConfiguration, _ table: YAMLTable) throws(WebConfigurationError) {
        if let version = try version("min_version", table) { tls.minimumVersion = version }
        if let version = try version("max_version", table) { tls.maximumVersion = version }
    }

    private static func version(
        _ key: String,
        _ table: YAMLTable
    ) throws(WebConfigurationError) -> TLSConfiguration.Version? {
        guard let text = try table.text(key) else { return nil }
        if let version = TLSConfiguration.Version(rawValue: text) { return version }
        let problem =
            ["TLS10", "TLS11"].contains(text)
            ? "an outdated version that is not offered (RFC 8996)" : "no known version"
        throw table.error(key, "\(table.name(key)) is \(text.debugDescription), \(problem); write TLS12 or TLS13")
    }

    private static func addClients(_ tls: inout TLSConfiguration, _ table: YAMLTable) throws(WebConfigurationError) {
        if let text = try table.text("client_auth_type") {
            // exporter-toolkit accepts the older name too.
            let name = text == "RequireClientCert" ? "RequireAnyClientCert" : text
            guard let type = TLSConfiguration.ClientAuthentication(rawValue: name) else {
                let known = TLSConfiguration.ClientAuthentication.allCases.map(\.rawValue).joined(separator: ", ")
                throw table.error(
                    "client_auth_type",
                    "\(table.name("client_auth_type")) is \(text.debugDescription); known are \(known)"
                )
            }
            tls.clientAuthentication = type
        }
        tls.clientAuthoritiesFile = try table.filePath("client_ca_file")
        tls.allowedClientNames = try table.list("client_allowed_sans").map(\.text)
    }

    private static func check(
        _ tls: TLSConfiguration,
        _ table: YAMLTable,
        suites: [Int?],
        curves: [Int?]
    ) throws(WebConfigurationError) {
        do throws(TLSProblem) {
            try tls.validate()
        } catch {
            let (key, line): (String, Int?) =
                switch error.option {
                case .certificateFile: ("cert_file", nil)
                case .keyFile: ("key_file", nil)
                case .clientAuthentication: ("client_auth_type", nil)
                case .clientAuthoritiesFile: ("client_ca_file", nil)
                case .allowedClientNames: ("client_allowed_sans", nil)
                case .minimumVersion: ("min_version", nil)
                case .maximumVersion: ("max_version", nil)
                case .cipherSuite(let index): ("cipher_suites", index < suites.count ? suites[index] : nil)
                case .curve(let index): ("curve_preferences", index < curves.count ? curves[index] : nil)
                }
            // A version may be wrong by a default that the file does not have.
            let place = line ?? table.line(of: key) ?? table.line(of: "max_version")
            throw WebConfigurationError(table.file, line: place, "\(table.name(key)): \(error.message)")
        }
    }
}
