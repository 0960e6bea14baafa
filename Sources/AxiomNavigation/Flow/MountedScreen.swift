// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// A screen that is shown by a host of its presentation.
@MainActor
final class MountedScreen<P: Presentation>: OpenScreen {
    private let orchestrator: Orchestrator
    private let input: P.ContextType.Input
    private let render: @MainActor (P.Output) -> Void
    private var host: PresentationHost<P>?
    /// The latest mount or uncovering. It ends with `onAppear()`.
    private var appearance: Task<Void, Never>?
    /// Until the first output or an error.
    private var opening: (made: @MainActor (any Context) -> Void, end: OneShot<Result<Void, any Error>>)?

    init(_ orchestrator: Orchestrator, _ input: P.ContextType.Input, render: @escaping @MainActor (P.Output) -> Void) {
        self.orchestrator = orchestrator
        self.input = input
        self.render = render
    }

    var context: (any Context)? { host?.context }

    func open(_ made: @escaping @MainActor (any Context) -> Void) async throws {
        // Weak: the screen owns the host.
        let host = PresentationHost(P.self, orchestrator) { [weak self] in self?.rendered($0) }
        self.host = host
        let end = OneShot<Result<Void, any Error>>()
        opening = (made, end)
        appearance = outsideOfTurns { [input] in
            do {
                try await host.mount(input)
                end.settle(.success(()))
            } catch {
                end.settle(.failure(error))
            }
        }
        defer { opening = nil }
        try await end.value.get()
    }

    func cover() async { await host?.cover() }

    func uncover() async {
        guard let host else { return }
        await withCheckedContinuation { continuation in
            // The host begins its turn before the transition continues, so a later call comes after it.
            appearance = outsideOfTurns {
                continuation.resume()
                await host.uncover()
            }
        }
    }

    func close() async { await host?.unmount() }

    func endAppearance() async { await appearance?.value }

    private func rendered(_ output: P.Output) {
        let opening = opening.take()
        if let opening, let context { opening.made(context) }
        render(output)
        opening?.end.settle(.success(()))
    }

    /// Runs `operation` in a task that no transition waits for, so it may navigate.
    private func outsideOfTurns(_ operation: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        Turns.$current.withValue(nil) { Task.onMainActor(operation) }
    }
}

/// What a screen keeps of itself while it has no context.
package struct ScreenImage: Sendable, Hashable {
    /// The format belongs to the ``ScreenImaging`` that made it.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// Makes the images of contexts, and restores contexts from them.
@MainActor
package protocol ScreenImaging: AnyObject {
    /// The image of a covered context that ends and may be made again; nil if it has none.
    func image(of context: any Context) -> ScreenImage?

    /// Restores a new context, before its first output is rendered and before it appears. An image that does not fit
    /// changes nothing.
    func restore(_ image: ScreenImage, to context: any Context)
}

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
