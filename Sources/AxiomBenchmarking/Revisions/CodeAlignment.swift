// SPDX-License-Identifier: Apache-2.0

/// How both builds of a comparison are compiled, so that a loop has the same place within a cache line in both.
///
/// Without it, code of another length before a loop moves it, and the same instructions take up to a fifth longer: the
/// processor fetches and caches them in aligned blocks of 32 and 64 bytes.
enum CodeAlignment {
    /// Options for `swift build`: functions begin at a multiple of 64 bytes, and loops, and blocks that are only reached by a
    /// jump, at a multiple of 32.
    static let options =
        swift("-align-all-functions=6") + swift("-align-all-nofallthru-blocks=5") + swift("-align-loops=32")
        + ["-Xcc", "-falign-functions=64", "-Xcc", "-falign-loops=32"]

    private static func swift(_ option: String) -> [String] {
        ["-Xswiftc", "-Xllvm", "-Xswiftc", option]
    }
}
