// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import Axiom
internal import AxiomBase
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Checks a path when inotify reports a change of it, and periodically.
final class FilePermissionListener: EventListener {
    /// The shortest time between two readings of inotify: in a folder in which much happens, changes are read together.
    private static let pause = Duration.milliseconds(10)

    private static let events = UInt32(
        IN_ATTRIB | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF
    )

    private let source: FilePermissionSource
    private let flags = ReadyFlags()
    private var path: WatchedPath
    private var watch: DescriptorWatch?
    private var deadline: Instant?
    private var lastRead: Instant?
    private var filter = EventFilter()

    init(_ source: FilePermissionSource) {
        self.source = source
        path = WatchedPath(source.path)
    }

    func next() async throws -> CapabilityEvent {
        if watch == nil { await EventLoop.shared.settle() }
        let watch = try self.watch ?? begin()
        while true {
            if let deadline, source.clock.now < deadline {
                watch.arm()
                try await flags.wait(until: deadline, on: source.clock)
                try await rest()
                // A descriptor that failed is ready too; the regular check continues.
                let isReady = flags.take() != 0
                guard isReady && isConcerned(watch.descriptor) || source.clock.now >= deadline else { continue }
            }
            deadline = source.clock.now.advanced(by: source.period)
            if let event = filter.pass(.permission(.files, try await check(watch))) { return event }
        }
    }

    private func begin() throws -> DescriptorWatch {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else {
            throw CapabilityError.failedCall("inotify_init1 (see fs.inotify.max_user_instances)", errno)
        }
        let watch = try DescriptorWatch(descriptor, events: POLLIN, flag: 1, in: flags)
        self.watch = watch
        return watch
    }

    /// Limits how often inotify is read. It limits work, so it uses real time.
    private func rest() async throws {
        let now = TimeSource.live.now
        if let lastRead, now < lastRead.advanced(by: Self.pause) {
            try await TimeSource.live.sleep(until: lastRead.advanced(by: Self.pause))
        }
        lastRead = TimeSource.live.now
    }

    /// Reads all records that wait.
    private func isConcerned(_ descriptor: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var isConcerned = false
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            isConcerned = isConcerned || InotifyRecord.records(in: bytes[..<count]).contains(where: path.isConcerned)
            // Enough to decide. The check watches everything again before it looks.
            if count < bytes.count / 2 { break }
        }
        return isConcerned
    }

    /// Watches every level and then asks what is allowed. In this order: a change after the watch is reported, and one
    /// before it is seen.
    private func check(_ watch: DescriptorWatch) async throws -> PermissionStatus {
        let (answers, status) = try await BlockingCall.run { [source, levels = path.levels] in
            let answers = levels.map { level -> WatchedPath.Answer in
                let id = inotify_add_watch(watch.descriptor, level.path, Self.events)
                return id >= 0 ? .watched(id) : errno == EACCES ? .forbidden : .missing
            }
            return (answers, FilePermissionSource.status(of: source.path, source.access))
        }
        for old in path.update(answers) { inotify_rm_watch(watch.descriptor, old) }
        return status
    }
}
#endif
