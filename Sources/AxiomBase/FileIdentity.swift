// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Which file has a name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    private init(_ status: stat) {
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    /// Nil if no file has the name.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// An open file.
    init?(_ descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether the file has this name. A path that cannot be looked at, as without the permission, says nothing against it.
    package func isAt(_ path: String) -> Bool {
        guard let named = FileIdentity(path) else { return errno != ENOENT && errno != ENOTDIR }
        return named == self
    }
}
