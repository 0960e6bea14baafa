// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where the sources of this package are.
public enum Repository {
    /// The folder of the package.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
