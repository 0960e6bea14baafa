// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A text page as the reference reader understands it: `prometheus_client.parser`.
public struct PrometheusText: Decodable, Sendable {
    /// A family as it was read.
    public struct Family: Decodable, Sendable {
        /// The name; a counter's without `_total`.
        public let name: String
        /// The kind, as the page says.
        public let type: String
        /// The help text, unescaped.
        public let help: String
        /// The samples in the order of the page.
        public let samples: [Sample]
    }

    /// A line with a value.
    public struct Sample: Decodable, Sendable {
        /// The full name.
        public let name: String
        /// The labels, unescaped.
        public let labels: [String: String]
        /// The value. The reader does not tell −0 from 0.
        public let value: Double

        enum CodingKeys: CodingKey {
            case name
            case labels
            case value
        }

        /// Reads a sample; the value is a hexadecimal literal, so that no bit is lost on the way.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            labels = try container.decode([String: String].self, forKey: .labels)
            let text = try container.decode(String.self, forKey: .value)
            guard let value = Double(text) else {
                throw DecodingError.dataCorruptedError(forKey: .value, in: container, debugDescription: text)
            }
            self.value = value
        }
    }

    /// The reader refused the page.
    public struct Refused: Error, CustomStringConvertible {
        /// What the reader said.
        public let description: String
    }

    /// The families in the order of the page.
    public let families: [Family]

    /// Has the reference reader read a page.
    ///
    /// - Throws: ``Refused`` with the reader's words, or ``ExternalTool/Missing``.
    public static func read(_ page: String) async throws -> PrometheusText {
        let output = try await ExternalTool.prometheusPython.run(["-c", script], input: Data(page.utf8))
        guard output.status == 0 else { throw Refused(description: output.errors) }
        return try JSONDecoder().decode(PrometheusText.self, from: Data(output.output.utf8))
    }

    private static let script = """
        import io, json, sys
        from prometheus_client.parser import text_fd_to_metric_families
        page = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\\n")
        print(json.dumps({"families": [
            {"name": f.name, "type": f.type, "help": f.documentation,
             "samples": [{"name": s.name, "labels": s.labels, "value": float(s.value).hex()} for s in f.samples]}
            for f in text_fd_to_metric_families(page)]}))
        """
}
