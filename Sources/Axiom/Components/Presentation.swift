// SPDX-License-Identifier: Apache-2.0

/// The visible output of one context. It knows only that context and contains no logic.
///
/// `Output` is the type that the renderer takes: a string for a terminal, a tree of nodes for a page.
@MainActor
public protocol Presentation {
    /// The one context that this presentation shows.
    associatedtype ContextType: Context
    /// The type of ``body``, which the host's renderer takes.
    associatedtype Output

    /// Makes the presentation of `context`. Called by ``PresentationHost`` once for each mount.
    init(context: ContextType)

    /// The context that this presentation shows.
    var context: ContextType { get }

    /// The output for the current values of the context. The values that it reads are observed: a change leads to new
    /// output.
    var body: Output { get }

    /// The name under which metrics show this type, 1 to 256 bytes long. Default: the type's name. To change it,
    /// declare `nonisolated static let componentName = "Cart"`, or the same without `nonisolated`.
    static var componentName: String { get }
}

extension Presentation {
    /// The type's name without its module.
    public static var componentName: String {
        String(describing: Self.self)
    }
}
