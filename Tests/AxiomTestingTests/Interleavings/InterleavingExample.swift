// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/testing-interleavings.md. A test compares the two.

import AxiomTesting
import Testing

actor Basket {
    private(set) var count = 0

    func add() async {
        let old = count
        await Task.yield()
        count = old + 1
    }
}

/// What a `@Test` calls.
func additionsAreNotLost() async throws {
    try await withInterleavings(200) { _ in
        let basket = Basket()
        async let first: Void = basket.add()
        async let second: Void = basket.add()
        _ = await (first, second)
        #expect(await basket.count == 2)
    }
}
