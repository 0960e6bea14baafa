// SPDX-License-Identifier: Apache-2.0

/// The architecture of an application without Axiom.
package enum Architecture: String, Sendable, Hashable, CaseIterable {
    case mvc, mvvm, tca

    /// The section of the guide, in Axiom's repository.
    var page: String { "Documentation/migrating.md#from-\(rawValue)" }
}

/// A part of an application without Axiom, and what it becomes.
struct FoundPart: Sendable, Hashable {
    enum Kind: Int, Sendable, Hashable, CaseIterable {
        case singleton, service, model, reducer, viewModel, controller, view, callback, dependency

        var title: String {
            switch self {
            case .singleton: "Singletons"
            case .service: "Services"
            case .model: "Values"
            case .reducer: "Reducers"
            case .viewModel: "View models"
            case .controller: "View controllers"
            case .view: "Views"
            case .callback: "Callbacks"
            case .dependency: "Dependencies of TCA"
            }
        }
    }

    var kind: Kind
    var name: String
    var path: String
    var line: Int
    /// What it should become, in a few words.
    var suggestion: String
    /// Whether it is a singleton that becomes a capability; others become clients.
    var isSharedCapability = false
    /// Other parts that it names.
    var uses: Set<String> = []
}
