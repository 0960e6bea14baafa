// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import AxiomNavigation
public import SwiftUI

/// Shows a flow of navigation: a navigation stack, and a sheet, a cover or a popover for each modal layer.
///
/// The ways back of SwiftUI (the button, a swipe, a sheet that is pulled down) become transitions of the flow.
@MainActor
public struct NavigationFlowView<R: Route, Output: View>: View {
    private let model: NavigationModel<R, Output>

    /// Creates a view of a flow. Keep the model outside of the view.
    public init(_ model: NavigationModel<R, Output>) {
        self.model = model
    }

    /// The layers of the flow. The flow opens when the view appears.
    public var body: some View {
        ZStack {
            if !model.layers.isEmpty { NavigationLayerView(model: model, index: 0) }
            if let failure = model.failure {
                ErrorView(failure) { _ in model.dismissFailure() }.onTapGesture { model.dismissFailure() }
            }
        }
        .task { await model.open() }
    }
}

/// One layer, and the layers over it.
@MainActor
private struct NavigationLayerView<R: Route, Output: View>: View {
    @Bindable var model: NavigationModel<R, Output>
    let index: Int

    var body: some View {
        if model.layers.indices.contains(index) {
            let layer = model.layers[index]
            let stack = NavigationStack(path: $model[pathOf: layer.id]) {
                // A view that is always there, because the lowest screen may have no output.
                ZStack { layer.root?.output }
                    .navigationDestination(for: Int.self) { id in layer.screens.first { $0.id == id }?.output }
            }
            #if os(macOS)
            stack.sheet(item: $model[modalOver: index, framed: [.sheet, .formSheet, .fullScreen]]) { _ in next }
                .popover(item: $model[modalOver: index, framed: [.popover]]) { _ in next }
            #elseif os(tvOS) || os(watchOS)
            stack.sheet(item: $model[modalOver: index, framed: [.sheet, .formSheet, .popover]]) { _ in next }
                .fullScreenCover(item: $model[modalOver: index, framed: [.fullScreen]]) { _ in next }
            #else
            stack.sheet(item: $model[modalOver: index, framed: [.sheet, .formSheet]]) { _ in next }
                .fullScreenCover(item: $model[modalOver: index, framed: [.fullScreen]]) { _ in next }
                .popover(item: $model[modalOver: index, framed: [.popover]]) { _ in next }
            #endif
        }
    }

    private var next: NavigationLayerView { NavigationLayerView(model: model, index: index + 1) }
}
#endif
