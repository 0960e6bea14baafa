// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where the sources and the products of this package are.
public enum Repository {
    /// The folder of the package.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the products of the build that runs: beside the test bundle.
    public static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
}
