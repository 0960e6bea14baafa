// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation

@testable import AxiomProfiler
@testable import AxiomSymbols

extension ExternalTool {
    static let compilerOfC = ExternalTool(
        installation: "clang is missing: it comes with Swift, whose folder must be in PATH",
        path: find("clang") ?? find("cc")
    )
    static let readelf = ExternalTool(
        installation: "readelf is missing: apt-get install binutils",
        path: find("readelf")
    )
    static let addr2line = ExternalTool(
        installation: "addr2line is missing: apt-get install binutils",
        path: find("addr2line")
    )
}

/// Libraries and programs of C that a test compiles; deleted with it.
final class CompiledC {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Compiles a source to a file of this name.
    func make(
        _ name: String,
        _ source: String,
        _ options: [String] = ["-shared", "-fPIC", "-g", "-O1"]
    ) async throws -> String {
        let file = path(name + ".c")
        try Data(source.utf8).write(to: URL(filePath: file))
        let output = try await ExternalTool.compilerOfC.run(["-o", path(name), file] + options)
        guard output.status == 0 else { throw Failed(description: output.errors) }
        return path(name)
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }
}

/// A library that is loaded until `close`.
struct OpenLibrary {
    let handle: UnsafeMutableRawPointer

    init?(_ path: String) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return nil }
        self.handle = handle
    }

    func address(of symbol: String) -> UInt { dlsym(handle, symbol).map { UInt(bitPattern: $0) } ?? 0 }

    func close() { dlclose(handle) }
}

extension RawSample {
    /// A sample of these frames.
    init(frames: [UInt], words: [UInt] = []) {
        self.init(
            time: Instant(nanoseconds: 0),
            thread: 1,
            amount: 1,
            spans: [],
            frames: frames,
            words: words,
            isCut: false,
            hasNoStack: false
        )
    }
}

extension Symbolizer {
    /// The location of the function at a program counter.
    func location(_ address: UInt) -> CodeLocation? {
        frames(of: RawSample(frames: [address])).first.flatMap { locations(of: $0).last }
    }
}
#endif
