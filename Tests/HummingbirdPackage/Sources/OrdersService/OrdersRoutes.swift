// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomResilience
import HTTPTypes
import Hummingbird
import Logging

/// Runs each request in a span, which continues the trace of the caller. So each line of its log has the id of the trace, those
/// of the middleware too.
struct TraceMiddleware<Context: RequestContext>: RouterMiddleware {
    let telemetry: Telemetry

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let caller = HTTPField.Name("traceparent").flatMap { request.headers[$0] }
        return try await telemetry.span("HTTP", continuing: caller) { try await next(request, context) }
    }
}

/// Answers errors of requests with the status that tells the caller what to do.
struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as RequestError {
            if error.code == .requestTooLate { throw HTTPError(.gatewayTimeout, message: error.message) }
            var headers = HTTPFields()
            if let wait = error.retryAfter { headers[.retryAfter] = "\(Int((wait / .seconds(1)).rounded(.up)))" }
            throw HTTPError(.serviceUnavailable, headers: headers, message: error.message)
        } catch let error as CircuitError {
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: error.message)
        } catch let error as CircuitOpenError {
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: error.message)
        } catch let error as TimeoutError {
            throw HTTPError(.gatewayTimeout, message: error.message)
        } catch let error as ValidationError {
            throw HTTPError(.badRequest, message: error.message)
        } catch let error as OrdersError {
            if case .unknownItem = error { throw HTTPError(.notFound, message: error.message) }
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "5"], message: error.message)
        }
    }
}

extension Router {
    /// Serves the orders. Requests of other paths are counted and not logged.
    func serve(_ orders: Endpoint<OrdersHandler>, _ telemetry: Telemetry) {
        add(middleware: MetricsMiddleware())
        let routes = group("/orders")
            .add(middleware: TraceMiddleware(telemetry: telemetry))
            .add(middleware: LogRequestsMiddleware(.info))
            .add(middleware: ErrorAnswers())
        routes.get { _, _ in
            try await orders.request(.open, from: RequestOrigin(timeLimit: .seconds(20)))
        }
        routes.post("{item}") { _, call in
            try await orders.request(
                .place(call.parameters.require("item")),
                from: RequestOrigin(timeLimit: .seconds(20))
            )
        }
    }
}
