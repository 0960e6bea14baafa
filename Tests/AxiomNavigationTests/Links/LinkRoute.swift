// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation

/// The routes of the tests of links.
enum LinkRoute: Route {
    case home
    case product(Int)
    case search(String, page: Int?)
    case settings([String])
    case orphan

    var identifier: String {
        switch self {
        case .home: "home"
        case .product: "product"
        case .search: "search"
        case .settings: "settings"
        case .orphan: "orphan"
        }
    }

    static let samples: [LinkRoute] = [.home, .product(7), .search("x", page: 1), .settings(["a"]), .orphan]

    /// Routes whose links are difficult to print.
    static let difficult: [LinkRoute] = [
        .home, .product(7), .product(-1), .search("red shoes & 50 % off", page: nil), .search("é🎉/+?#", page: 2),
        .settings([]), .settings(["display", "a/b", "C++"]), .orphan,
    ]

    static func homeLink() throws -> DeepLink<LinkRoute> {
        try DeepLink<LinkRoute>("shop://home") { _ in
            [.home]
        } print: {
            $0 == .home ? [:] : nil
        }
    }
    static func productLink() throws -> DeepLink<LinkRoute> {
        try DeepLink<LinkRoute>("shop://product/:id", "https://shop.example/product/:id") { captures in
            [.home, .product(try captures.require("id"))]
        } print: { route in
            if case .product(let id) = route { ["id": id] } else { nil }
        }
    }
    static func searchLink() throws -> DeepLink<LinkRoute> {
        try DeepLink<LinkRoute>("shop://search/:text?page=:page?") { captures in
            captures["text"].map { [.search($0, page: captures["page", as: Int.self])] }
        } print: { route in
            guard case .search(let text, let page) = route else { return nil }
            return URLCaptures(["text": text].merging(page.map { ["page": "\($0)"] } ?? [:]) { $1 })
        }
    }
    static func settingsLink() throws -> DeepLink<LinkRoute> {
        try DeepLink<LinkRoute>("https://shop.example/settings/*rest") { captures in
            [.settings(captures.segments("rest"))]
        } print: { route in
            if case .settings(let rest) = route { URLCaptures([:], segments: ["rest": rest]) } else { nil }
        }
    }

    static func links() throws -> [DeepLink<LinkRoute>] {
        [try homeLink(), try productLink(), try searchLink(), try settingsLink()]
    }
}

extension SeededGenerator {
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[index(below: choices.count)]
    }

    /// True once in `count` times.
    mutating func one(in count: Int) -> Bool { index(below: count) == 0 }
}
