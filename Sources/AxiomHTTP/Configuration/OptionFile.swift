// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Foundation

/// Reads the files that configurations name.
package enum OptionFile {
    /// The contents of a regular file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - remedy: What to name instead of a file that is none, or too long.
    /// - Throws: ``FileError`` whose message is the cause and the remedy.
    package static func read(_ path: String, limit: Int, _ remedy: String) throws(FileError) -> [UInt8] {
        let code: CInt?
        do throws(FileError) {
            if let bytes = try FileBytes.read(path, limit: limit) { return bytes }
            code = ENOENT
        } catch {
            code = error.code
        }
        guard let code else {
            let size = limit < 1 << 20 ? "\(limit) bytes" : "\(limit >> 20) MiB"
            throw FileError("\(path) is no file of \(size) at most; \(remedy)")
        }
        throw FileError("cannot read \(path): \(String(cString: strerror(code))); \(help(code))", code: code)
    }

    private static func help(_ code: CInt) -> String {
        switch code {
        case EACCES, EPERM: "give the user of this process the permission to read it"
        case ENOENT, ENOTDIR: "check the path"
        default: "check the path and the file"
        }
    }
}
