// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What several rules need of a project: one value of each type, which is found once.
final class ProjectMemo: Sendable {
    private let kept = Mutex<[ObjectIdentifier: any Sendable]>([:])

    subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
        get { kept.withLock { $0[ObjectIdentifier(type)] } as? Value }
        set { kept.withLock { $0[ObjectIdentifier(type)] = newValue } }
    }
}

extension Int {
    mutating func raise(to other: Int) { self = Swift.max(self, other) }
}
