// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite("A group of a Pushgateway and the URL of an endpoint")
struct GroupingKeyTests {
    @Test(
        "Values are encoded for a path, and in base64 if they are empty, have a slash or are segments of dots",
        arguments: [
            ("a", "/instance/a"), ("", "/instance@base64/="), ("/tmp", "/instance@base64/L3RtcA"),
            ("a b+c", "/instance/a%20b%2Bc"), ("ü", "/instance/%C3%BC"), ("a?#%", "/instance/a%3F%23%25"),
            (".", "/instance@base64/Lg"), ("..", "/instance@base64/Li4"), ("...", "/instance/..."),
            (".a", "/instance/.a"),
            // Its base64 has both characters that differ in the alphabet for URLs.
            ("/\u{3fb}\u{ff}?>", "/instance@base64/L8-7w78_Pg"),
        ]
    )
    func components(_ value: String, _ component: String) throws {
        let key = try GroupingKey(job: "backup", labels: ["instance": value])
        #expect(key.path == "/metrics/job/backup" + component)
    }

    @Test("A job without a name, and labels with wrong names or given twice, are refused with the remedy")
    func invalidGroups() {
        let groups: [(String, KeyValuePairs<String, String>, String)] = [
            ("", [:], "name it"), ("a", ["job": "b"], "remove one"), ("a", ["x": "1", "x": "2"], "remove one"),
            ("a", ["1x": "1"], "use letters"), ("a", ["__x": "1"], "use letters"), ("a", ["": "1"], "use letters"),
            ("a", ["le": "1"], "choose another name"), ("a", ["quantile": "1"], "choose another name"),
        ]
        for (job, labels, remedy) in groups {
            let error = #expect(throws: PushError.self) {
                _ = try Pushgateway("http://127.0.0.1:9091", job: job, grouping: labels)
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(remedy) == true, "\(error?.message ?? "")")
        }
    }

    @Test(
        "A URL that is none, or that contains a user, a password, a query or a fragment, is refused without showing it",
        arguments: [
            "", "nonsense:", "ftp://h/", "file:///etc/passwd", "http://user:secret@h/", "http://user@h/",
            "http://h/?token=secret", "http://h/#secret", "http://h\u{7}/",
        ]
    )
    func invalidURLs(_ url: String) {
        let error = #expect(throws: PushError.self) { _ = try PushEndpoint(url).validated() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("secret") == false)
        #expect(!PushEndpoint(url).description.contains("secret"))
    }

    @Test("A URL keeps its path and loses the slash at its end")
    func urls() throws {
        #expect(try EndpointURL("http://h:9091/").description == "http://h:9091")
        #expect(try EndpointURL("https://h/a/b/").appending("/c").description == "https://h/a/b/c")
        #expect(try EndpointURL("http://127.0.0.1:1").isLoopback)
        #expect(try EndpointURL("http://[::1]:1").isLoopback)
        #expect(try !EndpointURL("http://example.com").isLoopback)
    }

    @Test("Limits, headers and credentials out of range are refused, and secrets are not printed")
    func invalidOptions() throws {
        let changes: [(inout PushEndpoint) -> Void] = [
            { $0.connectTimeout = .zero }, { $0.requestTimeout = .seconds(-1) },
            { $0.requestTimeout = .seconds(86_400) },
            { $0.maximumResponseBytes = 0 }, { $0.headers = ["a b": "1"] }, { $0.headers = ["A": "secret\r\nB: 1"] },
            { $0.credentials = .basic(user: "a:b", password: "secret") },
            { $0.credentials = .basic(user: "a", password: "secret\n") }, { $0.credentials = .bearer("secret\n") },
            { $0.credentials = .bearer("") },
        ]
        for (number, change) in changes.enumerated() {
            var endpoint = PushEndpoint("http://h")
            change(&endpoint)
            let error = #expect(throws: PushError.self, "change \(number)") { _ = try endpoint.validated() }
            #expect(error?.message.contains("secret") == false)
        }
        var endpoint: PushEndpoint = "http://h"
        endpoint.credentials = .basic(user: "a", password: "secret")
        var dumped = ""
        dump(endpoint, to: &dumped)
        for text in ["\(endpoint)", "\(endpoint.credentials)", String(reflecting: endpoint.credentials), dumped] {
            #expect(!text.contains("secret"), "\(text)")
        }
        #expect("\(PushCredentials.bearer("secret"))" == "a bearer token")
        #expect("\(PushCredentials.none)" == "no credentials")
    }
}
