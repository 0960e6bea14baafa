// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// How one route is shown: a presentation and the input of its context.
///
/// ```swift
/// switch route {
/// case .cart: .show(CartView.self)
/// case .product(let id): .show(ProductView.self, id)
/// }
/// ```
@MainActor
public struct Screen<Output> {
    typealias Make = @MainActor (Orchestrator, @escaping @MainActor (Output) -> Void) -> any OpenScreen

    /// The type of the context, and its name for errors.
    let context: (type: ObjectIdentifier, name: String)
    let make: Make

    /// A screen that shows a presentation.
    ///
    /// - Parameters:
    ///   - type: The presentation. Its context is made when the screen is shown, and ends when it leaves the history.
    ///   - input: The input of the context.
    public static func show<P: Presentation>(_ type: P.Type, _ input: P.ContextType.Input) -> Screen
    where P.Output == Output {
        let context = P.ContextType.self
        return Screen(context: (ObjectIdentifier(context), String(describing: context))) {
            MountedScreen<P>($0, input, render: $1)
        }
    }

    /// A screen that shows a presentation whose context takes no input.
    public static func show<P: Presentation>(_ type: P.Type) -> Screen
    where P.Output == Output, P.ContextType.Input == Void {
        show(type, ())
    }
}

/// A screen that a flow opened.
@MainActor
protocol OpenScreen: AnyObject {
    /// The context that it shows; nil before and after.
    var context: (any Context)? { get }

    /// Makes and renders the screen. Its appearance begins, and is not awaited: `onAppear()` may take long, and may
    /// navigate.
    ///
    /// - Parameter made: Called with the new context before its first output is rendered.
    func open(_ made: @escaping @MainActor (any Context) -> Void) async throws

    /// Notifies the context that it disappeared. It stays.
    func cover() async

    /// Notifies the context that it appears again, and does not wait for it.
    func uncover() async

    /// Notifies the context that it disappeared, unless it is covered, and releases it.
    func close() async

    /// Returns when no `onAppear()` of its contexts is under way.
    func endAppearance() async
}
