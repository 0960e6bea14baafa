// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The dependencies of a component as a text, one component on each line:
/// ```
/// context CartContext
/// ├─ client CartClient
/// │  └─ capability Network
/// └─ context BadgeContext
///    └─ client CartClient (above)
/// ```
/// Dependencies are in the order in which they were resolved. The dependencies of a component are printed once; where it
/// occurs again, the line ends with `(above)`, or with `(cycle)` if the component depends on itself.
struct DependencyTree: CustomStringConvertible {
    private struct Line {
        let node: ComponentDescriptor
        /// What precedes the branch of this line.
        let indent: String
        /// Nil for the root.
        let isLast: Bool?
        /// The lines above this one, from the root.
        let depth: Int
    }

    private let graph: ComponentGraph
    private let root: ComponentDescriptor

    init(_ graph: ComponentGraph, of root: ComponentDescriptor) {
        self.graph = graph
        self.root = root
    }

    /// Does not recurse, so memory limits the depth of a graph, not the stack.
    var description: String {
        var (lines, printed, path): ([String], Set<ComponentDescriptor>, [ComponentDescriptor]) = ([], [], [])
        var waiting = [Line(node: root, indent: "", isLast: nil, depth: 0)]
        while let line = waiting.popLast() {
            path.removeLast(path.count - line.depth)
            let (branch, below) = Self.marks(line)
            let dependencies = graph.dependencies(of: line.node)
            let isPrinted = !dependencies.isEmpty && !printed.insert(line.node).inserted
            let note = !isPrinted ? "" : path.contains(line.node) ? " (cycle)" : " (above)"
            lines.append(line.indent + branch + "\(line.node)" + note)
            guard !isPrinted else { continue }
            path.append(line.node)
            for (index, next) in dependencies.enumerated().reversed() {
                let isLast = index == dependencies.count - 1
                waiting.append(Line(node: next, indent: line.indent + below, isLast: isLast, depth: line.depth + 1))
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func marks(_ line: Line) -> (branch: String, below: String) {
        switch line.isLast {
        case nil: ("", "")
        case true?: ("└─ ", "   ")
        case false?: ("├─ ", "│  ")
        }
    }
}

extension ComponentGraph: CustomDebugStringConvertible {
    /// A component and all its dependencies as a tree, one component on each line. A part that occurs several times is
    /// printed once.
    public func tree(of component: ComponentDescriptor) -> String {
        DependencyTree(self, of: component).description
    }

    /// The trees of all components on which no other depends, and of those that are only in cycles.
    public var debugDescription: String {
        var shown: Set<ComponentDescriptor> = []
        let targets = Set(edges.map(\.to))
        let roots = nodes.filter { !targets.contains($0) } + nodes.filter(targets.contains)
        var trees: [String] = []
        for root in roots where !shown.contains(root) {
            trees.append(tree(of: root))
            var waiting = [root]
            while let next = waiting.popLast() {
                if shown.insert(next).inserted { waiting += dependencies(of: next) }
            }
        }
        return trees.joined(separator: "\n")
    }
}

extension ComponentIdentity: CustomDebugStringConvertible {
    /// The kind, name and number, and the dependencies of the component as a tree.
    public var debugDescription: String {
        "\(self)\n" + port.graph.withLock { $0 }.tree(of: descriptor)
    }
}

extension Component {
    /// The component's identity and its dependencies as a tree. A type that conforms to `CustomDebugStringConvertible`
    /// gets it without further code.
    nonisolated public var debugDescription: String { identity.debugDescription }
}

extension Inspection: CustomDebugStringConvertible {
    /// The orchestrator, all instances, and each component type with its dependencies as a tree.
    public var debugDescription: String {
        let place = isInBackground ? ", in the background" : ""
        let head = "orchestrator #\(id): \(phase)\(place), \(errors) errors"
        let graph = graph
        let trees = components.map { graph.tree(of: $0) }
        let parts = [head] + capabilities.map(\.line) + clients.map(\.line) + contexts.map(\.line)
        return (parts + trees).joined(separator: "\n")
    }
}

extension Inspection.Capability {
    fileprivate var line: String {
        let instance = id.map { " #\($0)" } ?? ""
        let availability = isAvailable.map { $0 ? ", available" : ", not available" } ?? ""
        return "capability \(name)\(instance): \(phase), \(requirement), level \(level)\(availability)"
    }
}

extension Inspection.Client {
    fileprivate var line: String {
        let instance = id.map { " #\($0)" } ?? ""
        let running = actionsInFlight.map { ", \($0) actions in flight" } ?? ""
        let published = stores.map { ", \($0.state) with \($0.subscribers) subscribers" }.joined()
        return "client \(name)\(instance): \(phase)\(running)\(published)"
    }
}

extension Inspection.Context {
    fileprivate var line: String {
        let place = presentation.map { " in \($0)" } ?? upstream.map { " in #\($0)" } ?? ""
        return "context \(name) #\(id)\(place): \(phase), \(operationsInFlight) operations in flight, "
            + "\(observations) observations, \(errors) errors"
    }
}
