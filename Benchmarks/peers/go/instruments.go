// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// sink receives results that are not used otherwise, so that the compiler does not remove their computation.
var sink any

// addInstruments adds the floor, recording and lookup, with the ids of the Axiom suite `metrics`.
func addInstruments(m *measurement) {
	addFloor(m)
	addScalars(m)
	addHistograms(m)
	addLookup(m)
}

// Go has no relaxed addition; on x86-64 it would be the same instruction.
func addFloor(m *measurement) {
	var total uint64
	m.add("floor/atomic.add", func(iterations int) {
		for index := 0; index < iterations; index++ {
			atomic.AddUint64(&total, 1)
		}
	})
}

func addScalars(m *measurement) {
	increment := func(counter prometheus.Counter) body {
		return func(iterations int) {
			for index := 0; index < iterations; index++ {
				counter.Inc()
			}
		}
	}
	options := prometheus.CounterOpts{Name: "counter_total", Help: "C."}
	m.add("metrics/counter.increment", increment(prometheus.NewCounter(options)))
	m.addShared("metrics/counter.increment/2 threads", increment(prometheus.NewCounter(options)))
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "gauge", Help: "G."})
	m.add("metrics/gauge.set", func(iterations int) {
		for index := 0; index < iterations; index++ {
			gauge.Set(float64(index))
		}
	})
}

func addHistograms(m *measurement) {
	times := makeTimes()
	observe := func(histogram prometheus.Histogram) body {
		return func(iterations int) {
			for index := 0; index < iterations; index++ {
				histogram.Observe(times[index&1023])
			}
		}
	}
	// The default buckets are the same 11 as those of Axiom.
	options := prometheus.HistogramOpts{Name: "histogram", Help: "H."}
	m.add("metrics/histogram.observe", observe(prometheus.NewHistogram(options)))
	m.addShared("metrics/histogram.observe/2 threads", observe(prometheus.NewHistogram(options)))
}

// makeTimes returns the same 1,024 times between 0 and 12 s as the Axiom benchmark. No branch predictor can learn them.
func makeTimes() *[1024]float64 {
	var times [1024]float64
	state := uint64(1)
	for index := range times {
		state = state*6364136223846793005 + 1
		times[index] = float64(state>>40) / (1 << 24) * 12
	}
	return &times
}

func addLookup(m *measurement) {
	options := prometheus.CounterOpts{Name: "strings_total", Help: "C."}
	family := prometheus.NewCounterVec(options, []string{"client", "action"})
	for client := 0; client < 32; client++ {
		for action := 0; action < 16; action++ {
			family.WithLabelValues(fmt.Sprint("ShoppingCartClient", client), fmt.Sprint("addItemToCart", action))
		}
	}
	client, action := "ShoppingCartClient7", "addItemToCart3"
	m.add("metrics/family.lookup", func(iterations int) {
		var found prometheus.Counter
		for index := 0; index < iterations; index++ {
			found = family.WithLabelValues(client, action)
		}
		sink = found
	})
}
