// SPDX-License-Identifier: Apache-2.0

/// What a person sees of one context. It knows nothing but that context, and holds no logic.
///
/// `Output` is whatever the renderer takes: a string for a terminal, a tree of nodes for a page.
@MainActor
public protocol Presentation {
    /// The one context that this presentation shows.
    associatedtype ContextType: Context
    /// What ``body`` produces and the host's renderer takes.
    associatedtype Output

    /// Makes the presentation of `context`. Called by ``PresentationHost``, once for each mount.
    init(context: ContextType)

    /// The context that this presentation shows.
    var context: ContextType { get }

    /// The picture of the context as it is now. What it reads is observed: a change leads to a new picture.
    var body: Output { get }

    /// The name under which metrics show this type; by default the type's name. It is 1 to 256 bytes long. Another is
    /// declared as `nonisolated static let componentName = "Cart"`, or without `nonisolated`.
    static var componentName: String { get }
}

extension Presentation {
    /// The type's name without its module.
    public static var componentName: String {
        String(describing: Self.self)
    }
}
