// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// A part of a client that has changes to save.
    typealias Unsaved = (component: ComponentDescriptor, part: any UnsavedPart)

    /// The parts of all clients of the run, those of clients that failed to start included.
    var unsavedParts: [Unsaved] {
        clients.clients.flatMap { client in client.stores.unsavedParts.map { (client.component, $0) } }
    }

    /// Saves the changes of all parts at the same time, because the application enters the background. A part that
    /// exceeds its limit is reported and no longer awaited.
    func save(_ parts: [Unsaved]) async {
        await withDiscardingTaskGroup { group in
            for (component, part) in parts {
                group.addTask {
                    do {
                        try await withLimit(concurrently: self.port.limit(.save, of: component)) { await part.save() }
                    } catch {
                        await self.end(error, in: component)
                    }
                }
            }
        }
    }

    /// Saves the changes of all parts for the last time, at the same time.
    func saveFinally(_ parts: [Unsaved], by deadline: Instant) async {
        await withDiscardingTaskGroup { group in
            for (component, part) in parts {
                let step: @MainActor @Sendable () async -> Void = {
                    await self.end(.save, of: component, by: deadline) { try await part.saveFinally() }
                }
                group.addTask(operation: step)
            }
        }
    }
}
