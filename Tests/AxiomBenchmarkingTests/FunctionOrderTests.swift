// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite(
    "The place of code in memory",
    .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH"),
    .enabled(if: ExternalTool.nm.mayRun, "nm is missing: apt-get install binutils")
)
struct FunctionOrderTests {
    private static let linker = ExternalTool(
        installation: "ld.lld is missing: it comes with Swift, whose folder must be in PATH",
        path: FunctionOrder.linker
    )

    private static let source = """
        @inline(never) public func first(_ value: Int) -> Int { value &* 3 ^ value >> 5 }
        @inline(never) public func second(_ value: Int) -> Int { value &* 5 ^ value >> 3 }
        @inline(never) public func third(_ value: Int) -> Int { value &* 7 ^ value >> 1 }
        print(first(CommandLine.argc == 1 ? 1 : 2), second(2), third(3))
        """

    /// The addresses of the three functions, by their names.
    private func addresses(_ program: String) async throws -> [Int] {
        let symbols = try await ExternalTool.nm.run([program]).output.split(separator: "\n")
        return try ["5first", "6second", "5third"].map { name in
            let line = try #require(symbols.first { $0.contains(name) && $0.contains(" T ") })
            return try #require(Int(line.prefix { $0 != " " }, radix: 16))
        }
    }

    @Test(
        "Functions are aligned, and come in another order by another seed; the program does the same",
        .timeLimit(.minutes(10)),
        .enabled(if: Self.linker.mayRun, "ld.lld is missing: it comes with Swift, whose folder must be in PATH")
    )
    func order() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (source, program, archive) = (sample.path("main.swift"), sample.path("program"), sample.path("program.tar"))
        try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
        // What swift build passes on to swiftc.
        let options = CodeAlignment.options + FunctionOrder.options(recordingTo: archive)
        let passed = options.filter { $0 != "-Xswiftc" }
        let output = try await ExternalTool.swiftc.run(["-O", source, "-module-name", "Moved", "-o", program] + passed)
        try #require(output.status == 0, "\(output.errors)")
        let printed = try await Command.run(program, []).output
        #expect(printed.split(separator: " ").count == 3)
        #expect(try await addresses(program).allSatisfy { $0.isMultiple(of: 64) })

        let order = try #require(FunctionOrder(archive: archive, of: program, in: sample.path("unpacked")))
        var orders: Set<[Int]> = []
        for seed in 1...8 {
            let linked = sample.path("linked")
            try order.link(linked, seed: UInt32(seed))
            #expect(try await Command.run(linked, []).output == printed, "seed \(seed)")
            let places = try await addresses(linked)
            #expect(places.allSatisfy { $0.isMultiple(of: 64) }, "seed \(seed)")
            orders.insert(places.indices.sorted { places[$0] < places[$1] })
        }
        #expect(orders.count > 2, "\(orders)")
        #expect(FunctionOrder(archive: archive, of: "another", in: sample.path("other")) == nil)
    }
}
