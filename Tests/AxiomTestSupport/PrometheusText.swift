// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A metrics page as the reference parser, `prometheus_client.parser`, reads it.
public struct PrometheusText: Decodable, Sendable {
    /// A metric family.
    public struct Family: Decodable, Sendable {
        /// The name; a counter's without `_total`.
        public let name: String
        /// The type that the page declares.
        public let type: String
        /// The help text, unescaped.
        public let help: String
        /// The samples in the order of the page.
        public let samples: [Sample]
    }

    /// A sample: one line of the page.
    public struct Sample: Decodable, Sendable {
        /// The full name.
        public let name: String
        /// The labels, unescaped.
        public let labels: [String: String]
        /// The value. The parser does not distinguish −0 from 0.
        public let value: Double

        enum CodingKeys: CodingKey {
            case name
            case labels
            case value
        }

        /// Decodes a sample. The value is a hexadecimal literal, which is exact.
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

    /// The parser rejected the page.
    public struct Refused: Error, CustomStringConvertible {
        /// The output of the parser.
        public let description: String
    }

    /// The families in the order of the page.
    public let families: [Family]

    /// Parses a page with the reference parser.
    ///
    /// - Throws: ``Refused`` with the parser's output, or ``ExternalTool/Missing``.
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
