// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomResilience
import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    static let traceparent = Self("traceparent")!
}

extension RequestOrigin {
    /// What a request of HTTP says about its caller.
    init(_ request: Request) {
        var values = AppValues()
        if let language = request.headers[.acceptLanguage] { values[Language.self] = String(language.prefix(2)) }
        self.init(traceparent: request.headers[.traceparent], timeLimit: .seconds(2), values: values)
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
        } catch let error as OutOfStock {
            throw HTTPError(.conflict, message: error.message)
        }
    }
}

extension Router {
    /// Serves the stock. The health of the process is no request of the handler, so it answers under overload, too.
    func serve(_ stock: Endpoint<StockHandler>) {
        get("/health") { _, _ in "ok" }
        let stockRoutes = group("/stock/{item}").add(middleware: ErrorAnswers())
        stockRoutes.get { request, call in
            String(try await stock.request(.count(call.parameters.require("item")), from: RequestOrigin(request)))
        }
        stockRoutes.post("take") { request, call in
            String(try await stock.request(.take(call.parameters.require("item")), from: RequestOrigin(request)))
        }
    }
}
