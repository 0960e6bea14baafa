// SPDX-License-Identifier: Apache-2.0

/// Benchmarks that every program has, for self-tests and for the null control of each run. They exercise what affects
/// times most: arithmetic, scattered memory, branches, and the allocator.
enum ReferenceKernels {
    /// The name of their suite, which is not listed and is measured only by name.
    static let suiteName = "axiom-reference"

    static let suite = BenchmarkSuite(suiteName) { suite in
        suite.add("hash") { iterations in
            for _ in 0..<iterations { blackHole(hash(opaque(4_096))) }
        }
        suite.add("dictionary", fixture: Array(0..<2_000).map { $0 &* 2_654_435_761 }) { keys, iterations in
            for _ in 0..<iterations { blackHole(count(keys)) }
        }
        suite.add("sort", fixture: scattered(2_000)) { numbers, iterations in
            for _ in 0..<iterations { blackHole(opaque(numbers).sorted()) }
        }
        suite.add("allocation") { iterations in
            for _ in 0..<iterations { blackHole(chain(opaque(500))) }
        }
    }

    /// FNV-1a over `length` bytes.
    @inline(never)
    private static func hash(_ length: Int) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<length { hash = (hash ^ UInt64(truncatingIfNeeded: index & 0xff)) &* 0x100_0000_01b3 }
        return hash
    }

    @inline(never)
    private static func count(_ keys: [Int]) -> Int {
        var counts: [Int: Int] = [:]
        for key in keys { counts[key & 0x3ff, default: 0] += 1 }
        return counts.count
    }

    private static func scattered(_ count: Int) -> [Int] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return Int(truncatingIfNeeded: state >> 33)
        }
    }

    private final class Link {
        let next: Link?
        init(_ next: Link?) { self.next = next }
    }

    @inline(never)
    private static func chain(_ length: Int) -> Int {
        var links: [Link] = []
        for _ in 0..<length { links.append(Link(nil)) }
        return links.count
    }
}
