// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Foundation
import Testing

@testable import AxiomStorage

/// The engine, the network and the server of a history.
extension OfflineHistory {
    mutating func send() {
        while sync.maySend(at: moment.now) {
            let expected = modelOfNext()
            guard let change = machine.take(at: moment) else {
                #expect(expected == nil)
                return
            }
            #expect(change.id == expected, "the earliest due of the first changes of free keys")
            #expect(!attempts.values.contains { $0.key == change.key }, "one change of a key at a time")
            attempts[change.id] = change
            network.append(change)
            sync.began()
        }
    }

    /// The plain model of what is sent next.
    private func modelOfNext() -> UUID? {
        var best: OutboxMachine.Entry?
        for key in ["a", "b"] {
            let entries = machine.committed.filter { $0.change.key == key }
            if entries.contains(where: { $0.phase == .sending }) { continue }
            let first = entries.first { entry in
                if case .setAside = entry.phase { options.afterSetAside == .blockKey } else { true }
            }
            guard let first, first.phase == .pending, !first.isChanging, first.due <= moment.now else { continue }
            if let best, (best.due, best.number) < (first.due, first.number) { continue }
            best = first
        }
        return best?.change.id
    }

    /// A packet arrives late: its sender does not wait for it any more, or will get no answer.
    mutating func arrive() {
        guard !network.isEmpty else { return }
        let packet = network.remove(at: random.index(below: network.count))
        _ = server.receive(packet, refuses: false, random: &random)
        if random.index(below: 4) == 0 { network.append(packet) }
    }

    mutating func end() {
        let waiting = attempts.keys.sorted { $0.uuidString < $1.uuidString }
        guard !waiting.isEmpty, let change = attempts.removeValue(forKey: waiting[random.index(below: waiting.count)])
        else { return }
        var ending = SyncMachine.Ending.failed(OutboxTest.Refused())
        let fate = isCalm ? 9 : random.index(below: 10)
        if fate > 2, let index = network.firstIndex(where: { $0.id == change.id }) {
            network.remove(at: index)
            let answer = server.receive(change, refuses: !isCalm, random: &random)
            // The answer may be lost.
            if fate > 3 { ending = .answered(answer) }
        } else if fate == 2 {
            ending = .failed(TimeoutError(policy: "test", limit: .seconds(1)))
        }
        follow(change, ending)
    }

    private mutating func follow(_ change: PendingChange, _ ending: SyncMachine.Ending) {
        let failing = machine.entry(change.id)?.failing
        switch sync.verdict(change, ending, failingSince: failing, at: moment.now, using: &random) {
        case .accepted:
            #expect(server.applied.contains(change.id))
            request(change, machine.remove(change.id))
        case .tookRemote: request(change, machine.remove(change.id))
        case .keptLocal(let payload):
            request(
                change,
                try? machine.replace(change.id, at: moment) { [moment] in
                    $0.payload = payload
                    $0.countAttempt(at: moment)
                }
            )
        case .setAside(let reason):
            wereSetAside.insert(change.id)
            request(
                change,
                try? machine.replace(change.id, setAside: reason, at: moment) { [moment] in $0.countAttempt(at: moment)
                }
            )
        case .postpone(let wait):
            request(
                change,
                try? machine.replace(change.id, after: wait, at: moment) { [moment] in $0.countAttempt(at: moment) }
            )
        case .release(let wait):
            machine.release(change.id, until: wait.map { moment.now.advanced(by: $0) })
            sync.ended()
        case .resolve:
            let choices: [ConflictResolution] = [.keepLocal(Data([1])), .takeRemote, .setAside(reason: "conflict")]
            follow(change, .resolved(choices[random.index(below: 3)]))
        }
    }

    private mutating func request(_ change: PendingChange, _ step: OutboxMachine.Step?) {
        guard let step else { return sync.ended() }
        requested.append((step, .engine(change.id)))
    }
}

/// A server that ignores repetitions of an idempotency key.
struct OfflineServer {
    var applied: Set<UUID> = []
    /// The applied changes by key, in the order in which they were applied.
    var order: [String: [UUID]] = [:]
    var received = 0

    mutating func receive(_ change: PendingChange, refuses: Bool, random: inout SeededGenerator) -> SyncAnswer {
        received += 1
        guard !applied.contains(change.id) else { return .accepted }
        if refuses {
            switch random.index(below: 8) {
            case 0: return .conflict(remote: Data())
            case 1: return .rejected(reason: "poison")
            default: break
            }
        }
        applied.insert(change.id)
        order[change.key, default: []].append(change.id)
        return .accepted
    }
}
