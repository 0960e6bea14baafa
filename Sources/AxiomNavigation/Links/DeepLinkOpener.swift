// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Foundation

/// Opens deep links on one flow, and counts them.
@MainActor
public final class DeepLinkOpener<R: Route> {
    private enum Source {
        case table(DeepLinkTable<R>)
        case handler(any DeepLinkHandler<R>)
    }

    private let source: Source
    private weak var target: (any DeepLinkTarget<R>)?
    private let signals: LinkSignals
    /// The longest link that a handler gets, in bytes.
    private let maximumLength: Int

    init(_ table: DeepLinkTable<R>, _ target: any DeepLinkTarget<R>, _ orchestrator: Orchestrator) {
        source = .table(table)
        maximumLength = table.maximumLength
        self.target = target
        signals = LinkSignals(orchestrator, patterns: table.patterns.map(\.description))
    }

    init(
        _ handler: any DeepLinkHandler<R>,
        _ target: any DeepLinkTarget<R>,
        _ orchestrator: Orchestrator,
        maximumLength: Int
    ) {
        source = .handler(handler)
        self.maximumLength = maximumLength
        self.target = target
        signals = LinkSignals(orchestrator, patterns: [String(describing: type(of: handler))])
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
        let pattern = matching(url)
        let routes: [R]
        do {
            routes = try await self.routes(url)
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

    /// Whether a pattern or the handler accepts `url`.
    func canOpen(_ url: String) -> Bool {
        matching(url) != nil
    }

    /// Whether the flow still exists.
    var isAlive: Bool { target != nil }

    /// Whether it opens links on `flow`.
    func opens(on flow: any DeepLinkTarget<R>) -> Bool { target === flow }

    /// The number of the pattern that matches. A handler has one pattern.
    private func matching(_ url: String) -> Int? {
        switch source {
        case .table(let table): (try? table.parse(url)).flatMap(table.pattern)
        case .handler(let handler): (try? parsed(url)).map(handler.canHandle) == true ? 0 : nil
        }
    }

    private func routes(_ url: String) async throws -> [R] {
        switch source {
        case .table(let table): return try table.routes(for: url)
        case .handler(let handler):
            return try await handler.routes(from: try accepted(url, by: handler))
        }
    }

    private func accepted(_ text: String, by handler: any DeepLinkHandler<R>) throws -> URL {
        let url = try parsed(text)
        guard handler.canHandle(url) else { throw NavigationError.unknownRoute(url.path()) }
        return url
    }

    private func parsed(_ text: String) throws -> URL {
        do throws(LinkProblem) {
            _ = try LinkText(text, maximumLength: maximumLength)
            guard let url = URL(string: text) else {
                throw LinkProblem("the platform refuses it", at: 0, "Percent-encode its special characters.")
            }
            return url
        } catch {
            throw NavigationError.invalidLink(error)
        }
    }
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
