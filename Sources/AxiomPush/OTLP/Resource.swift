// SPDX-License-Identifier: Apache-2.0

package import AxiomMetrics
internal import Foundation

/// What the metrics and traces of a process have in common: the attributes of an OTLP `Resource`.
package struct Resource: Sendable {
    private let attributes: [(name: String, value: String)]

    private static let instanceName = "service.instance.id"

    /// Distinguishes this process from others of the service: the metrics and the traces of a process have the same one.
    static let instance = "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"

    /// - Throws: ``PushError`` if the service is empty, or an attribute has no name or is given twice.
    package init(service: String, attributes: KeyValuePairs<String, String>) throws(PushError) {
        guard !service.isEmpty else { throw Self.invalid("the service has no name; give the attribute service.name") }
        let given = attributes.map { (name: $0.key, value: $0.value) }
        let instance = given.contains { $0.name == Self.instanceName } ? [] : [(Self.instanceName, Self.instance)]
        self.attributes = [(name: "service.name", value: service)] + given + instance
        for (name, _) in self.attributes {
            guard !name.isEmpty else { throw Self.invalid("an attribute has no name") }
            guard self.attributes.count(where: { $0.name == name }) == 1 else {
                throw Self.invalid("the attribute \(name) is given twice; remove one")
            }
        }
    }

    /// Appends the `Resource` as field 1, and `body` as field 2: the only scope. This is the shape of `ResourceMetrics` and
    /// of `ResourceSpans`.
    package func write(_ buffer: inout ExpositionBuffer, scope body: (inout ExpositionBuffer) -> Void) {
        buffer.putField(1) { buffer in
            for (name, value) in attributes { buffer.putAttribute(1, name, value) }
        }
        buffer.putField(2) { buffer in
            buffer.putField(1) { $0.putField(1, text: "axiom") }
            body(&buffer)
        }
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
