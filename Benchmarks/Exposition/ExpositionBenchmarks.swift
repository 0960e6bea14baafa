// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomHTTP
import AxiomMetrics
import BenchmarkSupport
import CAllocations
import Glibc
import Synchronization

/// Measures what a page of metrics costs: to collect, to encode in each format, and to fetch over HTTP.
///
/// `exposition-benchmarks [--format json] [--rounds N]`. Everything is measured in turns in one run, beside a copy of as
/// many bytes by `memcpy`, and beside their way through a bare loopback connection.
@main
struct ExpositionBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let rounds = arguments.firstIndex(of: "--rounds").flatMap { Int(arguments[min($0 + 1, arguments.count - 1)]) }
        let registry = try SampleData.makeRegistry()
        var run = BenchmarkRun(iterations: 10, rounds: rounds ?? 101)
        var report = ExpositionReport()
        let snapshot = registry.collect()
        for (id, format) in [
            ("text", ExpositionFormat.text), ("openmetrics", .openMetrics), ("protobuf", .protobuf),
        ] {
            let press = Press(snapshot, format)
            report.pages["exposition/\(id).10k"] = .init(bytes: press.bytes, allocations: press.allocations)
            run.add("exposition/\(id).10k") { iterations in
                for _ in 0..<iterations { press.encode() }
            }
        }
        addCopy(of: Press(snapshot, .text).bytes, to: &run, &report)
        run.add("exposition/collect.10k") { iterations in
            for _ in 0..<iterations { keep(registry.collect()) }
        }
        let exporter = try Exporter(registry: registry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let reader = try PageReader(port: exporter.port ?? 0, path: "/metrics", headers: "")
        report.pages["exposition/scrape.http.10k"] = .init(bytes: try reader.read(), allocations: nil)
        run.add("exposition/scrape.http.10k") { iterations in
            for _ in 0..<iterations { keep(try? reader.read()) }
        }
        let floor = try addLoopbackFloor(Press(snapshot, .text), to: &run, &report)
        let server = try await addHTTPFloor(Press(snapshot, .text), to: &run, &report)
        report.take(await run.run())
        print(arguments.contains("json") ? report.json : report.table)
        withExtendedLifetime(floor) {}
        await exporter.stop()
        await server.stop()
    }

    /// A page that is made already, over the same server: what of a scrape is HTTP, the kernel and the reader.
    private static func addHTTPFloor(
        _ press: Press,
        to run: inout BenchmarkRun,
        _ report: inout ExpositionReport
    ) async throws -> HTTPServer {
        let body = HTTPBody(press.page)
        let router = try HTTPRouter([.get("/") { _ in HTTPResponse(body: body) }])
        let server = HTTPServer(configuration: HTTPServerConfiguration(port: 0), router: router) { _ in }
        try server.start()
        let reader = try PageReader(port: server.port ?? 0, path: "/", headers: "")
        report.pages["floor/http"] = .init(bytes: body.count, allocations: nil)
        run.add("floor/http") { iterations in
            for _ in 0..<iterations { keep(try? reader.read()) }
        }
        return server
    }

    /// The same bytes through a bare loopback socket: what of a scrape is the kernel and the reader.
    private static func addLoopbackFloor(
        _ press: Press,
        to run: inout BenchmarkRun,
        _ report: inout ExpositionReport
    ) throws -> LoopbackFloor {
        let floor = try LoopbackFloor(body: press.page)
        let reader = try PageReader(port: floor.port, path: "/", headers: "")
        report.pages["floor/loopback.bytes"] = .init(bytes: press.bytes, allocations: nil)
        run.add("floor/loopback.bytes") { iterations in
            for _ in 0..<iterations { keep(try? reader.read()) }
        }
        return floor
    }

    private static func addCopy(of bytes: Int, to run: inout BenchmarkRun, _ report: inout ExpositionReport) {
        nonisolated(unsafe) let source = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        nonisolated(unsafe) let target = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        memset(source, 1, bytes)
        report.pages["floor/memcpy"] = .init(bytes: bytes, allocations: 0)
        run.add("floor/memcpy") { iterations in
            for _ in 0..<iterations { keep(memcpy(target, source, bytes)) }
        }
    }
}

/// Encodes one snapshot again and again into one buffer, as the exporter does.
final class Press: Sendable {
    private let snapshot: Snapshot
    private let format: ExpositionFormat
    private let buffer = Mutex(ExpositionBuffer())

    init(_ snapshot: Snapshot, _ format: ExpositionFormat) {
        self.snapshot = snapshot
        self.format = format
        // So that what is rendered once is there, and the buffer has grown.
        encode()
    }

    func encode() {
        buffer.withLock { buffer in
            buffer.removeAll()
            format.encode(snapshot, into: &buffer)
        }
    }

    /// A copy of the page.
    var page: [UInt8] {
        buffer.withLock { $0.bytes }
    }

    /// The bytes of a page.
    var bytes: Int {
        buffer.withLock { $0.count }
    }

    /// How often memory is asked for while a page is encoded.
    var allocations: Int {
        let before = axiom_allocations_of_thread()
        encode()
        return Int(axiom_allocations_of_thread() - before)
    }
}
