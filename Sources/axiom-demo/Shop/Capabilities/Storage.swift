// SPDX-License-Identifier: Apache-2.0

/// A place for named files.
protocol Storage: Sendable {
    /// The contents of a file; nil when there is none of that name.
    ///
    /// - Throws: ``StorageError``.
    func read(_ name: String) async throws -> [UInt8]?

    /// Replaces the contents of a file by what `change` makes of them. A reader, also one after a crash, finds the
    /// old contents or the new ones and nothing in between.
    ///
    /// Changes are carried out one after the other, and `change` runs when its turn has come: what it reads then is
    /// written before anything later.
    ///
    /// - Parameter change: Is given the present contents, nil for a file that does not exist; nil from it leaves the
    ///   file as it is.
    /// - Throws: ``StorageError``, and what `change` throws.
    func update(_ name: String, _ change: @escaping @Sendable ([UInt8]?) throws -> [UInt8]?) async throws
}
