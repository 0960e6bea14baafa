// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Observation
internal import Synchronization

/// The turns of one presentation host: its mounts, covers, uncovers and unmounts. Each waits for the previous one, so the
/// latest request determines the final state.
@MainActor
final class PresentationTurns {
    private let component: ComponentDescriptor
    private let clock: TimeSource
    private var last: (id: TurnID, task: Task<Void, Never>)?
    /// The operation of the turn that runs now; nil if none runs.
    private(set) var running: TurnOperation?

    init(_ component: ComponentDescriptor, _ clock: TimeSource) {
        (self.component, self.clock) = (component, clock)
    }

    /// Begins a turn after all earlier turns. Pass it to ``start(_:_:_:)``.
    ///
    /// - Throws: ``WaitCycle`` if an earlier turn waits for the caller.
    func begin(_ operation: TurnOperation) throws(WaitCycle) -> TurnID {
        try Turns.begin(TurnSubject(operation, of: component), after: last.map { [$0.id] } ?? [], clock: clock)
    }

    /// Runs `body` when all earlier turns have ended. The caller awaits the task.
    func start<R: Sendable, Failure: Error>(
        _ turn: TurnID,
        _ operation: TurnOperation,
        _ body: @escaping @MainActor () async throws(Failure) -> R
    ) -> Task<Result<R, Failure>, Never> {
        let previous = last?.task
        let task = Task.onMainActor { () async -> Result<R, Failure> in
            await previous?.value
            self.running = operation
            defer { self.running = nil }
            return await Turns.run(turn) {
                do throws(Failure) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
        }
        last = (turn, Task.onMainActor { _ = await task.value })
        return task
    }

    /// Runs `body` in a turn after all earlier turns, even if the caller is cancelled.
    ///
    /// - Returns: The result; nil at once if an earlier turn waits for the caller. `body` runs later then, and `late`
    ///   receives its result. An unmount within an unmount runs nothing, because the unmount happens anyway.
    @discardableResult
    func run<R: Sendable>(
        _ operation: TurnOperation,
        _ body: @escaping @MainActor () async -> R,
        late: @escaping @MainActor (R) async -> Void = { _ in }
    ) async -> R? {
        if let turn = try? begin(operation) { return await start(turn, operation, body).value.get() }
        guard running != .unmount || operation != .unmount else { return nil }
        // Outside the caller's turn, which does not wait for this one.
        Turns.$current.withValue(nil) {
            guard let turn = try? begin(operation) else { return }
            let task = start(turn, operation, body)
            Task.onMainActor { await late(task.value.get()) }
        }
        return nil
    }
}

/// The time between two mounts, covers, uncovers or unmounts of a presentation.
///
/// Each render observes it, so the end of a generation ends the observation of all that its last render read. Without it,
/// an observation would stay until something that it read changes: after each unmount of a presentation that reads a
/// feature flag, the flag would keep one more.
final class RenderGeneration: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let hasEnded = Atomic(false)

    /// Whether nothing that belongs to it is rendered any more.
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    /// Reports the end to whatever observes the calling code.
    func observe() { registrar.access(self, keyPath: \.isOver) }

    /// Ends the generation, and the observations of its renders.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        registrar.willSet(self, keyPath: \.isOver)
        registrar.didSet(self, keyPath: \.isOver)
    }
}
