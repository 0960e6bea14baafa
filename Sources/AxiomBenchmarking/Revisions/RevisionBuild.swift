// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Builds another revision in its own worktree, and the working tree in a build folder of its own, both with the toolchain
/// and the configuration of the present build.
///
/// All revisions share one worktree, so that only differences are compiled. Each binary is kept under all that decides what
/// it is: the tree, the options, the compiler and the versions of packages. So a revision is built once. The caller holds
/// ``lock()`` while it builds and measures: another process could replace the program that this one measures.
struct RevisionBuild {
    let package: PackageFolder
    let git: Git
    /// Arguments for `swift build` beyond the configuration's.
    let buildOptions: [String]
    /// Whether code is aligned; see ``CodeAlignment``.
    let isAligned: Bool

    /// Waits until no other process builds or measures in this package.
    func lock() throws(BenchmarkError) -> FolderLock {
        try makeFolder(package.cache)
        return try FolderLock(package.cache)
    }

    private var options: [String] { (isAligned ? CodeAlignment.options : []) + buildOptions }

    /// The program of a revision.
    ///
    /// - Parameters:
    ///   - revision: The full name of a commit.
    ///   - name: What the user calls it.
    /// - Throws: ``BenchmarkError`` with the code `buildFailed`, with the last lines of what the compiler said.
    func program(_ revision: String, named name: String) throws(BenchmarkError) -> MeasuredProgram {
        guard let tree = git.tree(of: revision), let location = git.location else {
            throw BenchmarkError(.buildFailed, "git does not know the tree of \(revision)", cause: git.refusal)
        }
        let title = "\(name) (\(revision.prefix(10)))"
        let kept = try keptPath(tree)
        if Self.isWhole(kept) {
            StandardError.write("reusing the build of \(title) in \(kept)")
        } else {
            StandardError.write("building \(title) in \(package.cache)")
            let built = try build(revision, location)
            // The program last: it says that all is there.
            if let archive = recorded(recording("revision")) { try KeptFile("\(kept).tar").keep(archive) }
            try KeptFile(kept).keep(built)
        }
        return MeasuredProgram(path: kept, archive: recorded("\(kept).tar"))
    }

    /// Whether the program of a revision was kept.
    func isKept(_ revision: String) -> Bool {
        guard let path = git.tree(of: revision).flatMap({ try? keptPath($0) }) else { return false }
        return FileManager.default.fileExists(atPath: path)
    }

    /// Whether a program is there as it was kept, with what it consists of if that was kept.
    static func isWhole(_ kept: String) -> Bool {
        let archive = KeptFile("\(kept).tar")
        return KeptFile(kept).isWhole && (archive.isWhole || !archive.isThere)
    }

    /// Where the linker records what a program consists of.
    private func recording(_ name: String) -> String { "\(package.cache)/\(name).tar" }

