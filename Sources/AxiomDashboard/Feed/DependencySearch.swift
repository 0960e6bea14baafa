// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Searches the component graph for the dependency that explains why components fail or are slow.
///
/// Cost: a pass over the graph for each component in question, and for each dependency of slow ones.
struct DependencySearch {
    /// The component types by name.
    let nodes: [String: ComponentDescriptor]
    private let graph: ComponentGraph
    /// What was found so far.
    private var reached: [ComponentDescriptor: [ComponentDescriptor]] = [:]
    private var dependents: [ComponentDescriptor: Set<ComponentDescriptor>] = [:]

    /// The least share of the failing or slow components that have to use a dependency, for it to be the cause.
    private static let coverage = 0.75
    /// More than this share of the users of a dependency have to fail, for it to be the cause.
    private static let specificity = 0.5
    /// The least number of users that have to fail, unless all do.
    private static let evidence = 3
    /// How many more healthy users any other suspect has.
    private static let margin = 3

    init(_ edges: [ComponentDependency]) {
        graph = edges.reduce(into: ComponentGraph()) { $0.add($1) }
        nodes = Dictionary(graph.nodes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// All direct and indirect dependents.
    mutating func users(of node: ComponentDescriptor) -> Set<ComponentDescriptor> {
        if let known = dependents[node] { return known }
        let found = graph.dependents(of: node).subtracting([node])
        dependents[node] = found
        return found
    }

    /// All direct and indirect dependencies, the nearest first.
    mutating func dependencies(of node: ComponentDescriptor) -> [ComponentDescriptor] {
        if let known = reached[node] { return known }
        var (found, seen, next) = ([node], Set([node]), 0)
        while next < found.count {
            for target in graph.dependencies(of: found[next]) where seen.insert(target).inserted {
                found.append(target)
            }
            next += 1
        }
        found.removeFirst()
        reached[node] = found
        return found
    }
}

// MARK: - The common dependency

/// A dependency that may be the cause.
struct Suspect {
    let dependency: ComponentDescriptor
    let users: Set<ComponentDescriptor>
    /// How many of the users fail.
    let explained: Int
    /// How far it is from the failing components.
    let distance: Int

    var healthy: Int { users.count - explained }
    var share: Double { Double(explained) / Double(users.count) }
}

extension DependencySearch {
    /// The dependency that explains why these components fail: most of them use it, and most of its users are among them.
    /// It has fewer healthy users than any other such dependency, by a margin: else the evidence fits both, and naming one
    /// would be a guess. Of dependencies with the same users, the nearest one.
    mutating func commonDependency(of failing: Set<ComponentDescriptor>) -> ComponentDescriptor? {
        let suspects = suspects(failing)
        guard let best = suspects.first, best.share > Self.specificity,
            best.explained >= Self.evidence || best.healthy == 0
        else { return nil }
        let other = suspects.first { $0.users != best.users }
        guard let other, other.healthy < best.healthy + Self.margin else { return best.dependency }
        return nil
    }

    /// The dependencies that most of the components use, those with the fewest healthy users first.
    mutating func suspects(_ failing: Set<ComponentDescriptor>) -> [Suspect] {
        guard failing.count > 1 else { return [] }
        var found: [Suspect] = []
        for dependency in candidates(failing) {
            let users = users(of: dependency).filter { user in failing.contains { $0.kind == user.kind } }
            let explained = users.intersection(failing).count
            guard explained > 1, Double(explained) >= Self.coverage * Double(failing.count) else { continue }
            let distance = failing.reduce(0) { $0 + (dependencies(of: $1).firstIndex(of: dependency) ?? 0) }
            found.append(Suspect(dependency: dependency, users: users, explained: explained, distance: distance))
        }
        return found.sorted { ($0.healthy, $0.distance) < ($1.healthy, $1.distance) }
    }

    /// All that the components depend on, by name.
    mutating func candidates(_ failing: Set<ComponentDescriptor>) -> [ComponentDescriptor] {
        let all = failing.reduce(into: Set<ComponentDescriptor>()) { $0.formUnion(dependencies(of: $1)) }
        return all.subtracting(failing).sorted { $0.name < $1.name }
    }
}
