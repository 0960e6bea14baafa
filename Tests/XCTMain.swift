// SPDX-License-Identifier: Apache-2.0

import Testing

/// The program of the tests. Without this file SwiftPM looks for tests of XCTest, of which there are none, in an index of the
/// sources, and the index is a fifth of what a build costs.
@main
struct TestProgram {
    static func main() async {
        // `swift test` starts the program once for each library.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
