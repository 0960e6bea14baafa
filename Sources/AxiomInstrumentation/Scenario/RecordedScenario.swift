// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// The actions of contexts that were recorded, as source text.
///
/// ```swift
/// telemetry.recordScenario()
/// …
/// let scenario = telemetry.endScenario()
/// print(scenario.test(named: "A refused payment"))
/// ```
/// An action that another action sent is left out: its sender sends it again in a replay. So is what the application does
/// itself, such as states that arrive.
public struct RecordedScenario: Sendable, Hashable {
    /// One action.
    package struct Step: Sendable, Hashable {
        /// The number of the context instance.
        package let context: UInt64
        /// As source text, such as `.add("tea")`.
        package let action: String
        package let at: Instant
        /// What the gaps in the action stand for.
        package let gaps: [String]
        /// Nil if the action had not ended.
        package var outcome: ActionOutcome?
        /// The code of the error that ended at the context, or else its type; nil without an error.
        package var error: ScenarioError?
    }

    /// A context that an action was sent to.
    package struct Subject: Sendable, Hashable {
        package let instance: UInt64
        /// The name of the type, with those that it is nested in.
        package let type: String
        package let module: String
        /// The type of the context's input; nil if it has none.
        package let input: String?
    }

    /// Source of an expression that makes the application under test; nil for a placeholder.
    let application: String?
    /// The actions, in the order of their beginning.
    package internal(set) var steps: [Step] = []
    /// The contexts, in the order of their first action.
    package internal(set) var subjects: [Subject] = []
    /// How many actions were recorded.
    public var count: Int { steps.count }
    /// How many actions were not kept, because the recording was full.
    public internal(set) var dropped = 0
    /// How many parts of actions could not be written as source. Each is an editor placeholder in the test.
    public var gapCount: Int { steps.reduce(0) { $0 + $1.gaps.count } }

    init(application: String? = nil) { self.application = application }
}

/// How an error is named in a scenario.
package enum ScenarioError: Sendable, Hashable {
    case code(String)
    /// The name of the type, and its module; nil for a type that only its file or function can name.
    case type(String, module: String?)

    init(_ error: any Error) {
        self = (error as? any AxiomError).map { .code($0.code.rawValue) } ?? Self.type(of: error)
    }

    private static func type(of error: any Error) -> ScenarioError {
        let type = Swift.type(of: error)
        let whole = String(reflecting: type)
        let isNameable = !whole.contains { "<(".contains($0) }
        let module = isNameable ? whole.split(separator: ".").first.map(String.init) : nil
        return .type(ValueReader.sourceName(of: type), module: module)
    }
}
