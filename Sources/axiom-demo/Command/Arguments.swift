// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomNavigation
internal import Foundation

extension Duration {
    private static let units: [String: Duration] = [
        "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600),
    ]

    /// Reads a duration of a command line: a whole number and a unit, as in `500ms`, `20s`, `2m` or `1h`.
    ///
    /// - Throws: `ValidationError` that describes the format.
    @Sendable
    static func argument(_ text: String) throws -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int32(digits), let unit = units[String(text.dropFirst(digits.count))] else {
            throw ValidationError("write a whole number and a unit, such as 500ms, 20s, 2m or 1h.")
        }
        return unit * Int(count)
    }

    /// Does the same for a duration that has limits.
    static func argument(
        in range: ClosedRange<Duration>,
        _ name: String
    ) -> @Sendable (String) throws -> Duration {
        { text in
            let duration = try argument(text)
            guard range.contains(duration) else { throw ValidationError("\(name) are allowed.") }
            return duration
        }
    }
}

extension ShopRoute {
    /// Reads a deep link of a command line.
    ///
    /// - Throws: `ValidationError` that lists the patterns of links.
    @Sendable
    static func link(_ text: String) throws -> String {
        let table = try links()
        do {
            _ = try table.routes(for: text)
        } catch {
            let message = (error as? any AxiomError)?.message ?? "\(error)"
            let patterns = table.patterns.map(\.description).joined(separator: ", ")
            throw ValidationError("\(message) The links are \(patterns); products are 1 to \(articles.count).")
        }
        return text
    }

    /// Reads the name of a screen in a command line; for `product` it is the first one.
    ///
    /// - Throws: `ValidationError` that lists the names.
    @Sendable
    static func screen(_ name: String) throws -> ShopRoute {
        guard let route = samples.first(where: { $0.name == name }) else {
            throw ValidationError("the screens are \(samples.map(\.name).joined(separator: ", ")).")
        }
        return route
    }
}

/// The checks of paths in a command line.
enum PathArgument {
    /// - Throws: `ValidationError` that names the option if its path is empty.
    static func requireText(_ path: String?, _ option: String) throws {
        if path?.isEmpty == true { throw ValidationError("\(option) is empty; give a path, or leave it out.") }
    }

    /// Finds a path that cannot be written before the load instead of after it.
    ///
    /// - Throws: `ValidationError` that names the option.
    static func requireFolder(of path: String?, _ option: String) throws {
        guard let path else { return }
        try requireText(path, option)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ValidationError("\(option) is \(path), but \(folder) is no folder that can be written to.")
        }
    }
}
