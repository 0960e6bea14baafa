// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import Testing

@testable import Axiom

/// Keeps what stores report while they are inspected.
private final class Recorder: StateRecorder {
    struct Record: Sendable {
        var stores: [any InspectableStore] = []
        var states: [(count: Int, update: UInt64, span: SpanContext)] = []
        /// The state of the store, read while it reported.
        var read: [Int] = []
    }

    let inspection = InspectionSwitch()
    private let record = Lock(Record())

    var now: Record { record.withLock { $0 } }

    func made(_ store: any InspectableStore) { record.withLock { $0.stores.append(store) } }

    func published(_ state: PublishedState, by store: ObjectIdentifier) {
        let found = now.stores.first { $0.inspectionID == store }
        let read = (found?.numberedState.state as? Count)?.n ?? -1
        record.withLock { record in
            record.states.append(((state.state as? Count)?.n ?? -1, state.update, state.span))
            record.read.append(read)
        }
    }
}

@Suite("The recording of states")
struct StateRecorderTests {
    private let recorder = Recorder()
    private let probe = RecordingProbe()

    private func store<S: OwnedState>(_ initial: S) -> StateStore<S> {
        StateStore(initial, probe: probe, recorder: recorder)
    }

    @Test("A store reports its changes while it is inspected, with their numbers, and can be read at that time")
    func changes() {
        let store = store(Count())
        store.add(times: 3)
        #expect(recorder.now.states.isEmpty)
        recorder.inspection.set(true)
        store.add(times: 2)
        store.update { $0.n += 0 }
        recorder.inspection.set(false)
        store.add()
        #expect(recorder.now.states.map(\.count) == [4, 5])
        #expect(recorder.now.states.map(\.update) == [4, 5])
        #expect(recorder.now.read == [4, 5])
        let current = recorder.now.stores[0].numberedState
        #expect((current.state as? Count)?.n == 6 && current.update == 6)
        #expect(recorder.now.stores[0].stateType == "Count")
    }

    @Test("A report carries the span of the task that made the change")
    func span() {
        let store = store(Count())
        recorder.inspection.set(true)
        let span = SpanContext(trace: 1, span: 2, record: 3)
        OperationContext.$current.withValue(OperationContext(span: span)) { store.add() }
        store.add()
        #expect(recorder.now.states.map(\.span) == [span, .none])
    }

    @Test("Subscribers are read with what they have not taken, since when, and the name of their context")
    func subscribers() async throws {
        let time = ManualTime()
        let store = StateStore(Count(), probe: probe, clock: .manual(time), recorder: recorder)
        let screen = ComponentDescriptor(kind: .context, name: "Screen")
        var named = store.stream.makeAsyncIterator(for: screen)
        var other = store.stream.makeAsyncIterator()
        _ = try await named.next()
        _ = try await other.next()
        time.advance(by: .seconds(5))
        store.add()
        time.advance(by: .seconds(1))
        store.add()
        _ = try await other.takeAll()
        let found = recorder.now.stores[0].subscribers
        #expect(found.map(\.component) == [screen, nil])
        #expect(found.map(\.pending) == [2, 0])
        #expect(found.map(\.oldest) == [Instant(nanoseconds: 5_000_000_000), nil])
    }

    /// Counts its living instances.
    private final class Token: Sendable {
        static let living = Lock(0)
        init() { Self.living.withLock { $0 += 1 } }
        deinit { Self.living.withLock { $0 -= 1 } }
    }

    private struct Held: OwnedState {
        var n = 0
        // axiom:ignore state-reference The object shows when the framework releases the state.
        var token = Token()
        static func == (left: Held, right: Held) -> Bool { left.n == right.n }
        func hash(into hasher: inout Hasher) { hasher.combine(n) }
    }

    @Test("Without an inspection no state but the current one is retained")
    func nothingRetained() {
        let store = store(Held())
        for n in 1...100 { store.update { $0 = Held(n: n) } }
        #expect(Token.living.withLock { $0 } == 1)
        withExtendedLifetime(store) {}
    }
}
#endif
