// SPDX-License-Identifier: Apache-2.0

/// Finds a second component that was made with the scope of another one, so that both store one identity.
///
/// Nothing in the language prevents it: an initializer may pass its scope on. The second component would never appear, and
/// its errors and metrics would be those of the first. The stored properties show it, also in optionals and arrays.
enum SharedIdentity {
    /// Throws if a stored property of a context is another component with its identity. Costs a reflection of the context.
    @MainActor
    static func check(partsOf context: any Context) throws(CompositionError) {
        try check(Mirror(reflecting: context), of: context)
    }

    /// Throws if a stored property of a client or a capability is another component with its identity. Runs on its actor,
    /// because the properties may change there already.
    static func check<C: Actor>(partsOf component: isolated C) async throws(CompositionError) {
        guard let owner = component as? any Component else { return }
        try check(Mirror(reflecting: component), of: owner)
    }

    /// Throws if a stored property of a request handler is another component with its identity.
    static func check<H: RequestHandler>(partsOf handler: H) throws(CompositionError) {
        try check(Mirror(reflecting: handler), of: handler)
    }

    private static func check(_ mirror: Mirror, of owner: any Component) throws(CompositionError) {
        for part in mirror.children {
            // The cast looks into an optional.
            let parts = (part.value as? any Component).map { [$0] } ?? part.value as? [any Component] ?? []
            for other in parts where other !== owner && other.identity === owner.identity {
                throw .sharedScope(owner.identity.descriptor, "\(type(of: other))")
            }
        }
    }
}

extension CompositionError {
    /// A component was made with the scope of another one.
    static func sharedScope(_ owner: ComponentDescriptor, _ other: String) -> Self {
        CompositionError(
            .foreignIdentity,
            "The \(owner) passed its scope to \(other), which has no identity of its own.",
            "Register \(other), and resolve it: a context below as scope.context(\(other).self). A scope makes one component."
        )
    }
}
