// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@MainActor
@Suite("A persistent state with damaged bytes", .timeLimit(.minutes(10)))
struct DamagedStateTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private final class Made: Sendable {
        let client = Lock<LedgerClient?>(nil)
    }

    /// Runs an application with a ledger once.
    ///
    /// - Returns: The codes of the errors that ended at the boundary.
    private func run(
        _ kind: StorageKind,
        _ body: (DurableStore<NoteState>) async throws -> Void
    ) async throws -> [String] {
        let (orchestrator, made) = (Orchestrator(limits: .endless), Made())
        let path = kind.path(folder)
        if kind == .files {
            orchestrator.register(FileStorage.self, as: (any KeyValueStorage).self) { FileStorage($0, folder: path) }
        } else {
            orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) { SQLiteStorage($0, path: path) }
        }
        orchestrator.register(LedgerClient.self) { scope in
            let client = try LedgerClient(scope)
            made.client.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        try await body(try #require(made.client.withLock { $0 }).store)
        await orchestrator.shutdown()
        return orchestrator.errorBoundary.history.map { ErrorCode(of: $0.error).rawValue }
    }

    @Test(
        "One damaged byte: the bytes are set aside with one error, and the application runs, also next time",
        arguments: StorageKind.onDisk
    )
    func damaged(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        for round in 1...TestScale.count(60) {
            let first = try await run(kind) { store in try await store.update { $0.count = 7 } }
            try kind.damage("ledger", in: folder, &random)
            let codes = try await run(kind) { store in
                #expect(store.state.count == 0)
                try await store.update { $0.count = round + 100 }
            }
            let last = try await run(kind) { store in #expect(store.state.count == round + 100) }
            #expect(first.isEmpty && codes == ["AXIOM_PERSISTENCE_003"] && last.isEmpty)
            let storage = kind.make(folder)
            #expect(try await storage.keys(prefix: "ledger.unreadable-").count == round)
            await storage.end()
        }
    }

    @Test("What is set aside are the damaged bytes, and both keys can be read", arguments: StorageKind.onDisk)
    func bytes(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        let value = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
        var storage = kind.make(folder)
        try await storage.transaction([.put("a", value), .put("b", value)])
        await storage.end()
        try kind.damage("a", in: folder, &random)
        storage = kind.make(folder)
        #expect(await storageError { _ = try await storage.data("a") }?.code == .valueDamaged)
        try await storage.moveAside("a", to: "a.unreadable-1")
        try await storage.moveAside("missing", to: "nothing")
        #expect(try await storage.data("a") == nil)
        #expect(try await storage.data("b") == value)
        let kept = try #require(try await storage.data("a.unreadable-1"))
        #expect(kept.count >= value.count && zip(kept.suffix(5_000), value).count { $0 != $1 } <= 1)
        #expect(try await storage.keys(prefix: "") == ["a.unreadable-1", "b"])
        await storage.end()
        storage = kind.make(folder)
        #expect(try await storage.data("a.unreadable-1") == kept)
        await storage.end()
    }

    /// A client that does something to the files before it loads its state.
    private actor LateClient: Client, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let store: DurableStore<NoteState>
        private let beforeLoad: @Sendable () throws -> Void

        init(
            _ scope: borrowing ClientScope,
            _ key: StorageKey,
            _ beforeLoad: @escaping @Sendable () throws -> Void
        ) throws {
            identity = scope.identity
            let storage = try scope.capability(FileStorage.self)
            store = scope.persistentStore(NoteState(), key, in: storage, durability: .beforePublishing)
            self.beforeLoad = beforeLoad
        }

        func activate() async throws {
            try beforeLoad()
            try await store.load()
        }
        var state: NoteState { store.state }
        nonisolated var stateStream: StateStream<NoteState> { store.stream }
        func process(_ action: NoteAction) {}
    }

    @Test(
        "A file that the disk cannot read is renamed, and the error names its key",
        arguments: ["ledger", String(repeating: "Long/", count: 60)]
    )
    func unreadableDisk(key: String) async throws {
        let (orchestrator, path) = (Orchestrator(limits: .endless), StorageKind.files.path(folder))
        let storage = StorageKind.files.make(folder)
        try await storage.transaction([.put(StorageKey(key), Data([1, 2, 3]))])
        await storage.end()
        let name = try #require(folder.names("storage").first { $0.hasSuffix(".value") })
        orchestrator.register(FileStorage.self) { FileStorage($0, folder: path) }
        orchestrator.register(LateClient.self) { scope in
            try LateClient(scope, StorageKey(key)) { try Unreadable.disk.replace("\(path)/\(name)") }
        }
        try await orchestrator.start()
        await orchestrator.shutdown()
        let errors = orchestrator.errorBoundary.history.map(\.error)
        #expect(errors.map { ErrorCode(of: $0) } == ["AXIOM_PERSISTENCE_003"])
        let names = [".lock", FileNames.name(StorageKey("\(key).unreadable-1"))]
        #expect(folder.names("storage") == names.sorted())
        #expect("\(try #require(errors.first))".contains(".unreadable-1"), "\(errors)")
    }

    @Test(
        "On a full disk a damaged value is set aside without space, and the application could start",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)")
    )
    func fullDisk() async throws {
        let script = """
            mount -t tmpfs -o size=1m none /mnt
            "$probe" store files /mnt/storage
            printf x >> /mnt/storage/number.value
            cat /dev/zero > /mnt/ballast 2> /dev/null
            "$probe" aside files /mnt/storage
            ls -A /mnt/storage
            """
        let lines = try await StorageProbeScript.run(script, in: folder, prefix: ["unshare", "-rm"])
        #expect(lines.dropFirst(2) == ["moved", ".lock", "large.value", "number%2eunreadable-1.value"], "\(lines)")
    }

    @Test("A storage that cannot move damaged bytes keeps them, and the start throws its error")
    func otherStorage() async throws {
        /// Checks its values, and does not implement `moveAside`.
        struct Checking: KeyValueStorage {
            func data(_ key: StorageKey) async throws -> Data? {
                throw StorageError.valueDamaged(key, "disk", because: "x")
            }
            func keys(prefix: String) async throws -> [StorageKey] { [] }
            func transaction(_ changes: [StorageChange]) async throws { Issue.record("it changes something") }
        }
        let error = await storageError { try await Checking().moveAside("a", to: "b") }
        #expect(error?.code == .valueDamaged)
    }
}
