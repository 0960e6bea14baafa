// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience

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
        let place: OneShot<Result<Admission, any Error>>
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
            for wait in remove(where: \.isOptional) {
                wait.place.settle(.success(.refused("a later request replaced it")))
            }
        }
        let count = waiting.count(where: \.isOptional)
        guard count >= options.waitingLimit else { return nil }
        return "\(count) requests wait already, as many as NavigationOptions.waitingLimit permits"
    }

    private func wait(_ turn: TurnID, _ isOptional: Bool) async throws -> Admission {
        let place = OneShot<Result<Admission, any Error>>()
        waiting.append(Waiting(turn: turn, isOptional: isOptional, place: place))
        let result = await place.value(ifCancelled: .failure(CancellationError()))
        // Still there if it was cancelled.
        remove { $0.turn == turn }
        return try result.get()
    }

    /// Ends the caller's turn and begins the next one.
    func leave() {
        running = nil
        while running == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            if next.place.settle(.success(.turn(next.turn))) { running = next.turn } else { Turns.end(next.turn) }
        }
    }

    /// Ends all waits.
    func dropWaiting(_ result: Result<Admission, any Error>) {
        for wait in remove(where: { _ in true }) { wait.place.settle(result) }
    }

    /// Removes waits whose turn will not come.
    @discardableResult
    private func remove(where isDropped: (Waiting) -> Bool) -> [Waiting] {
        let dropped = waiting.filter(isDropped)
        waiting.removeAll(where: isDropped)
        for wait in dropped { Turns.end(wait.turn) }
        return dropped
    }
}
