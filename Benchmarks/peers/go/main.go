// SPDX-License-Identifier: Apache-2.0

// Measures the Go client. `go-peer [--rounds N]` prints JSON in the format of the Axiom benchmarks; `go-peer --page` prints
// the encoded page.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
)

type entry struct {
	ID    string  `json:"id"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

type report struct {
	Bytes   int     `json:"bytes"`
	Series  int     `json:"series"`
	Entries []entry `json:"entries"`
}

func main() {
	rounds := flag.Int("rounds", 401, "the number of measured rounds, 10 or more")
	onlyPage := flag.Bool("page", false, "print the page and measure nothing")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 10 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.LockOSThread()
	if err := run(*rounds, *onlyPage); err != nil {
		fmt.Fprintln(os.Stderr, "go-peer:", err)
		os.Exit(1)
	}
}

func run(rounds int, onlyPage bool) error {
	page, err := newPage()
	if err != nil {
		return err
	}
	if onlyPage {
		_, err := os.Stdout.Write(page.encode())
		return err
	}
	instruments := &measurement{iterations: 10_000, rounds: rounds}
	addInstruments(instruments)
	instruments.run()
	// A page takes milliseconds. A round has five pages, so that each round includes its share of garbage collection, and
	// there are a tenth of the rounds.
	pages := &measurement{iterations: 5, rounds: rounds / 10}
	page.addTo(pages)
	pages.run()

	result := report{Bytes: len(page.encode()), Series: series}
	for _, benchmark := range append(instruments.benchmarks, pages.benchmarks...) {
		if len(benchmark.nanoseconds) > 0 {
			result.Entries = append(result.Entries, entry{benchmark.id, "ns", benchmark.value()})
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}
