// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Testing

@Suite("The resource of OpenTelemetry as target_info")
struct TargetInfoTests {
    let registry = Registry()

    private func labels() throws -> [String] {
        let family = try #require(registry.collect().family("target_info"))
        #expect(family.count == 1)
        return family.flatMap(\.labels.pairs).map { "\($0.name)=\($0.value)" }
    }

    @Test("It is absent unless it has attributes")
    func absent() throws {
        try registry.targetInfo([:])
        try registry.targetInfo(["service.version": ""])
        #expect(registry.collect().families.isEmpty)
    }

    @Test("The attributes are the labels of one series, in each format")
    func formats() throws {
        try registry.targetInfo(["service.name": "shop \"1\"", "service.version": "1.4.2", "host.name": ""])
        let line = "\ntarget_info{service_name=\"shop \\\"1\\\"\",service_version=\"1.4.2\"} 1"
        let text: String = ExpositionFormat.text.page(registry.collect())
        #expect(text.contains("# TYPE target_info gauge\n") && text.contains(line))
        let openMetrics: String = ExpositionFormat.openMetrics.page(registry.collect())
        #expect(openMetrics.contains("# TYPE target info\n") && openMetrics.contains(line))
    }

    @Test("OpenMetrics 2.0 has it before all other families, which keep their order")
    func order() throws {
        for name in ["z_count", "a_count"] { try registry.gauge(name, help: "One.").set(1) }
        let without: String = ExpositionFormat.openMetrics2.page(registry.collect())
        try registry.targetInfo(["service.name": "shop"])
        let page: String = ExpositionFormat.openMetrics2.page(registry.collect())
        #expect(page.hasPrefix("# TYPE target_info info\n") && page.hasSuffix("\n\(without)"), "\(page)")
    }

    @Test(
        "A run of characters that a label cannot have is one underscore",
        arguments: [
            ("service.name", "service_name"), ("k8s.pod-name", "k8s_pod_name"), ("a..b", "a_b"), ("a__b", "a_b"),
            ("a._.b", "a_b"), ("__a", "_a"), (".", "_"), ("größe.日本", "gr_e_"), ("1st", "key_1st"), ("2", "key_2"),
            ("Service_Name", "Service_Name"),
        ]
    )
    func escaping(_ attribute: String, _ label: String) throws {
        try registry.targetInfo([attribute: "x"])
        #expect(try labels() == ["\(label)=x"])
    }

    @Test("The values of names that become equal are joined, in the order of the names")
    func joined() throws {
        try registry.targetInfo(["a_b": "third", "a.b": "second", "a-b": "first", "z": "last"])
        #expect(try labels() == ["a_b=first;second;third", "z=last"])
    }

    @Test("The same attributes may be registered again; others are refused, and change nothing")
    func again() throws {
        try registry.targetInfo(["service.name": "shop"])
        try registry.targetInfo(["service.name": "shop", "host.name": ""])
        for other in [["service.name": "mail"], ["service.name": "shop", "host.name": "a"]] {
            let error = #expect(throws: MetricsError.self) { try registry.targetInfo(other) }
            #expect(error?.code == .conflictingDefinition && error?.family == "target_info")
        }
        #expect(try labels() == ["service_name=shop"])
    }

    @Test("A name that is empty or reserved is refused, and nothing is registered", arguments: ["", "le", "quantile"])
    func badNames(_ name: String) throws {
        let error = #expect(throws: MetricsError.self) { try registry.targetInfo([name: "x", "a": "y"]) }
        #expect(error?.code == .invalidLabel && error?.family == "target_info")
        #expect(registry.collect().families.isEmpty)
        try registry.targetInfo(["a": "y"])
        #expect(try labels() == ["a=y"])
    }

    @Test("A long value is cut")
    func longValue() throws {
        try registry.targetInfo(["a": String(repeating: "x", count: 2_000)])
        #expect(try labels()[0].utf8.count == "a=".utf8.count + 1_024)
    }
}
