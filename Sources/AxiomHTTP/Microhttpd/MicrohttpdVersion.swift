// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

/// A version of libmicrohttpd, and what may be relied on in it.
struct MicrohttpdVersion: Comparable, Sendable, CustomStringConvertible {
    /// What the library reports, such as `0.9.75`.
    let description: String
    /// The numbers of the version; empty if it is not written in numbers.
    private let numbers: [Int]

    /// The version of the library that runs.
    static let running = MicrohttpdVersion(MHD_get_version().map { String(cString: $0) } ?? "unknown")

    init(_ description: String) {
        self.description = description
        // A distribution may add a suffix, such as 0.9.75-6.
        let core = description.prefix { $0.isNumber || $0 == "." }
        let parts = core.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        numbers = parts.contains(nil) ? [] : parts.compactMap(\.self)
    }

    static func == (left: MicrohttpdVersion, right: MicrohttpdVersion) -> Bool { left.numbers == right.numbers }

    static func < (left: MicrohttpdVersion, right: MicrohttpdVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    /// Whether the library keeps the head of a request in writable memory of the connection, as it arrived, with a zero
    /// in place of each separator. This is not documented; it was read in the source of this version.
    var hasKnownLayout: Bool { numbers == [0, 9, 75] }

    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the server does not work with this version.
    func validate() throws {
        guard !numbers.isEmpty, self >= MicrohttpdVersion("0.9.75") else {
            throw HTTPServerError(
                .systemFailure,
                "the libmicrohttpd that runs is \(description); 0.9.75 or later is needed: install it, or build on a "
                    + "system that has it"
            )
        }
    }
}
