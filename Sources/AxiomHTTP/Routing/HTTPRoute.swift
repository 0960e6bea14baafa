// SPDX-License-Identifier: Apache-2.0

/// A method, a path and their handler.
///
/// The path is matched exactly, with case, part by part. A part written `{name}` matches any one non-empty part, which the
/// handler receives as a parameter. A literal part takes precedence over a parameter. A `GET` route also serves `HEAD`.
package struct HTTPRoute: Sendable {
    /// A handler that may wait. It runs on a task whose preferred executor is a thread of the server: it occupies neither a
    /// network thread nor one of the application's pool. While it computes, the other handlers of the server wait, except
    /// that reserved routes have a thread of their own.
    package typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse
    /// A handler that runs on a network thread and does not wait.
    package typealias ImmediateHandler = @Sendable (HTTPRequest) throws -> HTTPResponse

    enum Action: Sendable {
        case async(Handler)
        case immediate(ImmediateHandler)
    }

    let method: HTTPMethod
    /// The path as it was given, such as `/orders/{id}`.
    let path: String
    /// The most bytes that the body of a request may have; a longer one is answered 413.
    let maximumBodyBytes: Int
    /// Whether the route has a reserve; see ``reserved()``.
    private(set) var isReserved = false
    /// Whether the route tells a supervisor how the program is; see ``healthCheck()``.
    private(set) var isHealthCheck = false
    let action: Action

    private init(method: HTTPMethod, path: String, maximumBodyBytes: Int, action: Action) {
        self.method = method
        self.path = path
        self.maximumBodyBytes = maximumBodyBytes
        self.action = action
    }

    /// Creates a `GET` (and `HEAD`) route with a handler that may wait.
    ///
    /// - Parameters:
    ///   - path: The path, such as `/orders/{id}`: written decoded and without query.
    ///   - handler: Responds to the request. Its task is cancelled when the client disconnects. If it throws, the client
    ///     receives a bare 500 and the server's `onFailure` the error.
    package static func get(_ path: String, handler: @escaping Handler) -> HTTPRoute {
        HTTPRoute(method: .get, path: path, maximumBodyBytes: 0, action: .async(handler))
    }

    /// Creates a `POST` route with a handler that may wait, for bodies of up to `maximumBodyBytes` bytes; the server's
    /// `maximumBodyBytes` applies too.
    package static func post(_ path: String, maximumBodyBytes: Int, handler: @escaping Handler) -> HTTPRoute {
        HTTPRoute(method: .post, path: path, maximumBodyBytes: maximumBodyBytes, action: .async(handler))
    }

    /// Creates a `GET` (and `HEAD`) route whose handler runs on a network thread, which saves two thread switches. The
    /// handler must neither wait nor block: the thread serves no other connection while it runs.
    package static func immediate(_ path: String, handler: @escaping ImmediateHandler) -> HTTPRoute {
        HTTPRoute(method: .get, path: path, maximumBodyBytes: 0, action: .immediate(handler))
    }

    /// Returns the same route with reserved connections, for metrics and health checks. A connection whose first request
    /// is for it is admitted before others, also to the last sixteenth of the connection limits, and is dropped after
    /// others while it is idle. Has no effect on a route with parameters.
    package func reserved() -> HTTPRoute {
        var route = self
        route.isReserved = true
        return route
    }

    /// Returns the same route, reserved, and without credentials if ``HTTPAuthentication/exemptsHealthChecks``.
    package func healthCheck() -> HTTPRoute {
        var route = reserved()
        route.isHealthCheck = true
        return route
    }
}
