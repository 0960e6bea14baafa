// SPDX-License-Identifier: Apache-2.0

/// An unmounting that waits for the contexts to disappear, known to everything that they do meanwhile: what they ask of
/// the same host must not wait for it.
@MainActor
final class UnmountTurn {
    @TaskLocal private static var current: UnmountTurn?

    private let host: ObjectIdentifier
    /// The unmounting from within which this one was asked for.
    private let outer: UnmountTurn?
    /// A task that was begun meanwhile may live on, and still see this.
    private var isOver = false

    private init(_ host: AnyObject) {
        self.host = ObjectIdentifier(host)
        outer = Self.current
    }

    /// Lets the contexts of `host` disappear.
    static func run(of host: AnyObject, _ disappear: () async -> Void) async {
        let turn = UnmountTurn(host)
        await $current.withValue(turn, operation: disappear)
        turn.isOver = true
    }

    /// Whether whoever asks was called by the unmounting of `host`.
    static func isUnderWay(of host: AnyObject) -> Bool {
        var turn = current
        while let one = turn {
            if one.host == ObjectIdentifier(host), !one.isOver { return true }
            turn = one.outer
        }
        return false
    }
}
