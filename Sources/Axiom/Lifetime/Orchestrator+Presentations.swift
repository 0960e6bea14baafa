// SPDX-License-Identifier: Apache-2.0

/// A host of a presentation, without the presentation's type.
@MainActor
protocol MountedPresentation: AnyObject, Sendable {
    /// The context that is shown; nil if none is mounted.
    var root: ContextRuntime? { get }
    /// The presentation, with the name that its type requests.
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
        let name = P.componentName
        // Checked first, because a request costs more than the rest of a mount.
        if name.utf8.count > 256 || name.allSatisfy(\.isWhitespace),
            let mistake = CompositionError.invalidName(ComponentNames.Request(type, preferred: name))
        {
            throw mistake
        }
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
