// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase
package import Foundation

/// The blocking part of a storage. Created and used by a single thread.
package protocol StorageEngine: AnyObject {
    /// The size of the files.
    var bytes: Int { get throws }

    /// Whether it was opened on a full disk, so that probably nothing can be written.
    var isLimited: Bool { get }

    /// Whether the files that it has open are those that have the names.
    var isInPlace: Bool { get }

    /// The bytes of a key.
    func data(_ key: StorageKey) throws -> Data?

    /// The keys with a prefix, in ascending order.
    func keys(prefix: String) throws -> [StorageKey]

    /// Carries out all changes or, if it throws, none.
    func apply(_ changes: [StorageChange]) throws

    /// Moves the bytes of a key to another key, as they are.
    func moveAside(_ key: StorageKey, to target: StorageKey) throws

    /// Throws if nothing can be written now.
    func checkWritable() throws

    /// Frees what is not needed. Returns the number of bytes.
    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) throws -> Int64

    /// Releases the files.
    func close()
}

/// The engine of a storage and its life cycle: runs every operation on its own thread, measures it, and reports when the
/// storage can only be read.
package actor StorageCore {
    /// Opens the files. Reports the error that names damaged files as soon as they are set aside: later steps may fail.
    package typealias EngineFactory =
        @Sendable (_ noteSetAside: (StorageError) -> Void) throws -> any StorageEngine

    private enum Life {
        case new
        case open(any StorageEngine)
        case closed
    }

    private let executor = DiskExecutor("axiom.storage")
    /// The thread of the storage.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let path: String
    private nonisolated let signals: StorageSignals
    private nonisolated let status: CapabilityStatus?
    private nonisolated let clock: TimeSource
    private let onSetAside: @Sendable (StorageError) -> Void
    /// Ends an error at the boundary of the orchestrator; nil without one.
    private let report: (@Sendable (any Error) async -> Void)?
    private let makeEngine: EngineFactory
    private var life = Life.new
    /// Whether the status says that nothing can be written.
    private var isLimited = false
    /// The damaged files that were set aside when this storage was opened.
    package private(set) var setAside: StorageError?

    init(
        _ path: String,
        _ identity: ComponentIdentity,
        _ options: StorageOptions,
        _ status: CapabilityStatus?,
        _ report: (@Sendable (any Error) async -> Void)? = nil,
        clock: TimeSource,
        makeEngine: @escaping EngineFactory
    ) {
        self.path = path
        signals = StorageSignals(options.name ?? identity.descriptor.name, identity)
        self.status = status
        self.clock = clock
        onSetAside = options.onSetAside
        self.report = report
        self.makeEngine = makeEngine
    }

    // MARK: Life

    /// Opens the files if they are not open.
    package func open() throws { _ = try engine() }

    /// Closes the files. Every later operation throws.
    package func close() {
        if case .open(let engine) = life { engine.close() }
        life = .closed
    }

    /// The open files; those that have the names now, if others were removed or replaced.
    private func engine() throws -> any StorageEngine {
        if case .closed = life { throw StorageError.closed(path) }
        if case .open(let engine) = life {
            if engine.isInPlace { return engine }
            engine.close()
            life = .new
            tell(StorageError.removed(path, "what they had may be missing; those that are there now are used"))
        }
        return try begin()
    }

    /// Opens the files. After an error, the next operation tries again.
    private func begin() throws -> any StorageEngine {
        let start = clock.now
        do {
            var found: [StorageError] = []
            defer { found.forEach(noteSetAside) }
            let engine = try makeEngine { found.append($0) }
            life = .open(engine)
            let outcome: StorageSignals.Outcome = setAside == nil && found.isEmpty ? .success : .setAside
            signals.ended(.open, outcome, since: start, at: clock.now)
            holdBytes(engine)
            if engine.isLimited { publish(StorageError.full(path, cause: "it was opened without free space")) }
            return engine
        } catch {
            signals.ended(.open, .failure, since: start, at: clock.now)
            throw error
        }
    }

    private func noteSetAside(_ error: StorageError) {
        setAside = error
        onSetAside(error)
        tell(error)
    }

    /// Reports an error that no caller gets. The thread of the storage does not wait for the boundary.
    private func tell(_ error: StorageError) {
        if let report { Task.detached(executorPreference: inheritedExecutor) { await report(error) } }
    }

    // MARK: Operations

    /// The bytes of a key.
    package nonisolated func data(_ key: StorageKey) async throws -> Data? {
        try await measured(.load) { try $0.data(key) }
    }

    /// The keys with a prefix.
    package nonisolated func keys(prefix: String) async throws -> [StorageKey] {
        try await measured(.list) { try $0.keys(prefix: prefix) }
    }

    /// Carries out all changes or none.
    package nonisolated func transaction(_ changes: [StorageChange]) async throws {
        try await measured(.write) { try $0.apply(changes) }
    }

    /// Moves the bytes of a key to another key, as they are.
    package nonisolated func moveAside(_ key: StorageKey, to target: StorageKey) async throws {
        try await measured(.write) { try $0.moveAside(key, to: target) }
    }

    private nonisolated func measured<Result: Sendable>(
        _ operation: StorageOperation,
        _ body: @Sendable (any StorageEngine) throws -> Result
    ) async throws -> Result {
        let start = clock.now
        do {
            let result = try await run(operation, body)
            signals.ended(operation, .success, since: start, at: clock.now)
            return result
        } catch {
            signals.ended(operation, .failure, since: start, at: clock.now)
            throw error
        }
    }

    private static let isLost = "the change is not stored; it is opened again"

    private func run<Result: Sendable>(
        _ operation: StorageOperation,
        _ body: @Sendable (any StorageEngine) throws -> Result
    ) throws -> Result {
        let engine = try engine()
        do {
            let result = try body(engine)
            guard operation == .write else { return result }
            // A change is durable only in files that the next process finds.
            guard engine.isInPlace else { throw StorageError.removed(path, Self.isLost) }
            holdBytes(engine)
            publish(nil)
            return result
        } catch {
            if operation == .write { publish(error) }
            throw engine.isInPlace ? error : StorageError.removed(path, Self.isLost)
        }
    }

    private func holdBytes(_ engine: any StorageEngine) {
        if let bytes = try? engine.bytes { signals.hold(bytes: bytes) }
    }

    /// Publishes a change between a storage that can be written and one that can only be read.
    private func publish(_ error: (any Error)?) {
        let code = error.map { ErrorCode(of: $0) }
        let isLimited = code == .storageFull || code == .storageReadOnly
        // Other errors say nothing about the disk.
        guard isLimited != self.isLimited, error == nil || isLimited else { return }
        self.isLimited = isLimited
        status?.report(isLimited ? .limited : .full, because: error.map { String(clause: $0) } ?? "")
    }

    // MARK: Capability

    /// Whether something can be written now. Opens the files if they are not open.
    package func isWritable() -> Bool {
        guard let engine = try? engine() else { return false }
        return (try? engine.checkWritable()) != nil
    }

    /// Frees what is not needed; 0 if the files are not open.
    package func relieve(_ resource: SystemResource, _ pressure: PressureLevel) -> Int64 {
        guard case .open(let engine) = life, engine.isInPlace, pressure != .none else { return 0 }
        defer { holdBytes(engine) }
        return (try? engine.relieve(resource, pressure)) ?? 0
    }
}
