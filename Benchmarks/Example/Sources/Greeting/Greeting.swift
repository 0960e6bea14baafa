// SPDX-License-Identifier: Apache-2.0

/// Greets by name.
public struct Greeting: Sendable {
    private let names: [String]

    /// Makes greetings for some names.
    public init(names: [String]) {
        self.names = names
    }

    /// The number of letters of all names.
    public func letters() -> Int {
        var sum = 0
        for name in names { sum += name.utf8.count }
        return sum
    }
}
