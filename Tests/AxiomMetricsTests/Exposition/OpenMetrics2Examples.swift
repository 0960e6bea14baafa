// SPDX-License-Identifier: Apache-2.0

/// Pages by hand, also of the types that the framework does not write.
enum OpenMetrics2Examples {
    static let valid = [
        "# EOF", "# EOF\n", "a 1\n# EOF", "a{} 1\n# EOF\n",
        // Metadata without samples, and families that only their samples make.
        "# TYPE a gauge\n# UNIT a \n# HELP a \n# TYPE b unknown\nc 1\nd_count 2\n# EOF\n",
        "# HELP a \\n \\\" \\\\ \\x\n# TYPE a gauge\na -0.5e+2\n# EOF\n",
        // All spellings of numbers.
        "a 0042\nb +1.\nc -.5\nd 1E-3\ne iNf\nf -INFINITY\ng nan\nh +inf\ni 18446744073709551615\n# EOF\n",
        // Times, which order the samples of a metric.
        "# TYPE a gauge\na{x=\"1\"} 1 5\na{x=\"1\"} 2 5.5\na{x=\"2\"} 2 -3\n# EOF\n",
        "# TYPE a counter\na 17 6 st@5 # {} 1 5 # {b=\"c\",\"d.e\"=\"\"} NaN -5.5\n# EOF\n",
        // Quotes where they are needed, and where not.
        "# TYPE \"a.b\" counter\n{\"a.b\"} 1\n{\"a.b\",c=\"d\",\"e.f\"=\"\\\\\"} 1\n# TYPE \"g\" gauge\ng 1\n# EOF\n",
        "# TYPE a stateset\na{a=\"x\",b=\"1\"} 1\na{a=\"y\",b=\"1\"} 0.0\na{a=\"x\",b=\"2\"} 0\n# EOF\n",
        "# TYPE a_info info\n# UNIT a_info \na_info{version=\"1\"} 1.0\n# EOF\n",
        "# TYPE a summary\na {count:0,sum:0.0,quantile:[]} st@5\na{b=\"c\"} {count:3,sum:1,quantile:[0:1,0.5:NaN]}\n# EOF\n",
        "# TYPE a histogram\na {count:17,sum:-Inf,bucket:[-Inf:0,-1:5,1e-05:5,2.0:8,+Inf:17]} st@1 # {} 0.5 1\n# EOF\n",
        "# TYPE a histogram\na {count:0,sum:0,schema:-4,zero_threshold:0,zero_count:0}\n# EOF\n",
        "# TYPE a histogram\na {count:9,sum:NaN,schema:8,zero_threshold:1e-4,zero_count:1,negative_spans:[-3:1,0:1],"
            + "negative_buckets:[1,2],positive_spans:[+262145:1],positive_buckets:[3],bucket:[1:6,+Inf:9]}\n# EOF\n",
        "# TYPE a histogram\na {count:1,sum:0,schema:0,zero_threshold:0,zero_count:1,positive_spans:[],"
            + "positive_buckets:[]}\n# EOF\n",
        "# TYPE a gaugehistogram\na {gcount:-1.5,gsum:2,bucket:[0:-2.5,+Inf:-1.5]} # {} 1 1\n# EOF\n",
        "# TYPE a gaugehistogram\na {gcount:1.5,gsum:2,schema:3,zero_threshold:1,zero_count:1.5}\n# EOF\n",
        "# TYPE a unknown\na 1\na{b=\"c\"} {count:1,sum:2,bucket:[+Inf:1]}\na{b=\"d\"} {gcount:1,gsum:2,bucket:[+Inf:1]}\n# EOF\n",
    ]

