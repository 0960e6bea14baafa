// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomConfiguration
import Foundation
import FoundationNetworking

protocol PriceList: Sendable {
    /// The price of one piece in cents.
    func price(of item: String) async throws -> Int
}

enum OrdersError: AxiomError {
    case unknownItem(String)
    case noPrice(of: String, because: String)

    var code: ErrorCode {
        switch self {
        case .unknownItem: "ORDERS_PRICE_001"
        case .noPrice: "ORDERS_PRICE_002"
        }
    }

    var message: String {
        switch self {
        case .unknownItem(let item): "There is no \(item)."
        case .noPrice(let item, let reason): "The price of \(item) is not known: \(reason)."
        }
    }

    var recoverySuggestion: String {
        switch self {
        case .unknownItem: "Choose another item."
        case .noPrice: "Try again later."
        }
    }

    var severity: ErrorSeverity {
        if case .unknownItem = self { .warning } else { .nonCritical }
    }
}

/// Asks another service: `GET /tea` answers the price of tea.
actor HTTPPriceList: Configurable, PriceList {
    struct Settings: ReadableSettings {
        let address: URL?

        init(from reader: SettingsReader) {
            let key = SettingKey("prices", fallback: "http://127.0.0.1:8081", expected: "a URL") {
                URL(string: $0)?.host != nil
            }
            address = URL(string: reader[key])
        }
    }

    nonisolated let identity: ComponentIdentity
    private var address: URL?

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func configure(_ settings: Settings) { address = settings.address }

    func price(of item: String) async throws -> Int {
        guard let url = address?.appending(path: item) else {
            throw OrdersError.noPrice(of: item, because: "there is no URL")
        }
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await URLSession.shared.data(for: URLRequest(url: url, timeoutInterval: 20))
        } catch is URLError {
            throw OrdersError.noPrice(of: item, because: "\(url) does not answer")
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status == 404 { throw OrdersError.unknownItem(item) }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard status == 200, let price = Int(text) else {
            throw OrdersError.noPrice(of: item, because: "\(url) answered \(status) and no number")
        }
        return price
    }
}
