// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Foundation
import Testing

@testable import AxiomInstrumentation

@Suite("The delivery of violations", .timeLimit(.minutes(10)))
@MainActor
struct ViolationDeliveryTests {
    private func dropped(_ app: SampleApp) -> Double? {
        app.metrics.value("axiom_telemetry_dropped_total", ["reason": "budget_violations_full"])
    }

    /// A pipe that takes not one byte more.
    private func fullPipe() -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        let block = [UInt8](repeating: UInt8(ascii: "."), count: 4_096)
        while write(descriptor, block, block.count) > 0 {}
        while write(descriptor, block, 1) > 0 {}
        _ = fcntl(descriptor, F_SETFL, flags)
        return pipe
    }

    @Test("A full pipe behind the log stops no action; what does not fit is counted, the rest comes when there is room")
    func pipeIsFull() async throws {
        let (time, pipe) = (ManualTime(), fullPipe())
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.confirm("client_action")],
            onBudgetViolation: { $0.log(to: descriptor) }
        )
        let mail = try #require(try await app.mountedHost().context).mail
        // Each in a window of its own, so that each is to be logged.
        let actions = 300
        for _ in 0..<actions { try await mail.process(.send { time.advance(by: .seconds(61)) }) }
        let labels = ["budget": "client_action", "component": "MailClient"]
        #expect(app.metrics.value("axiom_budget_violations_total", labels) == Double(actions))
        let lost = Int(try #require(dropped(app)))
        // One may be with the handler, which cannot write.
        let capacity = DeliveryQueue<BudgetViolation>.capacity
        let room = capacity...capacity + 1
        #expect(room.contains(actions - lost), "\(lost) of \(actions) were dropped")

        let reader = Task.detached { [handle = pipe.fileHandleForReading] in try handle.readToEnd() ?? Data() }
        await app.telemetry.drainBudgetViolations()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try await reader.value, as: UTF8.self)
        let lines = text.drop { $0 == "." }.split(separator: "\n")
        #expect(lines.count == actions - lost)
        #expect(lines.allSatisfy { $0.contains("budget client_action: MailClient.send took 61 s") })
        #expect(dropped(app) == Double(lost))
    }

    @Test("The handler runs off the main actor's thread, and violations come in their order")
    func order() async throws {
        let (time, log) = (ManualTime(), ViolationLog())
        let threads = Lock<Set<Bool>>([])
        let app = try await SampleApp.started(
            clock: .manual(time),
            budgets: [.confirm("context_action")],
            onBudgetViolation: { violation in
                threads.withLock { _ = $0.insert(Thread.isMainThread) }
                log.write(violation)
            }
        )
        let context = try #require(try await app.mountedHost().context)
        for seconds in 61...90 { await context.send(.think { time.advance(by: .seconds(seconds)) }) }
        await app.telemetry.drainBudgetViolations()
        #expect(log.violations.map(\.example.value) == (61...90).map { $0 * 1_000_000_000 })
        #expect(threads.withLock { $0 } == [false])
    }
}
#endif
