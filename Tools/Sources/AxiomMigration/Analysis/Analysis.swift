// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// What an application without Axiom consists of, and in which order to move it.
package struct Analysis: Sendable {
    private let architecture: Architecture
    private let parts: [FoundPart]
    private let order: WorkOrder
    private let unreadable: [String]

    package init(_ files: [SourceText], architecture: Architecture) {
        let parsed = files.map(ParsedFile.init)
        self.architecture = architecture
        parts = parsed.flatMap { PartFinder(file: $0, architecture: architecture).parts }
        order = WorkOrder(parts)
        unreadable = parsed.filter { !$0.parses }.map(\.path)
    }

    /// The report, for people. The same files give the same text.
    package var report: String {
        var lines = ["Analysis of \(architecture.rawValue): \(parts.count) parts. Guide: Axiom's \(architecture.page)"]
        lines += unreadable.map { "\($0) does not parse completely: the report may lack parts of it." }
        for kind in FoundPart.Kind.allCases {
            let found = parts.filter { $0.kind == kind }
            guard !found.isEmpty else { continue }
            lines += ["", "\(kind.title) (\(found.count))"]
            lines += found.map { "  \($0.path):\($0.line): \($0.name): \($0.suggestion)" }
        }
        lines += ["", "Order of work"] + order.lines.map { "  " + $0 }
        return lines.map { $0 + "\n" }.joined()
    }
}
