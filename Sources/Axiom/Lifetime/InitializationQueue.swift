// SPDX-License-Identifier: Apache-2.0

/// Selects the components that may begin: those whose dependencies are all done.
struct InitializationQueue {
    private let order: [ComponentDescriptor]
    /// By the index of a component: how many of its dependencies are not done.
    private var missing: [Int] = []
    /// The indices of the components that depend on one directly.
    private var dependents: [ComponentDescriptor: [Int]] = [:]
    /// The indices of those that may begin and were not taken.
    private var ready: [Int]
    /// Whether no more components may begin.
    private(set) var isClosed = false

    init(order: [ComponentDescriptor], graph: ComponentGraph) {
        self.order = order
        let all = Set(order)
        for (index, component) in order.enumerated() {
            let dependencies = graph.dependencies(of: component).filter(all.contains)
            missing.append(dependencies.count)
            for dependency in dependencies { dependents[dependency, default: []].append(index) }
        }
        ready = missing.indices.filter { [missing] in missing[$0] == 0 }
    }

    /// Removes and returns the components that may begin, in their original order.
    mutating func takeReady() -> [ComponentDescriptor] {
        guard !isClosed else { return [] }
        defer { ready = [] }
        return ready.sorted().map { order[$0] }
    }

    /// The components that can never begin because of a cycle. Valid once all that began are finished.
    var stuck: [ComponentDescriptor] { isClosed ? [] : order.indices.filter { missing[$0] > 0 }.map { order[$0] } }

    mutating func finish(_ component: ComponentDescriptor) {
        for index in dependents.removeValue(forKey: component) ?? [] {
            missing[index] -= 1
            if missing[index] == 0 { ready.append(index) }
        }
    }

    mutating func close() {
        isClosed = true
    }
}
