// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import AxiomTestSupport
import CAxiomProfiler
import Foundation
import Testing

@testable import AxiomProfiler
@testable import AxiomSymbols

@Suite(
    "Corrupt modules",
    .enabled(if: ExternalTool.compilerOfC.mayRun, "\(ExternalTool.compilerOfC.installation)"),
    .timeLimit(.minutes(5))
)
struct SymbolFuzzTests {
    private let compiled: CompiledC

    init() throws { compiled = try CompiledC() }

    private static let source = """
        int one(int value) { return value + 1; }
        int two(int value, int (*next)(int)) { return one(value) * next(value + 2) + 1; }
        """

    @Test("A file with wrong bytes, or that is cut, gives no wrong memory, and no table without an end")
    func files() async throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try await compiled.make("libwhole.so", Self.source))))
        var generator = SplitMix64(seed: TestSeed.drawn())
        let path = compiled.path("corrupt")
        for round in 0..<TestScale.count(2_000, usual: 0.1) {
            var corrupt = bytes
            if round % 2 == 0 { corrupt.removeLast(.random(in: 0..<bytes.count, using: &generator)) }
            // The headers at both ends decide most.
            for _ in 0..<Int.random(in: 0...12, using: &generator) where !corrupt.isEmpty {
                let end = Bool.random(using: &generator) ? min(64, corrupt.count) : corrupt.count
                corrupt[.random(in: 0..<end, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            try Data(corrupt).write(to: URL(filePath: path))
            guard let file = ELFFile(path) else { continue }
            for type in [SHT_SYMTAB, SHT_DYNSYM] {
                let addresses = (0..<10).map { _ in UInt64.random(in: 0..<0x6000, using: &generator) }
                let names = FunctionNames.find(addresses, in: file, type).values
                #expect(names.allSatisfy { !SymbolName.readable($0).isEmpty })
            }
            if round % 50 == 0 { _ = DebugLines.entries(of: [0x1100, 0x1110], in: file) }
        }
    }

    @Test("Wrong bytes in unwind tables give no caller that is no return address")
    func unwindTables() async throws {
        let whole = try await compiled.make(
            "libtables.so",
            Self.source,
            ["-shared", "-fPIC", "-O2", "-fomit-frame-pointer"]
        )
        let sections = try await ExternalTool.readelf.run(["-SW", whole]).output
        var tables: [Range<Int>] = []
        for match in sections.matches(of: /\.eh_frame(?:_hdr)? +\w+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)/) {
            let start = try #require(Int(match.1, radix: 16))
            tables.append(start..<start + (try #require(Int(match.2, radix: 16))))
        }
        #expect(tables.count == 2)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: whole)))
        var generator = SplitMix64(seed: TestSeed.drawn())
        for round in 0..<TestScale.count(1_500, usual: 0.1) {
            var corrupt = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                corrupt[.random(in: try #require(tables.randomElement(using: &generator)), using: &generator)] =
                    .random(in: 0...255, using: &generator)
            }
            let path = compiled.path("libtables\(round).so")
            try Data(corrupt).write(to: URL(filePath: path))
            let library = try #require(OpenLibrary(path))
            let start = library.address(of: "two")
            let words = (0..<16).map { _ in UInt.random(in: 0...UInt.max, using: &generator) }
            for offset in UInt(0)..<40 {
                var found = axiom_callers()
                axiom_missing_callers([start + offset, start], 2, words, 16, &found)
                #expect(found.count == 0)
            }
            library.close()
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
#endif
