// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP

/// Actions over HTTP, as `Dashboards/web/PROTOCOL.md` describes them.
extension DashboardRoutes {
    /// The most bytes of a body.
    private static let bodyLimit = 4_096

    var actionRoutes: [HTTPRoute] {
        [route("/api/actions") { answer($0, dashboard.listActions()) }]
            + ActionSubject.allCases.map { subject in
                .post("/api/actions/\(subject)", maximumBodyBytes: Self.bodyLimit) { [access, cache] request in
                    if let refusal = access.refusal(request) { return refusal }
                    let isAllowed = dashboard.features.contains(.allowsActions)
                    guard isAllowed else { return answer(request, dashboard.listActions()) }
                    if let refusal = access.refusalOfAction(request) { return refusal }
                    let response = answer(request, dashboard.perform(subject, request.body))
                    await cache.removeAll()
                    return response
                }
            }
    }
}
