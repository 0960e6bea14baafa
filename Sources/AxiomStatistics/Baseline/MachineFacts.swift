// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Where a fingerprint's facts come from: the machine, or a test's own.
package struct MachineFacts: Sendable {
    /// The text of a file; nil if there is none.
    package var file: @Sendable (String) -> String?
    package var environment: [String: String]
    package var architecture: String
    package var logicalProcessors: Int
    package var libc: String
    package var hostName: String?

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

    /// The first line of a file; nil if there is none.
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

/// What `/proc/cpuinfo` says about the first processor.
struct ProcessorInfo {
    /// The model; for ARM, which names none, implementer and part.
    let model: String?
    /// The instruction sets that matter, sorted.
    let features: [String]
    /// Whether the system reports a hypervisor.
    let isVirtual: Bool
    let microcode: String?
    /// In MHz.
    let megahertz: Double?

    /// Instruction sets by which C libraries choose their code. Other flags come and go with the kernel's version, and
    /// must not make a machine another one.
    private static let prefixes = [
        "sse", "ssse", "avx", "aes", "bmi", "fma", "popcnt", "movbe", "erms", "fsrm", "lzcnt", "abm", "vaes", "sha",
        "asimd", "sve", "crc32", "atomics", "mops", "pmull",
    ]

    init(_ text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).prefix(while: { !$0.isEmpty }) {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            values[Self.trimmed(halves[0])] = Self.trimmed(halves[1])
        }
        let part = values["CPU part"].map { "implementer \(values["CPU implementer"] ?? "?") part \($0)" }
        model = values["model name"].map(String.init) ?? part
        let flags = Set((values["flags"] ?? values["Features"] ?? "").split(separator: " ").map(String.init))
        features = flags.filter { flag in Self.prefixes.contains { flag.hasPrefix($0) } }.sorted()
        isVirtual = flags.contains("hypervisor")
        microcode = values["microcode"].map(String.init)
        megahertz = values["cpu MHz"].flatMap { Double($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        return text[..<end].drop { $0.isWhitespace }
    }
}
