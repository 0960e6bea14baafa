// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A duration as it is written in a command: a whole number and a unit, as in `500ms`, `20s`, `2m` or `1h`.
struct DurationArgument: Hashable, Sendable, CustomStringConvertible {
    private static let units: [(suffix: String, unit: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3_600)),
    ]

    let duration: Duration
    /// As it was written.
    let description: String

    static let zero = seconds(0)

    static func seconds(_ count: Int32) -> DurationArgument {
        DurationArgument(duration: .seconds(count), description: "\(count)s")
    }

    private init(duration: Duration, description: String) {
        self.duration = duration
        self.description = description
    }

    /// - Throws: `ValidationError` that says how a duration is written.
    init(_ text: String) throws {
        let (number, suffix) = (text.prefix { $0.isASCII && $0.isNumber }, text.drop { $0.isASCII && $0.isNumber })
        guard let count = Int32(number), let unit = Self.units.first(where: { $0.suffix == suffix })?.unit else {
            throw ValidationError("write a whole number and a unit, such as 500ms, 20s, 2m or 1h.")
        }
        self.init(duration: unit * Int(count), description: text)
    }
}
