// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Where a fingerprint's facts come from: the machine, or a test's own.
package struct MachineFacts: Sendable {
    /// The text of a file; nil when there is none.
    package var file: @Sendable (String) -> String?
    package var environment: [String: String]
    package var architecture: String
    package var logicalProcessors: Int
    package var libc: String
    package var hostName: String?

    package init(
        file: @escaping @Sendable (String) -> String?,
        environment: [String: String],
        architecture: String,
        logicalProcessors: Int,
        libc: String,
        hostName: String?
    ) {
        self.file = file
        self.environment = environment
        self.architecture = architecture
        self.logicalProcessors = logicalProcessors
        self.libc = libc
        self.hostName = hostName
    }

    /// The machine.
    package static var live: MachineFacts {
        MachineFacts(
            file: { path in
                guard let bytes = try? FileBytes.read(path, limit: 1 << 20) else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            },
            environment: ProcessInfo.processInfo.environment,
            architecture: architectureName,
            logicalProcessors: max(0, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))),
            libc: libcName,
            hostName: hostNameNow
        )
    }

    /// The first line of a file; nil when there is none.
    func line(_ path: String) -> String? {
        file(path)?.split(separator: "\n").first.map(String.init)
    }

    private static var architectureName: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "aarch64"
        #else
        "unknown"
        #endif
    }

    private static var libcName: String {
        #if canImport(Glibc)
        var name = [CChar](repeating: 0, count: 64)
        let length = confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count)
        return length > 1 && length <= name.count
            ? String(decoding: name.prefix(length - 1).map(UInt8.init(bitPattern:)), as: UTF8.self) : "glibc"
        #elseif canImport(Musl)
        return "musl"
        #elseif canImport(Darwin)
        return "darwin"
        #else
        return "unknown"
        #endif
    }

    private static var hostNameNow: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        return name.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) }
        }
    }
}
