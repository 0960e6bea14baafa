// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation

/// The Swift code in the documentation of this repository.
enum OwnSources {
    /// The Swift blocks of each document, each a file of one module. A block that declares a type again begins another
    /// program: it shows another way to write what an earlier block has.
    static func snippets() throws -> [String: [[SourceText]]] {
        let folder = Repository.root.appending(path: "Documentation").path
        let names = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".md") }.map { "Documentation/" + $0 }
        return try (["README.md"] + names).reduce(into: [:]) { snippets, path in
            let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
            snippets[path] = programs(of: blocks(of: text))
        }
    }

    private static func programs(of blocks: [String]) -> [[SourceText]] {
        var (programs, declared) = ([[SourceText]](), Set<String>())
        for (number, block) in blocks.enumerated() {
            let text = SourceText(path: "Sources/Snippets/\(number).swift", bytes: Array((imports + block).utf8))
            let types = FileFacts.read(path: text.path, module: "", bytes: text.bytes).declarations
            let names = Set(types.filter { $0.kind != .extension && $0.scope.isEmpty }.map(\.name))
            if programs.isEmpty || !declared.isDisjoint(with: names) {
                programs.append([])
                declared = []
            }
            declared.formUnion(names)
            programs[programs.count - 1].append(text)
        }
        return programs
    }

    /// What a snippet may take for granted, on one line.
    private static let imports =
        [
            "Axiom", "AxiomMacros", "AxiomNavigation", "AxiomStorage", "AxiomUI", "AxiomTesting", "Foundation",
            "Observation",
        ].map { "import \($0)" }.joined(separator: "; ") + "\n"

    private static func blocks(of text: String) -> [String] {
        text.split(separator: "\n```", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.hasPrefix("swift\n") ? String(part.dropFirst("swift\n".count)) + "\n" : nil
        }
    }
}
