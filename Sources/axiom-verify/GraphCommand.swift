// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import ArgumentParser
internal import AxiomSyntax
internal import AxiomVerification
internal import Foundation

/// `axiom-verify graph`.
struct GraphCommand: AsyncParsableCommand {
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
            command line, and for files that cannot be read. A dependency of a component that was never made cannot be \
            observed, and is no difference.
            """
    )

    @Argument(help: "The folder of the project.")
    var folder = "."

    @Option(
        help: "The format of the output: dot, mermaid or json; text or json with --against. The first is the default."
    )
    var format: Format?

    @Option(
        help: ArgumentHelp("A file with the answer of /api/snapshot, or - for the standard input.", valueName: "file")
    )
    var against: String?

    func validate() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("\(folder) is no folder.")
        }
        switch (against, format) {
        case (nil, .text): throw ValidationError("--format text needs --against. Use dot, mermaid or json.")
        case (_?, .dot), (_?, .mermaid): throw ValidationError("--against prints text or json.")
        default: break
        }
    }

    func run() async throws {
        let graph = StaticGraph(ProjectFacts(files: try await facts()))
        guard let against else { return Self.write(try text(of: graph)) }
        let comparison = GraphComparison(graph, try observed(in: against))
        Self.write(format == .json ? try comparison.json() : comparison.text)
        throw ExitCode(comparison.exitCode)
    }

    private func text(of graph: StaticGraph) throws -> String {
        switch format {
        case .mermaid: graph.mermaid
        case .json: try graph.json()
        case .dot, .text, nil: graph.dot
        }
    }

    private func facts() async throws -> [FileFacts] {
        let root = URL(filePath: folder).standardizedFileURL
        var texts: [SourceText] = []
        for path in ImportScan.swiftFiles(below: root) {
            guard let data = try? Data(contentsOf: root.appending(path: path)) else {
                throw Self.failure("\(path) cannot be read.")
            }
            texts.append(SourceText(path: path, bytes: Array(data)))
        }
        return await FileFacts.read(texts, workers: ProcessInfo.processInfo.activeProcessorCount)
    }

    private func observed(in path: String) throws -> ObservedGraph {
        let data =
            path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : try? Data(contentsOf: URL(filePath: path))
        guard let data else { throw Self.failure("\(path) cannot be read.") }
        do {
            return try ObservedGraph(snapshot: data)
        } catch {
            throw Self.failure("\(path) cannot be used: \(error). Save it with curl http://HOST:PORT/api/snapshot.")
        }
    }

    private static func failure(_ message: String) -> ExitCode {
        FileHandle.standardError.write(Data("Error: \(message)\n".utf8))
        return ExitCode(2)
    }

    private static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
#endif