    /// The path if something was recorded there.
    private func recorded(_ path: String) -> String? {
        isAligned && FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The program of the working tree, as it is now.
    ///
    /// - Throws: ``BenchmarkError`` with the code `buildFailed`, with the last lines of what the compiler said.
    func workingTree() throws(BenchmarkError) -> MeasuredProgram {
        let path = try compile("the working tree", in: package.path, "current")
        return MeasuredProgram(path: path, archive: recorded(recording("current")))
    }

    private static let compiler = Result { () throws(BenchmarkError) in
        try ProgramOutput.run(["swift", "--version"], errors: .dropped).text
    }

    /// Where a build is kept: the name has what it depends on. The versions of packages are part of the tree if they are
    /// committed.
    private func keptPath(_ tree: String) throws(BenchmarkError) -> String {
        let versions = (try? String(contentsOfFile: "\(package.path)/Package.resolved", encoding: .utf8)) ?? ""
        let hash = Self.hash(options + [try Self.compiler.get(), versions])
        return "\(package.cache)/\(tree)-\(package.configuration)-\(hash)/\(package.product)"
    }

    /// A build folder for aligned code only. The compiler writes no object again if only the options of its back end
    /// changed, so each set of them needs folders of its own. The caller's option for a build folder follows and counts.
    private func scratch(_ name: String) -> [String] {
        isAligned ? ["--scratch-path", "\(package.cache)/\(name)-\(Self.hash(CodeAlignment.options))"] : []
    }

    private static func hash(_ options: [String]) -> String { KeptFile.digest(options.joined(separator: " ").utf8) }

    private func build(_ revision: String, _ location: (root: String, prefix: String)) throws(BenchmarkError) -> String
    {
        let (worktree, prefix) = ("\(package.cache)/\(OutsideFolders.nest)/worktree", location.prefix)
        try checkOut(revision, at: worktree)
        let folder = prefix.isEmpty ? worktree : "\(worktree)/\(prefix)"
        guard FileManager.default.fileExists(atPath: "\(folder)/Package.swift") else {
            throw BenchmarkError(.buildFailed, "\(revision) has no package in \(prefix.isEmpty ? "." : prefix)")
        }
        let (pinned, own) = ("\(folder)/Package.resolved", "\(package.path)/Package.resolved")
        // Without a committed Package.resolved, both builds use the present versions of dependencies.
        if git.ask("cat-file", "-e", "\(revision):\(prefix)Package.resolved") == nil,
            FileManager.default.fileExists(atPath: own)
        {
            try? FileManager.default.removeItem(atPath: pinned)
            try? FileManager.default.copyItem(atPath: own, toPath: pinned)
        }
        let outside = OutsideFolders(root: location.root, prefix: prefix, worktree: worktree)
        for line in try outside.link(in: package.cache) { StandardError.write(line) }
        return try compile(revision, in: folder, "revision")
    }

    /// Builds the program of a package and returns its path.
    ///
    /// - Parameter side: `revision` or `current`.
    private func compile(_ name: String, in folder: String, _ side: String) throws(BenchmarkError) -> String {
        let arguments =
            ["--package-path", folder, "-c", package.configuration, "--product", package.product] + scratch(side)
            + options + (isAligned ? FunctionOrder.options(recordingTo: recording(side)) : [])
        // It passes traits in the order of a set: with another order it compiles all again.
        let build = ["env", "SWIFT_DETERMINISTIC_HASHING=1", "swift", "build"]
        let output = try ProgramOutput.run(build + arguments, errors: .kept)
        guard output.status == 0 else {
            let lines = output.text.split(separator: "\n").filter { $0.contains("error:") }.prefix(5)
            throw BenchmarkError(
                .buildFailed,
                "\(name) could not be built, by swift build \(arguments.joined(separator: " "))",
                cause: lines.isEmpty ? String(output.text.suffix(600)) : lines.joined(separator: " | ")
            )
        }
        let bin = try ProgramOutput.run(["swift", "build", "--show-bin-path"] + arguments, errors: .dropped)
        let path = bin.text.split(separator: "\n").last.map(String.init) ?? ""
        return "\(path)/\(package.product)"
    }

    private func checkOut(_ revision: String, at worktree: String) throws(BenchmarkError) {
        _ = git.ask("worktree", "prune")
        let isThere = FileManager.default.fileExists(atPath: "\(worktree)/.git")
        let inside = Git(folder: worktree)
        if isThere, inside.askWithoutHooks("checkout", "--quiet", "--force", "--detach", revision) != nil {
            _ = inside.ask("clean", "-ffdq", "-e", ".build")
            return
        }
        try? FileManager.default.removeItem(atPath: worktree)
        _ = git.ask("worktree", "prune")
        guard git.askWithoutHooks("worktree", "add", "--quiet", "--force", "--detach", worktree, revision) != nil
        else {
            throw BenchmarkError(
                .buildFailed,
                "git could not check out \(revision) in \(worktree): try git worktree add there"
            )
        }
    }

    private func makeFolder(_ path: String) throws(BenchmarkError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(.system, "could not make the folder \(path)", cause: "\(error)")
        }
    }
}

/// Serializes the builds and measurements of one package. The kernel releases the lock when the process ends.
final class FolderLock {
    private let descriptor: Int32

    /// - Parameter onWait: Receives a line that names the process that has the lock, if one has it.
    init(_ folder: String, onWait: (String) -> Void = { StandardError.write($0) }) throws(BenchmarkError) {
        let path = "\(folder)/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("could not lock \(folder)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        onWait("waiting for \(FileLockOwner.name(path) ?? "another process"), which builds or measures in \(folder)")
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    deinit {
        close(descriptor)
    }
}

/// A file in the cache, with its digest beside it: one that another program wrote, or that is only a part, is not used.
struct KeptFile {
    private let path: String

    init(_ path: String) { self.path = path }

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
