// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import Foundation

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
