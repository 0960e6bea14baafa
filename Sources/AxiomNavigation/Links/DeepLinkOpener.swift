// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Foundation

/// A link that a table or a handler accepts.
struct LinkMatch<R: Route>: Sendable {
    /// The number of the pattern that matches. A handler has one pattern.
    let pattern: Int
    /// Finds the routes. The code of the application runs when the link is opened, and not before.
    let routes: @Sendable () async throws -> [R]
}

/// Opens deep links on one flow, and counts them.
@MainActor
public final class DeepLinkOpener<R: Route> {
    /// A link that was read, and that is to be opened.
    typealias Reading = Result<LinkMatch<R>, any Error>

    private weak var target: (any DeepLinkTarget<R>)?
    private let signals: LinkSignals
    private let match: (String) throws -> LinkMatch<R>

    /// - Parameters:
    ///   - patterns: The patterns by which links are counted.
    ///   - match: Reads a link. Throws if the link is invalid or unknown.
    init(
        on target: any DeepLinkTarget<R>,
        _ orchestrator: Orchestrator,
        patterns: [String],
        match: @escaping (String) throws -> LinkMatch<R>
    ) {
        self.target = target
        self.match = match
        signals = LinkSignals(orchestrator, patterns: patterns)
    }

    /// Goes back to the root of the flow, and shows the routes of `url`, as one transition that middleware sees.
    ///
    /// If the target is a ``NavigationFlow``, a link that arrives before the application runs, or before its
    /// ``AppLifecycle`` has launched it, waits for that, at most 60 s. If a later link arrives meanwhile, only that one is
    /// opened, and this returns a refusal. A link that is invalid or unknown throws at once.
    ///
    /// - Throws: ``Axiom/NavigationError`` if the link is invalid or unknown or the flow has ended; what the link, the
    ///   middleware or the transition throws.
    @discardableResult
    public func open(_ url: URL) async throws -> NavigationOutcome<R> {
        try await open(url.absoluteString)
    }

    /// Goes back to the root of the flow, and shows the routes of `url`, as one transition that middleware sees.
    ///
    /// - Throws: As for a `URL`.
    @discardableResult
    public func open(_ url: String) async throws -> NavigationOutcome<R> {
        try await open(read(url))
    }

    /// Reads a link, once for ``open(_:)-(Reading)``.
    func read(_ url: String) -> Reading { Reading { try match(url) } }

    func open(_ reading: Reading) async throws -> NavigationOutcome<R> {
        let pattern = try? reading.get().pattern
        let routes: [R]
        do {
            routes = try await reading.get().routes()
        } catch {
            signals.count(pattern, (error as? NavigationError)?.isAboutLink == true ? .unknown : .failed)
            throw error
        }
        do {
            guard let target else { throw NavigationError.noLinkHandler() }
            let outcome = try await target.reset(to: routes, from: .deepLink)
            signals.count(pattern, outcome.isRefused ? .refused : .opened)
            return outcome
        } catch {
            signals.count(pattern, .failed)
            throw error
        }
    }

    /// Whether the flow still exists.
    var isAlive: Bool { target != nil }

    /// Whether it opens links on `flow`.
    func opens(on flow: any DeepLinkTarget<R>) -> Bool { target === flow }
}

extension NavigationOutcome {
    var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}

extension NavigationError {
    /// Whether the link has no routes, so that nothing was tried.
    var isAboutLink: Bool { code == .unknownRoute || code == .invalidLink }
}

/// The signals of the deep links of one flow.
struct LinkSignals: Sendable {
    /// The outcome of a link.
    enum Outcome: String, CaseIterable {
        /// Its routes are shown, or middleware chose another route, such as a sign-in.
        case opened
        /// Middleware or the flow refused.
        case refused
        /// It is invalid, no pattern matches, or the link has no routes.
        case unknown
        /// The link, middleware or the transition threw an error.
        case failed
    }

    static let family = SignalFamily(
        "axiom_deep_links_total",
        .counter,
        help: "Deep links by the pattern that matched, and by what became of them.",
        labels: ["pattern", "outcome"]
    )
    /// The pattern of links that match none.
    static let noPattern = "none"

    /// By the pattern and the outcome. Empty if nothing observes.
    private let known: [[Outcome: any Signal]]
    private let unmatched: [Outcome: any Signal]

    /// Binds all signals: four for each pattern.
    @MainActor
    init(_ orchestrator: Orchestrator, patterns: [String]) {
        known = patterns.map { Self.family.signals(after: [$0], orchestrator.signal) }
        unmatched = Self.family.signals(after: [Self.noPattern], orchestrator.signal)
    }

    func count(_ pattern: Int?, _ outcome: Outcome) {
        let signals = pattern.map { known[$0] } ?? unmatched
        signals[outcome]?.add(1)
    }
}
