package processes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestArrays lets three processes append to one array concurrently, each lot with its own value.
// Some are killed, one takes over every claim that it finds, and 2 % of the servers' responses are
// lost. Each acknowledged lot must be stored once, and no lot may be stored twice.
func TestArrays(t *testing.T) { everywhere(t, false) }

// TestGroups is TestArrays for two arrays of a group with consolidated metadata. Both arrays must
// have the same lots, even if a process was killed between their documents.
func TestGroups(t *testing.T) { everywhere(t, true) }

func everywhere(t *testing.T, group bool) {
	t.Run("dir", func(t *testing.T) {
		o := order{Place: t.TempDir()}
		meetings(t, o, o, group, turnsOr(t, 8), 60*time.Millisecond)
	})
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			u := p.URL(t)
			proxy := faultproxy.Start(t, bucket.Endpoint(t, u), faultproxy.Config{
				Seed: 5, Rates: faultproxy.Rates{Lost: 0.02}, RewriteHost: p.OwnHost,
			})
			direct := order{Provider: p.Name, Place: u}
			lossy := order{Provider: p.Name, Place: bucket.Through(t, u, proxy.Addr())}
			meetings(t, direct, lossy, group, turnsOr(t, 5), 400*time.Millisecond)
			if proxy.Stats().Faults[faultproxy.Lost] == 0 {
				t.Error("no response was lost: the test shows nothing")
			}
		})
	}
}

// turnsOr returns the number in ZARGO_TURNS, or n if it is not set.
func turnsOr(t *testing.T, n int) int {
	if m := int(turns(t)); m != defaultTurns {
		return m
	}
	return n
}

const (
	meeters = 3 // concurrent processes
	lots    = 4 // number of lots of each process
	renewed = 8 // number of rounds after which the node is created again in another layout
)

// meetings runs rounds of processes that append concurrently and open the store as lossy specifies.
// A process that is to be killed runs for at most within.
func meetings(t *testing.T, direct, lossy order, group bool, rounds int, within time.Duration) {
	st, err := direct.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := rand.New(rand.NewPCG(24, uint64(rounds)))
	m := &meeting{group: group, acked: map[int64]bool{}}
	amid, acks := 0, 0
	for round := range rounds {
		if round%renewed == 0 {
			m.path, m.acked = fmt.Sprintf("m%d", round), map[int64]bool{}
			succeed(t, m.create(t.Context(), st, round/renewed))
		}
		said, kills := m.round(t, r, lossy, round, within)
		acks += said
		if m.claimed(t, st) {
			amid++
		}
		if err := m.check(t.Context(), st, false); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		t.Logf("round %d: %d lots acknowledged, %d kills", round, said, kills)
		if round%renewed == renewed-1 || round == rounds-1 {
			if err := m.recover(t.Context(), st, int64(round)); err != nil {
				t.Fatalf("round %d: recovery: %v", round, err)
			}
			if err := m.check(t.Context(), st, true); err != nil {
				t.Fatalf("round %d: after recovery: %v", round, err)
			}
			if m.claimed(t, st) {
				t.Fatalf("round %d: a claim remains after recovery", round)
			}
		}
	}
	t.Logf("%d lots acknowledged in %d rounds, %d of which left a claim", acks, rounds, amid)
	if acks == 0 || rounds >= 50 && amid == 0 {
		t.Error("no process met another one: the test shows nothing")
	}
}

// meeting is the node to which processes append, with the acknowledged lots.
type meeting struct {
	path  string
	group bool
	acked map[int64]bool
}

// create creates the node in one of four layouts.
func (m *meeting) create(ctx context.Context, st store.Store, layout int) error {
	spec := zarr.Spec{Shape: []int{0}, Chunks: []int{4}, DType: dtype.Int64, Format: 2 + layout%2}
	if layout%4 == 3 {
		spec.Chunks, spec.Shards = []int{2}, []int{8}
	}
	if !m.group {
		_, err := zarr.Create(ctx, st, m.path, spec)
		return err
	}
	g, err := zarr.CreateGroup(ctx, st, m.path, zarr.Spec{Format: spec.Format})
	if err != nil {
		return err
	}
	if spec.Format == 2 {
		spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": []any{"time"}}
	} else {
		spec.Dims = []string{"time"}
	}
	for _, name := range []string{"t2m", "time"} {
		if _, err := g.CreateArray(ctx, name, spec); err != nil {
			return err
		}
	}
	_, err = g.Consolidate(ctx)
	return err
}

