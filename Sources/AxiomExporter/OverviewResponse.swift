// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomMetrics

/// The overview page as HTTP serves it.
enum OverviewResponse {
    static let stylesheetPath = "/overview.css"

    private static let links = [
        OverviewPage.Link("/metrics", "Metrics"),
        OverviewPage.Link("/healthz", "Health"),
        OverviewPage.Link("/readyz", "Readiness"),
    ]

    /// The page loads nothing but its own style sheet and runs nothing.
    private static let security: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    ]

    static let stylesheet: HTTPResponse = {
        var headers = security
        headers["Content-Type"] = "text/css; charset=utf-8"
        // Small, and never older than the page that it styles.
        headers["Cache-Control"] = "no-cache"
        return HTTPResponse(headers: headers, body: HTTPBody(OverviewStyle.css))
    }()

    static func page(_ snapshot: Snapshot) -> HTTPResponse {
        let page = OverviewPage(Overview(snapshot), links: links, stylesheet: stylesheetPath)
        var headers = security
        headers["Content-Type"] = "text/html; charset=utf-8"
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(headers: headers, body: HTTPBody(page.html))
    }
}
