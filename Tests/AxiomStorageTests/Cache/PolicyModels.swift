// SPDX-License-Identifier: Apache-2.0

import CacheTraces

/// S3-FIFO with plain arrays, as the paper states it: the first element is the oldest.
struct PlainS3FIFO {
    struct Entry: Equatable {
        let slot: Int
        let hash: UInt64
        let cost: Int
        var reads = 0
    }

    let smallCapacity: Int
    var small: [Entry] = []
    var main: [Entry] = []
    /// Nil for a hash that came back.
    var ghosts: [UInt64?] = []

    init(capacity: Int) { smallCapacity = max(1, capacity / 10) }

    mutating func insert(_ slot: Int, hash: UInt64, cost: Int) {
        let entry = Entry(slot: slot, hash: hash, cost: cost)
        if ghosts.contains(hash) {
            for index in ghosts.indices where ghosts[index] == hash { ghosts[index] = nil }
            main.append(entry)
        } else {
            small.append(entry)
        }
    }

    mutating func hit(_ slot: Int) {
        for index in small.indices where small[index].slot == slot {
            small[index].reads = min(3, small[index].reads + 1)
        }
        for index in main.indices where main[index].slot == slot { main[index].reads = min(3, main[index].reads + 1) }
    }

    mutating func remove(_ slot: Int) {
        small.removeAll { $0.slot == slot }
        main.removeAll { $0.slot == slot }
    }

    mutating func evict() -> Int? {
        if small.reduce(0, { $0 + $1.cost }) >= smallCapacity || main.isEmpty, let slot = evictFromSmall() {
            return slot
        }
        return evictFromMain() ?? evictFromSmall()
    }

    private mutating func evictFromSmall() -> Int? {
        while !small.isEmpty {
            var entry = small.removeFirst()
            guard entry.reads > 1 else {
                for index in ghosts.indices where ghosts[index] == entry.hash { ghosts[index] = nil }
                ghosts.append(entry.hash)
                ghosts.removeFirst(max(0, ghosts.count - max(1, small.count + main.count)))
                return entry.slot
            }
            entry.reads = 0
            main.append(entry)
        }
        return nil
    }

    private mutating func evictFromMain() -> Int? {
        while !main.isEmpty {
            var entry = main.removeFirst()
            if entry.reads == 0 { return entry.slot }
            entry.reads -= 1
            main.append(entry)
        }
        return nil
    }
}

/// The order of the last use with a plain array: the first element was not used for the longest time.
struct PlainLRU {
    var slots: [Int] = []

    mutating func insert(_ slot: Int, hash: UInt64, cost: Int) { slots.append(slot) }

    mutating func hit(_ slot: Int) {
        remove(slot)
        slots.append(slot)
    }

    mutating func remove(_ slot: Int) { slots.removeAll { $0 == slot } }

    mutating func evict() -> Int? { slots.isEmpty ? nil : slots.removeFirst() }
}

/// W-TinyLFU with plain arrays, for entries of cost 1. It shares the sketch, which has a test of its own.
struct PlainTinyLFU {
    let windowCapacity: Int
    let mainCapacity: Int
    var sketch: FrequencySketch
    var random: UInt64 = 1
    var hashes: [Int: UInt64] = [:]
    var window: [Int] = []
    var probation: [Int] = []
    var protected: [Int] = []

    init(capacity: Int) {
        windowCapacity = max(1, capacity / 100)
        mainCapacity = capacity - windowCapacity
        sketch = FrequencySketch(capacity: capacity)
    }

    mutating func insert(_ slot: Int, hash: UInt64, cost: Int) {
        hashes[slot] = hash
        sketch.increment(hash)
        window.append(slot)
    }

    mutating func hit(_ slot: Int) {
        sketch.increment(hashes[slot] ?? 0)
        if let index = window.firstIndex(of: slot) { return window.append(window.remove(at: index)) }
        if let index = protected.firstIndex(of: slot) { return protected.append(protected.remove(at: index)) }
        probation.removeAll { $0 == slot }
        protected.append(slot)
        while protected.count > mainCapacity * 8 / 10 { probation.append(protected.removeFirst()) }
    }

    mutating func remove(_ slot: Int) {
        window.removeAll { $0 == slot }
        probation.removeAll { $0 == slot }
        protected.removeAll { $0 == slot }
    }

    mutating func evict() -> Int? {
        while window.count >= windowCapacity, !window.isEmpty {
            let candidate = window.removeFirst()
            guard let victim = probation.first ?? protected.first, probation.count + protected.count >= mainCapacity
            else {
                probation.append(candidate)
                continue
            }
            guard admits(candidate, victim) else { return candidate }
            remove(victim)
            probation.append(candidate)
            return victim
        }
        if !probation.isEmpty { return probation.removeFirst() }
        if !protected.isEmpty { return protected.removeFirst() }
        return window.isEmpty ? nil : window.removeFirst()
    }

    private mutating func admits(_ candidate: Int, _ victim: Int) -> Bool {
        let (own, other) = (sketch.frequency(hashes[candidate] ?? 0), sketch.frequency(hashes[victim] ?? 0))
        if own > other || own <= 5 { return own > other }
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return random >> 57 == 0
    }
}
