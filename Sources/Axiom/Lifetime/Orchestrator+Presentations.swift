// SPDX-License-Identifier: Apache-2.0

/// A host that shows a presentation, whatever its type.
@MainActor
protocol MountedPresentation: AnyObject, Sendable {
    /// The context that is shown; nil when nothing is mounted.
    var root: ContextRuntime? { get }
    /// The presentation, by the name that its type asks for.
    var component: ComponentDescriptor { get }
    func unmount() async
    func enterBackground() async
    func enterForeground() async
}

extension Orchestrator {
    /// Makes the identity and the context of a presentation.
    func makeContext<P: Presentation>(
        for type: P.Type,
        _ input: P.ContextType.Input
    ) throws -> (ComponentIdentity, P.ContextType) {
        try throwLateRegistration(of: P.ContextType.self)
        let (component, isNew) = names.presentation(type)
        if isNew { announce(component, module: ComponentNames.Request(type, preferred: component.name).module) }
        let context = try contexts.makeRoot(P.ContextType.self, input, for: component)
        return (ComponentIdentity(component, port: port), context)
    }

    func add(_ host: any MountedPresentation) -> Int {
        mounts.add(host)
    }

    func remove(_ place: Int) {
        mounts.remove(place)
    }
}

extension PresentationHost where P.ContextType.Input == Void {
    /// Mounts a presentation whose context takes no input.
    ///
    /// - Throws: As ``mount(_:)``.
    public func mount() async throws {
        try await mount(())
    }
}
