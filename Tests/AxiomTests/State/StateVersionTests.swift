// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@Suite("Versions of a state", .timeLimit(.minutes(10)))
struct StateVersionTests {
    private let store = StateStore(Count())

    @Test("The version grows by one with each change, critical or not, and an equal state is no change (STA-15)")
    func grows() {
        #expect(store.version.number == 0)
        store.add()
        store.add(.critical)
        store.update { $0.n += 0 }
        #expect(throws: Refusal.self) { try store.update { (_: inout Count) throws(Refusal) in throw Refusal() } }
        #expect(store.version.number == 2)
        #expect(store.versioned.state.n == 2)
        #expect("\(store.version)" == "2")
    }

    @Test("An update with the current version is made; one with a stale version throws both versions (CLI-07)")
    func ifVersion() throws {
        let old = store.version
        #expect(
            try store.update(ifVersion: old) {
                $0.n += 1
                return "made"
            } == "made"
        )
        let error = #expect(throws: StateError.self) {
            try store.update(ifVersion: old) { _ in Issue.record("the body was called") }
        }
        #expect(error?.code == .staleState)
        #expect(error?.conflict == StateConflict(expected: old, actual: store.version))
        #expect(error?.message.contains("version 0 of Count, but the state has version 1") == true)
        #expect(store.state.n == 1)
        #expect(error?.isRecoverable == true)
    }

    @Test("Of 1,000 increments that read, suspend and update by version, each is made exactly once (CLI-07)")
    func optimistic() async {
        let store = store
        let conflicts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var conflicts = 0
                    for _ in 0..<50 {
                        while true {
                            let (state, version) = store.versioned
                            await Task.yield()
                            if (try? store.update(ifVersion: version) { $0.n = state.n + 1 }) != nil { break }
                            conflicts += 1
                        }
                    }
                    return conflicts
                }
            }
            return await group.reduce(0, +)
        }
        #expect(store.state.n == 1_000)
        #expect(store.version.number == 1_000)
        #expect(conflicts > 0)
    }

    @Test("Work with validation is applied if nothing changed, and is stale otherwise (CLI-07)")
    func validation() async throws {
        let applied = try await store.withStateValidation {
            $0.n + 10
        } apply: {
            $0.n = $1
            return $0.n
        }
        #expect(applied == 10)
        let error = await #expect(throws: StateError.self) {
            try await store.withStateValidation { state in
                store.add()
                return state.n
            } apply: {
                $0.n = $1
            }
        }
        #expect(error?.code == .staleState)
        #expect(store.state.n == 11)
    }

    @Test("If the state changed during the work, the handler gets both versions and the result (CLI-07)")
    func handler() async throws {
        let merged = try await store.withStateValidation { state in
            store.add(times: 3)
            return state.n + 100
        } apply: {
            $0.n = $1
            return -1
        } handleStateChange: { conflict, value in
            #expect((conflict.expected.number, conflict.actual.number) == (0, 3))
            return store.update {
                $0.n += value
                return $0.n
            }
        }
        #expect(merged == 103)
        let applied = try await store.withStateValidation {
            $0.n
        } apply: {
            $0.n = $1 + 1
            return $0.n
        } handleStateChange: {
            _,
            _ in
            -1
        }
        #expect(applied == 104)
        await #expect(throws: Refusal.self) {
            try await store.withStateValidation { _ in
                throw Refusal()
            } apply: { (_: inout Count, _: Int) in
            }
        }
    }

    @Test("An actor that suspends in its work stays isolated, and a change by another action is noticed (CLI-07)")
    func inActor() async throws {
        actor Counter {
            let store = StateStore(Count())
            func slowAdd(_ during: () async -> Void) async throws {
                try await store.withStateValidation { state in
                    await during()
                    return state.n + 1
                } apply: {
                    $0.n = $1
                }
            }
            func add() { store.add() }
        }
        let counter = Counter()
        try await counter.slowAdd {}
        await #expect(throws: StateError.self) { try await counter.slowAdd { await counter.add() } }
        #expect(counter.store.state.n == 2)
    }
}
