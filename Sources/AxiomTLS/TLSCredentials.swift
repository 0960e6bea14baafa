// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomHTTP
internal import CGnuTLS
internal import Foundation

/// The certificate, the key, the authorities of clients and the cipher suites of a configuration, loaded into GnuTLS.
///
/// Immutable: sessions of several threads share it. Each session retains it, so a reload does not disturb them.
final class TLSCredentials: Sendable {
    /// GnuTLS reads both without changing them, in all sessions.
    nonisolated(unsafe) private let certificates: gnutls_certificate_credentials_t
    nonisolated(unsafe) private let priorities: gnutls_priority_t
    let configuration: TLSConfiguration
    /// When the certificate of the server expires, in seconds since 1970.
    let expiry: Int
    /// The text of the certificate and the key, from which libmicrohttpd starts.
    let files: TLSFiles

    /// Reads the files.
    ///
    /// - Throws: ``TLSProblem`` that names the option or the file.
    init(_ configuration: TLSConfiguration) throws(TLSProblem) {
        try configuration.validateOptions()
        let policy = try CipherPolicy(configuration)
        let files = try TLSFiles(configuration)
        expiry = try Self.expiry(files.certificate, configuration.certificateFile)
        let certificates = try Self.certificates(configuration, files)
        var priorities: gnutls_priority_t?
        let code = gnutls_priority_init(&priorities, policy.text, nil)
        guard code == 0, let priorities else {
            gnutls_certificate_free_credentials(certificates)
            throw TLSProblem(
                .cipherSuite(0),
                "the GnuTLS of this system refuses the versions, cipher suites and curves (\(policy.text)): "
                    + Self.text(code)
            )
        }
        (self.certificates, self.priorities) = (certificates, priorities)
        (self.configuration, self.files) = (configuration, files)
    }

    deinit {
        gnutls_priority_deinit(priorities)
        gnutls_certificate_free_credentials(certificates)
    }

