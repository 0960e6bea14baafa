// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

extension PrometheusServer {
    /// A server that scrapes paths of one target every second, with native histograms and exemplars.
    ///
    /// - Parameter paths: What to scrape, by the name of the job.
    convenience init(port: Int, paths: KeyValuePairs<String, String>) async throws {
        let jobs = paths.map {
            """
              - job_name: \($0.key)
                metrics_path: \($0.value)
                static_configs: [{targets: ["127.0.0.1:\(port)"]}]
            """
        }
        let text = "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
        try await self.init(
            configuration: text + jobs.joined(separator: "\n") + "\n",
            features: ["native-histograms", "exemplar-storage"]
        )
    }
}
