// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Foundation

extension PushTarget {
    /// A file for the textfile collector of node_exporter, which is replaced as a whole.
    ///
    /// The collector adds no label, and all files and its own metrics are one page: of two series with the same name and
    /// labels it drops one. Give each program a file of its own: a push to a file that another one has written since the last
    /// push fails, with the code `fileFailed`.
    ///
    /// - Parameters:
    ///   - path: A file with the suffix `.prom` in a folder that exists. The collector reads files with that suffix only.
    ///   - labels: Labels of every series, such as `["service": "shop"]`. Give each program of a machine other ones. Default:
    ///     none.
    ///   - includesProcess: Whether the file has the metrics `process_*`. Default: false, because node_exporter has those of
    ///     its own process under the same names. Set it only with labels.
    ///   - mode: The permissions of the file: 0...0o777. Default: 0o644, so that node_exporter can read it, whatever the
    ///     `umask` is.
    ///   - name: The label `destination` of the metrics.
    /// - Throws: ``PushError`` if the name or the mode is invalid.
    public static func textfile(
        _ path: String,
        labels: KeyValuePairs<String, String> = [:],
        includesProcess: Bool = false,
        mode: UInt16 = 0o644,
        name: String = "textfile"
    ) throws(PushError) -> PushTarget {
        if let problem = LabelName.problem(labels.map(\.key)) {
            throw PushError(.invalidConfiguration, "\(path): \(problem)")
        }
        return PushTarget(
            TextfileDestination(
                name: name,
                file: try Textfile(path, mode: mode),
                labels: labels.map { (name: $0.key, value: $0.value) },
                includesProcess: includesProcess
            )
        )
    }
}

/// A file with a page in text 0.0.4. The collector of node_exporter refuses samples with a time.
struct Textfile: Sendable {
    let path: String
    private let mode: mode_t
    private let seen = SeenFile()

    init(_ path: String, mode: UInt16) throws(PushError) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard name.hasSuffix(".prom"), name.count > ".prom".count, !name.hasPrefix("."), !path.utf8.contains(0) else {
            throw PushError(
                .invalidConfiguration,
                "\"\(path)\" is not read by node_exporter: use a name that ends in .prom and does not begin with a dot"
            )
        }
        guard mode <= 0o777 else {
            throw PushError(
                .invalidConfiguration,
                "The mode 0o\(String(mode, radix: 8)) of \(path) has other bits than permissions: use 0...0o777"
            )
        }
        self.path = path
        self.mode = mode_t(mode)
    }

    /// Replaces the file. Blocks.
    func write(_ bytes: [UInt8]) throws(PushError) {
        do throws(FileError) {
            // While it is held, no other writer can change the file.
            var file = try AtomicFile(path)
            guard seen.isUnchanged(file.target) else { throw FileError(Self.shared(path)) }
            try file.write(bytes)
            seen.note(file.target)
        } catch {
            guard error.message != Self.shared(path) else { throw PushError(.fileFailed, error.message) }
            throw PushError(.fileFailed, "\(error); check the folder, its permissions and the disk")
        }
        // The file keeps its mode when it is replaced. A new one has the mode that the umask leaves.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o777 != mode, chmod(path, mode) != 0 else { return }
        throw PushError(
            .fileFailed,
            "could not set the mode of \(path): \(String(cString: strerror(errno))); delete the file or own it"
        )
    }

    private static func shared(_ path: String) -> String {
        "\(path) was written by another program, or another pusher of this one, since the last push: give each a file of its own"
    }
}

/// What was last seen under a path. Two writers would replace each other's pages at each push, unseen.
private final class SeenFile: Sendable {
    private struct Stamp: Hashable {
        private let numbers: [Int64]

        /// Nil if there is no file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            numbers = [
                Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
                Int64(time.tv_sec), Int64(time.tv_nsec), Int64(status.st_size),
            ]
        }
    }

    /// Nil before the first push, which replaces what an earlier run left.
    private let last = Lock<Stamp?>(nil)

    func note(_ path: String) {
        let stamp = Stamp(path)
        last.withLock { $0 = stamp }
    }

    /// Whether the file is the one that was seen last, or there is none. The file of another writer is then the one that was
    /// seen: if that one has ended, the next push replaces it.
    func isUnchanged(_ path: String) -> Bool {
        guard let stamp = Stamp(path) else { return true }
        return last.withLock { last in
            defer { last = stamp }
            return last == nil || last == stamp
        }
    }
}

/// Writes pages to a file. The samples of a batch are its series.
struct TextfileDestination: PushDestination {
    let name: String
    let file: Textfile
    /// Of every series.
    let labels: [(name: String, value: String)]
    let includesProcess: Bool
    /// Writing blocks, so it has a queue of its own.
    private let queue = DispatchQueue(label: "axiom-push.textfile", qos: .utility)

    var capacity: QueueCapacity { .latest }
    var hasSampleTimes: Bool { false }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        let shown = includesProcess ? snapshot : snapshot.without { $0.hasPrefix("process_") }
        if let (metric, label) = shown.firstMetric(with: labels.map(\.name)) {
            let refusal = PushError(
                .rejected,
                "The metric \(metric) has the label \(label), which \(file.path) gives every series: rename one of both"
            )
            return [PushBatch(samples: shown.seriesCount, bytes: [], refusal: refusal)]
        }
        var buffer = ExpositionBuffer()
        ExpositionFormat.text.encode(shown.labelled(labels), into: &buffer)
        return [PushBatch(samples: shown.seriesCount, bytes: buffer.bytes)]
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        if let refusal = batch.refusal { throw refusal }
        try Task.checkCancellation()
        // Another process may hold the lock of the file, so that a cancelled task does not wait for the write.
        let written = OneShot<Result<Void, any Error>>()
        queue.async { [file] in written.settle(Result { try file.write(batch.bytes) }) }
        try await written.value(ifCancelled: .failure(CancellationError())).get()
        return PushReceipt()
    }
}
