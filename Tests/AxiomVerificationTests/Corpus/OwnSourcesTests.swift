// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Corpus: this repository", .timeLimit(.minutes(10)))
struct OwnSourcesTests {
    @Test("The sources and benchmarks of Axiom have no findings, the tests those that they want")
    func sources() async {
        let verdict = await OwnSources.judge(["Sources", "Benchmarks", "Tests"])
        #expect(verdict.fileCount > 1_000)
        #expect(verdict.unreadableFiles.map { "\($0.location.path):\($0.location.start.line)" } == [])
        var found: Set<Deliberate> = []
        for finding in verdict.findings {
            let place = Deliberate(finding.location.path, finding.rule)
            found.insert(place)
            #expect(
                Deliberate.all[place] != nil,
                "\(finding.location.path):\(finding.location.start.line) \(finding.rule.rawValue): \(finding.message)"
            )
        }
        for place in Deliberate.all.keys where verdict.metrics.contains(where: { $0.path == place.path }) {
            #expect(found.contains(place), "\(place.path) has no \(place.rule.rawValue) any more. Remove the entry.")
        }
    }

    @Test("The snippets of the documentation have no findings")
    func documentation() async throws {
        let documents = try OwnSources.snippets()
        var components = 0
        let programs = documents.sorted { $0.key < $1.key }.flatMap { path, programs in programs.map { (path, $0) } }
        for (path, snippets) in programs {
            let verdict = await OwnSources.judge(snippets)
            components += verdict.metrics.map(\.componentCount).reduce(0, +)
            #expect(verdict.findings.map { "\(path): \($0.rule.rawValue) \($0.message)" } == [])
            #expect(verdict.unreadableFiles.map { "\(path), block \($0.location.path)" } == [])
        }
        #expect(components > 20)
    }
}

/// A rule that a file of the tests breaks on purpose.
private struct Deliberate: Hashable {
    let path: String
    let rule: RuleID

    init(_ path: String, _ rule: RuleID) {
        (self.path, self.rule) = (path, rule)
    }

    /// The files with the reasons.
    static let all: [Deliberate: String] = {
        var all: [Deliberate: String] = [:]
        for (rule, reason, paths) in groups {
            for path in paths { all[Deliberate("Tests/" + path, rule)] = reason }
        }
        return all
    }()

    private static let groups: [(RuleID, String, [String])] = [
        (
            "action-reference", "the action carries what the test wants to happen",
            [
                "AxiomDashboardTests/Support/TracedApp.swift",
                "AxiomInstrumentationTests/FlightRecorder/FlightApp.swift",
                "AxiomNavigationTests/Flow/FlowWorld.swift", "AxiomSampleApp/Actions.swift",
                "AxiomTestingTests/Interleavings/PlantedRaces.swift", "AxiomTests/Lifetime/QuiescenceTests.swift",
                "AxiomTests/Support/LifeClient.swift", "AxiomTests/Support/RecoveringContext.swift",
                "AxiomTests/Support/SampleContexts.swift", "AxiomTracingTests/TracedApp.swift",
                "AxiomUITests/Support/ShopApp.swift",
            ]
        ),
        (
            "action-reference", "shows how a payload of each kind is described",
            ["AxiomInstrumentationTests/Scenario/SourceTextTests.swift"]
        ),
        (
            "state-reference", "an object in the state shows when the framework releases states",
            [
                "AxiomInstrumentationTests/StateInspection/StateInspectorTests.swift",
                "AxiomTests/State/StateCancellationTests.swift", "AxiomTests/State/StateRecorderTests.swift",
                "AxiomTests/State/StateReleaseTests.swift", "AxiomTests/State/StateStoreTests.swift",
            ]
        ),
        (
            "state-reference", "a state with user code in its comparison re-enters the store",
            ["AxiomTests/State/StateReentryTests.swift"]
        ),
        (
            "state-reference", "the framework refuses such a state",
            ["AxiomTests/Lifetime/StoreRuleTests.swift", "AxiomTests/RuleAcceptance/StateRules.swift"]
        ),
        (
            "state-manual-equality", "the object in the state is not a part of its value",
            [
                "AxiomInstrumentationTests/StateInspection/StateInspectorTests.swift",
                "AxiomTests/State/StateRecorderTests.swift",
            ]
        ),
        (
            "reentrant-update", "the framework reports such an update",
            [
                "AxiomInstrumentationTests/FlightRecorder/FlightApp.swift", "AxiomTests/Lifetime/StoreRuleTests.swift",
                "PlantedFaults/Components.swift",
            ]
        ),
        (
            "identity-not-stored", "the framework refuses such a client",
            ["AxiomTests/Lifetime/ClientLifetimeTests.swift"]
        ),
        (
            "await-between-read-and-update", "the search for interleavings finds the lost addition",
            ["AxiomTestingTests/Interleavings/PlantedRaces.swift"]
        ),
        ("hidden-dependency", "a test plants a leak", ["AxiomTestingTests/Support/TeaShop.swift"]),
        (
            "unstructured-task", "a test waits for work that outlives its action",
            ["AxiomTestingTests/Support/TeaShop.swift"]
        ),
        (
            "hidden-dependency", "the test reaches the contexts that the framework makes",
            ["AxiomUITests/Support/RouteContext.swift"]
        ),
    ]
}
#endif
