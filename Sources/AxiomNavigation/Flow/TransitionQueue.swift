// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Lets the transitions of one flow take turns.
@MainActor
final class TransitionQueue {
    /// The answer to a request.
    enum Admission: Sendable {
        /// The caller has its turn, and ends it with ``TransitionQueue/leave()``.
        case turn(TurnID)
        case refused(String)
    }

    private struct Waiting {
        let turn: TurnID
        /// Whether the options apply to it; a close is neither refused nor replaced.
        let isOptional: Bool
        let continuation: CheckedContinuation<Admission, any Error>
    }

    private let flow: String
    private let clock: TimeSource
    private let subject: TurnSubject
    private let options: NavigationOptions
    private var running: TurnID?
    private var waiting: [Waiting] = []

    init(_ flow: String, _ orchestrator: Orchestrator, _ options: NavigationOptions) {
        self.flow = flow
        self.options = options
        clock = orchestrator.clock
        subject = TurnSubject(.navigation, of: orchestrator.component)
    }

    /// Whether a transition is under way.
    var isBusy: Bool { running != nil }

    /// Waits until it is the caller's turn.
    ///
    /// - Parameter isOptional: Whether the options may refuse it.
    /// - Throws: `CancellationError` if the caller is cancelled while it waits; ``NavigationError`` if a transition
    ///   waits for the caller, or the flow ends.
    func enter(isOptional: Bool = true) async throws -> Admission {
        guard let running else {
            let turn = Turns.begin(subject, clock: clock)
            self.running = turn
            return .turn(turn)
        }
        if isOptional, options.whenBusy == .refuse { return .refused("another transition is under way") }
        let turn: TurnID
        do {
            turn = try Turns.begin(subject, after: [running] + waiting.map(\.turn), clock: clock)
        } catch {
            throw NavigationError.waitsForItself(flow, error)
        }
        if isOptional, let reason = makeRoom() {
            Turns.end(turn)
            return .refused(reason)
        }
        return try await wait(turn, isOptional)
    }

    /// Replaces what waits, or returns why one more request must not wait.
    private func makeRoom() -> String? {
        if options.whenBusy == .replacePending {
            end(waiting.filter(\.isOptional), .success(.refused("a later request replaced it")))
        }
        let count = waiting.count(where: \.isOptional)
        guard count >= options.waitingLimit else { return nil }
        return "\(count) requests wait already, as many as NavigationOptions.waitingLimit permits"
    }

    private func wait(_ turn: TurnID, _ isOptional: Bool) async throws -> Admission {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.append(Waiting(turn: turn, isOptional: isOptional, continuation: continuation))
                if Task.isCancelled { cancel(turn) }
            }
        } onCancel: {
            Task.onMainActor { self.cancel(turn) }
        }
    }

    /// Ends the caller's turn and begins the next one.
    func leave() {
        running = nil
        guard !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        running = next.turn
        next.continuation.resume(returning: .turn(next.turn))
    }

    /// Ends all waits.
    func dropWaiting(_ result: Result<Admission, any Error>) {
        end(waiting, result)
    }

    private func end(_ dropped: [Waiting], _ result: Result<Admission, any Error>) {
        waiting.removeAll { wait in dropped.contains { $0.turn == wait.turn } }
        for wait in dropped {
            Turns.end(wait.turn)
            wait.continuation.resume(with: result)
        }
    }

    private func cancel(_ turn: TurnID) {
        guard let index = waiting.firstIndex(where: { $0.turn == turn }) else { return }
        let wait = waiting.remove(at: index)
        Turns.end(turn)
        wait.continuation.resume(throwing: CancellationError())
    }
}