    static let invalid =
        [
            "", "\n", "a 1\n", "a 1\n# EOF\n\n", "a 1\n# EOF a", "a 1 # EOF", "a 1\n\n# EOF", "#EOF", "# EOF\r\n",
            " a 1\n# EOF",
            "# TYPE a gauge \n# EOF", "# TYPE  a gauge\n# EOF", "# type a gauge\n# EOF", "# TYPE a\n# EOF",
            "# UNIT a\n# EOF",
            "# UNIT a m/s\n# EOF", "# HELP a \\\n# EOF", "# HELP \"\" a\n# EOF", "# TYPE 9a gauge\n# EOF",
            "# TYPE a.b gauge\n# EOF",
            "a\n# EOF", "a  1\n# EOF", "a 1 \n# EOF", "a\t1\n# EOF", "a {b=\"c\"} 1\n# EOF", "{b=\"c\"} 1\n# EOF",
            "{} 1\n# EOF",
            "{\"a\"b=\"c\"} 1\n# EOF", "{\"a\",} 1\n# EOF", "a{b=\"c\" } 1\n# EOF", "a{b=\"c\",} 1\n# EOF",
            "a{b=c} 1\n# EOF",
            "a{b:=\"c\"} 1\n# EOF", "a{\"\"=\"c\"} 1\n# EOF", "a{b=\"c\",\"b\"=\"d\"} 1\n# EOF",
            "a{b=\"c\nd\"} 1\n# EOF",
            "a 0x1\n# EOF", "a 1_0\n# EOF", "a .\n# EOF", "a 1e\n# EOF", "a +nan\n# EOF", "a infin\n# EOF",
            "a 1e999\n# EOF",
            "a 1 inf\n# EOF", "a 1 st@1 2\n# EOF", "a 1 ST@1\n# EOF", "a 1 st@\n# EOF", "a 1 2 3\n# EOF",
            "a 1 # {} 1\n# EOF",
            "a 1 # 1 1\n# EOF", "a 1 # {} 1 1 st@1\n# EOF", "a 1 # {b=\"c\",b=\"d\"} 1 1\n# EOF", "a 1\na 2\n# EOF",
            "a 1 2\na 1 2\n# EOF", "a 1\na{} 1\n# EOF", "a{b=\"\"} 1\na 1\n# EOF", "a 1\nb 1\na{c=\"d\"} 1\n# EOF",
            "a{b=\"1\"} 1 1\na{b=\"2\"} 1 1\na{b=\"1\"} 1 2\n# EOF", "a 1\n# HELP a b\n# EOF",
            "# HELP a b\n# HELP a b\n# EOF",
            "# TYPE a counter\na NaN\n# EOF", "# TYPE a counter\na -1\n# EOF", "# TYPE a info\na 1\n# EOF",
            "# TYPE a_info info\na_info 2\n# EOF", "# TYPE a_info info\n# UNIT a_info s\n# EOF",
            "# TYPE a gauge\na 1 st@1\n# EOF",
            "# TYPE a gauge\na 1 # {} 1 1\n# EOF", "# TYPE a stateset\na{b=\"c\"} 1\n# EOF",
            "# TYPE a stateset\na{a=\"c\"} 2\n# EOF",
            "# TYPE a stateset\na{a=\"x\",b=\"1\"} 1\na{a=\"x\",b=\"2\"} 1\na{a=\"y\",b=\"1\"} 1\n# EOF",
            "# TYPE a gauge\na {count:1,sum:2,bucket:[+Inf:1]}\n# EOF", "# TYPE a histogram\na 1\n# EOF",
        ] + histograms.map { "# TYPE a histogram\na\($0)\n# EOF" } + summaries.map { "# TYPE a summary\na\($0)\n# EOF" }

    private static let histograms = [
        " {}", " {count:1,bucket:[+Inf:1]}", " {sum:1,count:1,bucket:[+Inf:1]}", " {count:1,sum:2}",
        " {count:1,sum:2,bucket:[]}",
        " {count:1,sum:2,bucket:[1:1]}", " {count:1,sum:2,bucket:[+inf:1]}", " {count:1,sum:2,bucket:[+Inf:1],}",
        " {count:1,sum:2,bucket:[+Inf:2]}", " {count:1, sum:2,bucket:[+Inf:1]}", " {count:-1,sum:2,bucket:[+Inf:-1]}",
        " {count:1,sum:2,bucket:[2:1,1:1,+Inf:1]}", " {count:1,sum:2,bucket:[1:1,1:1,+Inf:1]}",
        " {count:1,sum:2,bucket:[1:2,+Inf:1]}", " {count:1,sum:2,bucket:[1:0,-Inf:1,+Inf:1]}",
        " {count:NaN,sum:2,bucket:[+Inf:1]}", "{le=\"1\"} {count:1,sum:2,bucket:[+Inf:1]}",
        " {gcount:1,gsum:2,bucket:[+Inf:1]}", " {count:1,sum:2,quantile:[]}",
        " {count:1,sum:2,bucket:[+Inf:1],schema:0}",
        " {count:1,sum:2,schema:9,zero_threshold:0,zero_count:1}",
        " {count:1,sum:2,schema:-5,zero_threshold:0,zero_count:1}",
        " {count:1,sum:2,schema:0,zero_threshold:-1,zero_count:1}",
        " {count:1,sum:2,schema:0,zero_threshold:inf,zero_count:1}",
        " {count:2,sum:2,schema:0,zero_threshold:0,zero_count:1}",
        " {count:1,sum:NaN,schema:0,zero_threshold:0,zero_count:2}",
        " {count:1,sum:2,schema:0,zero_threshold:0,zero_count:0,positive_spans:[0:1]}",
        " {count:1,sum:2,schema:0,zero_threshold:0,zero_count:0,positive_spans:[0:2],positive_buckets:[1]}",
        " {count:2,sum:2,schema:0,zero_threshold:0,zero_count:0,positive_spans:[0:1,-1:1],positive_buckets:[1,1]}",
        " {count:1,sum:2,schema:0,zero_threshold:0,zero_count:0,positive_spans:[1026:1],positive_buckets:[1]}",
        " {count:1,sum:2,schema:0,zero_threshold:0,zero_count:2,positive_spans:[0:1],positive_buckets:[-1]}",
        " {count:2,sum:2,schema:0,zero_threshold:0,zero_count:0,positive_spans:[0:1],positive_buckets:[1],"
            + "negative_spans:[0:1],negative_buckets:[1]}",
    ]

    private static let summaries = [
        " {count:1,sum:2}", " {count:1.5,sum:2,quantile:[]}", " {count:1,sum:-2,quantile:[]}",
        " {count:1,sum:2,quantile:[2:1]}",
        " {count:1,sum:2,quantile:[0.9:1,0.5:1]}", " {count:1,sum:2,quantile:[0.5:-1]}",
        " {count:1,sum:2,quantile:[0.5]}",
        "{quantile=\"1\"} {count:1,sum:2,quantile:[]}", " 1", " {gcount:1,gsum:2,quantile:[]}",
    ]
}
