// SPDX-License-Identifier: Apache-2.0

/// The contexts under construction, from the mounted root to the innermost.
struct ResolutionPath: Sendable {
    /// A context that is registered as recursive may contain itself. Beyond this depth, the recursion is treated as
    /// infinite. Each level uses part of the main thread's stack.
    static let depthLimit = 256

    private(set) var components: [ComponentDescriptor] = []

    /// The path with `component` at its end.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/contextCycle`` if the path already contains the
    ///   component and it is not registered as recursive, or ``ErrorCode/contextsTooDeep`` if the path has
    ///   ``depthLimit`` components.
    func appending(_ component: ComponentDescriptor, recursive: Bool) throws -> ResolutionPath {
        if !recursive, let start = components.firstIndex(of: component) {
            throw cycle(components[start...] + [component], "Break the circle, or register it with recursive: true.")
        }
        if components.count == Self.depthLimit {
            let end = (components.suffix(3) + [component]).map(\.name).joined(separator: " → ")
            throw CompositionError(
                .contextsTooDeep,
                "More than \(Self.depthLimit) contexts contain each other, the last of them \(end).",
                "End the recursion in the factory, or make deeper levels when they are shown."
            )
        }
        var path = self
        path.components.append(component)
        return path
    }

    private func cycle(_ path: some Sequence<ComponentDescriptor>, _ suggestion: String) -> CompositionError {
        let cycle = ComponentGraph.Cycle(path: Array(path))
        return CompositionError(
            .contextCycle,
            "Contexts resolve each other in a circle: \(cycle).",
            suggestion
        )
    }
}
