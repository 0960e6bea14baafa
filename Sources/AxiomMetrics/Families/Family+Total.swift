// SPDX-License-Identifier: Apache-2.0

extension Family where Child == Counter {
    /// The sum over all series of the family. Cost: one addition for each of them.
    package var total: UInt64 {
        guard case .integers(let values) = storage.collect().samples else { return 0 }
        return values.reduce(0, &+)
    }
}
