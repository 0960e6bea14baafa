// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The versions of a persistent state", .timeLimit(.minutes(10)))
@MainActor
struct StoreVersionTests {
    private struct First: Codable { var words: [String] }
    private struct Second: Codable { var text: String }

    private static let migrations: [StateMigration] = [
        .from(2) { (old: Second) in NoteState(text: old.text, count: old.text.count) },
        .from(1) { (old: First) in Second(text: old.words.joined(separator: " ")) },
    ]

    @Test("Migrations lead from each older version to the current one, which is then stored (PER-05)")
    func migrations() async throws {
        let plan = NotePlan(version: 3, migrations: Self.migrations)
        for (version, json) in [(1, #"{"words":["a","b"]}"#), (2, #"{"text":"a b"}"#)] {
            let world = try await StoreWorld.note(plan, ["note": StoreWorld.bytes(version, json)])
            #expect(world.store.state == NoteState(text: "a b", count: 3))
            #expect(await world.clients[0].loaded == .migrated(from: version))
            try await world.store.flush()
            #expect(world.storage.memory.contents == ["note": StoreWorld.bytes(3, #"{"count":3,"text":"a b"}"#)])
        }
    }

    @Test("A newer version is refused: the client does not start, and what is stored stays (PER-05)")
    func newer() async throws {
        let bytes = StoreWorld.bytes(4, #"{"future":true}"#)
        let world = try await StoreWorld.note(NotePlan(version: 3, migrations: Self.migrations), ["note": bytes])
        #expect(world.codes == ["AXIOM_PERSISTENCE_002"])
        world.store.update { $0.text = "not to be saved" }
        let error = await #expect(throws: PersistenceError.self) { try await world.store.flush() }
        #expect(error?.code.rawValue == "AXIOM_PERSISTENCE_005")
        await world.orchestrator.shutdown()
        #expect(world.storage.memory.contents == ["note": bytes] && world.storage.calls == 0)
        #expect(world.codes.last == "AXIOM_PERSISTENCE_006", "the change after the failed load was not saved")
    }

    @Test("A state that cannot be read is set aside under a key that the error names, once (PER-05)")
    func setAside() async throws {
        let damaged = [
            Data(), Data("{}".utf8), Data([0xFF, 0x0A, 0xFE]), StoreWorld.bytes(1, "{"), StoreWorld.bytes(0, "{}"),
            StoreWorld.bytes(1, #"{"text":7,"count":0}"#), Data("{\"axiom\":1}\n{}".utf8),
        ]
        for bytes in damaged {
            let taken: StorageKey = "note.unreadable-1"
            let world = try await StoreWorld.note(NotePlan(), ["note": bytes, taken: Data([1])])
            #expect(world.store.state == NoteState())
            #expect(await world.clients[0].loaded == .setAside("note.unreadable-2"))
            await world.waitForErrors(1)
            let error = try #require(world.orchestrator.errorBoundary.history.first?.error as? PersistenceError)
            #expect(error.code.rawValue == "AXIOM_PERSISTENCE_003" && error.message.contains("note.unreadable-2"))
            #expect(world.storage.memory.contents == [taken: Data([1]), "note.unreadable-2": bytes])
            world.store.update { $0.text = "begun again" }
            await world.orchestrator.shutdown()
            try await world.orchestrator.start()
            #expect(await world.clients[1].loaded == .state)
            #expect(world.codes.count == 1, "the next run does not find it again")
        }
    }

    @Test("If a state cannot be set aside, it stays, and the client does not start (PER-05)")
    func notSetAside() async throws {
        let world = StoreWorld(["note": Data("damaged".utf8)])
        world.storage.always(.fail)
        world.orchestrator.register(FaultyCapability.self) { [storage = world.storage] in FaultyCapability($0, storage)
        }
        world.orchestrator.register(NoteClient.self) { try NoteClient($0, NotePlan()) }
        try await world.orchestrator.start()
        #expect(world.orchestrator.errorBoundary.history.first?.error is FaultyStorage.Failure)
        #expect(world.storage.memory.contents == ["note": Data("damaged".utf8)])
    }

    @Test("A migration that throws sets the state aside; one that is missing leaves it where it is (PER-05)")
    func brokenMigrations() async throws {
        struct Broken: Error {}
        let bytes = StoreWorld.bytes(1, "{}")
        let failing = NotePlan(version: 2, migrations: [StateMigration(from: 1) { _ in throw Broken() }])
        let aside = try await StoreWorld.note(failing, ["note": bytes])
        #expect(aside.storage.memory.contents == ["note.unreadable-1": bytes])
        let missing = try await StoreWorld.note(NotePlan(version: 3, migrations: [Self.migrations[0]]), ["note": bytes])
        #expect(missing.codes == ["AXIOM_PERSISTENCE_004"])
        #expect(missing.storage.memory.contents == ["note": bytes])
    }

    @Test("Versions and migrations that contradict each other are refused, even if nothing is stored (PER-05)")
    func mistakes() async throws {
        let step = Self.migrations[0]
        let plans = [
            NotePlan(version: 0), NotePlan(version: -1), NotePlan(version: 2, migrations: [step]),
            NotePlan(version: 3, migrations: [step, step]),
            NotePlan(version: 3, migrations: [StateMigration(from: 0) { $0 }]),
        ]
        for plan in plans {
            let world = try await StoreWorld.note(plan)
            #expect(world.codes == ["AXIOM_PERSISTENCE_004"])
        }
    }

    @Test("A storage that cannot be read keeps the client from starting, and what is stored stays (PER-05)")
    func unreadableStorage() async throws {
        let bytes = StoreWorld.bytes(1, #"{"count":1,"text":"x"}"#)
        let world = StoreWorld(["note": bytes])
        world.storage.failReads(true)
        world.orchestrator.register(FaultyCapability.self) { [storage = world.storage] in FaultyCapability($0, storage)
        }
        world.orchestrator.register(NoteClient.self) { try NoteClient($0, NotePlan()) }
        try await world.orchestrator.start()
        #expect(world.orchestrator.errorBoundary.history.first?.error is FaultyStorage.Failure)
        await world.orchestrator.shutdown()
        #expect(world.storage.memory.contents == ["note": bytes])
    }

    @Test("Random bytes never trap, and are found to be no state (PER-05)")
    func fuzz() {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        let format = StateFormat(version: 3, Self.migrations)
        let valid = StoreWorld.bytes(1, #"{"words":["a","b"]}"#)
        for _ in 0..<TestScale.count(20_000) {
            var bytes = valid
            for _ in 0...random.index(below: 4) where !bytes.isEmpty {
                let index = random.index(below: bytes.count)
                switch random.index(below: 3) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes = bytes.prefix(index)
                }
            }
            _ = format.decode(NoteState.self, bytes)
        }
    }
}
