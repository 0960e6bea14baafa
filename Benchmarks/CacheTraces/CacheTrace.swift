// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStorage
internal import Foundation

/// A sequence of requests, the same for the same seed on every machine, and what a policy makes of it.
package struct CacheTrace: Sendable {
    /// What is requested.
    package enum Shape: Sendable, Hashable {
        /// 10,000 keys with the frequencies of Zipf's law with this exponent.
        case zipf(Double)
        /// Zipf's law with the exponent 1, and after each 5,000 requests 2,500 for keys that are requested once.
        case scans
        /// This many times as many keys as the cache has entries, one after the other, again and again.
        case loop(Double)
        /// Zipf's law with the exponent 0.9, of other keys after each tenth of the trace.
        case shift
        /// Zipf's law with the exponent 0.9, of which one key in 20 requests becomes another one.
        case drift

        /// The name, for people.
        package var name: String {
            switch self {
            case .zipf(let exponent): "Zipf \(exponent)"
            case .scans: "Zipf 1.0 with scans"
            case .loop(let factor): "loop of \(factor) capacities"
            case .shift: "shifting hot set"
            case .drift: "drifting hot set"
            }
        }
    }

    package let shape: Shape
    /// The hashes of the keys, which are different for different keys.
    package let requests: [UInt64]

    /// The shapes that policies are compared with.
    package static let shapes: [Shape] =
        [0.7, 0.8, 0.9, 1.0, 1.1, 1.2].map { .zipf($0) } + [.scans, .loop(0.9), .loop(1.5), .shift, .drift]

    /// Makes a trace for a cache with `capacity` entries.
    package init(_ shape: Shape, length: Int, capacity: Int, seed: UInt64) {
        self.shape = shape
        var random = SeededGenerator(seed: seed)
        let keys: [Int]
        switch shape {
        case .zipf(let exponent):
            keys = Self.zipf(exponent, length, &random)
        case .scans:
            keys = Self.scanned(Self.zipf(1, length, &random))
        case .loop(let factor):
            let period = max(1, Int(Double(capacity) * factor))
            keys = (0..<length).map { $0 % period }
        case .shift:
            let zipf = Self.zipf(0.9, length, &random)
            keys = zipf.enumerated().map { $1 + $0 * 10 / length * Self.keyCount }
        case .drift:
            let zipf = Self.zipf(0.9, length, &random)
            keys = zipf.enumerated().map { $1 + $0 / 20 }
        }
        requests = keys.map { key in
            var mixed = SeededGenerator(seed: UInt64(key))
            return mixed.next()
        }
    }

    /// The share of the requests that a cache with `capacity` entries of cost 1 has.
    package func hitRatio<Policy: EvictionPolicy & ~Copyable>(_: Policy.Type, capacity: Int) -> Double {
        var policy = Policy(capacity: capacity)
        var slots: [UInt64: Int] = [:]
        var hashes = [UInt64](repeating: 0, count: capacity)
        var free = Array((0..<capacity).reversed())
        var hits = 0
        for hash in requests {
            if let slot = slots[hash] {
                policy.hit(slot)
                hits += 1
                continue
            }
            while free.isEmpty, let slot = policy.evict() {
                slots[hashes[slot]] = nil
                free.append(slot)
            }
            let slot = free.removeLast()
            (slots[hash], hashes[slot]) = (slot, hash)
            policy.insert(slot, hash: hash, cost: 1)
        }
        return Double(hits) / Double(max(1, requests.count))
    }

    private static let keyCount = 10_000

    private static func zipf(_ exponent: Double, _ length: Int, _ random: inout SeededGenerator) -> [Int] {
        var sums: [Double] = []
        for rank in 1...keyCount { sums.append((sums.last ?? 0) + pow(Double(rank), -exponent)) }
        return (0..<length).map { _ in
            let wanted = random.unit() * (sums.last ?? 0)
            var (low, high) = (0, keyCount - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private static func scanned(_ keys: [Int]) -> [Int] {
        var (result, next) = ([Int](), keyCount)
        for (index, key) in keys.enumerated() {
            result.append(key)
            guard index % 5_000 == 4_999 else { continue }
            result += next..<next + 2_500
            next += 2_500
        }
        return result
    }
}
