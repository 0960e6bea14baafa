// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomNavigation

/// What it costs to read and print a deep link. The time to read one must not grow with the number of patterns.
enum DeepLinkSuite {
    static let suite = BenchmarkSuite("links") { suite in
        suite.add("utf8.copy") { iterations in
            let text = opaque(url(7))
            for _ in 0..<iterations { blackHole(Array(text.utf8)) }
        }
        addRead(to: &suite)
        addOthers(to: &suite)
    }

    private static func addRead(to suite: inout BenchmarkSuite) {
        for count in [10, 100, 1_000] {
            var options = BenchmarkOptions()
            if count > 10 { options.goal = .atMost(1.5, times: "links/read.10") }
            suite.add("read.\(count)", options: options, fixture: try table(count)) { table, iterations in
                let url = opaque(url(count - 1))
                for _ in 0..<iterations { blackHole(try table.routes(for: url)) }
            }
        }
    }

    private static func addOthers(to suite: inout BenchmarkSuite) {
        suite.add("unknown.1000", fixture: try table(1_000)) { table, iterations in
            let url = opaque("shop://section-1000/products/7")
            for _ in 0..<iterations { blackHole(try? table.routes(for: url)) }
        }
        suite.add("print.10", fixture: try table(10)) { table, iterations in
            for number in 0..<iterations {
                blackHole(table.text(for: SectionRoute(section: 0, product: number & 1_023)))
            }
        }
        suite.add("table.1000") { iterations in
            for _ in 0..<iterations { blackHole(try table(1_000)) }
        }
    }

    private static func url(_ section: Int) -> String {
        "shop://section-\(section)/products/7?tab=reviews&utm_source=mail"
    }

    private static func table(_ count: Int) throws -> DeepLinkTable<SectionRoute> {
        try DeepLinkTable(
            (0..<count).map { section in
                try DeepLink("shop://section-\(section)/products/:id?tab=:tab?") { captures in
                    [SectionRoute(section: section, product: try captures.require("id"))]
                } print: { route in
                    route.section == section ? ["id": route.product] : nil
                }
            }
        )
    }
}

private struct SectionRoute: Route {
    let section: Int
    let product: Int

    var identifier: String { "section" }

    static let samples = [SectionRoute(section: 0, product: 0)]
}
