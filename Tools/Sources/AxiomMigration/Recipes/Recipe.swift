// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// One step of a migration: a pure function of a file and the facts of its project.
package struct Recipe: Sendable {
    /// The name of a recipe, as it is printed.
    package struct ID: RawRepresentable, Sendable, Hashable, Codable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    package let id: ID
    /// What it does, in one sentence.
    package let summary: String
    private let change: @Sendable (MigrationFacts, inout Changes) -> Void

    init(_ id: String, _ summary: String, _ change: @escaping @Sendable (MigrationFacts, inout Changes) -> Void) {
        self.id = ID(rawValue: id)
        self.summary = summary
        self.change = change
    }

    /// The edits of a file and what is left to do by hand. Changes nothing itself.
    package func run(on file: ParsedFile, in project: MigrationFacts) -> (edits: [Edit], notes: [PlacedNote]) {
        var changes = Changes(file, id)
        change(project, &changes)
        return (changes.edits, changes.notes)
    }
}

extension Recipe {
    /// All recipes in the order in which they run.
    package static let all: [Recipe] = [
        .importNames, .axiomErrorCases, .stateProtocol, .dropStateID, .classToActor, .statefulClientProtocol,
        .capabilityReferences, .storeForState, .streamForUpdates, .identityAndScopeInit, .renameProcess,
        .contextLifecycle,
        .observableForPublished, .createContextToScope, .registryToRegistration, .invalidateToTerminate,
        .constrainedViewToPresentation, .testDoubles,
    ]
}
