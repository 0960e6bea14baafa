// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Certificates in a temporary folder: those of an authority `ca`, of a server and of clients. `openssl` makes them.
public final class TestCertificates: Sendable {
    /// The folder, which is removed with this object.
    public let folder: URL

    /// Makes the authority `ca`, and the certificate `server` for localhost and 127.0.0.1.
    ///
    /// - Throws: ``ExternalTool/Missing``, or ``Failed`` with the message of `openssl`.
    public init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await makeAuthority("ca")
        try await issue("server", names: "DNS:localhost,IP:127.0.0.1", usage: "serverAuth")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// `openssl` failed.
    public struct Failed: Error, CustomStringConvertible {
        /// Its message.
        public let description: String
    }

    /// The path of a file in the folder, such as `server.pem` or `server.key`.
    public func path(_ file: String) -> String { folder.appending(path: file).path }

    /// Writes a file into the folder and returns its path.
    @discardableResult
    public func write(_ text: String, to file: String) throws -> String {
        try text.write(to: folder.appending(path: file), atomically: true, encoding: .utf8)
        return path(file)
    }

    /// Replaces files of the folder by others, each at once, as a tool that renews certificates does.
    public func replace(_ name: String, by other: String) throws {
        for ending in ["key", "pem"] {
            let copy = path("\(name).\(ending).new")
            try FileManager.default.copyItem(atPath: path("\(other).\(ending)"), toPath: copy)
            guard rename(copy, path("\(name).\(ending)")) == 0 else { throw Failed(description: "rename: \(errno)") }
        }
    }

    /// Makes an authority: `name.pem` and `name.key`.
    public func makeAuthority(_ name: String) async throws {
        try await openssl(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout", path("\(name).key")]
                + ["-out", path("\(name).pem")] + Self.newKey
        )
    }

    /// Issues a certificate: `name.pem` and `name.key`.
    ///
    /// - Parameters:
    ///   - names: The subject alternative names as `openssl` writes them; empty for none.
    ///   - usage: `serverAuth` or `clientAuth`.
    ///   - authority: Who signs it.
    ///   - days: How long it is valid; negative if it has expired.
    public func issue(
        _ name: String,
        names: String = "",
        usage: String,
        by authority: String = "ca",
        days: Int = 2
    ) async throws {
        let extensions = (names.isEmpty ? "" : "subjectAltName=\(names)\n") + "extendedKeyUsage=\(usage)\n"
        try write(extensions, to: "\(name).ext")
        try await openssl(
            ["req", "-nodes", "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).csr")]
                + Self.newKey
        )
        try await sign(name, by: authority, days: days)
    }

    /// The command `x509` of `openssl` 3.5 makes no certificate that has expired, and that of 3.0 knows no dates. The command
    /// `ca` of both takes dates, and wants a list of what the authority signed.
    private func sign(_ name: String, by authority: String, days: Int) async throws {
        let files = "database = \(path("\(name).list"))\nserial = \(path("\(name).serial"))\n"
        try write(
            "[ca]\ndefault_ca = own\n[own]\n\(files)policy = any\n[any]\ncommonName = supplied\n",
            to: "\(name).conf"
        )
        try write("", to: "\(name).list")
        let now = Date()
        let begin = now.addingTimeInterval(Double(min(0, days - 1)) * 86_400)
        try await openssl([
            "ca", "-batch", "-notext", "-create_serial", "-md", "sha256", "-config", path("\(name).conf"), "-in",
            path("\(name).csr"), "-cert", path("\(authority).pem"), "-keyfile", path("\(authority).key"), "-extfile",
            path("\(name).ext"), "-startdate", Self.date(begin), "-enddate",
            Self.date(now.addingTimeInterval(Double(days) * 86_400)), "-outdir", folder.path, "-out",
            path("\(name).pem"),
        ])
    }

    /// A date as `openssl` writes it, such as `20260131235959Z`.
    private static func date(_ date: Date) -> String {
        date.ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
            .filter(\.isNumber) + "Z"
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

    /// Runs `openssl`.
    public func openssl(_ arguments: [String]) async throws {
        let result = try await ExternalTool.openssl.run(arguments)
        guard result.status == 0 else { throw Failed(description: "openssl \(arguments): \(result.errors)") }
    }
}

extension ExternalTool {
    /// Makes certificates for tests.
    public static let openssl = ExternalTool(
        installation: "openssl is missing: apt-get install openssl",
        path: find("openssl")
    )

    /// Asks servers as scripts do.
    public static let curl = ExternalTool(installation: "curl is missing: apt-get install curl", path: find("curl"))
}
