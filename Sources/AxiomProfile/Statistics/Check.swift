// SPDX-License-Identifier: Apache-2.0

/// What inputs of statistics must be.
enum Check {
    /// - Throws: ``ProfileError`` when there are fewer than `least` values, or one is NaN or infinite.
    static func sample(
        _ values: [Double],
        _ name: String = "the sample",
        atLeast least: Int = 1
    ) throws(ProfileError) {
        guard values.count >= least else {
            throw ProfileError(
                .invalidSample,
                "\(name) has \(values.count) values and needs at least \(least): collect more"
            )
        }
        if let position = values.firstIndex(where: { !$0.isFinite }) {
            throw ProfileError(
                .invalidSample,
                "value \(position) of \(name) is \(values[position]): leave out what was not measured"
            )
        }
    }

    /// - Throws: ``ProfileError`` when `value` is not strictly between 0 and 1.
    static func probability(_ value: Double, _ name: String) throws(ProfileError) {
        guard value > 0, value < 1 else {
            throw ProfileError(.invalidParameter, "\(name) is \(value) and must lie between 0 and 1, both excluded")
        }
    }

    /// - Throws: ``ProfileError`` when `value` is less than `least`.
    static func count(_ value: Int, _ name: String, atLeast least: Int) throws(ProfileError) {
        guard value >= least else {
            throw ProfileError(.invalidParameter, "\(name) is \(value) and must be at least \(least)")
        }
    }
}
