// SPDX-License-Identifier: Apache-2.0

/// A client of the package that a new context shows.
struct ExistingClient {
    /// The name without "Client".
    let base: ComponentName
    /// Whether its initializer throws, so that its registration needs `try`.
    let initializerThrows: Bool

    /// The name of its type.
    var name: String { "\(base)Client" }

    /// - Throws: ``ScaffoldError`` if no file of the target declares the client.
    init(_ base: ComponentName, in layout: PackageLayout) throws {
        let declaration = try Regex("\\bactor\\s+\(base)Client\\b")
        guard let file = SwiftSources(below: layout.sources).first(where: { $0.text.contains(declaration) }) else {
            throw ScaffoldError(
                "no file in \(layout.sourcePath) declares the actor \(base)Client: write it with `axiom-new client \(base)`, "
                    + "or name another client with --client."
            )
        }
        self.base = base
        // After the declaration of the actor, the first initializer that takes a scope.
        let body = file.text.firstMatch(of: declaration).map { file.text[$0.range.upperBound...] } ?? ""
        let initializer = body.firstMatch(of: #/\binit\s*\([^)]*ClientScope[^)]*\)(?<effects>[^{]*)\{/#)
        initializerThrows = initializer?.effects.contains("throws") ?? false
    }
}

extension ExistingClient {
    /// The client that ``ClientTemplate`` writes.
    init(written base: ComponentName) {
        (self.base, initializerThrows) = (base, false)
    }
}
