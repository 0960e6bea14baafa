// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Links a program again with its functions in another order.
///
/// Alignment does not remove all effects of the place of code: which functions share sets of caches and of the branch
/// predictor depends on their distance, and moves times by some percent. With an order drawn for each pair of processes,
/// these effects are part of the variation between pairs, and do not look like a change of the code.
struct FunctionOrder {
    /// What the linker needs, unpacked: it records its inputs by `--reproduce`.
    private let folder: String
    private let linker: String
    /// The folders in which the program finds its libraries. The recorded ones are relative to `folder`.
    private let libraries: [String]

    /// The linker that can record and shuffle; nil if it is not installed. Swift's toolchains have it.
    static var linker: String? { ProgramOutput.find("ld.lld") }

    /// Options for `swift build` that make the linker record its inputs in the archive at `path`.
    static func options(recordingTo path: String) -> [String] {
        linker == nil ? [] : ["-Xswiftc", "-use-ld=lld", "-Xlinker", "--reproduce=\(path)"]
    }

    /// Unpacks an archive.
    ///
    /// - Returns: nil if it cannot be unpacked, or if it is not of this program.
    init?(archive: String, of program: String, in folder: String) {
        guard let linker = Self.linker,
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil,
            let output = try? ProgramOutput.run(
                ["tar", "-xf", archive, "-C", folder, "--strip-components", "1"],
                errors: .dropped
            ),
            output.status == 0,
            let response = try? String(contentsOfFile: "\(folder)/response.txt", encoding: .utf8)
        else { return nil }
        let lines = response.split(separator: "\n")
        let name = URL(filePath: program).lastPathComponent
        guard lines.contains(where: { $0.hasPrefix("-o ") && $0.hasSuffix(name) }) else { return nil }
        self.folder = folder
        self.linker = linker
        libraries = lines.filter { $0.hasPrefix("-rpath ") && !$0.contains("$") }.map { "/\($0.dropFirst(7))" }
    }

    /// Links the program at `path`, in the order of a seed.
    func link(_ path: String, seed: UInt32) throws(BenchmarkError) {
        let command = ["env", "-C", folder, linker, "@response.txt", "--shuffle-sections=.text*=\(max(1, seed))"]
        let search = libraries.flatMap { ["-rpath", $0] }
        let output = try ProgramOutput.run(command + search + ["-o", path])
        guard output.status == 0 else {
            throw BenchmarkError(.system, "could not link \(path) with its functions in another order: use --as-built")
        }
    }
}

/// How both builds of a comparison are compiled, so that a loop has the same place within a cache line in both.
///
/// Without it, code of another length before a loop moves it, and the same instructions take up to a fifth longer: the
/// processor fetches and caches them in aligned blocks of 32 and 64 bytes.
enum CodeAlignment {
    /// Options for `swift build`: functions begin at a multiple of 64 bytes, and loops, and blocks that are only reached by a
    /// jump, at a multiple of 32.
    static let options =
        swift("-align-all-functions=6") + swift("-align-all-nofallthru-blocks=5") + swift("-align-loops=32")
        + ["-Xcc", "-falign-functions=64", "-Xcc", "-falign-loops=32"]

    private static func swift(_ option: String) -> [String] {
        ["-Xswiftc", "-Xllvm", "-Xswiftc", option]
    }
}
