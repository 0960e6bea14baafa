// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file in the cache, with its digest beside it: one that another program wrote, or that is only a part, is not used.
struct KeptFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    private var digestPath: String { "\(path).digest" }

    /// Whether the file or its digest is there.
    var isThere: Bool { [path, digestPath].contains { FileManager.default.fileExists(atPath: $0) } }

    /// Whether the file is there as it was kept.
    var isWhole: Bool {
        guard let digest = try? String(contentsOfFile: digestPath, encoding: .utf8) else { return false }
        return digest == Self.digest(ofFile: path)
    }

    /// Copies a file to this place, so that it is there as a whole or not at all.
    func keep(_ source: String) throws(BenchmarkError) {
        let unfinished = "\(path).unfinished"
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try? FileManager.default.removeItem(atPath: unfinished)
            try FileManager.default.copyItem(atPath: source, toPath: unfinished)
            try (Self.digest(ofFile: unfinished) ?? "").write(toFile: digestPath, atomically: true, encoding: .utf8)
        } catch {
            throw BenchmarkError(.buildFailed, "could not keep \(source) as \(path)", cause: "\(error)")
        }
        guard rename(unfinished, path) == 0 else { throw .system("could not keep \(path)") }
    }

    private static func digest(ofFile path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped)).map { digest($0) }
    }

    /// The 64-bit FNV-1a hash. It finds a mistake, not an attack: who may write here may write the program, too.
    static func digest(_ bytes: some Collection<UInt8>) -> String {
        func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        }
        let value = bytes.withContiguousStorageIfAvailable { hash($0) } ?? hash(bytes)
        return String(value, radix: 16)
    }
}