    /// Lets a session use them; returns false if GnuTLS has no memory for that.
    func apply(to session: gnutls_session_t) -> Bool {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(certificates)) == 0
            && gnutls_priority_set(session, priorities) == 0
    }

    // MARK: - Loading

    private static func certificates(
        _ configuration: TLSConfiguration,
        _ files: TLSFiles
    ) throws(TLSProblem) -> gnutls_certificate_credentials_t {
        var made: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&made) == 0, let made else {
            throw TLSProblem(.certificateFile, "GnuTLS has no memory for certificates")
        }
        do {
            try addKey(made, configuration, files)
            if let path = configuration.clientAuthoritiesFile, let bytes = files.clientAuthorities {
                try addAuthorities(made, path, bytes)
            }
        } catch {
            gnutls_certificate_free_credentials(made)
            throw error
        }
        return made
    }

    private static func addKey(
        _ made: gnutls_certificate_credentials_t,
        _ configuration: TLSConfiguration,
        _ files: TLSFiles
    ) throws(TLSProblem) {
        let code = withDatum(files.certificate) { certificate in
            withDatum(files.key) { key in
                gnutls_certificate_set_x509_key_mem2(made, certificate, key, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        let (certificateFile, keyFile) = (configuration.certificateFile, configuration.keyFile)
        switch code {
        case 0...: return
        case GNUTLS_E_CERTIFICATE_KEY_MISMATCH:
            throw TLSProblem(
                .keyFile,
                "the key in \(keyFile) is not that of the certificate in \(certificateFile); name the pair that was made "
                    + "together"
            )
        case GNUTLS_E_DECRYPTION_FAILED, GNUTLS_E_PKCS11_PIN_ERROR:
            throw TLSProblem(
                .keyFile,
                "the key in \(keyFile) is encrypted; store it without a password, for example by `openssl pkey`"
            )
        default:
            // GnuTLS does not say which of the two files it means.
            guard isKey(files.key) else {
                throw TLSProblem(.keyFile, "\(keyFile) has no private key in PEM format: \(text(code))")
            }
            throw TLSProblem(
                .certificateFile,
                "the certificate in \(certificateFile) cannot be used: \(text(code)); store the one that was issued"
            )
        }
    }

    private static func isKey(_ bytes: [UInt8]) -> Bool {
        var key: gnutls_x509_privkey_t?
        guard gnutls_x509_privkey_init(&key) == 0, let key else { return false }
        defer { gnutls_x509_privkey_deinit(key) }
        return withDatum(bytes) { gnutls_x509_privkey_import2(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) } == 0
    }

    private static func addAuthorities(
        _ made: gnutls_certificate_credentials_t,
        _ path: String,
        _ bytes: [UInt8]
    ) throws(TLSProblem) {
        let count = withDatum(bytes) { gnutls_certificate_set_x509_trust_mem(made, $0, GNUTLS_X509_FMT_PEM) }
        guard count > 0 else {
            throw TLSProblem(
                .clientAuthoritiesFile,
                "\(path) has no certificate of an authority in PEM format" + (count < 0 ? ": \(text(count))" : "")
            )
        }
    }

    /// The time at which the first certificate expires: that of the server.
    private static func expiry(_ bytes: [UInt8], _ path: String) throws(TLSProblem) -> Int {
        var (list, count): (UnsafeMutablePointer<gnutls_x509_crt_t?>?, CUnsignedInt) = (nil, 0)
        let code = withDatum(bytes) { gnutls_x509_crt_list_import2(&list, &count, $0, GNUTLS_X509_FMT_PEM, 0) }
        guard code >= 0, let list, count > 0 else {
            throw TLSProblem(.certificateFile, "\(path) has no certificate in PEM format: \(text(code))")
        }
        defer {
            for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
            axiom_gnutls_free(list)
        }
        return gnutls_x509_crt_get_expiration_time(list[0])
    }

    private static func withDatum<Result>(
        _ bytes: [UInt8],
        _ body: (UnsafePointer<gnutls_datum_t>) -> Result
    ) -> Result {
        var bytes = bytes
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: CUnsignedInt(buffer.count))
            return body(&datum)
        }
    }

    private static func text(_ code: CInt) -> String {
        gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

extension TLSConfiguration {
    /// Checks the options and reads the files.
    package func validate() throws(TLSProblem) {
        _ = try TLSCredentials(self)
    }
}

/// The contents of the files of a TLS configuration, and what tells whether the files have changed since.
struct TLSFiles: Sendable {
    /// What changes if a file is written or replaced. A file that cannot be examined has none.
    struct Signature: Hashable, Sendable {
        private let numbers: [Int]

        init?(path: String) {
            var status = stat()
            // A path may be a symbolic link, as in a Kubernetes secret: the file behind it counts.
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        fileprivate init(_ status: stat) {
            numbers = [
                Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    private static let largestFile = 1 << 20

    let certificate: [UInt8]
    let key: [UInt8]
    let clientAuthorities: [UInt8]?

    /// - Throws: ``TLSProblem`` that names the file.
    init(_ configuration: TLSConfiguration) throws(TLSProblem) {
        certificate = try Self.read(configuration.certificateFile, .certificateFile)
        key = try Self.read(configuration.keyFile, .keyFile)
        if let path = configuration.clientAuthoritiesFile {
            clientAuthorities = try Self.read(path, .clientAuthoritiesFile)
        } else {
            clientAuthorities = nil
        }
    }

    /// The signatures of the files as they are now, in a fixed order.
    static func signatures(_ configuration: TLSConfiguration) -> [Signature?] {
        [configuration.certificateFile, configuration.keyFile, configuration.clientAuthoritiesFile].map { path in
            path.flatMap { Signature(path: $0) }
        }
    }

    private static func read(_ path: String, _ option: TLSOption) throws(TLSProblem) -> [UInt8] {
        do throws(FileError) {
            return try OptionFile.read(path, limit: largestFile, "name a file in PEM format")
        } catch {
            throw TLSProblem(option, error.message)
        }
    }
}
