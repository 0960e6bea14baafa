// SPDX-License-Identifier: Apache-2.0

/// A component graph with numbers as nodes, for searches that visit nodes many times.
struct IndexedGraph {
    private var targets: [[Int]]
    /// The strongly connected component of each node. Two nodes are on a common cycle if they have the same one.
    private var regions: [Int] = []
    private var regionSizes: [Int: Int] = [:]

    init(_ graph: ComponentGraph) {
        let indices = Dictionary(uniqueKeysWithValues: graph.nodes.enumerated().map { ($1, $0) })
        targets = graph.nodes.map { graph.dependencies(of: $0).compactMap { indices[$0] } }
        regions = findRegions()
        regionSizes = regions.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    func isOnCycle(_ node: Int) -> Bool {
        regionSizes[regions[node], default: 0] > 1 || targets[node].contains(node)
    }

    /// A shortest cycle through `node`, rotated so that its lowest number is first; nil if there is none.
    func shortestCycle(through node: Int) -> [Int]? {
        var came = [Int](repeating: -1, count: targets.count)
        var (waiting, next) = ([node], 0)
        while next < waiting.count {
            let current = waiting[next]
            next += 1
            for target in targets[current] where regions[target] == regions[node] {
                if target == node { return Self.rotated(path(to: current, from: node, came)) }
                guard came[target] < 0 else { continue }
                came[target] = current
                waiting.append(target)
            }
        }
        return nil
    }

    private func path(to end: Int, from start: Int, _ came: [Int]) -> [Int] {
        var path = [end]
        while let last = path.last, last != start { path.append(came[last]) }
        return path.reversed()
    }

    private static func rotated(_ cycle: [Int]) -> [Int] {
        guard let lowest = cycle.indices.min(by: { cycle[$0] < cycle[$1] }) else { return cycle }
        return Array(cycle[lowest...] + cycle[..<lowest])
    }

    /// Kosaraju's algorithm: nodes in the order in which a search leaves them, then a search of the reversed graph.
    private func findRegions() -> [Int] {
        var sources = [[Int]](repeating: [], count: targets.count)
        for (from, list) in targets.enumerated() { for to in list { sources[to].append(from) } }
        var regions = [Int](repeating: -1, count: targets.count)
        for (region, root) in finishingOrder().reversed().enumerated() where regions[root] < 0 {
            var waiting = [root]
            regions[root] = region
            while let node = waiting.popLast() {
                for source in sources[node] where regions[source] < 0 {
                    regions[source] = region
                    waiting.append(source)
                }
            }
        }
        return regions
    }

    private func finishingOrder() -> [Int] {
        var (order, isSeen) = ([Int](), [Bool](repeating: false, count: targets.count))
        for root in targets.indices where !isSeen[root] {
            isSeen[root] = true
            var stack = [(node: root, next: 0)]
            while let (node, next) = stack.last {
                guard next < targets[node].count else {
                    order.append(node)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = targets[node][next]
                guard !isSeen[target] else { continue }
                isSeen[target] = true
                stack.append((target, 0))
            }
        }
        return order
    }
}

extension ComponentGraph {
    /// For each component on a cycle, one shortest cycle that contains it. Each cycle is listed once, begins with its
    /// component that became known first, and repeats it at the end.
    var shortestCycles: [Cycle] {
        // The usual graph has no cycle: then nothing is indexed.
        guard (try? topologicalOrder()) == nil else { return [] }
        let indexed = IndexedGraph(self)
        var found: Set<[Int]> = []
        var cycles: [Cycle] = []
        for node in nodes.indices where indexed.isOnCycle(node) {
            guard let cycle = indexed.shortestCycle(through: node), found.insert(cycle).inserted else { continue }
            cycles.append(Cycle(path: (cycle + cycle.prefix(1)).map { nodes[$0] }))
        }
        return cycles
    }
}
