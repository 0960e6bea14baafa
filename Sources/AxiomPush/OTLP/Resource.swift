// SPDX-License-Identifier: Apache-2.0

package import AxiomMetrics
internal import Foundation

/// What the metrics and traces of a process have in common: the attributes of an OTLP `Resource`.
package struct Resource: Sendable {
    /// The `Resource` message.
    let attributes: [UInt8]

    private static let instanceName = "service.instance.id"

    /// Distinguishes this process from others of the service: the metrics, traces and logs of a process have the same one.
    package static let instance =
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"

    /// Takes a `Resource` message.
    init(attributes: [UInt8]) { self.attributes = attributes }

    /// A resource with these attributes, in their order, whose names differ.
    package init(_ texts: [(name: String, value: String)], integers: [(name: String, value: Int64)] = []) {
        var buffer = ExpositionBuffer(capacity: 0)
        for (name, value) in texts { buffer.putAttribute(1, name, value) }
        for (name, value) in integers { buffer.putAttribute(1, name, integer: value) }
        attributes = buffer.bytes
    }

    /// - Throws: ``PushError`` if the service is empty, or an attribute has no name or is given twice.
    package init(service: String, attributes: KeyValuePairs<String, String>) throws(PushError) {
        guard !service.isEmpty else { throw Self.invalid("the service has no name; give the attribute service.name") }
        let given = attributes.map { (name: $0.key, value: $0.value) }
        let instance = given.contains { $0.name == Self.instanceName } ? [] : [(Self.instanceName, Self.instance)]
        let all = [(name: "service.name", value: service)] + given + instance
        for (name, _) in all {
            guard !name.isEmpty else { throw Self.invalid("an attribute has no name") }
            guard all.count(where: { $0.name == name }) == 1 else {
                throw Self.invalid("the attribute \(name) is given twice; remove one")
            }
        }
        self.init(all)
    }

    private static func invalid(_ reason: String) -> PushError {
        PushError(.invalidConfiguration, "The resource of OTLP cannot be used: \(reason).")
    }
}

extension ExpositionBuffer {
    /// Appends a `KeyValue` with a text.
    package mutating func putAttribute(_ number: Int, _ name: String, _ value: String) {
        putField(number) { buffer in
            buffer.putField(1, text: name)
            buffer.putField(2) { $0.putField(1, text: value) }
        }
    }

    /// Appends a `KeyValue` with an integer.
    package mutating func putAttribute(_ number: Int, _ name: String, integer value: Int64) {
        putField(number) { buffer in
            buffer.putField(1, text: name)
            buffer.putField(2) { $0.putField(3, int64: value) }
        }
    }
}
