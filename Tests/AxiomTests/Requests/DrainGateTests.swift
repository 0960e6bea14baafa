// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Synchronization
import Testing

@testable import Axiom

/// What tasks have seen at a gate.
private final class Sightings: Sendable {
    let isDrained = Atomic(true)
    let ended = Atomic(false)
    let entered = Atomic(0)
    let left = Atomic(0)
    /// What entered after the drain.
    let intruders = Atomic(0)
}

@Suite("The gate that is drained", .timeLimit(.minutes(10)))
struct DrainGateTests {
    @Test("It begins closed, and in random histories it admits and counts as its model")
    func model() async {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        let gate = DrainGate()
        var (isOpen, inside) = (false, 0)
        for step in 0..<10_000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<4:
                #expect(gate.enter() == isOpen, "seed \(seed), step \(step)")
                inside += isOpen ? 1 : 0
            case 4..<6 where inside > 0:
                gate.leave()
                inside -= 1
            case 6:
                gate.open()
                isOpen = true
            default:
                gate.close()
                isOpen = false
            }
            #expect(gate.inside == inside, "seed \(seed), step \(step)")
            if !isOpen, inside == 0 { await gate.waitUntilEmpty() }
        }
    }

    @Test("Every waiter goes on when the last has left, however many are refused meanwhile", arguments: [1, 10])
    func drain(_ count: Int) async {
        let gate = DrainGate()
        gate.open()
        let entered = (0..<count).map { _ in gate.enter() }
        #expect(!entered.contains(false))
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    await gate.waitUntilEmpty()
                    #expect(gate.inside == 0 && !gate.enter())
                }
            }
            await Task.yield()
            gate.close()
            for _ in 0..<count {
                #expect(!gate.enter())
                await Task.yield()
                gate.leave()
            }
        }
    }

    @Test("A gate that nothing is in ends the waits when it closes")
    func closing() async {
        let gate = DrainGate()
        gate.open()
        async let drained: Void = gate.waitUntilEmpty()
        await Task.yield()
        gate.close()
        await drained
        #expect(!gate.enter())
    }

    @Test("Cancellation ends a wait, and no other wait")
    func cancellation() async {
        let gate = DrainGate()
        gate.open()
        #expect(gate.enter())
        gate.close()
        let waits = (0..<2).map { _ in Task { await gate.waitUntilEmpty() } }
        waits[0].cancel()
        await waits[0].value
        #expect(gate.inside == 1)
        gate.leave()
        await waits[1].value
        #expect(gate.inside == 0)
    }

    @Test("The last attempt that is refused resumes the waiter if the last one has left meanwhile")
    func refusedLast() async {
        for _ in 0..<20 {
            let gate = DrainGate()
            gate.open()
            #expect(gate.enter())
            gate.close()
            async let drained: Void = gate.waitUntilEmpty()
            // The wait has begun in most rounds.
            for _ in 0..<10 { await Task.yield() }
            // The gate has closed between the read and the addition of this attempt.
            let isInside = gate.attempt {
                gate.leave()
                #expect(gate.inside == 1)
            }
            #expect(!isInside)
            await drained
        }
    }

    @Test("Nothing enters after the drain, and all have left")
    func concurrent() async {
        let gate = DrainGate()
        let seen = Sightings()
        await withTaskGroup { group in
            for number in 0..<8 { group.addTask { await visit(gate, number, seen) } }
            for _ in 0..<TestScale.count(1_000) {
                seen.isDrained.store(false, ordering: .releasing)
                gate.open()
                await Task.yield()
                gate.close()
                await gate.waitUntilEmpty()
                seen.isDrained.store(true, ordering: .releasing)
                guard !Task.isCancelled else { break }
                let entered = seen.entered.load(ordering: .relaxed)
                #expect(seen.left.load(ordering: .relaxed) == entered)
                await Task.yield()
                #expect(seen.entered.load(ordering: .relaxed) == entered)
            }
            seen.ended.store(true, ordering: .relaxed)
        }
        #expect(gate.inside == 0 && seen.entered.load(ordering: .relaxed) > 0)
        #expect(seen.intruders.load(ordering: .relaxed) == 0)
    }

    /// Enters and leaves until the end; stays inside for a while every 20th time.
    private func visit(_ gate: DrainGate, _ number: Int, _ seen: Sightings) async {
        while !seen.ended.load(ordering: .relaxed) {
            for turn in 0..<20 where gate.enter() {
                if seen.isDrained.load(ordering: .acquiring) { seen.intruders.wrappingAdd(1, ordering: .relaxed) }
                seen.entered.wrappingAdd(1, ordering: .relaxed)
                if turn == number { await Task.yield() }
                seen.left.wrappingAdd(1, ordering: .relaxed)
                gate.leave()
            }
            await Task.yield()
        }
    }
}
