// SPDX-License-Identifier: Apache-2.0

/// Tells whether an object still lives, without keeping it.
struct WeakReference: Sendable {
    private(set) weak var object: (any AnyObject & Sendable)?

    init(_ object: any AnyObject & Sendable) {
        self.object = object
    }
}
