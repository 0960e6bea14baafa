// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Builds another revision in its own worktree, and the working tree in a build folder of its own, both with the toolchain
/// and the configuration of the present build.
///
/// All revisions share one worktree, so that only differences are compiled. Each binary is kept under the hash of its
/// tree, so that a revision is built once.
struct RevisionBuild {
    let package: PackageFolder
    let git: Git
    /// Arguments for `swift build` beyond the configuration's.
    let buildOptions: [String]
    /// Whether code is aligned; see ``CodeAlignment``.
    let isAligned: Bool

    private var options: [String] { (isAligned ? CodeAlignment.options : []) + buildOptions }

    /// The program of a revision.
    ///
    /// - Parameter revision: The full name of a commit.
    /// - Throws: ``BenchmarkError`` with the code `buildFailed`, with the last lines of what the compiler said.
    func program(_ revision: String) throws(BenchmarkError) -> MeasuredProgram {
        guard let tree = git.tree(of: revision), let location = git.location else {
            throw BenchmarkError(.buildFailed, "git does not know the tree of \(revision)")
        }
        let kept = "\(package.cache)/\(key(tree))/\(package.product)"
        try makeFolder(package.cache)
        let lock = try FolderLock(package.cache)
        defer { withExtendedLifetime(lock) {} }
        if !FileManager.default.isExecutableFile(atPath: kept) {
            let built = try build(revision, location.prefix)
            // The program last: it says that all is there.
            if let archive = recorded(recording("revision")) { try keep(archive, at: "\(kept).tar") }
            try keep(built, at: kept)
        }
        return MeasuredProgram(path: kept, archive: recorded("\(kept).tar"))
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
        try makeFolder(package.cache)
        let lock = try FolderLock(package.cache)
        defer { withExtendedLifetime(lock) {} }
        let path = try compile("the working tree", in: package.path, "current")
        return MeasuredProgram(path: path, archive: recorded(recording("current")))
    }

    private func key(_ tree: String) -> String {
        "\(tree)-\(package.configuration)-\(Self.hash(options))"
    }

    /// A build folder for aligned code only. The compiler writes no object again if only the options of its back end
    /// changed, so each set of them needs folders of its own. The caller's option for a build folder follows and counts.
    private func scratch(_ name: String) -> [String] {
        isAligned ? ["--scratch-path", "\(package.cache)/\(name)-\(Self.hash(CodeAlignment.options))"] : []
    }

    private static func hash(_ options: [String]) -> String {
        let hash = options.joined(separator: " ").utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return String(hash, radix: 16)
    }

    private func build(_ revision: String, _ prefix: String) throws(BenchmarkError) -> String {
        let worktree = "\(package.cache)/worktree"
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
        return try compile(revision, in: folder, "revision")
    }

    /// Builds the program of a package and returns its path.
    ///
    /// - Parameter side: `revision` or `current`.
    private func compile(_ name: String, in folder: String, _ side: String) throws(BenchmarkError) -> String {
        let arguments =
            ["--package-path", folder, "-c", package.configuration, "--product", package.product] + scratch(side)
            + options + (isAligned ? FunctionOrder.options(recordingTo: recording(side)) : [])
        let output = try ProgramOutput.run(["swift", "build"] + arguments)
        guard output.status == 0 else {
            let lines = output.text.split(separator: "\n").filter { $0.contains("error:") }.prefix(5)
            throw BenchmarkError(
                .buildFailed,
                "\(name) could not be built, by swift build \(arguments.joined(separator: " "))",
                cause: lines.isEmpty ? String(output.text.suffix(600)) : lines.joined(separator: " | ")
            )
        }
        let bin = try ProgramOutput.run(["swift", "build", "--show-bin-path"] + arguments, isQuiet: true)
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

    private func keep(_ built: String, at kept: String) throws(BenchmarkError) {
        let folder = URL(filePath: kept).deletingLastPathComponent().path
        try makeFolder(folder)
        let unfinished = "\(kept).unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        do {
            try FileManager.default.copyItem(atPath: built, toPath: unfinished)
        } catch {
            throw BenchmarkError(.buildFailed, "the build left no \(built)", cause: "\(error)")
        }
        guard rename(unfinished, kept) == 0 else { throw .system("could not keep \(kept)") }
    }

    private func makeFolder(_ path: String) throws(BenchmarkError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(.system, "could not make the folder \(path)", cause: "\(error)")
        }
    }
}

/// Serializes builds in one package. The kernel releases the lock when the process ends.
final class FolderLock {
    private let descriptor: Int32

    init(_ folder: String) throws(BenchmarkError) {
        descriptor = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("could not lock \(folder)") }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    deinit {
        close(descriptor)
    }
}
