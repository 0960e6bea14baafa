// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"sort"
	"sync/atomic"
	"time"
)

// A body runs its operation the given number of times.
type body func(iterations int)

// attempts is how often a round tries to run two threads at once. On a busy machine they often share a processor.
const attempts = 10

type benchmark struct {
	id          string
	body        body
	isShared    bool
	nanoseconds []float64
}

// A measurement is a set of operations that are measured alternately, so that a machine that slows down affects all of
// them.
type measurement struct {
	iterations int
	rounds     int
	benchmarks []*benchmark
}

func (m *measurement) add(id string, body body) {
	m.benchmarks = append(m.benchmarks, &benchmark{id: id, body: body})
}

// addShared adds a body that two threads run at the same time. The result is the time of one operation of one thread. There
// is no result if the machine never runs both threads at once.
func (m *measurement) addShared(id string, body body) {
	m.benchmarks = append(m.benchmarks, &benchmark{id: id, body: body, isShared: true})
}

// run measures all operations, after one warm-up round.
func (m *measurement) run() {
	pair := newThreadPair()
	defer close(pair.work)
	for round := -1; round < m.rounds; round++ {
		for _, benchmark := range m.benchmarks {
			took, ok := m.measure(benchmark, pair)
			if round >= 0 && ok {
				nanoseconds := float64(took) / float64(m.iterations)
				benchmark.nanoseconds = append(benchmark.nanoseconds, nanoseconds)
			}
		}
	}
}

func (m *measurement) measure(benchmark *benchmark, pair *threadPair) (took time.Duration, ok bool) {
	work := func() { benchmark.body(m.iterations) }
	if !benchmark.isShared {
		return timed(work).duration(), true
	}
	for attempt := 0; attempt < attempts && !ok; attempt++ {
		took, ok = pair.time(work)
	}
	return took, ok
}

// value is the first decile of the rounds: the duration of an operation on an idle processor.
func (b *benchmark) value() float64 {
	ascending := append([]float64(nil), b.nanoseconds...)
	sort.Float64s(ascending)
	return ascending[len(ascending)/10]
}

// A span is the start and end of work.
type span struct {
	start, end time.Time
}

func (s span) duration() time.Duration {
	return s.end.Sub(s.start)
}

func timed(work func()) span {
	start := time.Now()
	work()
	return span{start, time.Now()}
}

// A threadPair runs work on the calling goroutine and on another at the same time, each locked to its thread.
type threadPair struct {
	work chan func()
	done chan span
	// arrived counts the threads that have reached the start of a run; atomic.
	arrived int32
}

func newThreadPair() *threadPair {
	pair := &threadPair{work: make(chan func()), done: make(chan span)}
	go func() {
		runtime.LockOSThread()
		for work := range pair.work {
			pair.done <- pair.meetAndTime(work)
		}
	}()
	return pair
}

// time returns the time of the slower thread. ok is false if one thread began long after the other, because then they did
// not compete.
func (p *threadPair) time(work func()) (took time.Duration, ok bool) {
	atomic.StoreInt32(&p.arrived, 0)
	p.work <- work
	own := p.meetAndTime(work)
	other := <-p.done
	shorter, longer := own.duration(), other.duration()
	if shorter > longer {
		shorter, longer = longer, shorter
	}
	late := own.start.Sub(other.start)
	if late < 0 {
		late = -late
	}
	return longer, late <= shorter/10
}

func (p *threadPair) meetAndTime(work func()) span {
	atomic.AddInt32(&p.arrived, 1)
	for atomic.LoadInt32(&p.arrived) < 2 {
	}
	return timed(work)
}
