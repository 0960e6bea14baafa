// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Observation

/// Shows and changes the appearance, for a settings screen.
///
/// ```swift
/// await context.send(.setTheme(.dark))
/// ```
/// A value that is not valid changes nothing, and its error is the current one of the context's boundary.
@Observable
public final class AppearanceContext: Context {
    /// The changes of the appearance.
    public typealias ActionType = AppearanceAction

    /// Its identity.
    @ObservationIgnored public let identity: ComponentIdentity
    @ObservationIgnored private let client: any Client<Appearance, AppearanceAction>
    /// The appearance.
    public private(set) var appearance = Appearance.fallback

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(AppearanceClient.self)
        appearance = values[Appearance.self]
    }

    /// Follows the client.
    public func onAppear() async throws {
        observe(client) { $0.appearance = $1 }
    }

    /// Passes the change to the client.
    public func handle(_ action: AppearanceAction) async throws {
        try await client.process(action)
    }
}
