// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@Suite("Log records", .timeLimit(.minutes(10)))
struct LogRecordTests {
    private func record(_ number: Int, _ message: String, _ trace: TraceID? = nil) -> LogRecord {
        LogRecord(
            at: Instant(nanoseconds: Int64(number)),
            level: "info",
            label: "test",
            message: message,
            trace: trace
        )
    }

    @Test("The latest 2,000 are kept in order, the others are counted")
    func latest() {
        let buffer = LogRecordBuffer()
        let traces = (1...3).map { TraceID(high: 1, low: $0) }
        var model: [LogRecord] = []
        for number in 0..<5_000 {
            let record = record(number, "message \(number)", traces[number % 3])
            buffer.append(record)
            model.append(record)
            guard number % 999 == 0 else { continue }
            #expect(buffer.all == model.suffix(2_000))
        }
        #expect(buffer.all == model.suffix(2_000))
        #expect(buffer.dropped == 3_000)
        #expect(buffer.records(of: traces[1]) == model.suffix(2_000).filter { $0.trace == traces[1] })
    }

    @Test("Long texts are cut off at a character, and their memory is bounded")
    func bounds() {
        var random = SplitMix64(seed: TestSeed.drawn())
        let buffer = LogRecordBuffer()
        let texts = ["é", "👩‍👩‍👧‍👦", "x", "\u{1F600}"].map { String(repeating: $0, count: 20_000) }
        for number in 0..<3_000 {
            let text = texts.randomElement(using: &random) ?? ""
            let metadata = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", text) })
            buffer.append(
                LogRecord(
                    at: Instant(nanoseconds: Int64(number)),
                    level: "info",
                    label: text,
                    message: text,
                    metadata: number % 10 == 0 ? metadata : [:]
                )
            )
        }
        let records = buffer.all
        #expect(records.last?.time == Instant(nanoseconds: 2_999))
        #expect(UInt64(records.count) + buffer.dropped == 3_000)
        var bytes = 0
        for record in records {
            #expect(record.message.utf8.count <= LogRecord.messageLimit + 3)
            #expect(record.message.hasSuffix("…"))
            #expect(texts.contains { $0.hasPrefix(record.message.dropLast()) || record.message.count < 600 })
            #expect(record.metadata.count <= LogRecord.metadataLimit)
            bytes += record.message.utf8.count + record.metadata.values.reduce(0) { $0 + $1.utf8.count }
        }
        #expect(bytes <= LogRecordBuffer.byteLimit)
        #expect(bytes > LogRecordBuffer.byteLimit / 4)
    }

    @Test("Records of eight tasks are all there or counted")
    func concurrent() async {
        let buffer = LogRecordBuffer()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<1_000 { buffer.append(record(number, "\(task)")) } }
            }
        }
        #expect(buffer.all.count == 2_000)
        #expect(buffer.dropped == 6_000)
        for task in 0..<8 {
            let times = buffer.all.filter { $0.message == "\(task)" }.map(\.time)
            #expect(times == times.sorted())
        }
    }
}
