// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomSystem

@Suite("The permission of a file")
struct FilePermissionTests {
    @Test("The status follows from the codes with which reading and writing are refused")
    func status() {
        typealias Source = FilePermissionSource
        #expect(Source.status(.readWrite, reading: nil, writing: nil) == .granted)
        #expect(Source.status(.readWrite, reading: nil, writing: EACCES) == .limited)
        #expect(Source.status(.readWrite, reading: nil, writing: EROFS) == .limited)
        #expect(Source.status(.write, reading: nil, writing: EROFS) == .restricted)
        #expect(Source.status(.write, reading: nil, writing: EACCES) == .denied)
        #expect(Source.status(.read, reading: EACCES, writing: nil) == .denied)
        #expect(Source.status(.readWrite, reading: EACCES, writing: nil) == .denied)
        #expect(Source.status(.readWrite, reading: ENOENT, writing: ENOENT) == .undetermined)
        #expect(Source.status(.write, reading: nil, writing: ENOTDIR) == .undetermined)
        #expect(Source.status(.read, reading: ELOOP, writing: nil) == .denied)
    }

    @Test("A path is watched with all folders above it, and at most 64 of them")
    func levels() {
        let path = WatchedPath("/var//lib/shop/")
        #expect(path.levels.map(\.path) == ["/", "/var", "/var/lib", "/var/lib/shop"])
        #expect(path.levels.map { $0.next.map { String(decoding: $0, as: UTF8.self) } } == ["var", "lib", "shop", nil])
        #expect(WatchedPath("/").levels.map(\.path) == ["/"])
        #expect(WatchedPath(String(repeating: "/a", count: 2_000)).levels.count == 64)
    }

    @Test("Only records of the path concern it, and lost ones")
    func concern() {
        var path = WatchedPath("/a/b")
        #expect(path.update([.watched(1), .watched(2), .missing]).isEmpty)
        let record = { (watch: Int32, name: String) in InotifyRecord(watch: watch, mask: 0, name: Array(name.utf8)) }
        #expect(path.isConcerned(by: record(1, "a")))
        #expect(!path.isConcerned(by: record(1, "b")))
        #expect(path.isConcerned(by: record(2, "b")))
        #expect(path.isConcerned(by: record(2, "")))
        #expect(!path.isConcerned(by: record(3, "")))
        #expect(path.isConcerned(by: record(-1, "")))
        #expect(path.update([.watched(1), .watched(4), .watched(5)]) == [2])
        #expect(path.isConcerned(by: record(5, "")))
        #expect(path.update([.watched(1), .watched(4), .forbidden]).isEmpty)
        #expect(path.isConcerned(by: record(5, "")))
        #expect(path.update([.watched(1), .forbidden, .missing]) == [5])
    }

    @Test("Records of inotify are read up to the first that is cut off, whatever the bytes are")
    func records() {
        let bytes = Self.record(3, 0x100, "name") + Self.record(-1, 0x4000, "")
        #expect(
            InotifyRecord.records(in: bytes[...]) == [
                InotifyRecord(watch: 3, mask: 0x100, name: Array("name".utf8)),
                InotifyRecord(watch: -1, mask: 0x4000, name: []),
            ]
        )
        for length in bytes.indices {
            #expect(InotifyRecord.records(in: bytes[..<length]).count == (length < 32 ? 0 : 1))
        }
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 0...96, using: &random)).map { _ in
                Bool.random(using: &random) ? UInt8(0) : UInt8.random(in: 0...255, using: &random)
            }
            #expect(InotifyRecord.records(in: noise[...]).count <= noise.count / 16)
        }
    }

    private static func record(_ watch: Int32, _ mask: UInt32, _ name: String) -> [UInt8] {
        let padded = name.isEmpty ? [] : Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
        let header = [UInt32(bitPattern: watch), mask, 0, UInt32(padded.count)]
        return header.flatMap { word in withUnsafeBytes(of: word) { Array($0) } } + padded
    }

    @Test("The regular check notices what inotify does not report", .timeLimit(.minutes(10)))
    func regularCheck() async throws {
        let tree = try Tree()
        try tree.write("target/f", "x")
        symlink("target/f", "\(tree.path)/link")
        try tree.remove("target")
        let time = ManualTime()
        let source = try FilePermissionSource(
            "\(tree.path)/link",
            access: .read,
            period: .seconds(30),
            clock: .manual(time)
        )
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .permission(.files, .undetermined))
        try tree.write("target/f", "x")
        #expect(try await events.next(after: .seconds(30), of: time) == .permission(.files, .granted))
    }

    @Test("A listener that is cancelled while it waits ends at once", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let source = try FilePermissionSource("/nowhere/at/all", access: .read)
        let (begun, continuation) = AsyncStream.makeStream(of: CapabilityEvent.self)
        let task = Task {
            for try await event in source.events() { continuation.yield(event) }
        }
        for await event in begun.prefix(1) { #expect(event == .permission(.files, .undetermined)) }
        task.cancel()
        try await task.value
    }
}
