// SPDX-License-Identifier: Apache-2.0

/// Keeps what the actions of contexts contain, while a recording runs. Bound once for each orchestrator.
package protocol ScenarioRecording: AnyObject, Sendable {
    /// Read before each action of a context.
    var recording: InspectionSwitch { get }

    /// An action begins that no other action sent, and ``recording`` is on.
    ///
    /// - Returns: The number of the action, for ``ended(_:_:_:)``; nil if it is not kept.
    @MainActor func began(_ action: some Action, in context: any Context) -> Int?

    /// The action has ended.
    ///
    /// - Parameter error: What ended at the context's boundary; nil after a success.
    @MainActor func ended(_ number: Int, _ outcome: ActionOutcome, _ error: (any Error)?)
}

/// An observer that keeps actions. Of several observers of one orchestrator, the first one does.
package protocol ScenarioObserver: Sendable {
    /// Nil if nothing keeps actions.
    var scenarioRecording: (any ScenarioRecording)? { get }
}
