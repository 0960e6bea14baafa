// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
package import AxiomSyntax
internal import Foundation
internal import Synchronization

/// What earlier runs found: the facts of files and the verdicts on projects, one file for each hash of what they depend on.
///
/// The folder is `ROOT/<key>`, where the key names the tool and its configuration, so that another tool never reads these
/// facts. A broken file counts as missing and is written again. A crash leaves at most one unused file.
package struct FactsCache: Sendable {
    /// How many runs with other keys are kept.
    private static let keptFolders = 4
    /// The files that a folder may have although no run on a whole project removes old ones.
    private static let largestFolder = 50_000
    private static let magic: [UInt8] = Array("AVF1".utf8)
    /// A value follows the magic bytes and its checksum.
    private static let bodyStart = magic.count + 4
    private let folder: String
    private let faults: CacheFaults

    /// Opens the cache, and removes the folders of older tools and configurations.
    ///
    /// - Parameters:
    ///   - key: A hash of everything besides the file that facts depend on.
    ///   - onFault: Receives a line that names the folder and the cause when something cannot be kept, once. Nothing more is
    ///     written then.
    /// - Returns: nil if the folder cannot be made: the run then works without a cache.
    package init?(root: String, key: ContentHash, onFault: @escaping @Sendable (String) -> Void = { _ in }) {
        folder = "\(root)/\(key)"
        faults = CacheFaults(root, onFault)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            faults.note(error)
            return nil
        }
        // What can only be read is of use, too.
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: folder)
        Self.removeOldFolders(root, except: key.description)
    }

    /// The facts of a file: those of an earlier run, or new ones, which are kept.
    package func facts(of text: SourceText, make: () throws -> FileFacts) rethrows -> FileFacts {
        try value(for: Self.hash(of: text), make: make)
    }

    /// What was kept for a hash: the value of an earlier run, or a new one, which is kept.
    func value<Value: Packable>(for hash: ContentHash, make: () throws -> Value) rethrows -> Value {
        let path = "\(folder)/\(hash)"
        if let bytes = read(path), let kept = Packing.value(Value.self, of: bytes, from: Self.bodyStart) { return kept }
        let value = try make()
        write(Packing.bytes(of: value), to: path)
        return value
    }

    /// A hash of the path and the bytes.
    package static func hash(of text: SourceText) -> ContentHash {
        var hash = ContentHash()
        hash.update(text.path)
        hash.update(text.bytes)
        return hash
    }

    /// Removes what earlier runs wrote and no file of this run uses.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the run has all files of the project. A part removes nothing that other parts may use, unless the
    ///     folder is beyond all measure.
    ///   - limit: Nothing is removed while the folder has fewer files than this many for each file of the run.
    package func prune(keeping texts: [SourceText], isWhole: Bool, limit: Int = 4) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder),
            names.count > max(limit * max(texts.count, 100), isWhole ? 0 : Self.largestFolder)
        else { return }
        let used = Set(texts.map { "\(Self.hash(of: $0))" })
        for name in names where !used.contains(name) {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// The bytes of a file, with what precedes the value; nil if it is missing or broken.
    private func read(_ path: String) -> [UInt8]? {
        guard let bytes = try? ToolSupport.read(path, limit: 64 << 20), bytes.count >= Self.bodyStart,
            bytes.starts(with: Self.magic),
            Self.checksum(bytes[Self.bodyStart...]).elementsEqual(bytes[Self.magic.count..<Self.bodyStart])
        else { return nil }
        return bytes
    }

    /// Renames a finished file into place. Without a flush: a file that a crash of the machine cut is broken, and ignored.
    private func write(_ body: [UInt8], to path: String) {
        let unfinished = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        guard !faults.isNoted else { return }
        do {
            try Data(Self.magic + Self.checksum(body) + body).write(to: URL(filePath: unfinished))
            guard rename(unfinished, path) == 0 else { throw ToolSupport.FileFailure.system("replace", path) }
        } catch {
            // On a full disk a part of it is there.
            unlink(unfinished)
            faults.note(error)
        }
    }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: ToolSupport.checksum(bytes).littleEndian) { Array($0) }
    }

    private static func removeOldFolders(_ root: String, except name: String) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: root) else { return }
        let folders = names.filter { $0 != name && $0.count == name.count && $0.allSatisfy(\.isHexDigit) }
        guard folders.count >= keptFolders else { return }
        let dated = folders.map { name -> (name: String, date: Date) in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
            return (name, attributes?[.modificationDate] as? Date ?? .distantPast)
        }
        for folder in dated.sorted(by: { ($0.date, $0.name) > ($1.date, $1.name) }).dropFirst(keptFolders - 1) {
            try? FileManager.default.removeItem(atPath: "\(root)/\(folder.name)")
        }
    }
}

/// Reports the first fault of a cache.
private final class CacheFaults: Sendable {
    private let root: String
    private let report: @Sendable (String) -> Void
    private let noted = Mutex(false)

    init(_ root: String, _ report: @escaping @Sendable (String) -> Void) {
        (self.root, self.report) = (root, report)
    }

    var isNoted: Bool { noted.withLock { $0 } }

    func note(_ error: any Error) {
        let isFirst = noted.withLock { noted in
            defer { noted = true }
            return !noted
        }
        guard isFirst else { return }
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        let cause = (error as? ToolSupport.FileFailure)?.cause ?? (underlying ?? error as NSError).localizedDescription
        report(
            "The cache \(root) cannot be written (\(ToolSupport.clause(cause))), so this run and the next take longer: correct that, name "
                + "another folder with --cache-folder, or give --no-cache."
        )
    }
}
