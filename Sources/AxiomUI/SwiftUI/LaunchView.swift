// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// Launches the application and shows its content when it runs. The scene's phase becomes that of the application.
///
/// ```swift
/// @main
/// struct ShopApp: App {
///     let shop = Shop()
///     var body: some Scene {
///         WindowGroup {
///             LaunchView(shop.launch) { NavigationFlowView(shop.navigation) } launching: { ProgressView() }
///         }
///     }
/// }
/// ```
@MainActor
public struct LaunchView<Content: View, Launching: View>: View {
    @Environment(\.scenePhase) private var scenePhase
    private let model: LaunchModel
    private let content: Content
    private let launching: Launching

    /// Creates a launch view. Keep the model outside of the view.
    ///
    /// - Parameters:
    ///   - model: The launch.
    ///   - content: Shown when the application runs.
    ///   - launching: Shown before that.
    public init(
        _ model: LaunchModel,
        @ViewBuilder content: () -> Content,
        @ViewBuilder launching: () -> Launching
    ) {
        self.model = model
        self.content = content()
        self.launching = launching()
    }

    /// The content, or what replaces it.
    public var body: some View {
        ZStack {
            switch model.state {
            case .launching: launching
            case .failed(let error): ErrorView(error) { _ in await model.retry() }
            case .running: content
            }
        }
        .onChange(of: scenePhase, initial: true) { _, phase in
            guard let activity = SceneActivity(phase) else { return }
            Task { await model.scene(is: activity) }
        }
    }
}

extension SceneActivity {
    /// The activity of a phase; nil for one that a later system adds.
    package init?(_ phase: ScenePhase) {
        switch phase {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        @unknown default: return nil
        }
    }
}
#endif
