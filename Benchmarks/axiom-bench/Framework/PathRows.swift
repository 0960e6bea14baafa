// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// The specification's goals for paths through several components: from an unmount to a client, and from an action to a
/// frame.
enum PathRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "context.unmount.action",
            statement: "an action that waits in a client ends < 10 ms after unmount() was called, the slowest of 50",
            unit: "ms",
            limit: 10,
            measure: { try await unmounts() }
        ),
        .init(
            id: "action.frame",
            statement: "from an action that a context was sent, through client, state and observing context, "
                + "to the rendered frame < 16 ms, p99 of 500",
            unit: "ms",
            limit: 16,
            measure: { try await frames() }
        ),
    ]

    private struct NoFrame: Error {}
    private struct NotCancelled: Error {}

    /// What an action tells.
    fileprivate enum Step {
        case begun
        case cancelled
    }

    /// A client whose actions wait until they are cancelled.
    private actor WaitingClient: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        private let steps: AsyncStream<Step>.Continuation

        init(_ scope: borrowing ClientScope, _ steps: AsyncStream<Step>.Continuation) {
            (identity, self.steps) = (scope.identity, steps)
        }

        func process(_ action: BookAction) async throws {
            steps.yield(.begun)
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                steps.yield(.cancelled)
                throw error
            }
        }
    }

    @MainActor
    @Observable
    fileprivate final class WaitingContext: Context {
        typealias ActionType = BookAction

        nonisolated let identity: ComponentIdentity
        @ObservationIgnored private let client: any StatelessClient<BookAction>

        init(_ scope: borrowing ContextScope) throws {
            identity = scope.identity
            client = try scope.client(WaitingClient.self)
        }

        func handle(_ action: BookAction) async throws { try await client.process(action) }
    }

    private struct WaitingPresentation: Presentation {
        let context: WaitingContext
        var body: Int { 0 }
    }

    @MainActor
    private static func unmounts() async throws -> Double {
        let (steps, tell) = AsyncStream.makeStream(of: Step.self)
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            orchestrator.register(WaitingClient.self) { WaitingClient($0, tell) }
            orchestrator.register(WaitingContext.self) { try WaitingContext($0) }
        }
        let host = PresentationHost(WaitingPresentation.self, orchestrator) { _ in }
        var (durations, step) = (Durations(), steps.makeAsyncIterator())
        for _ in 0..<50 {
            try await host.mount(())
            guard let context = host.context else { throw NotCancelled() }
            let action = Task { await context.send(.wait) }
            guard await step.next(isolation: MainActor.shared) == .begun else { throw NotCancelled() }
            await durations.time {
                let unmount = Task { await host.unmount() }
                await action.value
                await unmount.value
            }
            guard await step.next(isolation: MainActor.shared) == .cancelled else { throw NotCancelled() }
        }
        return durations.largest
    }

    @MainActor
    private static func frames() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let (frames, shown) = AsyncStream.makeStream(of: (count: Int, at: Instant).self)
        let host = PresentationHost(BookPresentation.self, orchestrator) { shown.yield(($0, TimeSource.live.now)) }
        try await host.mount(())
        guard let context = host.context else { throw NoFrame() }
        context.startObserving()
        var (durations, rendered) = (Durations(), frames.makeAsyncIterator())
        for number in 1...500 {
            let start = TimeSource.live.now
            await context.send(.add)
            // Frames of states before this action, as that of the mount, are not the one.
            var frame = await rendered.next(isolation: MainActor.shared)
            while let earlier = frame, earlier.count < number {
                frame = await rendered.next(isolation: MainActor.shared)
            }
            guard let frame, frame.count == number else { throw NoFrame() }
            durations.add(frame.at.seconds(since: start) * 1_000)
        }
        await host.unmount()
        return durations.percentile(0.99)
    }
}
