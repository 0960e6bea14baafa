// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// The version of the API that a file is written in.
package enum Dialect: String, Sendable, Hashable, CaseIterable, Codable {
    /// Revision 3: `send`, `stateUpdates`, a registry of capabilities.
    case r3
    /// Revision 4: revision 3 with `contextId`, managed capabilities and factories of contexts.
    case r4
    /// The draft: `BaseClient`, `ObservableObject`, `dispatch`, `viewDidAppear`.
    case draft
    /// Version 1.0.
    case current
    /// The file says nothing of a version.
    case none

    /// Whether the file is written in a version before 1.0.
    package var isOld: Bool { self == .r3 || self == .r4 || self == .draft }

    /// Names that only one version has. Each counts once.
    private static let marks: [Dialect: Set<String>] = [
        .r3: ["StatefulClient", "stateUpdates", "capabilityRegistry", "CapabilityRegistry", "createContext"],
        .r4: [
            "contextId", "ManagedCapability", "availabilityPublisher", "onBecomeAvailable", "onBecomeUnavailable",
            "registerContextFactory", "ContextRegistry", "upstreamContexts", "NavigationContext",
            "ErrorHandlingContext",
        ],
        .draft: ["BaseClient", "BaseContext", "BaseCapability"],
        .current: [
            "OwnedState", "StateStore", "ClientScope", "ContextScope", "CapabilityScope", "ComponentIdentity",
            "CapabilityRef", "PresentationHost",
        ],
    ]

    /// Names of the draft that other code has too.
    private static let common: Set<String> = ["viewDidAppear", "viewDidDisappear", "dispatch", "updateState"]
    /// What types of the draft inherit from, beside the base classes of the draft.
    private static let bases: Set<String> = ["State", "Client", "Context", "Capability", "Orchestrator"]

    /// Modules of old versions, by name.
    static let modules: [String: Dialect] = ["AxiomR3": .r3, "AxiomR4": .r4, "AxiomDraft": .draft]

    /// Whether a file imports a module of Axiom, of any version.
    static func importsAxiom(_ file: ParsedFile) -> Bool { file.imports.contains { $0.module.hasPrefix("Axiom") } }

    /// Finds the version of a file by the names that it uses.
    ///
    /// What is written for 1.0 wins over single names of older versions, so that a file that was migrated in part is not taken
    /// for an old one; revision 4 wins over revision 3, whose names it has too.
    ///
    /// - Parameter declared: Names that are those of the project in the file, not those of the framework.
    static func detected(in file: ParsedFile, declared: Set<String>) -> Dialect {
        for (module, _) in file.imports {
            if let dialect = modules[module] { return dialect }
        }
        let names = Set(file.tree.tokens(viewMode: .sourceAccurate).lazy.compactMap { $0.identifier?.name })
            .subtracting(declared)
            .union(file.tree.all(MemberTypeSyntax.self).filter(\.isOfFramework).map(\.name.text))
        let counts = marks.mapValues { $0.intersection(names).count }
        if counts[.current, default: 0] >= 2 { return .current }
        let saysDraft = counts[.draft, default: 0] > 0 || isDraft(file, names, declared)
        if saysDraft, counts[.r3, default: 0] + counts[.r4, default: 0] == 0 { return .draft }
        if counts[.r4, default: 0] > 0 { return .r4 }
        if counts[.r3, default: 0] > 0 { return .r3 }
        return counts[.current, default: 0] > 0 ? .current : .none
    }

    /// Whether a file has a name that other code has too, and a type that inherits from the framework.
    private static func isDraft(_ file: ParsedFile, _ names: Set<String>, _ declared: Set<String>) -> Bool {
        guard !names.isDisjoint(with: common) else { return false }
        return file.types.contains { !bases.isDisjoint(with: $0.inherited(besides: declared)) }
    }
}
