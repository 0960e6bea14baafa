// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A folder with copies of the programs of a run, at paths of equal length: the length of a path changes the address of
/// the stack, and thereby times.
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

    /// Copies a program. All names of copies must have the same length.
    func copy(_ program: MeasuredProgram, to name: String) throws(BenchmarkError) -> MeasuredProgram {
        try copy(program, to: name) { (path) throws(BenchmarkError) in
            do {
                try FileManager.default.copyItem(atPath: program.path, toPath: path)
            } catch {
                throw BenchmarkError(.system, "could not copy \(program.path) to \(path)", cause: "\(error)")
            }
        }
    }

    /// Copies a program without debug information, because valgrind fails at formats of it that it does not know. Without
    /// `strip`, the copy is complete.
    func copyWithoutSymbols(_ program: MeasuredProgram, to name: String) throws(BenchmarkError) -> MeasuredProgram {
        guard let strip = ProgramOutput.find("strip") else { return try copy(program, to: name) }
        return try copy(program, to: name) { (path) throws(BenchmarkError) in
            let output = try ProgramOutput.run([strip, "--strip-debug", "-o", path, program.path])
            guard output.status == 0 else {
                throw BenchmarkError(.system, "strip could not copy \(program.path) to \(path)")
            }
        }
    }

    /// Unpacks what links a program in another order; nil if nothing was recorded.
    func order(of program: MeasuredProgram, named name: String) -> FunctionOrder? {
        program.archive.flatMap { FunctionOrder(archive: $0, of: program.path, in: "\(folder)/\(name)") }
    }

    private func copy(
        _ program: MeasuredProgram,
        to name: String,
        _ make: (String) throws(BenchmarkError) -> Void
    ) throws(BenchmarkError) -> MeasuredProgram {
        var copy = program
        copy.path = "\(folder)/\(name)"
        try make(copy.path)
        return copy
    }
}
