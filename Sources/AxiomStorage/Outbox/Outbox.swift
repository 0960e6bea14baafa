// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Foundation

/// A durable queue of changes that a server has not accepted yet.
///
/// ```swift
/// let outbox = try Outbox("orders", in: storage)
/// try await outbox.append("order.place", payload, key: customer)   // durable when it returns
/// ```
/// A ``SyncEngine`` sends the changes. The changes of one key are sent in the order in which they were appended, one
/// after the other; changes of different keys are independent. A change survives the end of the process. It may be sent
/// again after a crash, always with the same ``PendingChange/id``.
///
/// Each step is one atomic transaction of the storage. Steps that are requested while another is carried out share a
/// transaction. An outbox is the only user of its keys, `outbox/NAME/...`: use one per name and storage at a time. The
/// changes of two processes that share a database do not replace each other, but each process sends the changes that it
/// appended or found when it started, so a change may be sent by both.
///
/// Memory: all changes with their payloads, limited by ``OutboxOptions``.
public actor Outbox {
    private struct Request {
        let step: OutboxMachine.Step
        let continuation: CheckedContinuation<Void, any Error>
    }

    private enum Life {
        case new
        case loading(Task<Void, any Error>)
        case loaded
    }

    /// The name.
    public nonisolated let name: String
    /// The limits.
    public nonisolated let options: OutboxOptions
    nonisolated let clock: TimeSource
    nonisolated let publisher: OutboxPublisher
    private let storage: any KeyValueStorage
    var machine: OutboxMachine
    private var life = Life.new
    /// The steps that wait for the storage, in their order.
    private var requests: [Request] = []
    private var isWriting = false
    /// The keys of changes that were not added because the storage failed. The storage may have kept them anyway, and a later
    /// process would send them. At most as many as there may be changes.
    private var doubtful: Set<StorageKey> = []
    /// Why the first of ``unreadable`` cannot be read; nil if the bytes are those that were stored, and are no record.
    private(set) var flaw: (any Error)?

    /// Creates the outbox of a name. The first use, or ``load()``, reads what the storage has.
    ///
    /// - Parameters:
    ///   - name: The name, for keys, errors and metrics: 1 to 100 bytes, without `/`.
    ///   - storage: Where the changes are kept.
    ///   - options: The limits.
    ///   - clock: The clock of waits and ages.
    /// - Throws: ``OfflineError`` if the name or an option is out of range.
    public init(
        _ name: String,
        in storage: any KeyValueStorage,
        options: OutboxOptions = OutboxOptions(),
        clock: TimeSource = .live
    ) throws {
        guard (1...100).contains(name.utf8.count), !name.contains("/") else {
            throw OfflineError.invalid("The name of an outbox", "\"\(name)\"", "it has 1 to 100 bytes and no \"/\"")
        }
        guard options.maximumChanges >= 1 else {
            throw OfflineError.invalid("maximumChanges", options.maximumChanges, "it has to be 1 or more")
        }
        guard options.maximumBytes >= 1 else {
            throw OfflineError.invalid("maximumBytes", options.maximumBytes, "it has to be 1 or more")
        }
        self.name = name
        self.options = options
        self.clock = clock
        self.storage = storage
        publisher = OutboxPublisher(clock)
        machine = OutboxMachine(name, options)
    }

    /// Creates an outbox in a storage that is a capability.
    ///
    /// - Parameter clock: The clock of waits and ages; by default that of the orchestrator of the capability.
    /// - Throws: ``OfflineError`` if the name or an option is out of range.
    public init<C: KeyValueStorage>(
        _ name: String,
        in capability: CapabilityRef<C>,
        options: OutboxOptions = OutboxOptions(),
        clock: TimeSource? = nil
    ) throws {
        try self.init(name, in: CapabilityStorage(capability), options: options, clock: clock ?? capability.clock)
    }

    /// Creates an outbox in a capability that is registered as a storage of any type.
    ///
    /// - Throws: ``OfflineError`` if the name or an option is out of range.
    public init(
        _ name: String,
        in capability: CapabilityRef<any KeyValueStorage>,
        options: OutboxOptions = OutboxOptions(),
        clock: TimeSource? = nil
    ) throws {
        try self.init(name, in: CapabilityStorage(capability), options: options, clock: clock ?? capability.clock)
    }

    /// How many changes there are; zeros before the outbox is loaded. Costs one lock.
    public nonisolated var status: OutboxStatus { publisher.status }

    /// The status now, and after every change of it. Each call begins a subscription of its own; a slow subscriber gets
    /// only the newest status. Ends with the outbox.
    public nonisolated var updates: some AsyncSequence<OutboxStatus, Never> & Sendable { publisher.updates }

    /// Writes how many changes are pending into a client's state, now and after every change, so that contexts can show
    /// it. Returns when the task is cancelled.
    public nonisolated func follow<S>(
        in store: StateStore<S>,
        _ path: any WritableKeyPath<S, Int> & Sendable
    ) async {
        for await status in updates where store.state[keyPath: path] != status.pending {
            store.update { $0[keyPath: path] = status.pending }
        }
    }

    /// Reads the changes from the storage. Does nothing if they were read already; concurrent calls share one reading.
    ///
    /// A record that cannot be read stays in the storage and is listed in ``unreadable``; the others are sent.
    ///
    /// - Throws: The error of the storage. The next use tries again.
    public func load() async throws {
        let task: Task<Void, any Error>
        switch life {
        case .loaded: return
        case .loading(let running): task = running
        case .new:
            // Detached: it serves all callers, so it has no part in the deadline or the cancellation of one.
            task = Task.detached(executorPreference: inheritedExecutor) { try await self.read() }
            life = .loading(task)
        }
        try await task.value
    }

    private func read() async throws {
        do {
            var records: [(StorageKey, Data?)] = []
            var flaws: [any Error] = []
            for key in try await storage.keys(prefix: machine.keys.prefix) {
                switch try await storage.bytes(key) {
                case .data(let data): records.append((key, data))
                case .damaged(let error), .newer(let error), .unreadable(let error):
                    records.append((key, nil))
                    flaws.append(error)
                case .missing: continue
                }
            }
            machine = OutboxMachine(name, options, records, at: Moment(clock))
            (life, flaw) = (.loaded, flaws.first)
            publish()
        } catch {
            life = .new
            throw error
        }
    }

    // MARK: Steps

    /// Carries out a step in the storage and then in memory. Continues even if the calling task is cancelled.
    func commit(_ step: OutboxMachine.Step) async throws {
        try await withCheckedThrowingContinuation { continuation in
            requests.append(Request(step: step, continuation: continuation))
            guard !isWriting else { return }
            isWriting = true
            Task.detached(executorPreference: inheritedExecutor) { await self.write() }
        }
    }

    private func write() async {
        while !requests.isEmpty {
            await removeDoubtful()
            let batch = requests
            requests = []
            if await !carryOut(batch[...]), batch.count > 1 {
                // The storage may refuse only one of the steps: the others must not fail with it.
                for index in batch.indices { await carryOut(batch[index...index]) }
            }
        }
        isWriting = false
    }

    /// - Returns: False if the storage refused several steps together, which are then still to be carried out.
    @discardableResult
    private func carryOut(_ batch: ArraySlice<Request>) async -> Bool {
        do {
            try await storage.transaction(batch.map(\.step.change))
        } catch {
            guard batch.count == 1 else { return false }
            for request in batch {
                machine.drop(request.step)
                publish()
                await keepOut(request.step)
                request.continuation.resume(throwing: error)
            }
            return true
        }
        // In the order of the steps, before anything else can happen on this actor.
        for request in batch { machine.apply(request.step) }
        publish()
        for request in batch { request.continuation.resume() }
        return true
    }

    /// The storage failed to carry out a step: a change that was not added must not be there later.
    private func keepOut(_ step: OutboxMachine.Step) async {
        guard step.kind == .append, doubtful.count < options.maximumChanges else { return }
        doubtful.insert(step.change.key)
        await removeDoubtful()
    }

    /// Tries to remove what the storage may have kept. What fails is tried again before the next step.
    private func removeDoubtful() async {
        let keys = doubtful
        guard !keys.isEmpty else { return }
        do {
            try await storage.transaction(keys.sorted().map { .remove($0) })
            doubtful.subtract(keys)
        } catch {}
    }

    /// The right to send the changes; nil if the storage is not an object.
    ///
    /// - Throws: ``OfflineError`` if another engine of this process has it.
    nonisolated func claim(for component: ComponentDescriptor) throws(OfflineError) -> StorageKeyClaim? {
        guard let keeper = storage.keeper else { return nil }
        do {
            return try StorageKeyClaim.make(StorageKey(OutboxKeys(name).prefix), in: keeper, for: component)
        } catch {
            throw .invalid(
                "The outbox",
                "\"\(name)\"",
                "an engine of \(error.owner.name) sends its changes; use one engine"
            )
        }
    }

    func publish() { publisher.publish(machine.status) }
}
