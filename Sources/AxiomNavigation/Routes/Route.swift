// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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
    public init(_ key: some PrefetchKey) { self.key = key }

    /// Whether both require the value of the same key.
    public static func == (left: Self, right: Self) -> Bool { left.key.isEqual(to: right.key) }

    /// Hashes the type of the key and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: key)))
        key.hash(into: &hasher)
    }
}

extension PrefetchKey {
    fileprivate func isEqual(to other: any PrefetchKey) -> Bool { self == other as? Self }
}

/// Checks the routes of an application without a flow, as `start()` checks those of each flow.
public enum RouteValidator {
    /// Checks that the routes have samples, and that their identifiers are unique and valid labels of metrics.
    ///
    /// - Throws: ``CompositionError`` with the first mistake.
    public static func validate<R: Route>(_ routes: R.Type) throws {
        if let mistake = mistakes(routes).first {
            throw CompositionError(.invalidFlow, "The routes \(R.self): \(mistake.problem).", mistake.remedy)
        }
    }

    /// A clause that says what is wrong, and what to change.
    typealias Mistake = (problem: String, remedy: String)

    static func mistakes<R: Route>(_ routes: R.Type) -> [Mistake] {
        R.samples.compactMap { mistake(inName: $0.identifier, as: "the identifier of a route") } + repetitions(routes)
    }

    /// The mistake in a label of metrics; nil if it is valid.
    static func mistake(inName text: String, as role: String) -> Mistake? {
        guard !isIdentifier(text) else { return nil }
        return (
            "\(role), \(text.prefix(80).debugDescription), is not [a-zA-Z][a-zA-Z0-9_]* of at most 64 characters",
            "Use letters, digits and underscores, a letter first: it is a label of metrics."
        )
    }

    private static func isIdentifier(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x5F }
    }

    private static func repetitions<R: Route>(_ routes: R.Type) -> [Mistake] {
        guard !R.samples.isEmpty else {
            return [("\(R.self) has no samples", "List one route of each identifier in \(R.self).samples.")]
        }
        let counts = R.samples.reduce(into: [:]) { $0[$1.identifier, default: 0] += 1 }
        return counts.filter { $0.value > 1 }.keys.sorted().map { identifier in
            (
                "\(counts[identifier, default: 0]) samples of \(R.self) have the identifier \(identifier)",
                "Give each destination its own identifier, and list one sample of each."
            )
        }
    }
}
