// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax
internal import AxiomVerification
internal import Dispatch
internal import Foundation
internal import SwiftParser
internal import SwiftSyntax
internal import Synchronization

/// A run in this process, without a cache.
struct ColdRun {
    private let corpus: Corpus
    private let threads: Int
    private let finder: SourceFinder

    init(_ corpus: Corpus, threads: Int) {
        self.corpus = corpus
        self.threads = threads
        finder = SourceFinder(root: corpus.folder.path, configuration: Configuration())
    }

    /// Finds, reads and parses the files, and walks each tree once.
    func empty() throws {
        let files = try finder.read(try finder.find(["."]))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < files.count else { return }
                let tree = files[index].bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
                EmptyVisitor(viewMode: .sourceAccurate).walk(tree)
            }
        }
    }

    /// What `axiom-verify --no-cache` does, with the report of its default format.
    func complete() throws {
        let run = ProjectRun(Configuration(), threads: threads)
        let verdict = run.judge(try finder.read(try finder.find(["."])))
        guard !FindingFormat.text.reporter(isColored: false).text(verdict).isEmpty else {
            throw Corpus.Failure(description: "The report is empty.")
        }
    }
}

/// Visits every node, and does nothing with it.
private final class EmptyVisitor: SyntaxVisitor {}

/// Runs the program axiom-verify that stands beside this one.
struct WarmRun {
    private let corpus: Corpus
    private let program: URL
    private let threads: Int

    init(_ corpus: Corpus, threads: Int) throws {
        self.corpus = corpus
        self.threads = threads
        program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "axiom-verify")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Corpus.Failure(description: "There is no program \(program.path): run Scripts/verify-speed.")
        }
    }

    func run() throws {
        let process = Process()
        process.executableURL = program
        process.currentDirectoryURL = corpus.folder
        process.arguments = [".", "--threads", "\(threads)"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, [0, 1].contains(process.terminationStatus) else {
            throw Corpus.Failure(description: "axiom-verify ended with \(process.terminationStatus).")
        }
    }
}
