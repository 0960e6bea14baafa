// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import Foundation

/// The format and the destination of a report.
struct OutputOptions: ParsableArguments {
    @Option(help: "How the report is written.")
    var format: ReportFormat = .text

    @Option(help: "The file for the report; otherwise it is printed.")
    var output: String?

    @Option(
        help:
            "Another report of the same run, as junit=report.xml; may be given several times. - is the standard output."
    )
    var report: [String] = []

    /// Fails before minutes are spent on measurements that could not be written.
    func validate() throws {
        if let output, let problem = Destination(output).problem { throw ValidationError("--output: \(problem)") }
        for (_, path) in try others where path != "-" {
            if let problem = Destination(path).problem { throw ValidationError("--report: \(problem)") }
        }
    }

    private var others: [(ReportFormat, path: String)] {
        get throws {
            try report.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, let format = ReportFormat(rawValue: parts[0]) else {
                    let known = ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("--report is \(text): give FORMAT=PATH, with one of \(known)")
                }
                return (format, parts[1])
            }
        }
    }

    func write(_ report: Report) throws {
        for (format, path) in try others {
            let text = format.render(report)
            if path == "-" { print(text, terminator: "") } else { try Destination(path).write(text) }
        }
        let text = format.render(report)
        guard let output else {
            print(text, terminator: "")
            return
        }
        try Destination(output).write(text)
        // A log of the run still has the verdict.
        StandardError.write(TextReport(report).text)
    }
}

/// The path of a file that will be written.
struct Destination {
    let path: String

    init(_ path: String) { self.path = path }

    /// Why nothing can be written there, with the remedy; nil if it can. Missing folders are created later.
    var problem: String? {
        guard !path.isEmpty else { return "the path is empty: name a file" }
        if isFolder(path) || path.hasSuffix("/") { return "\(path) is a folder: name a file in it" }
        if FileManager.default.fileExists(atPath: path) {
            return access(path, W_OK) == 0 ? nil : "\(path) may not be written: \(reason); name another file"
        }
        var folder = URL(filePath: path).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
        }
        guard isFolder(folder.path) else { return "\(folder.path) is no folder, so that \(path) cannot be written" }
        return access(folder.path, W_OK) == 0
            ? nil : "nothing may be written in \(folder.path): \(reason); name a file elsewhere"
    }

    /// Creates the folders and writes the file, whole or not at all unless it is a device or a pipe.
    func write(_ text: String) throws(BenchmarkError) {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            var status = stat()
            let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
            guard isSpecial else { return try AtomicFile.write(Array(text.utf8), to: path) }
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            let cause = (error as? FileError)?.cause ?? String(clause: error)
            throw BenchmarkError(.usage, "could not write \(path): name another file", cause: cause)
        }
    }

    private var reason: String { String(cString: strerror(errno)) }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
