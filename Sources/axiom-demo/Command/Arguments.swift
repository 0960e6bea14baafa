// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomInstrumentation
internal import AxiomNavigation
internal import Foundation

/// A duration in a command line: a whole number and a unit, as in `500ms`, `20s`, `2m` or `1h`.
struct DurationArgument: Hashable, Sendable, CustomStringConvertible {
    private static let units: [String: Duration] = [
        "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600),
    ]

    let duration: Duration
    /// The text of the argument.
    let description: String

    static func seconds(_ count: Int) -> DurationArgument {
        DurationArgument(duration: .seconds(count), description: "\(count)s")
    }

    private init(duration: Duration, description: String) {
        (self.duration, self.description) = (duration, description)
    }

    /// - Throws: `ValidationError` that describes the format.
    init(_ text: String) throws {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int32(digits), let unit = Self.units[String(text.dropFirst(digits.count))] else {
            throw ValidationError("write a whole number and a unit, such as 500ms, 20s, 2m or 1h.")
        }
        self.init(duration: unit * Int(count), description: text)
    }
}

/// Whether circuit breakers refuse calls.
enum BreakerMode: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    /// The breakers of the clients that use the server do.
    case on
    /// None does: they only count, and report what they would have refused.
    case off

    var rules: [BreakerRule] { self == .on ? ShopRules.breakers : [] }
}

/// A deep link of the shop in a command line.
struct LinkArgument: Hashable, Sendable {
    let link: String

    /// - Throws: `ValidationError` that lists the patterns of links.
    init(_ text: String) throws {
        link = text
        let table = try ShopLinks.table()
        do {
            _ = try table.routes(for: text)
        } catch {
            let message = (error as? any AxiomError)?.message ?? "\(error)"
            let patterns = table.patterns.map(\.description).joined(separator: ", ")
            throw ValidationError(
                "\(message) The links are \(patterns); products are 1 to \(ShopRoute.articles.count)."
            )
        }
    }
}

/// The name of a screen in a command line.
struct ScreenArgument: Hashable, Sendable {
    let route: ShopRoute

    /// - Throws: `ValidationError` that lists the names.
    init(_ text: String) throws {
        guard let route = ShopLinks.screen(named: text) else {
            throw ValidationError("the screens are \(ShopLinks.names.joined(separator: ", ")).")
        }
        self.route = route
    }
}

/// The checks of paths in a command line.
enum PathArgument {
    /// - Throws: `ValidationError` that names the option if its path is empty.
    static func requireText(_ path: String?, _ option: String, _ kind: String = "file") throws {
        if path?.isEmpty == true { throw ValidationError("\(option) is empty; name a \(kind), or leave it out.") }
    }

    /// Finds a path that cannot be written before the load instead of after it.
    ///
    /// - Throws: `ValidationError` that names the option.
    static func requireFolder(of path: String?, _ option: String, to purpose: String = "that can be written to") throws
    {
        guard let path else { return }
        try requireText(path, option)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ValidationError("\(option) is \(path), but \(folder) is no folder \(purpose).")
        }
    }
}
