// SPDX-License-Identifier: Apache-2.0

/// A destination of the application: an enum with one case for each screen, as a rule.
///
/// ```swift
/// enum ShopRoute: Route {
///     case home
///     case product(Int)
///
///     var identifier: String {
///         switch self {
///         case .home: "home"
///         case .product: "product"
///         }
///     }
///
///     static let samples: [ShopRoute] = [.home, .product(1)]
/// }
/// ```
public protocol Route: Hashable, Sendable {
    /// The name of the destination, the same for all parameters: `[a-zA-Z][a-zA-Z0-9_]*`, at most 64 characters. It is
    /// a label of metrics.
    var identifier: String { get }
    /// How the route is shown, and what it requires. A pushed screen without conditions by default.
    var metadata: RouteMetadata { get }
    /// One route of each identifier. The orchestrator checks them, and the screens that show them, when it starts.
    static var samples: [Self] { get }
}

extension Route {
    /// A pushed screen without conditions.
    public var metadata: RouteMetadata { RouteMetadata() }
}

/// How a route is shown, and what it requires.
public struct RouteMetadata: Sendable, Hashable {
    /// Whether only a signed-in user may see the screen. A guard enforces it; nothing else reads it. False by default.
    public var requiresAuthentication: Bool
    /// The name of the screen in announcements; the route's identifier if it is nil.
    public var analyticsName: String?
    /// How the screen replaces the one before it: pushed by default.
    public var transition: TransitionStyle
    /// The values that the screen needs, which may be loaded before it is shown. None by default.
    public var prefetch: [PrefetchRequirement]

    /// Creates metadata of a pushed screen without conditions, unless given otherwise.
    public init(
        requiresAuthentication: Bool = false,
        analyticsName: String? = nil,
        transition: TransitionStyle = .push,
        prefetch: [PrefetchRequirement] = []
    ) {
        self.requiresAuthentication = requiresAuthentication
        self.analyticsName = analyticsName
        self.transition = transition
        self.prefetch = prefetch
    }
}

/// How a screen replaces the one before it.
public enum TransitionStyle: Sendable, Hashable {
    /// Covers the current screen, which is shown again on the way back.
    case push
    /// Takes the place of the current screen, which ends.
    case replace
    /// Covers the current screen with a window of its own.
    case modal(ModalStyle)

    /// The name of the style without its payload, as in the label of metrics: `push`, `replace` or `modal`.
    package var name: String {
        switch self {
        case .push: "push"
        case .replace: "replace"
        case .modal: "modal"
        }
    }
}

/// How a modal screen is framed.
public enum ModalStyle: String, Sendable, Hashable, CaseIterable {
    case sheet
    case formSheet
    case fullScreen
    case popover
}

/// Names a value that screens need: its type, and in the properties what it depends on.
///
/// ```swift
/// struct ProductKey: PrefetchKey {
///     typealias Value = Product
///     let id: Int
/// }
/// ```
public protocol PrefetchKey: Hashable, Sendable {
    /// The type of the value.
    associatedtype Value: Sendable
}

/// A value that a route needs. The flow's prefetcher has a loader for keys of this type.
public struct PrefetchRequirement: Sendable, Hashable {
    let key: any PrefetchKey

    /// Requires the value of `key`.
    public init(_ key: some PrefetchKey) {
        self.key = key
    }

    /// Whether both require the value of the same key.
    public static func == (left: Self, right: Self) -> Bool {
        left.key.isEqual(to: right.key)
    }

    /// Hashes the type of the key and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: key)))
        key.hash(into: &hasher)
    }
}

extension PrefetchKey {
    fileprivate func isEqual(to other: any PrefetchKey) -> Bool {
        self == other as? Self
    }
}
