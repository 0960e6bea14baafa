// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// series is the number of counters and histograms on a page.
const series = 11_000

// A page is the page of the Axiom suite `exposition`: 10,000 counters with two labels and 1,000 histograms of 11 buckets.
type page struct {
	registry *prometheus.Registry
	snapshot []*dto.MetricFamily
	// buffer is reused for each page, as the HTTP handler of the client reuses the buffer of its connection.
	buffer bytes.Buffer
}

func newPage() (*page, error) {
	requests := prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "app_requests_total", Help: "Requests served, by route and status."},
		[]string{"r", "code"},
	)
	latencies := prometheus.NewHistogramVec(
		prometheus.HistogramOpts{Name: "app_seconds", Help: "Time to serve a request, by route."},
		[]string{"r"},
	)
	for route := 0; route < 1_000; route++ {
		name := fmt.Sprint(route)
		for status := 0; status < 10; status++ {
			counter := requests.WithLabelValues(name, fmt.Sprint(200+status))
			counter.Add(float64((route*10 + status) * 37 % 1_000_003))
		}
		latency := latencies.WithLabelValues(name)
		for step := 1; step <= 60; step++ {
			latency.Observe(float64((route+1)*step*7_919%12_000) / 1_000)
		}
	}
	page := &page{registry: prometheus.NewRegistry()}
	page.registry.MustRegister(requests, latencies)
	snapshot, err := page.registry.Gather()
	page.snapshot = snapshot
	return page, err
}

// addTo adds collecting and encoding as separate operations.
func (p *page) addTo(m *measurement) {
	m.add("exposition/collect.10k", func(iterations int) {
		for index := 0; index < iterations; index++ {
			sink, _ = p.registry.Gather()
		}
	})
	m.add("exposition/text.10k", func(iterations int) {
		for index := 0; index < iterations; index++ {
			sink = p.encode()
		}
	})
}

// encode cannot fail: writing to memory never fails, and the families come from the client itself.
func (p *page) encode() []byte {
	p.buffer.Reset()
	encoder := expfmt.NewEncoder(&p.buffer, expfmt.FmtText)
	for _, family := range p.snapshot {
		if err := encoder.Encode(family); err != nil {
			panic(err)
		}
	}
	return p.buffer.Bytes()
}
