// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A folder with copies of the programs of a run, at paths of equal length: the length of a path moves the stack, and
/// with it times.
final class Stage {
    private let folder: String

    init() throws(BenchmarkError) {
        var template = Array("\(NSTemporaryDirectory())/axiom-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("could not make a folder in \(NSTemporaryDirectory())") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Copies a program into a place of its own; the names of places must be equally long.
    func copy(_ program: MeasuredProgram, to place: String) throws(BenchmarkError) -> MeasuredProgram {
        try copy(program, to: place) { (path) throws(BenchmarkError) in
            do {
                try FileManager.default.copyItem(atPath: program.path, toPath: path)
            } catch {
                throw BenchmarkError(.system, "could not copy \(program.path) to \(path)", cause: "\(error)")
            }
        }
    }

    /// Copies a program without what debuggers read: valgrind gives up at forms of it that it does not know. Where
    /// there is no `strip`, the copy is whole.
    func copyWithoutSymbols(_ program: MeasuredProgram, to place: String) throws(BenchmarkError) -> MeasuredProgram {
        guard let strip = Counters.find("strip") else { return try copy(program, to: place) }
        return try copy(program, to: place) { (path) throws(BenchmarkError) in
            let output = try ProgramOutput.run([strip, "--strip-debug", "-o", path, program.path])
            guard output.status == 0 else {
                throw BenchmarkError(.system, "strip could not copy \(program.path) to \(path)")
            }
        }
    }

    private func copy(
        _ program: MeasuredProgram,
        to place: String,
        _ make: (String) throws(BenchmarkError) -> Void
    ) throws(BenchmarkError) -> MeasuredProgram {
        var copy = program
        copy.path = "\(folder)/\(place)"
        try make(copy.path)
        return copy
    }
}
