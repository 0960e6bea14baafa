// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomTestSupport
import Foundation
import Testing

/// Serialized, because one of the tests counts the descriptors of the process.
@Suite("The lifecycle of a server", .serialized)
struct LifecycleTests {
    private static func server(_ routes: [HTTPRoute] = [], port: Int = 0) throws -> HTTPServer {
        try HTTPServer(configuration: .with { $0.port = port }, routes: routes)
    }

    @Test("A stop waits for a request in flight and refuses later ones")
    func drains() async throws {
        let (entered, released) = (Event(), Event())
        let route = HTTPRoute.get("/slow") { _ in
            entered.fire()
            await released.wait()
            return .text("finished")
        }
        let server = try Self.server([route])
        try server.start()
        let port = try #require(server.port)
        let idle = try await RawClient(port: port)
        #expect(try await idle.request("GET", "/").status == 404)
        let client = try await RawClient(port: port)
        async let answer = client.request("GET", "/slow")
        await entered.wait()
        async let stopped: Void = server.stop()
        // A request on an open connection sees the server stopping, at the latest once stop() has begun.
        while try await idle.request("GET", "/").status == 404 { await Task.yield() }
        released.fire()
        let response = try await answer
        await stopped
        #expect(response.status == 200)
        #expect(response.body == "finished")
        #expect(response.header("Connection")?.lowercased() == "close")
        #expect(try await client.readToEnd().isEmpty)
        await #expect(throws: RawClient.Failure.self) { try await RawClient(port: port).request("GET", "/") }
    }

