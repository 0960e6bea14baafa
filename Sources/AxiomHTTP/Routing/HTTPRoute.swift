// SPDX-License-Identifier: Apache-2.0

/// A method, a path and what answers them.
///
/// The path is matched exactly and with case, part by part; a part written `{name}` matches any one non-empty part and hands it
/// to the handler as a parameter. A literal part wins over a parameter. A `GET` route answers `HEAD` too.
public struct HTTPRoute: Sendable {
    /// A handler that may wait. Its connection is set aside meanwhile and holds no thread.
    public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse
    /// A handler that answers at once, on the network thread.
    public typealias ImmediateHandler = @Sendable (HTTPRequest) throws -> HTTPResponse

    /// A handler that answers at once, on the network thread, or returns nil if it would wait.
    package typealias Attempt = @Sendable (HTTPRequest) throws -> HTTPResponse?

    enum Action: Sendable {
        case async(Handler)
        case immediate(ImmediateHandler)
        case attempt(Attempt, otherwise: Handler)
    }

    /// The method that the route answers.
    public let method: HTTPMethod
    /// The path as it was given, such as `/orders/{id}`.
    public let path: String
    /// The most bytes that a body may have; a longer one is answered 413. 0 where no body is expected.
    public let maximumBodyBytes: Int
    /// Whether the route has a reserve; see ``reserved()``.
    public private(set) var isReserved = false
    let action: Action

    private init(method: HTTPMethod, path: String, maximumBodyBytes: Int, action: Action) {
        self.method = method
        self.path = path
        self.maximumBodyBytes = maximumBodyBytes
        self.action = action
    }

    /// A route for any method, with a handler that may wait.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, such as `/orders/{id}`. ``HTTPRouter`` checks it.
    ///   - maximumBodyBytes: The most bytes that the body of a request may have; 0 or more, and no more than the
    ///     server's `maximumBodyBytes`.
    ///   - handler: Answers the request. Its task is cancelled when the client goes away. When it throws, the client
    ///     gets a bare 500 and the server's `onFailure` the error.
    public static func on(
        _ method: HTTPMethod,
        _ path: String,
        maximumBodyBytes: Int = 0,
        handler: @escaping Handler
    ) -> HTTPRoute {
        HTTPRoute(method: method, path: path, maximumBodyBytes: maximumBodyBytes, action: .async(handler))
    }

    /// A `GET` (and `HEAD`) route with a handler that may wait.
    public static func get(_ path: String, handler: @escaping Handler) -> HTTPRoute {
        on(.get, path, handler: handler)
    }

    /// A `POST` route with a handler that may wait; a body may have up to `maximumBodyBytes` bytes.
    public static func post(_ path: String, maximumBodyBytes: Int, handler: @escaping Handler) -> HTTPRoute {
        on(.post, path, maximumBodyBytes: maximumBodyBytes, handler: handler)
    }

    /// A `GET` (and `HEAD`) route whose handler runs on a thread of the server's pool, which saves two changes of
    /// thread. For work that neither waits nor blocks, such as encoding metrics: meanwhile the thread serves no
    /// other connection.
    public static func immediate(_ path: String, handler: @escaping ImmediateHandler) -> HTTPRoute {
        HTTPRoute(method: .get, path: path, maximumBodyBytes: 0, action: .immediate(handler))
    }

    /// A `GET` (and `HEAD`) route that tries to answer on a thread of the server's pool. If `attempt` returns nil,
    /// `handler` answers, and may wait. What holds for ``immediate(_:handler:)`` holds for `attempt`.
    package static func get(
        _ path: String,
        attempt: @escaping Attempt,
        otherwise handler: @escaping Handler
    ) -> HTTPRoute {
        HTTPRoute(method: .get, path: path, maximumBodyBytes: 0, action: .attempt(attempt, otherwise: handler))
    }

    /// The same route with a reserve, for metrics and health checks: a connection whose first request is for it is served
    /// before others, also from the last sixteenth of the connection limits, and is the last that is dropped while it
    /// waits for its next request. Has no effect on a route with parameters.
    public func reserved() -> HTTPRoute {
        var route = self
        route.isReserved = true
        return route
    }
}
