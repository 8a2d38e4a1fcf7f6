package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// Misbehaviour is one violated clause of the contract.
type Misbehaviour struct {
	Case   string // name of the case, which is also the name of Run's subtest
	Clause string // the violated clause
	Err    error  // error that describes the violation; it wraps the store's error, if any
}

func (m *Misbehaviour) Error() string { return m.Case + ": " + m.Clause + ": " + m.Err.Error() }

// Unwrap returns Err.
func (m *Misbehaviour) Unwrap() error { return m.Err }

// Run runs every case as a subtest. Each call of open must return an empty store. Run closes the
// stores.
func Run(t *testing.T, open func(t *testing.T) store.Store, opts ...Option) {
	t.Helper()
	cfg, err := newConfig(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range cfg.without {
		t.Logf("storetest: the store lacks %s", f)
	}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			for _, err := range c.run(t.Context(), cfg, open(t)) {
				t.Error(err)
			}
		})
	}
}

// Check runs every case and returns every [*Misbehaviour], joined. Each call of open must return an
// empty store. Check closes the stores. An error of open ends the check.
func Check(ctx context.Context, open func() (store.Store, error), opts ...Option) error {
	cfg, err := newConfig(opts)
	if err != nil {
		return err
	}
	var all []error
	for _, c := range cases() {
		s, err := open()
		if err != nil {
			return errors.Join(append(all, fmt.Errorf("storetest: open for %s: %w", c.name, err))...)
		}
		all = append(all, c.run(ctx, cfg, s)...)
	}
	return errors.Join(all...)
}

type testcase struct {
	name   string
	writes bool // the case writes, so it does not apply to read-only stores
	test   func(*env)
}

func cases() []testcase {
	return []testcase{
		{"get/absent", false, getAbsent},
		{"get/whole", false, getWhole},
		{"get/ranges", false, getRanges},
		{"get/max", false, getMax},
		{"get/buffer", false, getBuffer},
		{"get/versions", false, getVersions},
		{"get/pinned", false, getPinned},
		{"put/plain", true, putPlain},
		{"put/kept", true, putKept},
		{"put/if-absent", true, putIfAbsent},
		{"put/if-version", true, putIfVersion},
		{"put/both", true, putBoth},
		{"put/aba", true, putABA},
		{"delete/plain", true, deletePlain},
		{"delete/if-version", true, deleteIfVersion},
		{"keys/unsafe", false, keysUnsafe},
		{"keys/any", false, keysAny},
		{"list/deep", false, listDeep},
		{"list/level", false, listLevel},
		{"list/key-prefix", false, listKeyPrefix},
		{"list/start-after", false, listStartAfter},
		{"list/edges", false, listEdges},
		{"list/many", false, listMany},
		{"context/cancelled", false, cancelled},
		{"race/if-absent", true, raceIfAbsent},
		{"race/if-version", true, raceIfVersion},
		{"race/mixture", false, raceMixture},
		{"verbs/delete-all", true, verbDeleteAll},
		{"verbs/parts", true, verbParts},
		{"verbs/parts-resume", true, verbPartsResume},
		{"verbs/parts-total", true, partsTotal},
		{"verbs/parts-over", true, partsCommitted},
		{"verbs/parts-aborted", true, partsAborted},
		{"verbs/parts-late", true, partsLate},
		{"verbs/parts-removed", true, partsRemoved},
		{"verbs/copy", true, verbCopy},
		{"vanished", false, vanished},
		{"read-only", false, readOnly},
		{"close", false, closing},
	}
}

func (c testcase) run(ctx context.Context, cfg *config, s store.Store) (bad []error) {
	e := &env{ctx: ctx, cfg: cfg, name: c.name, s: s, w: s}
	if cfg.writer != nil {
		e.w = cfg.writer(s)
	}
	if c.writes && cfg.writer != nil {
		return nil // the case "read-only" tests that all writes are refused
	}
	defer func() {
		if c.name != "close" {
			if err := s.Close(); err != nil {
				e.bad("Close releases the resources of the store", "Close: %w", err)
			}
		}
		bad = e.all
	}()
	defer e.caught()
	c.test(e)
	return nil
}
