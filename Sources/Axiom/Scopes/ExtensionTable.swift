// SPDX-License-Identifier: Apache-2.0

/// A part of an application that another module adds to an orchestrator, such as a flow of navigation.
@MainActor
package protocol OrchestratorExtension: AnyObject {
    /// The mistakes that a start adds to its error. Makes no component.
    ///
    /// - Parameter contexts: The registered types of contexts.
    func mistakes(contexts: Set<ObjectIdentifier>) -> [CompositionError]

    /// What a dry run adds to the warnings of its report.
    var warnings: [ArchitectureViolation] { get }

    /// The application runs from now on.
    func runBegan()

    /// The run ends; its presentations are still mounted.
    func runWillEnd()

    /// The presentations of the run have been unmounted.
    func runEnded()
}

/// The parts that other modules added to an orchestrator, in their order. It does not retain them.
@MainActor
package final class ExtensionTable {
    private struct Reference {
        let key: ObjectIdentifier
        weak var part: (any OrchestratorExtension)?
    }

    private var references: [Reference] = []

    nonisolated init() {}

    /// All parts that were not released.
    package var all: [any OrchestratorExtension] { references.compactMap(\.part) }

    /// The parts that were added under the type `key`.
    package func all(under key: Any.Type) -> [any OrchestratorExtension] {
        references.compactMap { $0.key == ObjectIdentifier(key) ? $0.part : nil }
    }

    /// Adds a part under the type `key`, by which a scope finds it.
    package func add(_ part: any OrchestratorExtension, under key: Any.Type) {
        references.removeAll { $0.part == nil }
        references.append(Reference(key: ObjectIdentifier(key), part: part))
    }
}

extension ContextScope {
    /// The parts that other modules added to the orchestrator.
    package var extensions: ExtensionTable { factory.extensions }
}
