// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Hummingbird
import Testing

@testable import OrdersService

@Suite("A whole service as a process", .timeLimit(.minutes(10)))
struct OrdersServiceTests {
    @Test("Routes answer, hits of the cache and requests are counted, and the last push has all of it")
    func life() async throws {
        try await OrdersSurroundings.prepared { around in
            let service = try await around.start()
            let tea = try await service.place("tea")
            #expect(tea.status == 200 && tea.type == "application/json; charset=utf-8")
            #expect(try RunningOrders.orders(tea).map(\.cents) == [36])
            #expect(try await RunningOrders.orders(service.place("tea")).map(\.number) == [2])
            #expect(try await RunningOrders.orders(service.orders.send("/orders")).map(\.number) == [1, 2])
            for (item, status) in [("nothing", 404), ("words", 503), ("tea42", 400)] {
                #expect(try await service.place(item).status == status, "\(item)")
            }
            #expect(around.asked.entries == ["tea", "nothing", "words"])
            #expect(try await service.dashboard.send("/readyz").status == 200)
            let route = #"http_request_method="POST",http_response_status_code="200",http_route="/orders/{item}""#
            let expected = [
                #"axiom_cache_requests_total{cache="prices",outcome="hit"} 1"#,
                #"axiom_cache_requests_total{cache="prices",outcome="miss"} 3"#,
                "hb_requests_total{\(route)} 2",
                "http_server_request_duration_seconds_count{\(route)} 2",
                #"axiom_requests_total{handler="OrdersHandler",route="place",outcome="success"} 2"#,
                #"axiom_errors_total{component="HTTPPriceList",code="ORDERS_PRICE_001",severity="warning"} 1"#,
            ]
            let page = try await service.metrics
            for line in expected { #expect(page.contains(line), "\(line)\n\(page.sorted().joined(separator: "\n"))") }
            #expect(await service.end() == 0)
            // The service has a minute for its first push, so the last one is at its end.
            let last = try #require(around.pushed.entries.last)
            #expect(
                last.contains(
                    "\naxiom_requests_total{handler=\"OrdersHandler\",route=\"open\",outcome=\"success\"} 1\n"
                )
            )
            #expect(last.contains("\nhb_requests_total{\(route)} 2\n"))
        }
    }

    @Test("An order that was answered survives a crash, and open orders survive the end")
    func restart() async throws {
        try await OrdersSurroundings.prepared { around in
            let first = try await around.start()
            #expect(try await first.place("tea").status == 200)
            first.program.signal(SIGKILL)
            #expect(await first.program.exitCode() == SIGKILL)
            let second = try await around.start()
            #expect(try await RunningOrders.orders(second.place("milk")).map(\.number) == [2])
            #expect(await second.end() == 0)
            let third = try await around.start()
            #expect(try await RunningOrders.orders(third.orders.send("/orders")).map(\.item) == ["tea", "milk"])
            #expect(await third.end() == 0)
        }
    }

    @Test("A flag and the settings of a capability are those of the file, at the start and when it changes")
    func settings() async throws {
        try await OrdersSurroundings.prepared { around in
            try around.write("dashboard: {port: 0}\nflags: {dozens: true}\n", to: "orders.yaml")
            let service = try await around.start()
            #expect(try await RunningOrders.orders(service.place("tea")).map(\.pieces) == [12])
            try around.write("flags: {dozens: false}\n", to: "orders.yaml")
            try await Loopback.wait(for: "the flag") {
                try await RunningOrders.orders(service.place("tea")).map(\.pieces) == [1]
            }
            try around.write("flags: {dozens\n", to: "orders.yaml")
            try await Loopback.wait(for: "the error") { !service.log("AXIOM_CONFIGURATION_002").isEmpty }
            #expect(try await RunningOrders.orders(service.place("tea")).map(\.pieces) == [1])
            #expect(await service.end() == 0)
        }
    }

    @Test("Open orders are shipped in the background")
    func shipping() async throws {
        try await OrdersSurroundings.prepared { around in
            let service = try await around.start(["ORDERS_SHIPPING_INTERVAL": "0.1"])
            #expect(try await service.place("tea").status == 200)
            try await Loopback.wait(for: "the shipping") {
                try await service.metrics.contains("orders_shipped_total 1")
            }
            #expect(try await service.orders.send("/orders").text == "[]")
            #expect(await service.end() == 0)
        }
    }

    @Test("After SIGTERM no connection is accepted, the request that runs is answered, and its order is kept")
    func draining() async throws {
        try await OrdersSurroundings.prepared { around in
            let service = try await around.start()
            async let answer = service.place("snails")
            await around.gate.waitForArrivals(1)
            service.program.signal(SIGTERM)
            try await Loopback.wait(for: "the end of the listening") {
                (try? await HTTPExchange.perform("GET", "/orders", port: service.orders.port)) == nil
            }
            #expect(service.program.isRunning)
            around.gate.open()
            #expect(try await answer.status == 200)
            #expect(await service.program.exitCode() == 0)
            let next = try await around.start()
            #expect(try await RunningOrders.orders(next.orders.send("/orders")).map(\.item) == ["snails"])
            #expect(await next.end() == 0)
        }
    }

