// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import Dispatch
import Testing

/// Blocks the calling thread until the semaphore is signalled.
private func block(on semaphore: DispatchSemaphore) {
    semaphore.wait()
}

private actor Encoder {
    private let entered: Event
    private let semaphore: DispatchSemaphore

    init(_ entered: Event, _ semaphore: DispatchSemaphore) {
        (self.entered, self.semaphore) = (entered, semaphore)
    }

    func page() -> HTTPResponse {
        entered.fire()
        block(on: semaphore)
        return .text("made")
    }
}

@Suite("The thread of handlers", .timeLimit(.minutes(10)))
struct HandlerThreadTests {
    /// More than the threads of Swift's pool on any machine of the tests.
    private static let clients = 80

    /// Sends requests whose handlers block their thread, checks that tasks of the application run meanwhile, and ends the
    /// handlers.
    private func check(_ handler: @escaping @Sendable (Event, DispatchSemaphore) -> HTTPRoute.Handler) async throws {
        let (entered, semaphore) = (Event(), DispatchSemaphore(value: 0))
        try await withServer([.get("/page", handler: handler(entered, semaphore))]) { _, port in
            var readers: [RawClient] = []
            for _ in 0..<Self.clients {
                let reader = try await RawClient(port: port)
                try await reader.send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n")
                readers.append(reader)
            }
            await entered.wait()
            let sum = await withTaskGroup(of: Int.self) { group in
                for number in 0..<1_000 { group.addTask { number } }
                return await group.reduce(0, +)
            }
            #expect(sum == 499_500)
            // One handler at a time.
            #expect(entered.count == 1)
            for _ in readers { semaphore.signal() }
            for reader in readers { #expect(try await reader.response().body == "made") }
            #expect(entered.count == Self.clients)
        }
    }

    @Test("Handlers that compute take no thread of the application's pool, however many clients there are")
    func handlers() async throws {
        try await check { entered, semaphore in
            { _ in
                entered.fire()
                block(on: semaphore)
                return .text("made")
            }
        }
    }

    @Test("Neither do the actors that they call")
    func actors() async throws {
        try await check { entered, semaphore in
            let encoder = Encoder(entered, semaphore)
            return { _ in await encoder.page() }
        }
    }

    @Test("Neither do the tasks of streams")
    func streams() async throws {
        let (entered, semaphore) = (Event(), DispatchSemaphore(value: 0))
        let route = HTTPRoute.immediate("/stream") { _ in
            let chunks = AsyncStream<[UInt8]>(unfolding: {
                entered.fire()
                block(on: semaphore)
                return Array("made".utf8)
            })
            return .stream(chunks)
        }
        try await withServer([route], .with { $0.streamLimitPerAddress = 32 }) { _, port in
            var readers: [RawClient] = []
            for _ in 0..<20 {
                let reader = try await RawClient(port: port)
                try await reader.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                readers.append(reader)
            }
            await entered.wait()
            #expect(await Task.detached { 1 }.value == 1)
            #expect(entered.count == 1)
            for _ in 0..<1_000 { semaphore.signal() }
            for reader in readers { try await reader.read(until: "made") }
            for reader in readers { reader.hangUp() }
            for _ in 0..<1_000 { semaphore.signal() }
        }
    }

    @Test("A reserved route does not wait for the handlers of others")
    func reserved() async throws {
        let (entered, semaphore) = (Event(), DispatchSemaphore(value: 0))
        let routes: [HTTPRoute] = [
            .get("/slow") { _ in
                entered.fire()
                block(on: semaphore)
                return .text("slow")
            },
            HTTPRoute.get("/metrics") { _ in .text("metrics") }.reserved(),
        ]
        try await withServer(routes) { _, port in
            let slow = try await RawClient(port: port)
            try await slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await entered.wait()
            #expect(try await RawClient(port: port).request("GET", "/metrics").body == "metrics")
            semaphore.signal()
            #expect(try await slow.response().body == "slow")
        }
    }

    @Test("Handlers that wait do not hold it: many of them wait at the same time")
    func waiting() async throws {
        let (begun, gate) = (Event(), Event())
        let route = HTTPRoute.get("/wait") { _ in
            begun.fire()
            await gate.wait()
            return .text("done")
        }
        try await withServer([route]) { _, port in
            var clients: [RawClient] = []
            for _ in 0..<Self.clients {
                let client = try await RawClient(port: port)
                try await client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
                clients.append(client)
            }
            await begun.wait(Self.clients)
            gate.fire()
            for client in clients { #expect(try await client.response().body == "done") }
        }
    }
}
