// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStorage
import AxiomTestSupport
import CacheTraces
import Testing

/// A slow policy that a fast one has to agree with.
private protocol PlainPolicy {
    init(capacity: Int)
    mutating func insert(_ slot: Int, hash: UInt64, cost: Int)
    mutating func hit(_ slot: Int)
    mutating func remove(_ slot: Int)
    mutating func evict() -> Int?
}

extension PlainS3FIFO: PlainPolicy {}
extension PlainTinyLFU: PlainPolicy {}
extension PlainLRU: PlainPolicy {
    init(capacity: Int) { self.init() }
}

@Suite("Eviction policies", .timeLimit(.minutes(10)))
struct EvictionPolicyTests {
    /// Runs random histories, and returns the first at which the policies differ.
    private func firstDifference<Policy: EvictionPolicy & ~Copyable, Plain: PlainPolicy>(
        _: Policy.Type,
        _: Plain.Type,
        histories: Int,
        maximumCost: Int
    ) -> String? {
        let seed = TestSeed.drawn()
        for history in 0..<histories {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let capacity = 1 + random.index(below: 40)
            var policy = Policy(capacity: capacity)
            var plain = Plain(capacity: capacity)
            var (costs, free) = ([Int: Int](), Array((0..<capacity).reversed()))
            for step in 0..<120 {
                let place = "history \(history) of capacity \(capacity), step \(step)"
                switch random.index(below: 10) {
                case 0..<5:
                    let cost = 1 + random.index(below: min(maximumCost, capacity))
                    while costs.values.reduce(0, +) + cost > capacity {
                        let (slot, expected) = (policy.evict(), plain.evict())
                        guard let slot, slot == expected, costs.removeValue(forKey: slot) != nil else {
                            return "\(place): evicts \(String(describing: slot)), not \(String(describing: expected))"
                        }
                        free.append(slot)
                    }
                    let (slot, hash) = (free.removeLast(), UInt64(random.index(below: 60)))
                    costs[slot] = cost
                    policy.insert(slot, hash: hash, cost: cost)
                    plain.insert(slot, hash: hash, cost: cost)
                case 5..<9:
                    guard let slot = costs.keys.sorted().randomElement(using: &random) else { continue }
                    policy.hit(slot)
                    plain.hit(slot)
                default:
                    guard let slot = costs.keys.sorted().randomElement(using: &random) else { continue }
                    costs[slot] = nil
                    free.append(slot)
                    policy.remove(slot)
                    plain.remove(slot)
                }
            }
            while let expected = plain.evict() {
                guard policy.evict() == expected else { return "history \(history): the order at the end" }
            }
            guard policy.evict() == nil else { return "history \(history): an entry is left" }
        }
        return nil
    }

    @Test("S3-FIFO evicts what a plain model with arrays evicts, with costs (CLI-15)")
    func smallMainAndGhost() {
        let histories = TestScale.count(100_000)
        #expect(firstDifference(S3FIFOPolicy.self, PlainS3FIFO.self, histories: histories, maximumCost: 5) == nil)
    }

    @Test("LRU evicts what a plain model with an array evicts (CLI-15)")
    func leastRecentlyUsed() {
        let histories = TestScale.count(20_000)
        #expect(firstDifference(LRUPolicy.self, PlainLRU.self, histories: histories, maximumCost: 5) == nil)
    }

    @Test("W-TinyLFU evicts what a plain model with arrays evicts (CLI-15)")
    func tinyLFU() {
        let histories = TestScale.count(20_000)
        #expect(firstDifference(TinyLFUPolicy.self, PlainTinyLFU.self, histories: histories, maximumCost: 1) == nil)
    }

    @Test("The sketch of frequencies never says less than the occurrences, up to 15 (CLI-15)")
    func sketch() {
        var (random, counts) = (SeededGenerator(seed: TestSeed.drawn()), [UInt64: Int]())
        var sketch = FrequencySketch(capacity: 1_000)
        for _ in 0..<9_000 {
            let hash = UInt64(random.index(below: 30) * random.index(below: 30)) &* 0x9e37_79b9_7f4a_7c15
            counts[hash, default: 0] += 1
            sketch.increment(hash)
        }
        for (hash, count) in counts { #expect(Int(sketch.frequency(hash)) >= min(15, count)) }
    }

    @Test("S3-FIFO has more hits than LRU on Zipf's law and scans, and loses little where LRU is best (CLI-15)")
    func hitRatios() {
        let capacity = 200
        for shape in CacheTrace.shapes {
            let trace = CacheTrace(shape, length: 30_000, capacity: capacity, seed: 17)
            let chosen = trace.hitRatio(S3FIFOPolicy.self, capacity: capacity)
            let lru = trace.hitRatio(LRUPolicy.self, capacity: capacity)
            let tinyLFU = trace.hitRatio(TinyLFUPolicy.self, capacity: capacity)
            print("\(shape.name): S3-FIFO \(chosen), W-TinyLFU \(tinyLFU), LRU \(lru)")
            switch shape {
            case .zipf, .scans: #expect(chosen > lru + 0.03 && chosen > tinyLFU - 0.02, "\(shape.name)")
            case .shift, .drift: #expect(chosen > lru - 0.05 && chosen > tinyLFU - 0.02, "\(shape.name)")
            case .loop: #expect(chosen >= lru - 0.01, "\(shape.name)")
            }
        }
    }
}
