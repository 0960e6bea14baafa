// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomHTTP

/// A web configuration file: the certificates and the credentials of an exporter, in the format of Prometheus's
/// exporter-toolkit (`web.yml`).
///
/// ```swift
/// var configuration = HTTPServerConfiguration(host: "0.0.0.0", port: 9464, allowedHosts: ["metrics.internal"])
/// configuration.apply(try WebConfiguration(file: "/etc/shop/web.yml"))
/// let exporter = try Exporter(telemetry: telemetry, configuration: configuration)
/// ```
/// Differences from exporter-toolkit:
/// - The file is read once. The files of certificates are read again when they change.
/// - `http_server_config.http2` may be false or missing: the exporter serves HTTP/1.1.
/// - `rate_limit` must be disabled: the exporter limits connections instead, by address.
/// - `cert`, `key` and `client_ca` with inline text are refused: name files.
/// - TLS 1.0 and 1.1, and cipher suites without forward secrecy, are refused.
/// - `client_allowed_sans` requires `RequireAndVerifyClientCert`: the names of an unverified certificate prove nothing.
/// - `axiom` is an extension: `scrape_token` or `scrape_token_file`, and `exempt_health_checks`.
public struct WebConfiguration: Sendable, Hashable {
    /// The section `tls_server_config`. Nil, for plain HTTP, if the file has none.
    public let tls: TLSConfiguration?
    /// The sections `basic_auth_users` and `axiom`. Nil if the file asks for no credentials.
    public let authentication: HTTPAuthentication?
    /// `http_server_config.headers`: header fields of every response that does not have them.
    public let responseHeaders: [String: String]

    /// Reads a file and every file that it names. Relative paths are relative to its folder.
    ///
    /// - Throws: ``WebConfigurationError`` with the file, the line and the remedy.
    public init(file: String) throws(WebConfigurationError) {
        let root = try YAMLTable(file: file)
        try root.allow(["tls_server_config", "http_server_config", "basic_auth_users", "rate_limit", "axiom"])
        responseHeaders = try HTTPSection.headers(root)
        try HTTPSection.checkRateLimit(root)
        tls = try TLSSection.tls(root)
        authentication = try AuthenticationSection.authentication(root)
    }
}

extension HTTPServerConfiguration {
    /// Sets the certificates, the credentials and the header fields to those of a web configuration file.
    public mutating func apply(_ web: WebConfiguration) {
        (tls, authentication, responseHeaders) = (web.tls, web.authentication, web.responseHeaders)
    }
}

/// A web configuration file cannot be used. No message quotes a hash, a token or a key.
public struct WebConfigurationError: MessageError, Hashable, CustomStringConvertible {
    /// The path of the web configuration file.
    public let file: String
    /// The line of the cause, from 1; nil if the whole file is.
    public let line: Int?
    /// The cause and the remedy in one sentence.
    public let message: String

    init(_ file: String, line: Int?, _ message: String) {
        (self.file, self.line, self.message) = (file, line, message)
    }

    /// The file, the line and the message, as compilers print them.
    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }

    /// The description, for programs that print errors without knowing their type.
    public var errorDescription: String? { description }
}

/// `http_server_config` and `rate_limit`.
enum HTTPSection {
    /// The header fields that exporter-toolkit allows, with their values; nil for any.
    private static let allowedHeaders: [String: [String]?] = [
        "Content-Security-Policy": nil, "Strict-Transport-Security": nil, "X-Content-Type-Options": ["nosniff"],
        "X-Frame-Options": ["deny", "sameorigin"], "X-XSS-Protection": nil,
    ]

    static func headers(_ root: YAMLTable) throws(WebConfigurationError) -> [String: String] {
        guard let table = try root.table("http_server_config") else { return [:] }
        try table.allow(["http2", "headers"])
        if try table.flag("http2") == true {
            throw table.error(
                "http2",
                "\(table.name("http2")) is true, but only HTTP/1.1 is served; write false or remove the key"
            )
        }
        guard let fields = try table.table("headers") else { return [:] }
        try fields.allow(allowedHeaders.keys.sorted())
        var result: [String: String] = [:]
        for name in fields.keys {
            guard let value = try fields.text(name) else { continue }
            if let allowed = allowedHeaders[name] ?? nil, !allowed.contains(value) {
                throw fields.error(
                    name,
                    "\(fields.name(name)) is \(value.debugDescription); write \(allowed.joined(separator: " or "))"
                )
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw fields.error(name, "\(fields.name(name)) has a control character; write one line")
            }
            result[name] = value
        }
        return result
    }

    static func checkRateLimit(_ root: YAMLTable) throws(WebConfigurationError) {
        guard let table = try root.table("rate_limit") else { return }
        try table.allow(["interval", "burst"])
        guard let interval = try table.text("interval"), !["0", "0s"].contains(interval) else { return }
        throw root.error(
            "rate_limit",
            "rate_limit is not supported, because one hostile client could use up the limit of all; remove it: the "
                + "connections of each address are limited"
        )
    }
}