// round starts the processes of one round, kills some, and waits for all of them.
func (m *meeting) round(t *testing.T, r *rand.Rand, o order, round int, within time.Duration) (acks, kills int) {
	t.Helper()
	o.Do, o.Path, o.Count = meet, m.path, lots
	if m.group {
		o.Do = meet + " group"
	}
	said := make([][]int64, meeters)
	delays := make([]time.Duration, meeters)
	for i := range delays {
		if r.IntN(2) == 0 {
			delays[i] = time.Millisecond + time.Duration(r.Int64N(int64(within)))
			kills++
		}
	}
	err := concurrency.EachN(t.Context(), meeters, meeters, func(_ context.Context, i int) (err error) {
		w := o
		w.First, w.Age = int64(1+round*1000+i*100), time.Second
		if i == 0 {
			w.Age = -1
		}
		c := child.Start(t, w)
		said[i], err = acknowledged(c, func() {
			if delays[i] > 0 {
				time.AfterFunc(delays[i], c.Kill)
			}
		})
		return err
	})
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	for _, ids := range said {
		for _, id := range ids {
			m.acked[id] = true
			acks++
		}
	}
	return acks, kills
}

// meet appends lots to an array or a group, waits for other appends and takes over old claims. A
// lot whose append returned a conflict is not acknowledged.
func (o order) meet(ctx context.Context, st store.Store) error {
	options := zarr.AppendOptions{Wait: 5 * time.Minute, TakeOver: o.Age}
	for id := o.First; id < o.First+o.Count; id++ {
		var err error
		if o.Do == meet+" group" {
			err = appendLot(ctx, st, o.Path, id, options)
		} else {
			err = appendLotToArray(ctx, st, o.Path, id, options)
		}
		if err != nil && !errors.Is(err, zarr.ErrConflict) {
			return err
		}
		if err == nil {
			child.Say("ok", id)
		}
	}
	return nil
}

func appendLot(ctx context.Context, st store.Store, path string, id int64, o zarr.AppendOptions) error {
	g, err := zarr.OpenGroup(ctx, st, path)
	if err == nil {
		_, err = g.Append(ctx, "time", o, zarr.RowsOf("t2m", lotOf(id)), zarr.RowsOf("time", lotOf(id)))
	}
	return err
}

func appendLotToArray(ctx context.Context, st store.Store, path string, id int64, o zarr.AppendOptions) error {
	a, err := zarr.OpenArray(ctx, st, path)
	if err == nil {
		_, err = zarr.Append(ctx, a, 0, lotOf(id), o)
	}
	return err
}

// recover appends one more lot, taking over any remaining claim.
func (m *meeting) recover(ctx context.Context, st store.Store, round int64) error {
	id := -1 - round
	m.acked[id] = true
	if m.group {
		return appendLot(ctx, st, m.path, id, zarr.AppendOptions{TakeOver: -1})
	}
	return appendLotToArray(ctx, st, m.path, id, zarr.AppendOptions{TakeOver: -1})
}

// check reads the lots. settled reports that no append is in flight and that none was left
// incomplete.
func (m *meeting) check(ctx context.Context, st store.Store, settled bool) error {
	if !m.group {
		a, err := zarr.OpenArray(ctx, st, m.path)
		if err != nil {
			return err
		}
		rows, err := zarr.Read[int64](ctx, a)
		if err != nil {
			return err
		}
		return m.lots(rows)
	}
	g, err := zarr.OpenGroup(ctx, st, m.path)
	if err != nil {
		return err
	}
	var first []int64
	for i, name := range []string{"t2m", "time"} {
		a, err := g.OpenArray(ctx, name)
		if err != nil {
			return err
		}
		rows, err := zarr.Read[int64](ctx, a)
		if err != nil {
			return err
		}
		if err := m.lots(rows); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			first = rows
		} else if !slices.Equal(first, rows) {
			return fmt.Errorf("t2m has %v, %s has %v", first, name, rows)
		}
		if !settled {
			continue
		}
		alone, err := zarr.OpenArray(ctx, st, m.path+"/"+name)
		if err != nil {
			return err
		}
		if alone.Shape()[0] != len(rows) {
			return fmt.Errorf("%s has %d rows, %d by consolidated metadata", name, alone.Shape()[0], len(rows))
		}
	}
	return nil
}

// lots checks that rows are whole lots, each at most once, including every acknowledged lot.
func (m *meeting) lots(rows []int64) error {
	if err := whole(rows); err != nil {
		return err
	}
	for id := range m.acked {
		if !slices.Contains(rows, id) {
			return fmt.Errorf("lot %d was acknowledged and is not among %v", id, rows)
		}
	}
	return nil
}

// claimed reports whether a document of the node has a claim.
func (m *meeting) claimed(t *testing.T, st store.Store) bool {
	t.Helper()
	paths := []string{m.path}
	if m.group {
		paths = append(paths, m.path+"/t2m", m.path+"/time")
	}
	return anyClaim(t, st, paths...)
}
