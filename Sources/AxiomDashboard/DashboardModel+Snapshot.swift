// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import Foundation

/// Writes everything that is known, as it was at the latest sample.
extension DashboardModel {
    /// The whole snapshot in JSON.
    ///
    /// - Parameter more: The members that version 2 has beside those of version 1; nil for version 1.
    func snapshot(with more: JSONText?) -> [UInt8] {
        var json = JSONText(capacity: 1 << 18)
        json.object { json in
            json.member("schema", "axiom/snapshot")
            json.member("version", more == nil ? 1 : 2)
            json.member("seq", history.seq)
            json.member("instance", instance)
            json.member("capturedAt", history.at)
            json.member("window", 60)
            json.member("tick", 1)
            for (name, header) in headers.sorted(by: { $0.key < $1.key }) { json.member(name, json: header) }
            for list in lists.completed(by: history) {
                json.member(list.kind.name) { json in json.list(list.rows) { list.write($1, to: &$0) } }
            }
            if let more {
                json.comma()
                json.raw(more.bytes)
            }
            json.member("history") { json in
                json.object { json in
                    json.member("fine") { history.fine.write(to: &$0, now: history.at) }
                    json.member("coarse") { history.coarse.write(to: &$0, now: history.at) }
                }
            }
        }
        return json.bytes
    }

    /// What stands beside the lists and changes seldom, by name.
    var headers: [String: [UInt8]] {
        [
            "app": app.bytes, "bounds": bounds.bytes, "baseline": baseline.bytes, "dropped": dropped.bytes,
            "promql": PanelFacts.queries, "panels": PanelFacts.signals,
        ]
    }

    private var app: JSONText {
        .object { json in
            json.member("name", .words(name))
            json.member("about", .words("\(readings.build), pid \(ProcessIdentity.pid)", limit: 300))
            json.member("startedAt", history.startedAt)
            for feature in DashboardFeature.allCases where features.contains(feature) {
                json.member(feature.rawValue, .flag(true))
            }
            if readings.profiler != nil { json.member("profile", .flag(true)) }
        }
    }

    private var bounds: JSONText {
        .object { json in
            json.member("latency") { json in json.list(CoarseBuckets.latency.bounds) { $0.number($1) } }
            json.member("lifetime") { json in json.list(CoarseBuckets.lifetime.bounds) { $0.number($1) } }
        }
    }

    private var baseline: JSONText {
        .object { json in
            let identity = readings.baseline
            json.member("loaded", .flag(identity != nil))
            guard let identity else { return }
            let recordedAt = try? Date(identity.recordedAt, strategy: .iso8601)
            json.member("name", .words(identity.name))
            json.member("recordedAt", recordedAt?.timeIntervalSince1970)
        }
    }

    private var dropped: JSONText {
        .object { json in
            json.member("instances", readings.instances.dropped)
            json.member("events", feed.droppedEvents)
            json.member("errors", readings.errors.others.groups)
        }
    }
}

/// What the page is sent about panels, as `Dashboards/web` has it: the query that shows in Prometheus what a panel shows, by
/// the id of the panel, and the panels of signals.
private enum PanelFacts {
    static let queries = Array(PageSource.queries.utf8)
    static let signals = Array(PageSource.signalPanels.utf8)
}
