// SPDX-License-Identifier: Apache-2.0

/// What `/proc/cpuinfo` says about the first processor.
struct ProcessorInfo {
    /// The model; for ARM, which names none, implementer and part.
    let model: String?
    /// The instruction sets that matter, sorted.
    let features: [String]
    /// Whether a hypervisor says that it is there.
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
