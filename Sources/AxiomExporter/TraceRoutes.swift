// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomInstrumentation

/// The activity, the traces and explanations over HTTP, as `Dashboards/web/PROTOCOL.md` describes them.
extension DashboardRoutes {
    var traceRoutes: [HTTPRoute] {
        [
            route("/api/activity") { activity($0) },
            route("/api/explanation") { explanation($0) },
            route("/api/traces") { Self.json($0, dashboard.traces()) },
            route("/api/traces/{id}") { trace($0) },
            route("/trace/{id}") { openPage($0) },
            route("/api/scenario", .second) { scenario($0) },
        ]
    }

    private func activity(_ request: HTTPRequest) -> HTTPResponse {
        do throws(QueryError) {
            return Self.json(request, dashboard.activity(try ActivityQuery { request.queryValue($0) }))
        } catch {
            return Self.refuse(error)
        }
    }

    private func explanation(_ request: HTTPRequest) -> HTTPResponse {
        do throws(QueryError) {
            let action = request.queryValue("action").flatMap { $0.isEmpty ? nil : $0 }
            return Self.json(request, try dashboard.explanation(of: request.queryValue("component") ?? "", action))
        } catch {
            return Self.refuse(error, status: .notFound)
        }
    }

    private func trace(_ request: HTTPRequest) -> HTTPResponse {
        do throws(QueryError) {
            let id = try Self.id(of: request)
            if let json = dashboard.trace(id) { return Self.json(request, json) }
            return Self.refuse(.unknownTrace("id", id), status: .notFound)
        } catch {
            return Self.refuse(error)
        }
    }

    /// Opens the page on a trace: the target of links from exemplars.
    private func openPage(_ request: HTTPRequest) -> HTTPResponse {
        do throws(QueryError) {
            let id = try Self.id(of: request)
            var headers = Self.headers("text/plain; charset=utf-8")
            headers["Location"] = "../\(access.query(of: request))#trace=\(id)"
            return HTTPResponse(status: .seeOther, headers: headers)
        } catch {
            return Self.refuse(error)
        }
    }

    /// The recorded actions as a Swift test, for the link "Save as test".
    private func scenario(_ request: HTTPRequest) -> HTTPResponse {
        var headers = Self.headers("text/plain; charset=utf-8")
        guard let test = dashboard.recordedTest else {
            let reason = dashboard.refusal(of: .recordsPayloads) + "\n"
            return HTTPResponse(status: .notFound, headers: headers, body: Array(reason.utf8))
        }
        headers["Content-Disposition"] = "attachment; filename=\"RecordedScenarioTests.swift\""
        return HTTPResponse(headers: headers, body: Array(test.utf8))
    }

    private static func id(of request: HTTPRequest) throws(QueryError) -> TraceID {
        let text = request.parameters["id"] ?? ""
        guard let id = TraceID(text) else {
            throw QueryError("id", text, "give the id of a trace: 32 hexadecimal digits that are not all 0")
        }
        return id
    }

    /// The response to a request that cannot be answered, in JSON.
    static func refuse(_ error: QueryError, status: HTTPStatus = .badRequest) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers("application/json"), body: error.json)
    }
}
