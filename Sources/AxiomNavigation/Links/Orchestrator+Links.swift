// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Foundation

/// The outcome of a deep link.
public enum DeepLinkOutcome: Sendable, Hashable {
    /// Its routes are shown, or middleware chose another route, such as a sign-in.
    case opened
    /// Middleware or the flow refused; nothing changed.
    case refused(reason: String)
}

extension Orchestrator {
    /// Opens deep links on `flow`: those that a pattern of `table` matches.
    ///
    /// ```swift
    /// let links = orchestrator.openLinks(with: table, on: flow)
    /// try await orchestrator.handleDeepLink("shop://product/7")
    /// ```
    /// An application with several flows calls this once for each. The orchestrator does not keep the flow.
    ///
    /// - Returns: Opens links on this flow alone, even if other flows accept them too.
    @discardableResult
    public func openLinks<R: Route>(
        with table: DeepLinkTable<R>,
        on flow: any DeepLinkTarget<R>
    ) -> DeepLinkOpener<R> {
        attach(
            DeepLinkOpener(on: flow, self, patterns: table.patterns.map(\.description)) { text in
                let match = try table.match(text)
                return LinkMatch(pattern: match.pattern) { try table.routes(of: match) }
            }
        )
    }

    /// Opens deep links on `flow`: those that `handler` accepts.
    ///
    /// - Parameter maximumLength: The longest URL that the handler gets, in bytes: 1 or more, 16 KiB by default. The part
    ///   before the query and the fragment has at most 2,048 bytes.
    @discardableResult
    public func openLinks<R: Route>(
        with handler: any DeepLinkHandler<R>,
        on flow: any DeepLinkTarget<R>,
        maximumLength: Int = 16_384
    ) -> DeepLinkOpener<R> {
        attach(
            DeepLinkOpener(on: flow, self, patterns: [String(describing: type(of: handler))]) { text in
                let url = try Self.url(text, maximumLength)
                guard handler.canHandle(url) else { throw NavigationError.unknownRoute(url.path()) }
                return LinkMatch(pattern: 0) { try await handler.routes(from: url) }
            }
        )
    }

    /// Opens a link from outside on the first flow that accepts it. A link that arrives before the launch waits for it, as
    /// in ``DeepLinkOpener/open(_:)-(URL)``.
    ///
    /// - Throws: ``Axiom/NavigationError`` if no flow accepts it, with the nearest pattern of the first flow as a hint;
    ///   what the link, the middleware or the transition throws.
    @discardableResult
    public func handleDeepLink(_ url: URL) async throws -> DeepLinkOutcome {
        try await handleDeepLink(url.absoluteString)
    }

    /// Opens a link from outside on the first flow that accepts it.
    ///
    /// - Throws: As for a `URL`.
    @discardableResult
    public func handleDeepLink(_ url: String) async throws -> DeepLinkOutcome {
        try await LinkAttempt.first(of: linkOpeners.lazy.map { $0.attempt(url) }).open()
    }

    /// The link as a `URL`, for a handler that splits it itself.
    private static func url(_ text: String, _ maximumLength: Int) throws -> URL {
        _ = try LinkText(reading: text, maximumLength: maximumLength)
        guard let url = URL(string: text) else {
            let remedy = "Percent-encode its special characters."
            throw NavigationError.invalidLink(LinkProblem("the platform refuses it", at: 0, remedy))
        }
        return url
    }

    private func attach<R: Route>(_ opener: DeepLinkOpener<R>) -> DeepLinkOpener<R> {
        let table = attachments[DeepLinkOpeners.key] as? DeepLinkOpeners ?? DeepLinkOpeners()
        table.openers = linkOpeners + [opener]
        attachments[DeepLinkOpeners.key] = table
        return opener
    }

    /// The openers whose flows have not ended, in the order in which they were made.
    fileprivate var linkOpeners: [any AnyDeepLinkOpener] {
        (attachments[DeepLinkOpeners.key] as? DeepLinkOpeners)?.openers.filter(\.isAlive) ?? []
    }
}

extension NavigationFlow: DeepLinkTarget {
    /// Goes back to the root, and shows the routes of a link. The table or handler is the one that was given to
    /// `Orchestrator.openLinks(with:on:)` for this flow.
    ///
    /// - Throws: As ``DeepLinkOpener/open(_:)-(URL)``.
    @discardableResult
    public func open(_ url: URL) async throws -> NavigationOutcome<R> {
        try await open(url.absoluteString)
    }

    /// Goes back to the root, and shows the routes of a link.
    ///
    /// - Throws: As for a `URL`.
    @discardableResult
    public func open(_ url: String) async throws -> NavigationOutcome<R> {
        let openers = orchestrator.linkOpeners.compactMap { $0 as? DeepLinkOpener<R> }.filter { $0.opens(on: self) }
        return try await LinkAttempt.first(of: openers.lazy.map { LinkAttempt($0, url) { $0 } }).open()
    }
}

/// A link that one opener has read.
@MainActor
private struct LinkAttempt<Outcome> {
    /// Whether the opener accepts the link.
    let isKnown: Bool
    let open: @MainActor () async throws -> Outcome

    init<R: Route>(_ opener: DeepLinkOpener<R>, _ url: String, _ outcome: @escaping (NavigationOutcome<R>) -> Outcome) {
        let reading = opener.read(url)
        isKnown = if case .success = reading { true } else { false }
        open = { outcome(try await opener.open(reading)) }
    }

    /// The first attempt that knows the link; the first one of all, with its error, if none does.
    static func first(of attempts: some Sequence<Self>) throws -> Self {
        var first: Self?
        for attempt in attempts {
            if attempt.isKnown { return attempt }
            first = first ?? attempt
        }
        guard let first else { throw NavigationError.noLinkHandler() }
        return first
    }
}

/// An opener of any type of routes.
@MainActor
private protocol AnyDeepLinkOpener {
    var isAlive: Bool { get }
    func attempt(_ url: String) -> LinkAttempt<DeepLinkOutcome>
}

extension DeepLinkOpener: AnyDeepLinkOpener {
    fileprivate func attempt(_ url: String) -> LinkAttempt<DeepLinkOutcome> {
        LinkAttempt(self, url) { if case .refused(let reason) = $0 { .refused(reason: reason) } else { .opened } }
    }
}

/// The openers of an orchestrator.
@MainActor
private final class DeepLinkOpeners {
    static nonisolated let key = ObjectIdentifier(DeepLinkOpeners.self)
    var openers: [any AnyDeepLinkOpener] = []
}
