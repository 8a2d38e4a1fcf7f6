package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func raceIfAbsent(e *env) {
	if !e.has(IfAbsentPut) {
		return // putIfAbsent tests that it is refused
	}
	const clause = "exactly one of many IfAbsent writes succeeds"
	for round := range min(e.cfg.rounds, 5) {
		key := fmt.Sprintf("race/%d", round)
		var winners atomic.Int32
		var winner atomic.Int64
		e.each(32, 32, func(i int) {
			_, err := e.s.Put(e.ctx, key, pattern(200, i), store.PutOptions{IfAbsent: true})
			switch {
			case err == nil:
				winners.Add(1)
				winner.Store(int64(i))
			case !errors.Is(err, fault.Exists):
				e.bad(clause, "Put(%q, IfAbsent): %w", key, err)
			}
		})
		if n := winners.Load(); n != 1 {
			e.bad(clause, "%d of 32 succeeded", n)
			continue
		}
		e.holds(clause, key, pattern(200, int(winner.Load())))
	}
}

// raceIfVersion increments a number from many goroutines. If the final number is too small, updates
// were lost.
func raceIfVersion(e *env) {
	if !e.has(IfVersionPut) {
		return // putIfVersion tests that it is refused
	}
	const clause = "exactly one of many IfVersion writes over one version succeeds"
	const workers = 16
	if _, ok := e.put("count", []byte("0")); !ok {
		return
	}
	e.each(workers, workers, func(int) {
		for range e.cfg.rounds {
			if !e.increment(clause) {
				return
			}
		}
	})
	e.holds(clause, "count", []byte(strconv.Itoa(workers*e.cfg.rounds)))
}

func (e *env) increment(clause string) bool {
	for try := range 10_000 {
		v, err := e.s.Get(e.ctx, "count", store.GetOptions{}, nil)
		if err != nil {
			e.bad(clause, "Get(count): %w", err)
			return false
		}
		n, err := strconv.Atoi(string(v.Bytes))
		if err != nil {
			e.bad("readers see a whole value", "count is %s", brief(v.Bytes))
			return false
		}
		_, err = e.s.Put(e.ctx, "count", []byte(strconv.Itoa(n+1)), store.PutOptions{IfVersion: v.Version})
		if err == nil {
			return true
		}
		if !errors.Is(err, fault.Conflict) {
			e.bad(clause, "Put(count, IfVersion): %w", err)
			return false
		}
		time.Sleep(rand.N(time.Duration(min(try+1, 20)) * 200 * time.Microsecond))
	}
	e.bad(clause, "10000 conflicts in a row")
	return false
}

// raceMixture reads a key while other goroutines replace its value by values of one repeated byte.
func raceMixture(e *env) {
	const clause = "readers see the old or the new value, never a mixture"
	value := func(i int) []byte {
		b := byte(1 + i%250)
		return bytes.Repeat([]byte{b}, 2000+int(b)*300)
	}
	if _, ok := e.put("mix", value(0)); !ok {
		return
	}
	var versions sync.Map // maps a Version to the byte of its value
	var done atomic.Bool
	var readers, writers sync.WaitGroup
	for w := range 4 {
		e.goes(&writers, func() {
			for i := range e.cfg.rounds * 2 {
				if _, err := e.w.Put(e.ctx, "mix", value(w+4*i), store.PutOptions{}); err != nil {
					e.bad("Put replaces the value", "Put(mix): %w", err)
					return
				}
			}
		})
	}
	for range 4 {
		e.goes(&readers, func() {
			var buf []byte
			for i := 0; i < 2 || i < e.cfg.rounds*30 && !done.Load(); i++ {
				v, err := e.s.Get(e.ctx, "mix", store.GetOptions{}, buf[:0])
				if err != nil {
					e.bad(clause, "Get(mix): %w", err)
					return
				}
				if !bytes.Equal(v.Bytes, value(int(v.Bytes[0])-1)) || v.Size != int64(len(v.Bytes)) {
					e.bad(clause, "size %d, %s", v.Size, brief(v.Bytes))
					return
				}
				if was, seen := versions.LoadOrStore(v.Version, v.Bytes[0]); seen && e.has(Versions) && was != v.Bytes[0] {
					e.bad("a Version identifies one value", "%q was returned with %d and with %d", v.Version, was, v.Bytes[0])
					return
				}
				buf = v.Bytes
			}
		})
	}
	writers.Wait()
	done.Store(true)
	readers.Wait()
}
