// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// An input of axiom-verify that cannot be used. The message names the input and the remedy.
package struct VerifyError: MessageError, Hashable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// The version of axiom-verify, which is that of Axiom.
package enum ToolVersion {
    package static let current = Axiom.version.description

    /// The size and the date of the program that runs: another build may read other facts, or find something else.
    package static let build: String = {
        var status = stat()
        guard let path = Bundle.main.executablePath, stat(path, &status) == 0 else { return "" }
        #if canImport(Darwin)
        let date = status.st_mtimespec
        #else
        let date = status.st_mtim
        #endif
        return "\(status.st_size) \(date.tv_sec).\(date.tv_nsec)"
    }()
}

extension String {
    /// The name that someone most likely meant: with few typing errors, and not empty.
    package func closest(of names: some Sequence<String>) -> String? {
        let rated = names.map { (name: $0, distance: Self.distance(Array($0.utf8), Array(utf8))) }
        guard let best = rated.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        return best.distance <= max(2, utf8.count / 3) ? best.name : nil
    }

    /// How many bytes must be added, removed or changed (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let changed = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
