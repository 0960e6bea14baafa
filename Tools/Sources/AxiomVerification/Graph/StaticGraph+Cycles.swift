// SPDX-License-Identifier: Apache-2.0

extension StaticGraph {
    /// Cycles of components of a kind, the shortest first. Each begins with its lowest number, and does not repeat it.
    ///
    /// Each is a shortest one through one of its components, and no two share a dependency: one that does is reported when
    /// the other is mended in another place.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - permitted: The numbers of nodes whose cycles are permitted: a cycle through one of them is left out.
    package func cycles(of kind: Kind, permitted: Set<Int> = []) -> [[Int]] {
        struct Ends: Hashable { var from: Int, to: Int }
        let candidates = onCycles(of: kind).subtracting(permitted)
        let all = candidates.sorted().compactMap { shortestCycle(through: $0, in: candidates) }
        var reported: Set<Ends> = []
        return all.sorted { ($0.count, $0[0]) < ($1.count, $1[0]) }.filter { cycle in
            let edges = Set(zip(cycle, cycle.dropFirst() + cycle.prefix(1)).map { Ends(from: $0, to: $1) })
            guard reported.isDisjoint(with: edges) else { return false }
            reported.formUnion(edges)
            return true
        }
    }

    /// The nodes that remain when those without dependencies or dependents among the rest are removed, again and again:
    /// all that are on a cycle, and some between two cycles.
    private func onCycles(of kind: Kind) -> Set<Int> {
        var rest = Set(nodes.indices.filter { nodes[$0].kind == kind })
        var sources = [[Int]](repeating: [], count: nodes.count)
        for edge in edges { sources[edge.to].append(edge.from) }
        var waiting = Array(rest)
        while let node = waiting.popLast() {
            guard rest.contains(node) else { continue }
            let (below, above) = (targets(of: node, in: rest), sources[node].filter(rest.contains))
            guard below.isEmpty || above.isEmpty else { continue }
            rest.remove(node)
            waiting += below + above
        }
        return rest
    }

    private func targets(of node: Int, in part: Set<Int>) -> [Int] { dependencies(of: node).filter(part.contains) }

    private func shortestCycle(through node: Int, in part: Set<Int>) -> [Int]? {
        var came: [Int: Int] = [:]
        var (waiting, next) = ([node], 0)
        while next < waiting.count {
            let current = waiting[next]
            next += 1
            for target in targets(of: current, in: part) {
                if target == node { return Self.rotated(path(to: current, from: node, came)) }
                guard came[target] == nil else { continue }
                came[target] = current
                waiting.append(target)
            }
        }
        return nil
    }

    private func path(to end: Int, from start: Int, _ came: [Int: Int]) -> [Int] {
        var path = [end]
        while let last = path.last, last != start, let before = came[last] { path.append(before) }
        return path.reversed()
    }

    private static func rotated(_ cycle: [Int]) -> [Int] {
        guard let lowest = cycle.indices.min(by: { cycle[$0] < cycle[$1] }) else { return cycle }
        return Array(cycle[lowest...] + cycle[..<lowest])
    }
}
