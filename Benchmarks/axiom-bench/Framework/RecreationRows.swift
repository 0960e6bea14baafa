// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase

/// The specification's goals for a capability that is replaced together with its dependents.
enum RecreationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "capability.recreation.dependents",
            statement: "a call of capabilityChanged replaces a capability with 9 dependents < 10 ms, the slowest of 50",
            unit: "ms",
            limit: 10,
            measure: { try await direct() }
        ),
        .init(
            id: "capability.recreation.event",
            statement: "from the event of a source to a call of the last of 9 new dependents, "
                + "debounce of 20 ms included < 50 ms, the slowest of 20",
            unit: "ms",
            limit: 50,
            measure: { try await throughEvents() }
        ),
    ]

    private struct NotReplaced: Error {}

    /// The last of the dependents.
    private actor Top: Capability {
        nonisolated let identity: ComponentIdentity
        let number: Int
        private let initialized: AsyncStream<Int>.Continuation

        init(_ scope: borrowing CapabilityScope, number: Int, _ initialized: AsyncStream<Int>.Continuation) {
            (identity, self.number, self.initialized) = (scope.identity, number, initialized)
        }

        func initialize() { initialized.yield(number) }
    }

    /// Hands out references.
    private actor User: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let lowest: CapabilityRef<NumberedCapability<Zero>>
        nonisolated let top: CapabilityRef<Top>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            lowest = try scope.capability(NumberedCapability<Zero>.self)
            top = try scope.capability(Top.self)
        }

        func process(_ action: BookAction) {}
    }

    private struct EventSource: ChangeSource {
        let stream: AsyncStream<CapabilityEvent>

        func events() -> AsyncStream<CapabilityEvent> { stream }
    }

    /// A chain of ten capabilities, of which the lowest depends on the events of a source.
    @MainActor
    private final class Chain {
        let orchestrator: Orchestrator
        let user: User
        private let events: AsyncStream<CapabilityEvent>.Continuation
        private let numbers: AsyncStream<Int>

        init() async throws {
            let (stream, events) = AsyncStream.makeStream(of: CapabilityEvent.self)
            let (numbers, initialized) = AsyncStream.makeStream(of: Int.self)
            let made = Lock<User?>(nil)
            orchestrator = try await FrameworkSuite.application { orchestrator in
                Self.registerCapabilities(orchestrator, initialized)
                orchestrator.register(User.self) { scope in
                    let user = try User(scope)
                    made.withLock { $0 = user }
                    return user
                }
                orchestrator.monitor(EventSource(stream: stream), for: NumberedCapability<Zero>.self)
            }
            guard let user = made.withLock({ $0 }) else { throw NotReplaced() }
            (self.user, self.events, self.numbers) = (user, events, numbers)
            guard await initializedNumber() == 1 else { throw NotReplaced() }
        }

        private static func registerCapabilities(
            _ orchestrator: Orchestrator,
            _ initialized: AsyncStream<Int>.Continuation
        ) {
            let count = Lock(0)
            orchestrator.register(NumberedCapability<Zero>.self) { NumberedCapability($0) }
            registerChain(on: Zero.self, 8, orchestrator) { scope in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return Top(scope, number: number, initialized)
            }
        }

        /// Sends the first event, which replaces nothing, and waits until it was carried out.
        func loseService() async throws {
            send(isUp: false)
            try await poll { self.user.lowest.degradationLevel == .minimal }
        }

        /// Sends an event, and waits until a call reaches the instance of the last capability with the number.
        func replace(isUp: Bool, _ number: Int) async throws {
            send(isUp: isUp)
            guard await initializedNumber() == number else { throw NotReplaced() }
            // While capabilities are replaced, a call throws.
            try await poll { try await self.user.top.call { $0.number } == number }
        }

        /// The number of the next instance of the last capability, once it was initialized.
        private func initializedNumber() async -> Int? {
            for await number in numbers { return number }
            return nil
        }

        private func send(isUp: Bool) {
            events.yield(.service(.network, isUp: isUp, reason: isUp ? "" : "no carrier"))
        }

        /// Asks every 100 us, for at most a second.
        private func poll(_ condition: () async throws -> Bool) async throws {
            let end = TimeSource.live.now.advanced(by: .seconds(1))
            while (try? await condition()) != true {
                guard TimeSource.live.now < end else { throw NotReplaced() }
                try await Task.sleep(for: .microseconds(100))
            }
        }
    }

    @MainActor
    private static func direct() async throws -> Double {
        let chain = try await Chain()
        var durations = Durations()
        for number in 2...51 {
            try await durations.time {
                try await chain.orchestrator.capabilityChanged(NumberedCapability<Zero>.self, .permissionGranted)
            }
            guard try await chain.user.top.call({ $0.number }) == number else { throw NotReplaced() }
        }
        await chain.orchestrator.shutdown()
        return durations.largest
    }

    @MainActor
    private static func throughEvents() async throws -> Double {
        let chain = try await Chain()
        try await chain.loseService()
        var (durations, number) = (Durations(), 1)
        for _ in 0..<20 {
            number += 1
            try await durations.time { try await chain.replace(isUp: true, number) }
            number += 1
            try await chain.replace(isUp: false, number)
        }
        await chain.orchestrator.shutdown()
        return durations.largest
    }

    /// Registers so many capabilities, each of which depends on the one before: the first on that of `number`. The one
    /// that `top` makes depends on the last of them.
    @inline(never)
    @MainActor
    private static func registerChain<Number>(
        on number: Number.Type,
        _ count: Int,
        _ orchestrator: Orchestrator,
        _ top: @escaping @Sendable (borrowing CapabilityScope) -> Top
    ) {
        guard count > 0 else {
            orchestrator.register(Top.self) { scope in
                _ = try scope.capability(NumberedCapability<Number>.self)
                return top(scope)
            }
            return
        }
        orchestrator.register(NumberedCapability<Next<Number>>.self) { scope in
            _ = try scope.capability(NumberedCapability<Number>.self)
            return NumberedCapability<Next<Number>>(scope)
        }
        registerChain(on: Next<Number>.self, count - 1, orchestrator, top)
    }
}