    @Test("A request that outlasts the drain timeout is cancelled, and its connection closed")
    func drainTimeout() async throws {
        let (drain, handler) = (ManualTime(), ManualTime())
        let cancelled = Event()
        let route = HTTPRoute.get("/slow") { _ in
            do {
                try await TimeSource.manual(handler).sleep(for: .seconds(3_600))
            } catch {
                cancelled.fire()
            }
            return .text("too late")
        }
        let server = try HTTPServer(configuration: .with { _ in }, routes: [route], clock: .manual(drain))
        try server.start()
        let client = try await RawClient(port: try #require(server.port))
        try await client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await handler.waitForSleepers(1)
        async let stopped: Void = server.stop()
        await drain.waitForSleepers(1)
        #expect(server.port == nil)
        drain.advance(by: .seconds(5))
        await stopped
        await cancelled.wait()
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test("A drain timeout of zero does not wait for a handler, whenever the wait begins")
    func noDrain() async throws {
        let (entered, released) = (Event(), Event())
        let route = HTTPRoute.get("/stuck") { _ in
            entered.fire()
            await released.wait()
            return .text("too late")
        }
        let server = try HTTPServer(configuration: .with { $0.drainTimeout = .zero }, routes: [route])
        try server.start()
        let client = try await RawClient(port: try #require(server.port))
        try await client.send("GET /stuck HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await entered.wait()
        await server.stop()
        released.fire()
        #expect(server.port == nil)
    }

    @Test("A handler that ignores its cancellation does not prevent the server from stopping")
    func ignoredCancellation() async throws {
        let (entered, released) = (Event(), Event())
        let route = HTTPRoute.get("/stuck") { _ in
            entered.fire()
            await released.wait()
            return .text("too late")
        }
        let drain = ManualTime()
        let server = try HTTPServer(configuration: .with { _ in }, routes: [route], clock: .manual(drain))
        try server.start()
        let client = try await RawClient(port: try #require(server.port))
        try await client.send("GET /stuck HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await entered.wait()
        async let stopped: Void = server.stop()
        await drain.waitForSleepers(1)
        drain.advance(by: .seconds(5))
        await stopped
        released.fire()
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test(
        "Two servers at one port: the error of the second names the address and the remedy, and it serves after the first stopped"
    )
    func addressInUse() async throws {
        let first = try Self.server()
        try first.start()
        let port = try #require(first.port)
        let second = try Self.server(port: port)
        let error = #expect(throws: HTTPServerError.self) { try second.start() }
        #expect(error?.code == .addressInUse)
        #expect(error?.message.contains("127.0.0.1:\(port)") == true)
        #expect(error?.message.contains("in use, by this process;") == true)
        await first.stop()
        try second.start()
        #expect(second.port == port)
        await second.stop()
    }

    @Test("The error for a port of another process names its number and its program")
    func portOfAnotherProcess() async throws {
        let script = """
            import os, signal, socket
            s = socket.create_server(("127.0.0.1", 0))
            print(s.getsockname()[1], os.getpid(), flush=True)
            signal.pause()
            """
        let other = try RunningProgram("/usr/bin/env", ["python3", "-c", script])
        let (port, number) = try await other.firstLine("its port") { line -> (Int, Int)? in
            let words = line.split(separator: " ").compactMap { Int($0) }
            return words.count == 2 ? (words[0], words[1]) : nil
        }
        let error = #expect(throws: HTTPServerError.self) { try Self.server(port: port).start() }
        #expect(error?.code == .addressInUse)
        let name = "127.0.0.1:\(port) is already in use, by process \(number) (python3"
        #expect(error?.message.hasPrefix(name) == true, "\(error?.message ?? "")")
        other.signal(SIGKILL)
        _ = await other.exitCode()
    }

    @Test("A port serves again at once after each stop, also if clients have left connections behind")
    func restarts() async throws {
        var port = 0
        for _ in 0..<5 {
            let server = try Self.server(port: port)
            try server.start()
            port = try #require(server.port)
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await server.stop()
            _ = try? await client.readToEnd()
        }
    }

    @Test(
        "The error for a privileged port names the remedy",
        .enabled(if: ExternalTool.privilegedPorts.mayRun, "\(ExternalTool.privilegedPorts.installation)")
    )
    func permissionDenied() async {
        await #expect(processExitsWith: .success) {
            let error = try await Privileges.dropped {
                #expect(throws: HTTPServerError.self) { try Self.server(port: 1).start() }
            }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.contains("127.0.0.1:1") == true)
        }
    }

    @Test("An address that the machine does not have is an error with the address")
    func addressUnavailable() throws {
        let configuration = HTTPServerConfiguration(host: "192.0.2.1", port: 0, allowedHosts: ["a"])
        let server = try HTTPServer(configuration: configuration, routes: [])
        let error = #expect(throws: HTTPServerError.self) { try server.start() }
        #expect(error?.code == .addressUnavailable)
        #expect(error?.message.contains("192.0.2.1") == true)
    }

    @Test("A server starts once and its stop is final; stopping again, concurrently or before the start has no effect")
    func once() async throws {
        let server = try Self.server()
        #expect(server.port == nil)
        try server.start()
        #expect(#expect(throws: HTTPServerError.self) { try server.start() }?.code == .alreadyStarted)
        async let one: Void = server.stop()
        async let two: Void = server.stop()
        _ = await (one, two)
        await server.stop()
        #expect(server.port == nil)
        #expect(#expect(throws: HTTPServerError.self) { try server.start() }?.code == .stopped)
        let never = try Self.server()
        await never.stop()
        #expect(#expect(throws: HTTPServerError.self) { try never.start() }?.code == .stopped)
    }

    @Test("A server that is released while it serves closes its connections and frees its resources")
    func dropped() async throws {
        let canary = Canary()
        let destroyed = canary.destroyed
        let client: RawClient
        let entered = Event()
        do {
            let time = ManualTime()
            let held = canary
            let routes: [HTTPRoute] = [
                .get("/") { _ in .text("\(held.destroyed.count)") },
                .get("/slow") { _ in
                    entered.fire()
                    try await TimeSource.manual(time).sleep(for: .seconds(60))
                    return .text("never")
                },
            ]
            let server = try Self.server(routes)
            try server.start()
            client = try await RawClient(port: try #require(server.port))
            #expect(try await client.request("GET", "/").body == "0")
            try await client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await entered.wait()
        }
        #expect(try await client.readToEnd().isEmpty)
        _ = consume canary
        await destroyed.wait()
    }

    /// libmicrohttpd 0.9.75 dereferences a null pointer when it refuses a request while it is being stopped.
    @Test("A stop works while malformed requests arrive")
    func stopsAmidMalformedRequests() async throws {
        for round in 0..<150 {
            let server = try Self.server()
            try server.start()
            let port = try #require(server.port)
            var clients: [RawClient] = []
            for _ in 0..<4 { clients.append(try await RawClient(port: port)) }
            await withTaskGroup { group in
                for client in clients {
                    group.addTask { try? await client.send("GET / HTTP/1.1\r\n: x\r\n\r\n") }
                }
                for _ in 0..<(round % 8) { await Task.yield() }
                await server.stop()
            }
        }
    }

    @Test("Two hundred servers that served and stopped leak no descriptor and no thread")
    func leavesNothing() async throws {
        func cycle() async throws {
            let server = try Self.server([.get("/") { _ in .text("in") }])
            try server.start()
            let client = try await RawClient(port: try #require(server.port))
            #expect(try await client.request("GET", "/").body == "in")
            await server.stop()
        }
        for _ in 0..<5 { try await cycle() }
        let descriptors = try Self.count("/proc/self/fd")
        for _ in 0..<200 { try await cycle() }
        // Other suites run at the same time and open a few of their own; a leak of one per cycle would be 200.
        #expect(try Self.count("/proc/self/fd") < descriptors + 150)
    }

    private static func count(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder).count
    }
}
