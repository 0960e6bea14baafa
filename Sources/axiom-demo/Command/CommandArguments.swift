// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import ShopLoad

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A duration in a command line: a whole number and a unit, as in `500ms`, `20s`, `2m` or `1h`.
struct DurationArgument: Hashable, Sendable, CustomStringConvertible {
    private static let units: [(suffix: String, unit: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3_600)),
    ]

    let duration: Duration
    /// The text of the argument.
    let description: String

    static let zero = seconds(0)

    static func seconds(_ count: Int32) -> DurationArgument {
        DurationArgument(duration: .seconds(count), description: "\(count)s")
    }

    private init(duration: Duration, description: String) {
        self.duration = duration
        self.description = description
    }

    /// - Throws: `ValidationError` that describes the format.
    init(_ text: String) throws {
        let (number, suffix) = (text.prefix { $0.isASCII && $0.isNumber }, text.drop { $0.isASCII && $0.isNumber })
        guard let count = Int32(number), let unit = Self.units.first(where: { $0.suffix == suffix })?.unit else {
            throw ValidationError("write a whole number and a unit, such as 500ms, 20s, 2m or 1h.")
        }
        self.init(duration: unit * Int(count), description: text)
    }
}

extension FaultMode: ExpressibleByArgument {}

/// Whether circuit breakers refuse calls.
enum BreakerMode: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    /// The breakers of the clients that use the server do.
    case on
    /// None does: they only count, and report what they would have refused.
    case off

    var rules: [BreakerRule] {
        switch self {
        case .on: Shop.breakers
        case .off: []
        }
    }
}

/// The path of a file that the command writes at its end.
enum OutputPath {
    /// Finds a path that cannot be written before the load instead of after it.
    ///
    /// - Parameter hint: Completes the sentence "... is no folder".
    /// - Throws: `ValidationError` that names the option.
    static func validate(_ path: String?, _ option: String, hint: String = "that can be written to") throws {
        guard let path else { return }
        if path.isEmpty { throw ValidationError("\(option) is empty; name a file, or leave it out.") }
        let folder = folder(of: path)
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ValidationError("\(option) is \(path), but \(folder) is no folder \(hint).")
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
