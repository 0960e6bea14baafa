// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A page of metrics, for the response of a server of your own.
public struct ExpositionPage: Sendable, Hashable {
    /// The value of the header `Content-Type`.
    public let contentType: String
    /// The body. It is not compressed: gzip reduces it to a tenth.
    public let bytes: [UInt8]
}

extension Registry {
    /// The page of all metrics but those of asynchronous collectors, in the format that the reader asks for.
    ///
    /// - Parameter accept: The value of the header `Accept`, several of them joined with commas; nil if the request has none.
    public func page(accept: String?) -> ExpositionPage {
        Self.page(of: collect(), accept)
    }

    /// The page of all metrics, in the format that the reader asks for.
    ///
    /// - Parameters:
    ///   - accept: As in ``page(accept:)``.
    ///   - scrapeTimeout: The value of Prometheus's header `X-Prometheus-Scrape-Timeout-Seconds`: asynchronous collectors have
    ///     nine tenths of it. If it is nil, or no number above 0 and below 86,400, it is 10 s, which is Prometheus's default.
    public func page(accept: String?, scrapeTimeout: String?) async -> ExpositionPage {
        Self.page(of: await collect(deadline: deadline(scrapeTimeout: scrapeTimeout)), accept)
    }

    /// When the collection for a reader with this timeout ends. A tenth of the timeout is left for encoding and sending.
    package func deadline(scrapeTimeout: String?) -> Instant {
        let seconds = scrapeTimeout.flatMap(Double.init).flatMap { $0 > 0 && $0 < 86_400 ? $0 : nil }
        return clock.now.advanced(by: .seconds(seconds ?? 10) * 9 / 10)
    }

    private static func page(of snapshot: Snapshot, _ accept: String?) -> ExpositionPage {
        let format = ExpositionFormat.negotiate(accept: accept)
        var buffer = ExpositionBuffer()
        format.encode(snapshot, into: &buffer)
        return ExpositionPage(contentType: format.contentType, bytes: buffer.bytes)
    }
}
