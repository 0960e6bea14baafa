// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// The folder of a ``FileStateArchive``, with two generations of the image. All calls block.
///
///     state-a.image, state-b.image         the generations; the number in the file tells the newer one
///     launches                             the number of the image that launches used, and how many did
///     set-aside/2026-11-23T02-34-40Z.damaged.image
///
/// A save replaces the older generation, as a whole and flushed; see ``AtomicFile``. So there is always a whole image:
/// at any moment the newer generation is untouched until the new one has its name.
struct StateFolder: Sendable {
    let path: String
    let appVersion: Version
    let maximumBytes: Int
    let maximumSetAside: Int
    let clock: TimeSource
    private let lock = ArchiveLock()

    private static let names = ["state-a.image", "state-b.image"]
    /// How many launches may begin with one image before one of them has to become active.
    fileprivate static let maximumLaunches = 2

    private var slots: [String] { Self.names.map { "\(path)/\($0)" } }
    private var counter: LaunchCounter { LaunchCounter(path: "\(path)/launches") }
    private var aside: SetAsideFolder { SetAsideFolder(path: "\(path)/set-aside", limit: maximumSetAside) }

    // MARK: Saving

    func save(_ image: AppImage) throws -> Int {
        try create(path)
        try lock.hold(path)
        let known = try slots.map { (path: $0, sequence: try Self.sequence(at: $0)) }
        let next = (known.compactMap(\.sequence).max() ?? 0) + 1
        let bytes = try StateFile.encode(image, sequence: next)
        guard bytes.count <= maximumBytes else { throw LifecycleError.tooLarge(bytes.count, limit: maximumBytes) }
        guard let oldest = known.min(by: { ($0.sequence ?? 0) < ($1.sequence ?? 0) }) else { return 0 }
        try AtomicFile.write(bytes, to: oldest.path)
        return bytes.count
    }

    /// The number of the save, from the first bytes of a file; nil if it is not readable or no image.
    ///
    /// - Throws: ``FileError`` if the reason is not one of the file: without its number, the newer image could be replaced.
    static func sequence(at path: String) throws(FileError) -> UInt64? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = FileError.system("read", path)
            if error.isShortage { throw error }
            return nil
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? file.close() }
        return (try? file.read(upToCount: StateFile.headerLimit)).flatMap { StateFile.sequence($0) }
    }

    /// Makes a folder for this user only, and those above it.
    private func create(_ folder: String) throws(FileError) {
        guard mkdir(folder, 0o700) != 0 else { return }
        if errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            try create(String(folder[..<slash]))
            guard mkdir(folder, 0o700) != 0 else { return }
        }
        let failure = FileError.system("create", folder)
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw failure }
    }

    // MARK: Loading

    func load() throws -> LoadedState {
        try lock.hold(path)
        var state = LoadedState(image: nil)
        var files: [(path: String, file: StateFile)] = []
        for slot in slots {
            do {
                if let file = try read(slot) { files.append((slot, file)) }
            } catch let flaw as StateFile.Flaw {
                state.setAside.append(try setAside(slot, flaw.reason))
            }
        }
        for (path, file) in files.sorted(by: { $0.file.sequence > $1.file.sequence }) {
            let launches = counter.launches(of: file.sequence)
            if launches < Self.maximumLaunches {
                try counter.write(launches + 1, of: file.sequence)
                state.image = file.image
                return state
            }
            state.setAside.append(try setAside(path, .launchFailed))
            counter.remove()
        }
        return state
    }

    /// - Throws: ``StateFile/Flaw`` if the file is to be set aside; `FileError` if the reason is not one of the file.
    private func read(_ path: String) throws -> StateFile? {
        let bytes: [UInt8]?
        do {
            bytes = try FileBytes.read(path, limit: maximumBytes)
        } catch  where error.isShortage {
            throw error
        } catch {
            throw StateFile.Flaw(reason: .unreadable, detail: error.message)
        }
        guard let bytes else { return nil }
        return try StateFile(bytes, appVersion: appVersion)
    }

    func launched() {
        // A process that does not have the folder has counted no launch.
        guard (try? lock.hold(path)) != nil else { return }
        counter.remove()
    }

    func discard() throws {
        try lock.hold(path)
        for slot in slots where unlink(slot) != 0 && errno != ENOENT {
            throw FileError("could not remove \(slot)", cause: String(cString: strerror(errno)))
        }
        counter.remove()
    }

    // MARK: Images that cannot be used

    private func setAside(_ slot: String, _ reason: SetAsideImage.Reason) throws -> SetAsideImage {
        try create(aside.path)
        return try aside.add(slot, reason, at: clock.secondsSinceEpoch)
    }

    /// The images that were set aside, the latest first.
    var setAside: [SetAsideImage] { aside.images }
}

extension FileError {
    /// Whether the process or the system has no descriptors or no memory, which says nothing about the file.
    fileprivate var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
}

/// How many launches began with an image without becoming active. A file of one line, replaced as a whole.
struct LaunchCounter: Sendable {
    let path: String

    /// The launches with the image of this number. 0 if the file has another number, or is damaged: also if it has a count that
    /// is never written.
    func launches(of sequence: UInt64) -> Int {
        guard let bytes = try? FileBytes.read(path, limit: 64) else { return 0 }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, UInt64(words[0]) == sequence, let count = Int(words[1]),
            (0...StateFolder.maximumLaunches).contains(count)
        else { return 0 }
        return count
    }

    /// - Throws: ``FileError``. Then the image must not be used: a launch that is not counted could fail for ever.
    func write(_ launches: Int, of sequence: UInt64) throws(FileError) {
        try AtomicFile.write(Array("\(sequence) \(launches)\n".utf8), to: path)
    }

    /// If the file stays, a later launch with the same image counts one too many, so the image is set aside too early.
    func remove() { unlink(path) }
}

/// The folder of images that could not be used. It keeps the latest ones up to a limit.
struct SetAsideFolder: Sendable {
    let path: String
    let limit: Int

    /// Moves a file here, under a name that says when and why.
    func add(_ file: String, _ reason: SetAsideImage.Reason, at time: Double) throws -> SetAsideImage {
        let stamp = Date(timeIntervalSince1970: time).formatted(.iso8601).replacing(":", with: "-")
        var target = "\(path)/\(stamp).\(reason.rawValue).image"
        var copy = 1
        while access(target, F_OK) == 0 {
            copy += 1
            target = "\(path)/\(stamp).\(reason.rawValue).\(copy).image"
        }
        guard rename(file, target) == 0 else {
            throw FileError("could not set \(file) aside", cause: String(cString: strerror(errno)))
        }
        // The new one stays also if the clock was set back.
        for old in images.filter({ $0.path != target }).dropFirst(max(1, limit) - 1) { unlink(old.path) }
        return SetAsideImage(path: target, reason: reason, time: time.rounded(.down))
    }

    /// The latest first.
    var images: [SetAsideImage] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted(by: >).compactMap { name in
            let parts = name.split(separator: ".")
            guard parts.count >= 3, let reason = SetAsideImage.Reason(rawValue: String(parts[1])) else { return nil }
            return time(parts[0]).map { SetAsideImage(path: "\(path)/\(name)", reason: reason, time: $0) }
        }
    }

    private func time(_ stamp: Substring) -> Double? {
        let halves = stamp.split(separator: "T")
        guard halves.count == 2 else { return nil }
        let text = "\(halves[0])T\(halves[1].replacing("-", with: ":"))"
        return (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970
    }
}
