// SPDX-License-Identifier: Apache-2.0

/// What a window remembers of a call.
struct CallMark: OptionSet, Sendable {
    let rawValue: UInt8
    static let failure = CallMark(rawValue: 1)
    static let slow = CallMark(rawValue: 2)
}

/// How many calls, and of which kind.
struct CallTally: Equatable, Sendable {
    var calls = 0
    var failures = 0
    var slow = 0

    @inline(__always)
    mutating func add(_ mark: CallMark) {
        calls &+= 1
        failures &+= Int(mark.rawValue & 1)
        slow &+= Int(mark.rawValue >> 1)
    }

    @inline(__always)
    mutating func remove(_ mark: CallMark) {
        calls &-= 1
        failures &-= Int(mark.rawValue & 1)
        slow &-= Int(mark.rawValue >> 1)
    }
}
