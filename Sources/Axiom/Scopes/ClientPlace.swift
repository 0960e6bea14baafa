// SPDX-License-Identifier: Apache-2.0

/// One client as contexts see it: its wrapper or its double's, for each type of context one that knows who calls, where
/// the instrumentation makes such.
@MainActor
final class ClientPlace<C: StatelessClient, Seen> {
    private let make: @MainActor (ComponentDescriptor) -> Seen
    /// By the type of context: a context that is made again finds what the first of its type was given.
    private var seen: [ComponentDescriptor: Seen] = [:]

    init(_ type: C.Type, _ make: @escaping @MainActor (ComponentDescriptor) -> Seen) {
        self.make = make
    }

    /// - Parameter first: Called when the first context of its type asks.
    func client(for asker: ComponentDescriptor, first: () -> Void) -> Seen {
        if let known = seen[asker] { return known }
        first()
        let client = make(asker)
        seen[asker] = client
        return client
    }
}
