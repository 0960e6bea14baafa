// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomMetrics

/// The options of a request of `/metrics`.
struct ScrapeRequest: Hashable, Sendable {
    /// The request cannot be answered.
    struct Refusal: Error {
        /// What to do instead.
        let message: String
    }

    /// The most `name[]` items of a request.
    static let maximumNames = 200

    /// The format of the page.
    let format: ExpositionFormat
    /// The names of the families on the page, sorted; empty for all.
    let names: [String]
    /// Whether the page is for a person in a browser.
    let isReadable: Bool
    /// Whether the page is compressed.
    let isCompressed: Bool

    /// Parses the query and the headers.
    ///
    /// - Throws: ``Refusal`` if `debug` names no format, or for too many names.
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
        isCompressed = Gzip.isWanted(by: request)
    }

    /// The format by the `Accept` headers.
    static func format(_ request: HTTPRequest) -> ExpositionFormat {
        .negotiate(accept: request.headers.list("Accept"))
    }

    /// The `Content-Type` of the page.
    var contentType: String {
        isReadable ? "text/plain; charset=utf-8" : format.contentType
    }
}
