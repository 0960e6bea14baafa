// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import Axiom
public import SwiftUI

/// Shows a presentation whose output is a view: mounts it while the view is visible.
///
/// ```swift
/// PresentationView(CartPage.self, orchestrator) { ProgressView() }
/// ```
@MainActor
public struct PresentationView<P: Presentation, Waiting: View>: View where P.Output: View {
    @State private var model: PresentationModel<P>
    private let input: P.ContextType.Input
    private let waiting: Waiting

    /// Creates a view of a presentation.
    ///
    /// - Parameters:
    ///   - type: The presentation.
    ///   - orchestrator: Makes its context.
    ///   - input: The input of the context. A later value has no effect while the view is visible; give the view another
    ///     `id` to mount the presentation again.
    ///   - labels: The words of an error of the mount.
    ///   - waiting: Shown before the first output.
    public init(
        _ type: P.Type = P.self,
        _ orchestrator: Orchestrator,
        _ input: P.ContextType.Input,
        labels: ErrorLabels = .fallback,
        @ViewBuilder waiting: () -> Waiting
    ) {
        _model = State(wrappedValue: PresentationModel(type, orchestrator, labels: labels))
        self.input = input
        self.waiting = waiting()
    }

    /// The output, or what replaces it. A stack is one view, so that another phase is not another appearance.
    public var body: some View {
        ZStack {
            switch model.phase {
            case .waiting: waiting
            case .shown(let output): output
            case .failed(let error): ErrorView(error) { _ in await model.appear(input) }
            }
        }
        .task { await model.appear(input) }
        .onDisappear { Task { await model.disappear() } }
    }
}

extension PresentationView where P.ContextType.Input == Void {
    /// Creates a view of a presentation whose context takes no input.
    ///
    /// - Parameters:
    ///   - type: The presentation.
    ///   - orchestrator: Makes its context.
    ///   - waiting: Shown before the first output.
    public init(_ type: P.Type = P.self, _ orchestrator: Orchestrator, @ViewBuilder waiting: () -> Waiting) {
        self.init(type, orchestrator, (), waiting: waiting)
    }
}
#endif
