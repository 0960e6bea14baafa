// SPDX-License-Identifier: Apache-2.0

internal import Axiom

extension Context {
    /// Sends an action to a downstream context, as the demo's function of this name does, and counts it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func forward<C: Context>(_ action: C.ActionType, to context: C) async throws {
        await CountedContext(context).send(action)
        try Task.checkCancellation()
    }
}
