// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomMetrics

/// What a request asks of the page of metrics.
struct ScrapeRequest: Hashable, Sendable {
    /// The request cannot be answered.
    struct Refusal: Error {
        /// What to do instead.
        let message: String
    }

    /// The most `name[]` items of a request.
    static let maximumNames = 200

    /// How the page is written.
    let format: ExpositionFormat
    /// The names to which the page is limited, sorted; empty for all.
    let names: [String]
    /// Whether the page is made to be read by a person, in a browser.
    let isReadable: Bool
    /// Whether the page is compressed.
    let isCompressed: Bool

    /// Reads the query and the headers.
    ///
    /// - Throws: ``Refusal`` for a `debug` that names no format, and for too many names.
    init(_ request: HTTPRequest) throws(Refusal) {
        let debug = request.queryValue("debug")
        isReadable = debug != nil
        if let debug {
            guard let format = ExpositionFormat.all.first(where: { $0.kind.description == debug }) else {
                let known = ExpositionFormat.all.map(\.kind.description).joined(separator: ", ")
                throw Refusal(message: "There is no format of this name to debug: use one of \(known).\n")
            }
            self.format = format
        } else {
            format = Self.format(request)
        }
        let names = Set(request.queryValues("name[]"))
        guard names.count <= Self.maximumNames else {
            throw Refusal(message: "A request may have \(Self.maximumNames) different name[] items.\n")
        }
        self.names = names.sorted()
        isCompressed = Gzip.isWanted(acceptEncoding: Self.list(request, "Accept-Encoding"))
    }

    /// The format that the headers ask for.
    static func format(_ request: HTTPRequest) -> ExpositionFormat {
        .negotiate(accept: list(request, "Accept"))
    }

    /// How long the reader waits, by the header that Prometheus sends; nil when it does not say, or nothing sensible.
    static func timeout(_ request: HTTPRequest) -> Duration? {
        guard let text = request.headers["X-Prometheus-Scrape-Timeout-Seconds"], let seconds = Double(text),
            seconds > 0, seconds < 86_400
        else { return nil }
        return .seconds(seconds)
    }

    /// The values of a header that is a list, which may come in several parts.
    private static func list(_ request: HTTPRequest, _ name: String) -> String? {
        let values = request.headers.values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    /// What the page's `Content-Type` header says.
    var contentType: String {
        isReadable ? "text/plain; charset=utf-8" : format.contentType
    }
}