    /// Whether a program has a handler for a signal.
    private static func catches(_ signal: Int32, _ program: RunningProgram) -> Bool {
        let path = "/proc/\(program.processIdentifier)/status"
        let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let caught = status.firstMatch(of: #/SigCgt:\s+([0-9a-f]+)/#).flatMap { UInt64($0.1, radix: 16) } ?? 0
        return caught & 1 << (UInt64(signal) - 1) != 0
    }

    @Test("SIGTERM during the start ends the program with 0")
    func interruptedStart() async throws {
        try await OrdersSurroundings.prepared { around in
            for _ in 0..<3 {
                let program = try RunningProgram("/usr/bin/env", around.arguments())
                // As soon as the service group has taken the signal.
                await eventually { !program.isRunning || Self.catches(SIGTERM, program) }
                program.signal(SIGTERM)
                #expect(await program.exitCode() == 0, "\(program.output)")
            }
            let program = try RunningProgram("/usr/bin/env", around.arguments())
            _ = try await program.firstLine("its start") { $0.contains("Server started") ? true : nil }
            program.signal(SIGTERM)
            #expect(await program.exitCode() == 0, "\(program.output)")
        }
    }
}

extension OrdersServiceTests {
    /// Runs a program that cannot start: it ends with 1 and one line, before it has printed an address.
    private func failure(_ around: OrdersSurroundings, _ settings: [String: String]) async throws -> String {
        let result = try await Command.run("/usr/bin/env", around.arguments(settings))
        #expect(result.status == 1 && !result.output.contains("is served"), "\(result.output)")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("orders: ") }, "\(result.errors)")
        return result.errors
    }

    @Test("A port that is taken and a wrong setting end the program with 1 and one line that names it")
    func failures() async throws {
        try await OrdersSurroundings.prepared { around in
            let taken = try await around.start()
            for (name, port) in [("ORDERS_PORT", taken.orders.port), ("ORDERS_DASHBOARD_PORT", taken.dashboard.port)] {
                let line = try await failure(around, [name: "\(port)"])
                #expect(line.contains("127.0.0.1:\(port) ") && line.contains("already in use"), "\(line)")
            }
            #expect(await taken.end() == 0)
            let wrong = try await failure(around, ["ORDERS_PORT": "70000", "ORDERS_SHIPPING_INTERVAL": "never"])
            #expect(
                wrong.contains("port is \"70000\" in the environment") && wrong.contains("shipping.interval"),
                "\(wrong)"
            )
            #expect(try await failure(around, ["ORDERS_PRICES": "nowhere"]).contains("prices is \"nowhere\""))
            #expect(try await failure(around, ["ORDERS_PUSHGATEWAY": "nowhere"]).contains("it is no URL"))
            #expect(try await failure(around, ["ORDERS_DATABASE": "/dev/null/orders.db"]).contains("SQLiteStorage"))
            try around.write("port: [\n", to: "orders.yaml")
            #expect(try await failure(around, [:]).contains("orders.yaml"))
        }
    }
}

extension OrdersServiceTests {
    @Test("All lines of a request have the trace of its caller")
    func callersTrace() async throws {
        try await OrdersSurroundings.prepared { around in
            let service = try await around.start()
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let caller = ["traceparent": "00-\(trace)-b7ad6b7169203331-01"]
            #expect(try await service.place("tea", caller).status == 200)
            #expect(try await service.place("nothing", caller).status == 404)
            let page = try JSONDecoder().decode(
                Trace.self,
                from: Data(try await service.dashboard.send("/api/traces/\(trace)").text.utf8)
            )
            #expect(page.spans.filter { $0.name == "HTTP" }.count == 2)
            // The output is whole then.
            #expect(await service.end() == 0)
            let lines = service.log("trace_id=\(trace)")
            for text in [
                "hb.request.path=/orders/tea", "order placed", "hb.request.path=/orders/nothing", "ORDERS_PRICE_001",
            ] {
                #expect(lines.contains { $0.contains(text) }, "\(text)\n\(service.program.output)")
            }
            let without = ["/orders/", "order placed", "ORDERS_PRICE"].flatMap { service.log($0) }
                .filter { !$0.contains("trace_id=\(trace)") }
            #expect(without == [])
        }
    }

    @Test("The id of a trace in a line of the log opens the trace on the page")
    func logToPage() async throws {
        try await OrdersSurroundings.prepared { around in
            let service = try await around.start()
            #expect(try await service.place("tea").status == 200)
            try await Loopback.wait(for: "the line") { !service.log("order placed").isEmpty }
            let line = try #require(service.log("order placed").first)
            let id = try #require(line.firstMatch(of: #/trace_id=([0-9a-f]{32})/#)?.1)
            #expect(service.log("hb.request.path=/orders/tea").allSatisfy { $0.contains("trace_id=\(id)") })
            let page = try await service.dashboard.send("/api/traces/\(id)").text
            let trace = try JSONDecoder().decode(Trace.self, from: Data(page.utf8))
            let names = trace.spans.map { "\($0.component ?? "") \($0.name)" }
            for name in [" HTTP", "OrdersHandler place", "OrdersClient place", "HTTPPriceList price"] {
                #expect(names.contains(name), "\(name) in \(page)")
            }
            #expect(trace.logs.map(\.message).contains("order placed"), "\(page)")
            let opened = try await HTTPExchange.perform("GET", "/trace/\(id)", port: service.dashboard.port)
            #expect(opened.status == 303 && opened["Location"]?.hasSuffix("#trace=\(id)") == true)
            #expect(await service.end() == 0)
        }
    }

    private struct Trace: Decodable {
        struct Span: Decodable {
            let name: String
            let component: String?
        }

        struct Log: Decodable {
            let message: String
        }

        let spans: [Span]
        let logs: [Log]
    }
}
