// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import Axiom
public import SwiftUI

extension View {
    /// Shows the current error of a boundary over this view, and its notifications at the top.
    ///
    /// ```swift
    /// var body: some View { CartList(context).errorBoundary(context.errorBoundary) }
    /// ```
    ///
    /// - Parameters:
    ///   - boundary: The boundary of a context, or that of the orchestrator.
    ///   - labels: The words that do not come from the error.
    @MainActor
    public func errorBoundary(_ boundary: ErrorBoundary, labels: ErrorLabels = .fallback) -> some View {
        modifier(ErrorBoundaryModifier(boundary: boundary, labels: labels))
    }
}

@MainActor
private struct ErrorBoundaryModifier: ViewModifier {
    let boundary: ErrorBoundary
    let labels: ErrorLabels
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    func body(content: Content) -> some View {
        let shown = BoundaryPresentation(boundary, labels: labels)
        content
            .overlay(alignment: .center) { overlay(shown.error) }
            .overlay(alignment: .top) { notifications(shown) }
            .animation(reducesMotion ? nil : .default, value: shown)
    }

    @ViewBuilder
    private func overlay(_ error: ErrorPresentation?) -> some View {
        if let error {
            ZStack {
                Color.black.opacity(0.3).ignoresSafeArea().onTapGesture { boundary.dismiss(error) }
                card(error)
            }
            .transition(.opacity)
        }
    }

    private func notifications(_ shown: BoundaryPresentation) -> some View {
        VStack(spacing: 8) {
            if shown.isRecovering, shown.error == nil {
                ProgressView(shown.recoveringLabel).padding()
            }
            ForEach(shown.notifications) { notification in card(notification) }
        }
        .transition(.opacity)
    }

    private func card(_ error: ErrorPresentation) -> some View {
        ErrorView(error, of: boundary).background(.regularMaterial, in: RoundedRectangle(cornerRadius: 16)).padding()
    }
}
#endif
