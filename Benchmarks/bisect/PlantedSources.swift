// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A measured function, which reads a number of bytes. Each byte waits for the result of the one before, and no branch depends
/// on it: 5 % more bytes take 5 % longer. A processor learns branches, so that more bytes with branches can take less time.
enum PlantedKernel: String, CaseIterable {
    case numbers, words, hash, buckets, fields

    /// The body of the function, after the first line.
    fileprivate var body: String {
        switch self {
        case .numbers:
            """
                var (sum, value) = (0, 0)
                for byte in text {
                    let isDigit = byte &- 48 < 10 ? 1 : 0
                    sum = sum &+ value &* (1 &- isDigit)
                    value = (value &* 10 &+ Int(byte)) &* isDigit
                }
                return sum &+ value
            """
        case .words:
            """
                var (hash, before) = (0, 0)
                for byte in text {
                    let isLetter = (byte | 32) &- 97 < 26 ? 1 : 0
                    hash = hash &* 31 &+ (isLetter & ~before)
                    before = isLetter
                }
                return hash
            """
        case .hash:
            """
                var hash: UInt64 = 0xcbf2_9ce4_8422_2325
                for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
                return Int(truncatingIfNeeded: hash)
            """
        case .buckets:
            """
                let bounds: [UInt8] = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
                var bucket: UInt8 = 0
                for byte in text { bucket = bounds[Int(bucket ^ byte)] }
                return Int(bucket)
            """
        case .fields:
            """
                var (longest, length) = (0, 0)
                for byte in text {
                    length = (length &+ 1) &* (byte == 44 || byte == 58 ? 0 : 1)
                    longest = max(longest, length)
                }
                return longest
            """
        }
    }
}

/// The sources of a planted package.
enum PlantedSources {
    /// The bytes that a function reads, before and after the slow commit.
    static let amount = 4_000
    static let slowAmount = 4_200

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Planted",
            platforms: [.macOS(.v15)],
            dependencies: [.package(name: "Axiom", path: Context.environment["AXIOM_PATH"] ?? "../Axiom")],
            targets: [
                .target(name: "Measured"),
                .executableTarget(
                    name: "\(PlantedRepository.product)",
                    dependencies: ["Measured", .product(name: "AxiomBenchmarking", package: "Axiom")]
                ),
            ]
        )

        """

    private static let program = """
        import AxiomBenchmarking
        import Measured

        @main
        struct Benchmarks: BenchmarkProgram {
            static var suites: [BenchmarkSuite] { [planted] }

            private static let text: [UInt8] = {
                var state: UInt64 = 7
                return (0..<5_000).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1
                    return UInt8(truncatingIfNeeded: state >> 58) &+ 34 &+ UInt8(truncatingIfNeeded: (state >> 40) & 31)
                }
            }()

            private static let planted = BenchmarkSuite("planted") { suite in
        BODIES
            }
        }

        """

    /// Writes the package before the first change.
    static func write(to folder: String) throws {
        for name in ["Sources/Measured", "Sources/\(PlantedRepository.product)"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try manifest.write(toFile: "\(folder)/Package.swift", atomically: true, encoding: .utf8)
        try ".build\nPackage.resolved\n".write(toFile: "\(folder)/.gitignore", atomically: true, encoding: .utf8)
        let bodies = PlantedKernel.allCases.map { kernel in
            """
                    suite.add("\(kernel)", fixture: text) { text, iterations in
                        for _ in 0..<iterations { blackHole(\(kernel)(opaque(text))) }
                    }
            """
        }
        try program.replacingOccurrences(of: "BODIES", with: bodies.joined(separator: "\n"))
            .write(
                toFile: "\(folder)/Sources/\(PlantedRepository.product)/Benchmarks.swift",
                atomically: true,
                encoding: .utf8
            )
        for kernel in PlantedKernel.allCases { try writeKernel(kernel, amount: amount, to: folder) }
        var random = SeededGenerator(seed: 0)
        for name in ["Beside", "Side"] { try writeOther(name, to: folder, isBroken: false, &random) }
    }

    static func writeKernel(_ kernel: PlantedKernel, amount: Int, to folder: String) throws {
        let source = """
            public func \(kernel)(_ all: [UInt8]) -> Int {
                let text = all[..<\(amount)]
            \(kernel.body)
            }

            """
        try source.write(toFile: "\(folder)/Sources/Measured/\(kernel).swift", atomically: true, encoding: .utf8)
    }

    /// Writes functions and texts that nothing measured uses, so that the measured code moves in memory.
    ///
    /// - Parameter isBroken: Whether they do not compile.
    static func writeOther(
        _ name: String,
        to folder: String,
        isBroken: Bool,
        _ random: inout SeededGenerator
    ) throws {
        let prefix = name.lowercased()
        var declarations = (0...random.index(below: 6)).map { number in
            let factors = (0...random.index(below: 12)).map { _ in 3 + random.index(below: 1_000) }
            let terms = factors.map { "    value = value &* \($0) ^ (value >> \($0 % 29 + 1))" }
            return """
                public let \(prefix)Text\(number) = "\(String(repeating: "text ", count: random.index(below: 20)))"

                @inline(never) public func \(prefix)\(number)(_ start: Int) -> Int {
                    var value = start
                \(terms.joined(separator: "\n"))
                    return value
                }
                """
        }
        if isBroken { declarations.append("public let \(prefix)Nothing: Nothing = nothing") }
        // A number makes each revision differ.
        declarations.append("public let \(prefix)Number = \(random.index(below: 1 << 40))")
        try (declarations.joined(separator: "\n\n") + "\n")
            .write(toFile: "\(folder)/Sources/Measured/\(name).swift", atomically: true, encoding: .utf8)
    }
}
