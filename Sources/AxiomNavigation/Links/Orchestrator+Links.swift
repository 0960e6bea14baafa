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
        attach(DeepLinkOpener(table, flow, self))
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
        attach(DeepLinkOpener(handler, flow, self, maximumLength: maximumLength))
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
        guard let opener = linkOpeners.first(where: { $0.canOpen(url) }) ?? linkOpeners.first else {
            throw NavigationError.noLinkHandler()
        }
        return try await opener.handle(url)
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
        guard let opener = openers.first(where: { $0.canOpen(url) }) ?? openers.first else {
            throw NavigationError.noLinkHandler()
        }
        return try await opener.open(url)
    }
}

/// An opener of any type of routes.
@MainActor
private protocol AnyDeepLinkOpener {
    var isAlive: Bool { get }
    func canOpen(_ url: String) -> Bool
    func handle(_ url: String) async throws -> DeepLinkOutcome
}

extension DeepLinkOpener: AnyDeepLinkOpener {
    fileprivate func handle(_ url: String) async throws -> DeepLinkOutcome {
        if case .refused(let reason) = try await open(url) { return .refused(reason: reason) }
        return .opened
    }
}

/// The openers of an orchestrator.
@MainActor
private final class DeepLinkOpeners {
    static nonisolated let key = ObjectIdentifier(DeepLinkOpeners.self)
    var openers: [any AnyDeepLinkOpener] = []
}
