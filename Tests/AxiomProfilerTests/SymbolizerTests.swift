// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import AxiomTestSupport
import CPlantedCode
import Foundation
import Testing

@testable import AxiomProfiler
@testable import AxiomSymbols

/// The return addresses of the callers, the innermost one first.
@inline(never) private func callers() -> [UInt] {
    typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
    // Of <execinfo.h>, which Glibc's module lacks.
    guard let backtrace = dlsym(nil, "backtrace") else { return [] }
    var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 32)
    let count = Int(unsafeBitCast(backtrace, to: Backtrace.self)(&addresses, 32))
    return addresses.prefix(count).map { UInt(bitPattern: $0) }
}

private struct Planted {
    @inline(never) func generic<Value: Hashable>(_ value: Value) -> [UInt] {
        withExtendedLifetime(value) { callers() }
    }

    @inline(never) func closure() -> [UInt] {
        let closure: () -> [UInt] = { callers() }
        return [closure][0]()
    }

    @inline(never) func suspending() async -> (before: [UInt], after: [UInt]) {
        let before = callers()
        await Task.yield()
        return (before, callers())
    }
}

@Suite("Symbolizer", .timeLimit(.minutes(10)))
struct SymbolizerTests {
    private let symbolizer = Symbolizer()

    private func functions(_ frames: [UInt]) -> [String] {
        symbolizer.frames(of: RawSample(frames: [frames[0]] + frames.prefix(8))).compactMap {
            symbolizer.locations(of: $0).last?.function
        }
    }

    @Test("Functions of Swift name themselves without modules, types and variants")
    func swift() async {
        #expect(functions(Planted().generic(3)).contains("Planted.generic<A>(_:)"))
        #expect(functions(Planted().generic("a")).contains("Planted.generic<A>(_:)"))
        #expect(functions(Planted().closure()).contains("closure 1 in Planted.closure()"))
        let (before, after) = await Planted().suspending()
        #expect(functions(before).contains("Planted.suspending()"))
        #expect(functions(after).contains("Planted.suspending()"))
        #expect(before[1] != after[1])
    }

