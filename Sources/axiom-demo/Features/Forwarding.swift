// SPDX-License-Identifier: Apache-2.0

internal import Axiom

extension Context {
    /// Sends an action to a downstream context. The errors of the action end at that context's boundary.
    ///
    /// - Throws: `CancellationError` if the task is cancelled: then the rest of this context's action is cancelled too.
    func forward<C: Context>(_ action: C.ActionType, to context: C) async throws {
        await context.send(action)
        try Task.checkCancellation()
    }
}
