// SPDX-License-Identifier: Apache-2.0

/// The contexts that are being made at this moment, from the mounted root to the innermost.
struct ResolutionPath: Sendable {
    /// A context that is registered as recursive may contain itself; beyond this depth it is taken for endless.
    static let depthLimit = 64

    private(set) var components: [ComponentDescriptor] = []

    /// The path with `component` at its end.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/contextCycle`` when it is there already.
    func appending(_ component: ComponentDescriptor, recursive: Bool) throws -> ResolutionPath {
        if !recursive, let start = components.firstIndex(of: component) {
            throw cycle(components[start...] + [component], "Break the circle, or register it with recursive: true.")
        }
        if components.count == Self.depthLimit {
            throw cycle(
                components.suffix(3) + [component],
                "More than \(Self.depthLimit) contexts contain each other: end the recursion in the factory."
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
