// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("The latest errors of a group, as they are served")
struct OccurrenceTests {
    private func workshop() async throws -> Workshop {
        let workshop = try Workshop(["Saw", "Drill"])
        for number in 0..<30 {
            await workshop.work(number % 2, .broken)
            workshop.tick()
        }
        return workshop
    }

    @Test("They are served by the id of the group's row, the latest first; an unknown id has none")
    func byGroup() async throws {
        let workshop = try await workshop()
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let errors = try #require(viewer.lists["errors"])
        #expect(errors.count == 2)
        for (id, group) in errors {
            let served = try JSONItem(try #require(workshop.dashboard.errors(ofGroup: id))).object
            #expect(served["schema"] == .text("axiom/errors"))
            #expect(served["version"]?.number == 1)
            #expect(served["instance"]?.string == viewer.instance)
            let rows = try #require(served["occurrences"]?.list.map(\.object))
            #expect(rows.count == 15)
            #expect(rows.allSatisfy { $0["error"]?.number == Double(id) && $0["component"] == group["component"] })
            #expect(rows.first?["at"] == group["last"])
            let times = rows.compactMap { $0["at"]?.number }
            #expect(times == times.sorted(by: >))
            #expect(rows.allSatisfy { $0["message"]?.string == "Broken()" && $0["outcome"]?.string == "ended" })
            #expect(Set(rows.compactMap { $0["id"]?.number }).count == 15)
        }
        for unknown in [-1, 2, .max] { #expect(workshop.dashboard.errors(ofGroup: unknown) == nil) }
    }

    private struct Refused: AxiomError {
        let code: ErrorCode
        var message: String { "Refused." }
        var recoverySuggestion: String { "Ask again." }
    }

    @Test("A group with a code of the framework has its meaning and its remedy; other groups have neither")
    func help() async throws {
        let workshop = try await workshop()
        let saw = workshop.components[0]
        for code in [ErrorCode.capabilityUnavailable, "SHOP_CLOSED"] {
            workshop.telemetry.ended(EndedError(Refused(code: code), origin: saw, boundary: saw))
        }
        workshop.tick()
        let groups = try #require(try Viewer(workshop.dashboard.snapshot()).lists["errors"]).values
        let known = try #require(groups.first { $0["code"]?.string == "AXIOM_CAPABILITY_002" })
        let entry = try #require(ErrorCatalog.entry(for: .capabilityUnavailable))
        #expect(known["meaning"]?.string == entry.meaning && known["remedy"]?.string == entry.remedy)
        let others = groups.filter { $0["code"]?.string != "AXIOM_CAPABILITY_002" }
        #expect(others.count == 3 && others.allSatisfy { $0["meaning"]?.string == nil && $0["remedy"]?.string == nil })
    }

    @Test("An export has all of them; neither a snapshot nor a tick carries one")
    func export() async throws {
        let workshop = try await workshop()
        let page = String(decoding: workshop.dashboard.exportedPage(), as: UTF8.self)
        let begin = try #require(page.firstRange(of: "id=\"data\">")).upperBound
        let end = try #require(page[begin...].firstRange(of: "</script>")).lowerBound
        let data = try JSONItem(Array(page[begin..<end].utf8)).object
        #expect(data["occurrences"]?.list.count == 30)
        let viewer = try Viewer(workshop.dashboard.snapshot())
        await workshop.work(0, .broken)
        workshop.tick()
        let update = workshop.dashboard.update(since: viewer.seq, instance: viewer.instance)
        for json in [workshop.dashboard.snapshot(), update] {
            #expect(!String(decoding: json, as: UTF8.self).contains("occurrences"))
        }
    }
}
#endif
