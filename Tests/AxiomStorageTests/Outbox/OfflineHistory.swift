// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import Foundation
import Testing

@testable import AxiomStorage

/// One random history of an outbox, an engine, their storage and a server, with crashes.
///
/// The machines are the real ones; storage, network and server are plain models. The server applies a change once per
/// idempotency key, and packets can arrive late, twice, or after a crash.
struct OfflineHistory {
    enum Intent {
        case user
        case engine(UUID)
    }

    var random: SeededGenerator
    let options: OutboxOptions
    var syncOptions = SyncOptions()
    var moment = Moment(now: Instant(nanoseconds: 0), secondsSinceEpoch: 1_000)
    var storage: [StorageKey: Data] = [:]
    var machine: OutboxMachine
    var sync: SyncMachine
    /// Steps that the storage has not carried out yet.
    var requested: [(step: OutboxMachine.Step, intent: Intent)] = []
    var attempts: [UUID: PendingChange] = [:]
    /// Packets that have not arrived.
    var network: [PendingChange] = []
    var server = OfflineServer()
    /// The ids in the order of their appends, by key: those that the storage has, or may have.
    var appended: [String: [UUID]] = [:]
    /// Appends that returned.
    var acknowledged: Set<UUID> = []
    /// Changes that the user or the resolver gave up.
    var givenUp: Set<UUID> = []
    var wereSetAside: Set<UUID> = []
    var crashes = 0
    var isCalm = false

    init(seed: UInt64, stream: UInt64) {
        random = SeededGenerator(seed: seed, stream: stream)
        var options = OutboxOptions()
        options.maximumChanges = 6
        options.afterSetAside = stream % 2 == 0 ? .blockKey : .letPass
        self.options = options
        syncOptions.maximumAttempts = 3
        syncOptions.minimumFailureTime = .seconds(Int(stream % 5))
        syncOptions.maximumConcurrentSends = 2
        machine = OutboxMachine("q", options)
        sync = SyncMachine(syncOptions, every: .seconds(30))
        sync.start(at: moment.now)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        settle()
    }

    private mutating func step() {
        switch random.index(below: 20) {
        case 0...3: append()
        case 4...7: write(refused: random.index(below: 8) == 0)
        case 8...11: send()
        case 12...14: end()
        case 15: pass(.milliseconds(random.index(below: 3_000)))
        case 16: if sync.connected(random.index(below: 3) != 0) { machine.hasten() }
        case 17: arrive()
        case 18: decideByUser()
        default: if random.index(below: 3) == 0 { crash() }
        }
    }

    // MARK: The application

    private mutating func append() {
        let key = ["a", "b"][random.index(below: 2)]
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        let id = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
        let change = PendingChange(id: id, kind: "k", key: key, payload: Data(), madeAt: moment.secondsSinceEpoch)
        do {
            requested.append((try machine.append(change, at: moment), .user))
            appended[key, default: []].append(id)
        } catch {
            #expect(machine.entries.count == options.maximumChanges, "only a full outbox refuses")
        }
    }

    private mutating func decideByUser() {
        let listed = machine.committed.filter { entry in
            if case .setAside = entry.phase { !entry.isChanging } else { false }
        }
        guard !listed.isEmpty else { return }
        let id = listed[random.index(below: listed.count)].change.id
        if !isCalm, random.index(below: 3) == 0 {
            if let step = machine.remove(id) { requested.append((step, .user)) }
        } else if let step = try? machine.replace(id, at: moment, { $0.resetAttempts() }) {
            requested.append((step, .user))
        }
    }

    private mutating func pass(_ duration: Duration) {
        moment.now = moment.now.advanced(by: duration)
        moment.secondsSinceEpoch += duration.inSeconds
    }

    // MARK: The storage

    /// Carries out the first requested steps in one transaction.
    private mutating func write(refused: Bool) {
        guard !requested.isEmpty else { return }
        let count = refused ? 1 : 1 + random.index(below: requested.count)
        let batch = requested.prefix(count)
        requested.removeFirst(count)
        if refused { return refuse(batch[batch.startIndex]) }
        for (step, _) in batch { store(step) }
        if !isCalm, random.index(below: 30) == 0 { return crash() }
        for (step, intent) in batch {
            let id = machine.entries[step.number]?.change.id
            machine.apply(step)
            if step.kind == .append, let id { acknowledged.insert(id) }
            if case .engine = intent { sync.ended() }
        }
        if requested.isEmpty { compareWithStorage() }
    }

    private mutating func store(_ step: OutboxMachine.Step) {
        switch step.change {
        case .put(let key, let data): storage[key] = data
        case .remove(let key):
            if let id = machine.entries[step.number]?.change.id, !server.applied.contains(id) { givenUp.insert(id) }
            storage[key] = nil
        }
    }

    private mutating func refuse(_ request: (step: OutboxMachine.Step, intent: Intent)) {
        machine.drop(request.step)
        if case .engine(let id) = request.intent {
            machine.release(id, until: nil)
            sync.ended()
        }
    }

    /// After every step is carried out, memory says what a restart would read.
    private func compareWithStorage() {
        let restarted = OutboxMachine("q", options, storage.map { ($0.key, $0.value) }, at: moment)
        #expect(restarted.unreadable.isEmpty)
        #expect(restarted.committed.map(\.change) == machine.committed.map(\.change))
        #expect(restarted.setAsideCount == machine.setAsideCount && restarted.status.pending == machine.status.pending)
    }

    private mutating func crash() {
        crashes += 1
        (requested, attempts) = ([], [:])
        machine = OutboxMachine("q", options, storage.map { ($0.key, $0.value) }, at: moment)
        sync = SyncMachine(syncOptions, every: .seconds(30))
        sync.start(at: moment.now)
        if sync.connected(true) { machine.hasten() }
    }

    // MARK: The end

    /// Lets everything be sent without faults, and compares with the server.
    private mutating func settle() {
        isCalm = true
        if sync.connected(true) { machine.hasten() }
        for _ in 0..<1_000 where !machine.entries.isEmpty || !requested.isEmpty {
            write(refused: false)
            decideByUser()
            pass(.seconds(300))
            send()
            end()
        }
        #expect(machine.entries.isEmpty && storage.isEmpty && machine.status == OutboxStatus(), "everything was sent")
        #expect(sync.sending == 0)
        #expect(acknowledged.subtracting(givenUp).isSubset(of: server.applied), "nothing is lost")
        for (key, ids) in appended {
            let exempt = options.afterSetAside == .letPass ? givenUp.union(wereSetAside) : givenUp
            let kept = ids.filter { server.applied.contains($0) && !exempt.contains($0) }
            #expect(
                server.order[key, default: []].filter { !exempt.contains($0) } == kept,
                "the order of a key is kept"
            )
        }
    }
}
