// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomSyntax
internal import AxiomVerification
internal import Foundation

/// `axiom-verify graph`.
struct GraphCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, dot, mermaid, json
    }

    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Prints the components of a project and the dependencies that the source declares.",
        discussion: """
            With --against, compares them with what a running application resolved, as its exporter answers at \
            /api/snapshot:

              curl http://127.0.0.1:9464/api/snapshot > snapshot.json
              axiom-verify graph --against snapshot.json

            Files of tests are left out.

            Exit codes: 0; 1 with --against if a dependency, or a component, is in one of the two only; 2 for a wrong \
            command line, and for files that cannot be read; 3 if files do not parse, because components may miss. A dependency of a component that was never made cannot be \
            observed, and is no difference.
            """
    )

    @OptionGroup
    var project: ProjectOptions

    @Option(help: "The format: dot, mermaid or json; text or json with --against. The first is the default.")
    var format: Format?

    @Option(
        help: ArgumentHelp("A file with the answer of /api/snapshot, or - for the standard input.", valueName: "file")
    )
    var against: String?

    func validate() throws {
        switch (against, format) {
        case (nil, .text): throw ValidationError("--format text needs --against. Use dot, mermaid or json.")
        case (_?, .dot), (_?, .mermaid): throw ValidationError("--against prints text or json.")
        default: break
        }
    }

    func run() throws {
        try project.enter()
        let observed = try against.map(observed)
        let (run, files) = try project.load()
        let facts = run.facts(of: files)
        let broken = facts.filter { $0.syntaxError != nil }
        for file in broken { StandardStreams.complain(file.problem) }
        let graph = StaticGraph(ProjectFacts(files: facts))
        guard let observed else {
            try StandardStreams.write(try text(of: graph))
            throw ExitCode(broken.isEmpty ? 0 : 3)
        }
        let comparison = GraphComparison(graph, observed)
        try StandardStreams.write(format == .json ? try comparison.json() : comparison.text)
        throw ExitCode(broken.isEmpty ? comparison.exitCode : 3)
    }

    private func text(of graph: StaticGraph) throws -> String {
        switch format {
        case .mermaid: graph.mermaid
        case .json: try graph.json()
        case .dot, .text, nil: graph.dot
        }
    }

    private func observed(in path: String) throws -> ObservedGraph {
        let data =
            path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : try? Data(contentsOf: URL(filePath: path))
        guard let data else {
            throw VerifyError("\(path) cannot be read: name a file with the answer of /api/snapshot.")
        }
        do {
            return try ObservedGraph(snapshot: data)
        } catch {
            throw VerifyError("\(path) cannot be used: \(error). Save it with curl http://HOST:PORT/api/snapshot.")
        }
    }
}

extension FileFacts {
    /// The place where a file does not parse, in one line.
    var problem: String {
        let place = syntaxError.map(span).map { "\($0.path):\($0.start.line):\($0.start.column)" } ?? path
        return "axiom-verify: \(place) does not parse: correct it.\n"
    }
}
