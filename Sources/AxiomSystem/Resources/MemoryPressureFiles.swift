// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import Axiom
internal import CAxiomSupport
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The files that a source of memory pressure reads.
struct MemoryPressureFiles: Sendable {
    /// The file with the averages, which also takes triggers.
    let pressure: String
    /// The file with the counters of a cgroup.
    let events: String?

    /// What a listener opened. A descriptor that is not taken is closed.
    struct Opened {
        let method: MemoryPressureSource.Method
        /// The triggers for `warning` and `critical`; empty without triggers.
        let triggers: [OwnedDescriptor]
        /// The file of counters; nil without one.
        let counters: OwnedDescriptor?
    }

    /// Opens the files and arms the triggers where the kernel allows it.
    ///
    /// - Throws: `CapabilityError` if there are no averages.
    func open(_ machine: MemoryPressureMachine) throws -> Opened {
        do {
            _ = try averages()
        } catch {
            throw CapabilityError.sourceUnavailable(because: "\(error)")
        }
        let counters = try? events.map { try OwnedDescriptor($0, O_RDONLY) }
        do {
            let triggers = try [("some", machine.warning), ("full", machine.critical)].map { kind, share in
                try OwnedDescriptor(pressure, O_RDWR).arming(Self.trigger(kind, share))
            }
            return Opened(method: .triggers, triggers: triggers, counters: counters ?? nil)
        } catch {
            return Opened(method: .averages(reason: "\(error)"), triggers: [], counters: counters ?? nil)
        }
    }

    /// Reads the averages.
    ///
    /// - Throws: ``SystemCallError``, with `EINVAL` if the file has another form.
    func averages() throws -> PressureAverages {
        guard let averages = PressureAverages(try SmallFile.read(pressure)) else {
            throw SystemCallError(subject: pressure, code: EINVAL)
        }
        return averages
    }

    /// The line that arms a trigger, with its final zero byte: the kernel overwrites the last byte.
    ///
    /// The window is 2 s, because the kernel allows users without privileges only multiples of that.
    static func trigger(_ kind: String, _ share: Double) -> [UInt8] {
        let window = 2_000_000
        let stall = min(window, max(1, Int(share * Double(window))))
        return Array("\(kind) \(stall) \(window)".utf8) + [0]
    }
}

/// A descriptor that is closed when this object is destroyed, unless it was taken.
final class OwnedDescriptor: @unchecked Sendable {
    /// -1 after it was taken. Unchecked: one thread opens it, and hands it to one listener.
    private var descriptor: Int32
    private let path: String

    /// Opens a file that is not a pipe or a device.
    ///
    /// - Throws: ``SystemCallError``.
    init(_ path: String, _ mode: Int32) throws {
        self.path = path
        descriptor = open(path, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemCallError(subject: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(subject: path, code: EINVAL)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes the text of a trigger.
    ///
    /// - Throws: ``SystemCallError``, also for an ordinary file, which would only keep the text.
    func arming(_ trigger: [UInt8]) throws -> OwnedDescriptor {
        // A recorded tree is made of ordinary files, which must not be changed.
        guard axiom_is_kernel_file(descriptor) != 0 else {
            throw SystemCallError(subject: path, code: ENOTSUP)
        }
        guard write(descriptor, trigger, trigger.count) == trigger.count else {
            throw SystemCallError(subject: path, code: errno)
        }
        return self
    }

    /// Hands the descriptor over.
    func take() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }
}
#endif
