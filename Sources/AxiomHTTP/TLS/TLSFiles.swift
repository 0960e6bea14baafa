// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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

    private static func read(_ path: String, _ option: TLSProblem.Option) throws(TLSProblem) -> [UInt8] {
        // Not to wait for the writer of a named pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw problem(path, option, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw problem(path, option, errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largestFile else {
            throw TLSProblem(option, "\(path) is no file of 1 MiB at most; name a file in PEM format")
        }
        var (bytes, used) = ([UInt8](repeating: 0, count: largestFile + 1), 0)
        while used < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                readDescriptor(descriptor, buffer.baseAddress.map { $0 + used }, buffer.count - used)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw problem(path, option, errno) }
            if count == 0 { break }
            used += count
        }
        return Array(bytes.prefix(used))
    }

    private static func problem(_ path: String, _ option: TLSProblem.Option, _ code: CInt) -> TLSProblem {
        let remedy =
            switch code {
            case EACCES, EPERM: "give the user of this process the permission to read it"
            case ENOENT, ENOTDIR: "check the path"
            default: "check the path and the file"
            }
        return TLSProblem(option, "cannot read \(path): \(String(cString: strerror(code))); \(remedy)")
    }
}
