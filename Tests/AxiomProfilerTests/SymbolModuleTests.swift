// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomProfiler
@testable import AxiomSymbols

@Suite(
    "Symbols of libraries that change",
    .enabled(if: ExternalTool.compilerOfC.mayRun, "\(ExternalTool.compilerOfC.installation)"),
    .timeLimit(.minutes(10))
)
struct SymbolModuleTests {
    private let symbolizer = Symbolizer()
    private let compiled: CompiledC

    init() throws { compiled = try CompiledC() }

    @Test("A library that is loaded where another one was has another number, and the first one keeps its names")
    func sameAddress() async throws {
        let paths = [
            try await compiled.make("libfirst.so", "void only_first(void) {}"),
            try await compiled.make("libsecond.so", "void only_second(void) {}"),
        ]
        var places: [UInt: CodeAddress] = [:]
        var isFound = false
        for attempt in 0..<400 where !isFound {
            let (path, name) = attempt % 2 == 0 ? (paths[0], "only_first") : (paths[1], "only_second")
            let library = try #require(OpenLibrary(path))
            let address = library.address(of: name)
            let place = symbolizer.frames(of: RawSample(frames: [address]))[0]
            library.close()
            if let other = places[address], other.module != place.module {
                #expect(
                    Set([other, place].flatMap(symbolizer.locations).map(\.function)) == ["only_first", "only_second"]
                )
                isFound = true
            }
            places[address] = place
        }
        #expect(isFound)
    }

    @Test("A sample that is older than the unloading of its library has a name")
    func unloaded() async throws {
        let library = try #require(OpenLibrary(try await compiled.make("libgone.so", "void gone(void) {}")))
        let address = library.address(of: "gone")
        let before = symbolizer.frames(of: RawSample(frames: [address]))[0]
        library.close()
        #expect(symbolizer.frames(of: RawSample(frames: [address]))[0] == before)
    }

    @Test("A file that was replaced or deleted is not used, and the name says so")
    func replaced() async throws {
        let path = try await compiled.make("libchanging.so", "void *shown(void) { return 0; }")
        let library = try #require(OpenLibrary(path))
        defer { library.close() }
        let shown = library.address(of: "shown")
        #expect(Symbolizer().location(shown)?.function == "shown")

        let other = try await compiled.make("libother.so", "void *shown(void) { return (void *)1; }")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        let text = try #require(Symbolizer().location(shown)?.function)
        #expect(text.hasPrefix("libchanging.so+0x") && text.hasSuffix(" (its file is another build)"))
        try FileManager.default.removeItem(atPath: path)
        #expect(Symbolizer().location(shown)?.function.hasSuffix(" (its file is missing)") == true)
    }

    @Test(
        "Lines and inlined functions are those of addr2line",
        .enabled(if: ExternalTool.addr2line.mayRun, "\(ExternalTool.addr2line.installation)")
    )
    func lines() async throws {
        let source = """
            static inline __attribute__((always_inline)) int inner(int value) {
                return value * value;
            }
            int outer(int value) {
                return inner(value) + 1;
            }
            """
        let path = try await compiled.make("liblines.so", source, ["-shared", "-fPIC", "-O2", "-g"])
        let library = try #require(OpenLibrary(path))
        defer { library.close() }
        let start = library.address(of: "outer")
        let addresses = (0..<6).map { symbolizer.frames(of: RawSample(frames: [start + $0]))[0] }
        #expect(symbolizer.locations(of: addresses[0]).map(\.line) == [nil])
        symbolizer.prepare(addresses, withLines: false)
        #expect(addresses.flatMap { symbolizer.locations(of: $0) }.allSatisfy { $0.line == nil })
        symbolizer.prepare(addresses, withLines: true)
        symbolizer.prepare(addresses, withLines: true)
        for address in addresses {
            let offset = "0x" + String(address.offset, radix: 16)
            let expected = try await ExternalTool.addr2line.run(["-f", "-i", "-e", path, offset]).output
            let locations = symbolizer.locations(of: address)
            let text = locations.map { "\($0.function)\n\($0.file ?? "??"):\($0.line.map(String.init) ?? "?")\n" }
                .joined()
            #expect(text == expected.replacing(/\ \(discriminator \d+\)/, with: ""))
            #expect(locations.allSatisfy { $0.module == "liblines.so" })
        }
        #expect(addresses.contains { symbolizer.locations(of: $0).map(\.function) == ["inner", "outer"] })
    }

    @Test("Each program for lines says the same, one that is missing is left out, and one that does not end is ended")
    func tools() async throws {
        let path = try await compiled.make("libtools.so", "int value(int a) {\n    return a;\n}")
        let file = try #require(ELFFile(path))
        let library = try #require(OpenLibrary(path))
        defer { library.close() }
        let place = Symbolizer().frames(of: RawSample(frames: [library.address(of: "value")]))[0].offset
        let missing = ["axiom-has-no-such-program"]
        for tool in DebugLines.tools where ExternalTool.find(tool[0]) != nil {
            let entry = DebugLines.entries(of: [place], in: file, tools: [missing, tool])[place]?.first
            #expect(entry?.symbol == "value" && entry?.line == 1, "\(tool)")
            #expect(entry?.file?.hasSuffix("/libtools.so.c") == true)
        }
        #expect(DebugLines.entries(of: [place], in: file, tools: [missing]).isEmpty)
        #expect(DebugLines.entries(of: [place], in: file, tools: [["sh", "-c", "sleep 3600"]]).isEmpty)
        // It is ended while it writes the second address.
        let cut = ["sh", "-c", "printf '0x10\\none\\na.c:1\\n0x20\\ninner\\nb.c:23'; exec sleep 3600"]
        #expect(DebugLines.entries(of: [16, 32], in: file, tools: [cut]).mapValues { $0.map(\.line) } == [16: [1]])
    }

    @Test(
        "The lines of more addresses than are kept are there for the profile that is read",
        .enabled(if: ExternalTool.addr2line.mayRun, "\(ExternalTool.addr2line.installation)")
    )
    func manyLines() async throws {
        let source = "void many(void) { __asm__ volatile(\".rept 20000\\n nop\\n .endr\"); }"
        let library = try #require(OpenLibrary(try await compiled.make("libmany.so", source)))
        defer { library.close() }
        let start = library.address(of: "many")
        let addresses = (0..<18_000).flatMap { symbolizer.frames(of: RawSample(frames: [start + $0])) }
        symbolizer.prepare(addresses, withLines: true)
        #expect(addresses.count { symbolizer.locations(of: $0).first?.line == 1 } == 18_000)
    }

    @Test("A fork while modules are visited leaves a child that can visit them")
    func fork() async throws {
        let source = """
            #include <pthread.h>
            #include <stdio.h>
            #include <sys/wait.h>
            #include <unistd.h>
            #include "CAxiomModules.h"
            static int nothing(void *none, const struct axiom_module *module) { return 0; }
            static void *visit(void *none) { for (;;) axiom_visit_modules(nothing, 0); }
            int main(void) {
                pthread_t thread;
                int stuck = 0, status;
                pthread_create(&thread, 0, visit, 0);
                axiom_visit_modules(nothing, 0);
                for (int count = 0; count < 100; count++) {
                    pid_t child = fork();
                    if (child == 0) { alarm(20); axiom_visit_modules(nothing, 0); _exit(0); }
                    waitpid(child, &status, 0);
                    stuck += status != 0;
                }
                printf("%d", stuck);
            }
            """
        let folder = Repository.root.appending(path: "Sources/CAxiomProfiler").path
        let options = ["-I\(folder)/include", "\(folder)/modules.c", "-lpthread"]
        #expect(try await Command.run(try await compiled.make("fork", source, options), []).output == "0")
    }

    @Test("A function inside of another one has its addresses, and one without a size has them up to the next one")
    func nested() async throws {
        func function(_ name: String) -> String { ".globl \(name)\\n.type \(name), @function\\n\(name):\\n.skip 16\\n" }
        let inner = function("inner") + ".size inner, 16\\n"
        let code = function("outer") + inner + ".skip 16\\n.size outer, 48\\n" + function("bare") + function("next")
        let path = try await compiled.make("libnested.so", "__asm__(\".text\\n\(code).size next, 4\\n\");")
        let library = try #require(OpenLibrary(path))
        defer { library.close() }
        let start = library.address(of: "outer")
        let names = [UInt(0), 15, 16, 31, 32, 47, 48, 63, 64, 67].map {
            symbolizer.location(start + $0)?.function ?? ""
        }
        #expect(names == ["outer", "outer", "inner", "inner", "outer", "outer", "bare", "bare", "next", "next"])
        #expect(symbolizer.location(start + 68)?.function.hasPrefix("libnested.so+0x") == true)
    }

    @Test("What is no file of a module is not read")
    func otherFiles() {
        #expect(ELFFile("/dev/null") == nil)
        #expect(ELFFile("/does/not/exist") == nil)
        #expect(ELFFile("/proc/self/maps") == nil)
    }
}
#endif