    @Test("A caller that the chain lacks is inserted, and the next one is marked if a caller can be missing")
    func missingCaller() throws {
        // At the first instruction of a function, its return address is at the top of the stack.
        let sort = UInt(bitPattern: try #require(dlsym(nil, "qsort_r")))
        let (inner, outer) = (callers()[1], callers()[2])
        let frames = symbolizer.frames(of: RawSample(frames: [sort, outer], words: [inner, 0]))
        #expect(frames.map(\.isReturn) == [false, true, true])
        #expect(frames.map(\.isGuessed) == [false, false, false])
        #expect(symbolizer.locations(of: frames[1]).last?.function == "SymbolizerTests.missingCaller()")

        let cut = symbolizer.frames(of: RawSample(frames: [sort, outer], words: []))
        #expect(cut.map(\.isGuessed) == [false, true])
        let whole = symbolizer.frames(of: RawSample(frames: [inner, outer], words: [outer]))
        #expect(whole.map(\.isGuessed) == [false, false])
    }

    @Test("A caller that the frames have is not inserted a second time")
    func knownCaller() {
        let planted: @convention(c) (UInt64) -> UInt64 = planted_c_burn
        let start = unsafeBitCast(planted, to: UInt.self)
        let (inner, outer) = (callers()[1], callers()[2])
        // At its first instruction, the function has no frame yet: the sampler takes its caller from the top of the stack.
        let frames = symbolizer.frames(of: RawSample(frames: [start, inner, outer], words: [inner, 0]))
        #expect(frames == symbolizer.frames(of: RawSample(frames: [start, outer], words: [inner, 0])))
        #expect(frames.map(\.isGuessed) == [false, false, false])
    }

    @Test("A function of C and one of a system library name themselves and their module")
    func functionsOfC() throws {
        let planted: @convention(c) (UInt64) -> UInt64 = planted_c_burn
        let own = try #require(symbolizer.location(unsafeBitCast(planted, to: UInt.self) + 1))
        #expect(own.function == "planted_c_burn")
        #expect(own.module.hasSuffix(".xctest"))
        let sort = UInt(bitPattern: try #require(dlsym(nil, "qsort_r")))
        #expect(
            symbolizer.location(sort) == CodeLocation(function: "qsort_r", module: "libc.so.6", file: nil, line: nil)
        )
    }

    @Test("The code that the kernel maps is named as a whole")
    func vdso() throws {
        let vdso = try #require(OpenLibrary("linux-vdso.so.1"))
        let location = try #require(symbolizer.location(vdso.address(of: "__vdso_clock_gettime")))
        #expect(location == CodeLocation(function: "[vdso]", module: "[vdso]", file: nil, line: nil))
    }

    @Test("An address in no module is text")
    func unknown() {
        let unknown = symbolizer.frames(of: RawSample(frames: [0x1234]))[0]
        #expect(unknown.module == 0)
        let text = [CodeLocation(function: "0x1234", module: "[unknown]", file: nil, line: nil)]
        #expect(symbolizer.locations(of: unknown) == text)
        #expect(symbolizer.frames(of: RawSample(frames: [])).isEmpty)
        // The frame of an asynchronous function can have an address of the heap where others have their return address.
        let (inner, outer) = (callers()[1], callers()[2])
        let known = symbolizer.frames(of: RawSample(frames: [inner, 0x7fb5_2c06_d2af, outer], words: [outer]))
        #expect(known.map(\.module).allSatisfy { $0 > 0 } && known.count == 2)
    }

    @Test(
        "An address between functions is not the one before it",
        .enabled(if: ExternalTool.compilerOfC.mayRun, "\(ExternalTool.compilerOfC.installation)")
    )
    func padding() async throws {
        let compiled = try CompiledC()
        defer { withExtendedLifetime(compiled) {} }
        let source = "void gap_before(void) {} __attribute__((aligned(512))) void gap_after(void) {}"
        let library = try #require(OpenLibrary(try await compiled.make("libgap.so", source)))
        defer { library.close() }
        let start = library.address(of: "gap_before")
        #expect(symbolizer.location(start)?.function == "gap_before")
        #expect(symbolizer.location(start + 16)?.function.hasPrefix("libgap.so+0x") == true)
    }

    @Test("The names are those of nm", .enabled(if: ExternalTool.nm.mayRun, "\(ExternalTool.nm.installation)"))
    func namesOfProgram() async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lines = try await ExternalTool.nm.run(["--defined-only", program]).output.split(separator: "\n")
        var generator = SplitMix64(seed: TestSeed.drawn())
        var names: [UInt64: Set<Substring>] = [:]
        for fields in lines.map({ $0.split(separator: " ", maxSplits: 2) })
        where fields.count == 3 && "tT".contains(fields[1]) {
            if let address = UInt64(fields[0], radix: 16) { names[address, default: []].insert(fields[2]) }
        }
        let addresses = Array(names.keys.shuffled(using: &generator).prefix(2_000))
        let found = FunctionNames.find(addresses, in: try #require(ELFFile(program)), SHT_SYMTAB)
        for (address, name) in found {
            #expect(names[address]?.contains(Substring(name)) == true, "\(name) at \(address)")
        }
        #expect(found.count > 1_900)
    }

    @Test(
        "Build ids are those of readelf",
        .enabled(if: ExternalTool.readelf.mayRun, "\(ExternalTool.readelf.installation)")
    )
    func buildIDs() async throws {
        let modules = ModuleTable()
        modules.refresh()
        let loaded = (1...1_000).compactMap { modules[$0] }.filter {
            $0.path.contains("/") && !$0.path.contains("axiom-")
        }
        #expect(loaded.count > 5)
        for module in loaded {
            let notes = try await ExternalTool.readelf.run(["-n", module.path]).output
            let id = notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)?.1 ?? ""
            #expect(module.identity.buildID.map { String(format: "%02x", $0) }.joined() == id, "\(module.path)")
            #expect(ELFFile(module.path)?.identity == module.identity)
        }
    }
}
#endif
