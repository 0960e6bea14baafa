// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The schemas of activity and traces", .timeLimit(.minutes(10)))
struct TraceSchemaTests {
    private static let python = ExternalTool.schemaPython
    private static let files = ["activity-1", "traces-1", "trace-1", "snapshot-2"]

    private static func url(_ name: String) -> URL {
        Repository.root.appending(path: "Dashboards/web/\(name).schema.json")
    }

    @Test("What they have in common is equal in all of them")
    func common() throws {
        var definitions: [String: JSONItem] = [:]
        for file in Self.files {
            let schema = try JSONItem([UInt8](try Data(contentsOf: Self.url(file)))).object
            var found = schema["$defs"]?.object ?? [:]
            if file == "trace-1" { found["trace"] = .fields(Self.body(schema)) }
            for (name, definition) in found where ["activity", "trace", "step", "log"].contains(name) {
                #expect(definitions[name, default: definition] == definition, "\(name) in \(file)")
                definitions[name] = definition
            }
        }
        #expect(definitions.count == 4)
    }

    private static func body(_ schema: [String: JSONItem]) -> [String: JSONItem] {
        schema.filter { ["type", "properties", "required"].contains($0.key) }
    }

    #if Instrumented
    /// What a Python that has jsonschema says against a document; empty for nothing.
    private func complaints(_ document: [UInt8], _ schema: String) async throws -> String {
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
            """
        let output = try await Self.python.run(["-c", script, Self.url(schema).path], input: Data(document))
        return output.output + output.errors
    }

    @Test(
        "Every answer fits its schema, also with names that try to be something else",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation)),
        arguments: [["Saw", "Plane"], HostileName.all]
    )
    func answers(_ names: [String]) async throws {
        var random = SplitMix64(seed: 3)
        let app = try TracedApp(names)
        var ids = [await app.trace(names[0])]
        for name in names {
            let steps = (0..<4).map { _ in TracedApp.Plan.random(&random, clients: names.count) }
            ids.append(await app.trace(name, steps, end: .late))
            let record = LogRecord(
                at: app.time.now,
                level: "warning",
                label: name,
                message: name,
                metadata: [name: name],
                trace: ids.last ?? nil
            )
            app.telemetry.readings.logRecords.append(record)
        }
        let dashboard = app.dashboard
        #expect(try await complaints(dashboard.activity(ActivityQuery()), "activity-1") == "")
        #expect(try await complaints(dashboard.traces(), "traces-1") == "")
        for id in ids.compactMap(\.self).suffix(5) {
            #expect(try await complaints(try #require(dashboard.trace(id)), "trace-1") == "")
        }
        #expect(try await complaints(dashboard.exportedSnapshot(), "snapshot-2") == "")
        // The schema requires something.
        #expect(try await complaints(dashboard.snapshot(), "snapshot-2") != "")
    }
    #endif
}
