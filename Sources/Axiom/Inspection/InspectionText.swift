// SPDX-License-Identifier: Apache-2.0

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
