// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is made when it is first asked for, once in each process: what several samples work on.
final class Once<Value: Sendable>: Sendable {
    /// What was made; guarded by its lock, under which it is made.
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () throws -> Value

    init(_ make: @escaping @Sendable () throws -> Value) {
        self.make = make
    }

    func value() throws -> Value {
        try made.withLock { made in
            if let made { return made }
            let value = try make()
            made = value
            return value
        }
    }
}
