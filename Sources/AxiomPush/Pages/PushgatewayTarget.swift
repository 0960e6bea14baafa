// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension PushTarget {
    /// How a pusher changes its group in a Pushgateway.
    public struct GroupUpdate: Hashable, Sendable {
        let method: TransferRequest.Method

        /// The group has the metrics of the latest snapshot only (`PUT`).
        public static let replace = GroupUpdate(method: .put)
        /// Metrics of the group with other names are kept (`POST`).
        public static let add = GroupUpdate(method: .post)
    }

    /// A group of a Pushgateway. While the gateway is away, the latest snapshot is kept.
    ///
    /// - Parameters:
    ///   - gateway: The gateway and the group.
    ///   - update: What happens to other metrics of the group.
    ///   - deletesAtEnd: Whether the group is deleted at the end, instead of a last push. Default: false, so that the results
    ///     of a job stay.
    ///   - name: The label `destination` of the metrics.
    public static func pushgateway(
        _ gateway: Pushgateway,
        update: GroupUpdate = .replace,
        deletesAtEnd: Bool = false,
        name: String = "pushgateway"
    ) -> PushTarget {
        PushTarget(
            PushgatewayDestination(name: name, gateway: gateway, method: update.method, deletesAtEnd: deletesAtEnd)
        )
    }
}

/// Pushes pages to a Pushgateway. The samples of a batch are its series.
struct PushgatewayDestination: PushDestination {
    let name: String
    let gateway: Pushgateway
    let method: TransferRequest.Method
    let deletesAtEnd: Bool

    var capacity: QueueCapacity { .latest }
    var takesLastSnapshot: Bool { !deletesAtEnd }
    var hasSampleTimes: Bool { false }
    var replaced: String? { method == .put ? "the group \(gateway.group)" : nil }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        do {
            try gateway.check(snapshot)
            return [PushBatch(samples: snapshot.seriesCount, bytes: gateway.encode(snapshot))]
        } catch {
            // A pusher reports what a receiver refused, and this is refused for it.
            let refusal = PushError(.rejected, error.message)
            return [PushBatch(samples: snapshot.seriesCount, bytes: [], refusal: refusal)]
        }
    }

    func lastBatches(at time: Double) -> [PushBatch] {
        deletesAtEnd ? [PushBatch(samples: 0, bytes: [], isRemoval: true)] : []
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        if let refusal = batch.refusal { throw refusal }
        try await gateway.send(batch.isRemoval ? .delete : method, batch.bytes)
        return PushReceipt()
    }
}

extension Snapshot {
    var seriesCount: Int { families.reduce(0) { $0 + $1.count } }

    /// The first metric with a series that has one of these labels, and the label; nil if there is none.
    func firstMetric(with names: [String]) -> (metric: String, label: String)? {
        for family in families {
            for series in family {
                let own = series.labels.pairs.map { NameEscaping.underscores.escape($0.name) }
                if let label = names.first(where: own.contains) { return (family.definition.name, label) }
            }
        }
        return nil
    }
}
