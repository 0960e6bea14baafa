// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Dispatch
import Foundation
import Testing

@testable import Axiom
@testable import AxiomStorage

/// Passes a capability on to the test.
private actor Keeper: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope, _ keep: (borrowing ClientScope) throws -> Void) rethrows {
        identity = scope.identity
        try keep(scope)
    }

    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("A storage as a capability", .timeLimit(.minutes(10)))
struct StorageCapabilityTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    /// An application with one storage, under the protocol.
    private func application(
        _ kind: StorageKind,
        _ options: StorageOptions = .quiet,
        _ instrumentation: any Instrumentation = Instrumentations()
    ) async throws -> (Orchestrator, CapabilityRef<any KeyValueStorage>) {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        let path = kind.path(folder)
        if kind == .files {
            orchestrator.register(FileStorage.self, as: (any KeyValueStorage).self) {
                FileStorage($0, folder: path, options: options)
            }
        } else {
            orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
                SQLiteStorage($0, path: path, options: options)
            }
        }
        let kept = Lock<CapabilityRef<any KeyValueStorage>?>(nil)
        orchestrator.register(Keeper.self) { scope in
            try Keeper(scope) { scope in
                let ref = try scope.capability((any KeyValueStorage).self)
                kept.withLock { $0 = ref }
            }
        }
        try await orchestrator.start()
        return (orchestrator, try #require(kept.withLock { $0 }))
    }

    @Test("A client uses a storage, and finds its values after the next start (PER-01)", arguments: StorageKind.onDisk)
    func use(kind: StorageKind) async throws {
        for expected in [nil, 1, 2] {
            let (orchestrator, storage) = try await application(kind)
            #expect(await storage.isAvailable)
            #expect(storage.degradationLevel == .full)
            #expect(try await storage.call { try await $0.load(Int.self, "count") } == expected)
            try await storage.call { try await $0.save((expected ?? 0) + 1, "count") }
            await orchestrator.shutdown()
        }
    }

    @Test("A storage that cannot be opened stops the start, with its own error (PER-01)", arguments: StorageKind.onDisk)
    func notOpened(kind: StorageKind) async throws {
        try folder.write([], "storage")
        try folder.write(Array("SQLite format 3".utf8), "storage.db")
        let other = try FileLock("\(folder.path)/storage.db-lock")
        try other.lock(.exclusive, milliseconds: 0)
        await #expect(throws: CapabilityError.self) { _ = try await application(kind, .impatient) }
        withExtendedLifetime(other) {}
    }

    @Test("Whether a storage can be written is checked by writing (PER-01)", arguments: StorageKind.onDisk)
    func writable(kind: StorageKind) async throws {
        let storage = try #require(kind.make(folder) as? any DiskStorage)
        #expect(await storage.isAvailable)
        try await storage.save(1, "a")
        // A folder in the place of the file that the check writes.
        let probe = kind == .files ? "storage/.writable" : "storage.db-writable"
        try FileManager.default.createDirectory(atPath: "\(folder.path)/\(probe)", withIntermediateDirectories: false)
        #expect(await storage.isAvailable == false)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(probe)")
        #expect(await storage.isAvailable)
        await storage.terminate()
        #expect(await storage.isAvailable == false)
        #expect(!folder.names().contains { $0.hasSuffix("writable") })
    }

    @Test("On a full disk a storage is limited, until a value can be stored again (CAP-24)")
    func degraded() async throws {
        let engine = FailingEngine()
        let reports = Lock<[CapabilityReport]>([])
        let status = CapabilityStatus { report in reports.withLock { $0.append(report) } }
        let identity = ComponentIdentity(standalone: ComponentDescriptor(kind: .capability, name: "Test"))
        let core = StorageCore("x", identity, .quiet, status, clock: .live) { _ in engine }
        for error in [
            nil, StorageError.full("x", cause: "y"), .full("x", cause: "y"), .locked("x", cause: "y"), nil, nil,
        ] {
            engine.error.withLock { $0 = error }
            #expect(await storageError { try await core.transaction([]) }?.code == error?.code)
        }
        #expect(reports.withLock { $0.map(\.level) } == [.limited, .full])
        #expect(reports.withLock { $0.first?.reason } == "There is no space left for x: y")
        #expect(reports.withLock { $0.allSatisfy { $0.isAvailable == nil } })
    }

    @Test("A change in files that are replaced meanwhile throws, and the next one is made in the new ones")
    func replacedMeanwhile() async throws {
        let (first, second) = (FailingEngine(), FailingEngine())
        let engines = Lock([second, first])
        let identity = ComponentIdentity(standalone: ComponentDescriptor(kind: .capability, name: "Test"))
        let core = StorageCore("x", identity, .quiet, nil, clock: .live) { _ in
            engines.withLock { $0.removeLast() }
        }
        try await core.transaction([])
        first.replacedBy.withLock { $0 = .change }
        let error = await storageError { try await core.transaction([]) }
        #expect(error?.code == .storageFailed && error?.message.contains("were removed or replaced") == true)
        try await core.transaction([])
        #expect([first, second].map { $0.calls.withLock { $0 } } == [2, 1])
        second.replacedBy.withLock { $0 = .other }
        #expect(await core.relieve(.storage, .critical) == 0, "what is not of this storage stays")
    }

    @Test("Under storage pressure space is given back: unused pages, and at last what can be made again (CAP-24)")
    func relieve() async throws {
        var options = StorageOptions.quiet
        options.discardablePrefixes = ["cache/"]
        for kind in StorageKind.onDisk {
            let (orchestrator, storage) = try await application(kind, options)
            let data = Data(repeating: 7, count: 100_000)
            try await storage.call {
                try await $0.transaction([.put("cache/1", data), .put("cache/2", data), .put("kept", data)])
            }
            #expect(await orchestrator.relieve(.thermal, .critical) == 0)
            let memory = await orchestrator.relieve(.memory, .critical)
            #expect(kind == .files ? memory == 0 : memory > 0)
            _ = await orchestrator.relieve(.storage, .warning)
            #expect(try await storage.call { try await $0.keys(prefix: "") }.count == 3)
            // No journal can be written, as on a full disk.
            try? FileManager.default.createDirectory(
                atPath: "\(folder.path)/storage/..journal.unfinished",
                withIntermediateDirectories: false
            )
            #expect(await orchestrator.relieve(.storage, .critical) >= 200_000)
            #expect(try await storage.call { try await $0.keys(prefix: "") } == ["kept"])
            #expect(try await storage.call { try await $0.data("kept") } == data)
            await orchestrator.shutdown()
        }
        #expect(try folder.bytes("storage.db").count < 200_000)
    }

    @Test("A damaged database that is set aside is reported once, by its name, at the orchestrator's boundary (PER-02)")
    func setAsideAtBoundary() async throws {
        try folder.write([UInt8](repeating: 1, count: 5_000), "storage.db")
        let (orchestrator, storage) = try await application(.sqlite)
        while orchestrator.errorBoundary.count < 1 { await Task.yield() }
        try await storage.call { try await $0.save(1, "a") }
        await orchestrator.shutdown()
        let errors = orchestrator.errorBoundary.history
        let error = try #require(errors.first?.error as? StorageError)
        let target = try #require(folder.names().first { $0.hasPrefix("storage.db.damaged-") })
        #expect(errors.count == 1 && error.code == .storageSetAside)
        #expect(error.message.contains("\(folder.path)/storage.db is") && error.message.contains("/\(target)."))
    }

    @Test("Files that were removed while they were open are an error at the orchestrator's boundary, once")
    func removedAtBoundary() async throws {
        let (orchestrator, storage) = try await application(.files)
        try await storage.call { try await $0.save(1, "a") }
        try FileManager.default.removeItem(atPath: "\(folder.path)/storage")
        for _ in 0..<2 { #expect(try await storage.call { try await $0.load(Int.self, "a") } == nil) }
        while orchestrator.errorBoundary.count < 1 { await Task.yield() }
        await orchestrator.shutdown()
        let errors = orchestrator.errorBoundary.history.compactMap { $0.error as? StorageError }
        #expect(errors.map(\.code) == [.storageFailed])
        #expect(errors.first?.message.contains("\(folder.path)/storage") == true)
    }

    #if Instrumented
    @Test("Operations are counted and timed, and the size is shown (PER-01)", arguments: StorageKind.onDisk)
    func signals(kind: StorageKind) async throws {
        let values = SignalValues("axiom_storage_")
        var options = StorageOptions.quiet
        (options.name, options.maximumValueBytes) = ("main", 1_000)
        let (orchestrator, storage) = try await application(kind, options, values)
        #expect(values["operations_total main open success"] == 1)
        #expect(values["operations_total main write success"] == 0, "it starts at 0")
        #expect(values["operations_total main load failure"] == 0)
        try await storage.call { try await $0.save(1, "a") }
        try await storage.call { _ = try await $0.data("a") }
        try await storage.call { _ = try await $0.keys(prefix: "") }
        await #expect(throws: StorageError.self) {
            try await storage.call { try await $0.transaction([.put("b", Data(count: 2_000))]) }
        }
        for operation in ["write", "load", "list"] {
            #expect(values["operations_total main \(operation) success"] == 1)
            #expect(values["operation_duration_seconds main \(operation)"] == (operation == "write" ? 2 : 1))
        }
        #expect(values["operations_total main write failure"] == 1)
        let size = try folder.bytes(kind == .files ? "storage/a.value" : "storage.db").count
        if kind == .files { #expect(values["bytes main"] == Double(size)) }
        #expect(try #require(values["bytes main"]) > 0)
        await orchestrator.shutdown()
    }

    @Test("A damaged database that is set aside is counted, and named by the component by default (PER-02)")
    func setAsideSignal() async throws {
        try folder.write([UInt8](repeating: 1, count: 5_000), "storage.db")
        let values = SignalValues("axiom_storage_")
        let (orchestrator, _) = try await application(.sqlite, .quiet, values)
        #expect(values["operations_total SQLiteStorage open set_aside"] == 1)
        await orchestrator.shutdown()
    }
    #endif

    @Test("Storages that wait for the disk do not hold up other tasks (PER-01)")
    func threads() async throws {
        let engines = (0..<32).map { _ in FailingEngine() }
        try await withThrowingTaskGroup { group in
            for engine in engines {
                let identity = ComponentIdentity(standalone: ComponentDescriptor(kind: .capability, name: "Test"))
                let core = StorageCore("x", identity, .quiet, nil, clock: .live) { _ in engine }
                group.addTask { _ = try await core.data("blocks") }
            }
            // All threads of the storages wait now. Other tasks still run, and end the wait.
            for engine in engines { await engine.waits() }
            await Task.detached {}.value
            for engine in engines { engine.gate.signal() }
            try await group.waitForAll()
        }
    }
}

/// An engine that throws, or waits, as its test says.
private final class FailingEngine: StorageEngine, Sendable {
    let error = Lock<StorageError?>(nil)
    /// What replaces its files.
    enum Replacement { case nothing, change, other }
    let replacedBy = Lock(Replacement.nothing)
    /// How many changes it was asked for.
    let calls = Lock(0)
    let gate = DispatchSemaphore(value: 0)
    private let began = AsyncStream.makeStream(of: Void.self)

    func waits() async { for await _ in began.stream { return } }

    var bytes: Int { 0 }
    var isLimited: Bool { false }
    var isInPlace: Bool { replacedBy.withLock { $0 != .other } }
    func moveAside(_ key: StorageKey, to target: StorageKey) throws {}
    func data(_ key: StorageKey) throws -> Data? {
        began.continuation.yield()
        gate.wait()
        return nil
    }
    func keys(prefix: String) throws -> [StorageKey] { [] }
    func apply(_ changes: [StorageChange]) throws {
        calls.withLock { $0 += 1 }
        replacedBy.withLock { if $0 == .change { $0 = .other } }
        if let error = error.withLock({ $0 }) { throw error }
    }
    func checkWritable() throws {}
    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) throws -> Int64 { 1 }
    func close() {}
}
