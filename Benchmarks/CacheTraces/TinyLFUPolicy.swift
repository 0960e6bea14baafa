// SPDX-License-Identifier: Apache-2.0

internal import AxiomStorage

/// W-TinyLFU (Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017).
///
/// New entries go to a window, an LRU list of 1 % of the capacity. When the cache is full, the entry that leaves the window
/// competes with the entry that would leave the main part: the one that was requested more often stays. The main part is a
/// segmented LRU: entries that were read there are protected, up to 80 % of it.
package struct TinyLFUPolicy: EvictionPolicy {
    private enum Segment {
        case window
        case probation
        case protected
    }

    private struct Entry {
        var hash: UInt64 = 0
        var segment = Segment.window
    }

    private let windowCapacity: Int
    private let mainCapacity: Int
    private let protectedCapacity: Int
    private var sketch: FrequencySketch
    private var links = SlotLinks()
    private var entries: [Entry] = []
    private var window = SlotList()
    private var probation = SlotList()
    private var protected = SlotList()
    private var random: UInt64 = 1

    package init(capacity: Int) {
        windowCapacity = max(1, capacity / 100)
        mainCapacity = capacity - windowCapacity
        protectedCapacity = mainCapacity * 8 / 10
        sketch = FrequencySketch(capacity: capacity)
    }

    package mutating func insert(_ slot: Int, hash: UInt64, cost: Int) {
        while entries.count <= slot { entries.append(Entry()) }
        entries[slot] = Entry(hash: hash)
        sketch.increment(hash)
        links.append(slot, cost: cost, to: &window)
    }

    package mutating func hit(_ slot: Int) {
        sketch.increment(entries[slot].hash)
        switch entries[slot].segment {
        case .window: links.moveToEnd(slot, of: &window)
        case .protected: links.moveToEnd(slot, of: &protected)
        case .probation:
            links.remove(slot, from: &probation)
            entries[slot].segment = .protected
            links.append(slot, to: &protected)
            while protected.cost > protectedCapacity, let old = links.removeFirst(of: &protected) {
                entries[old].segment = .probation
                links.append(old, to: &probation)
            }
        }
    }

    package mutating func remove(_ slot: Int) {
        switch entries[slot].segment {
        case .window: links.remove(slot, from: &window)
        case .probation: links.remove(slot, from: &probation)
        case .protected: links.remove(slot, from: &protected)
        }
    }

    package mutating func evict() -> Int? {
        while window.cost >= windowCapacity, let candidate = links.removeFirst(of: &window) {
            entries[candidate].segment = .probation
            let victim = probation.isEmpty ? protected.first : probation.first
            guard victim >= 0, probation.cost + protected.cost >= mainCapacity else {
                links.append(candidate, to: &probation)
                continue
            }
            if !admits(candidate, insteadOf: Int(victim)) { return candidate }
            remove(Int(victim))
            links.append(candidate, to: &probation)
            return Int(victim)
        }
        return links.removeFirst(of: &probation) ?? links.removeFirst(of: &protected)
            ?? links.removeFirst(of: &window)
    }

    private mutating func admits(_ candidate: Int, insteadOf victim: Int) -> Bool {
        let (own, other) = (sketch.frequency(entries[candidate].hash), sketch.frequency(entries[victim].hash))
        if own > other { return true }
        guard own > 5 else { return false }
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return random >> 57 == 0
    }
}
