package bucketcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	absentIgnored = "IfAbsent is ignored: a process that creates an array or a group can overwrite that of another process. Create from one process only"
	absentLacks   = "conditional creation is not supported: zarr.Create fails unless zarr.SingleWriter is used, with one writer at a time"
	swapIgnored   = "IfVersion is ignored: two writers of the same chunk or document can lose updates. Use --single-writer (zarr.SingleWriter) and only one writer at a time"
	swapLacks     = "conditional changes of parts of chunks and of metadata are not supported: they fail unless zarr.SingleWriter is used, with one writer at a time"
	pinLacks      = "a read cannot be pinned to a version: shards are read whole and never in parts"
)

func conditionChecks() []Check {
	race := func(objects func(sizes) int) func(sizes) most {
		return func(n sizes) most {
			calls := n.rounds*(n.writers+2) + 1
			return most{objects: objects(n), calls: calls, sent: int64(calls) * 256, received: int64(calls) * kib}
		}
	}
	return []Check{
		{
			Name: "get if version", Expected: "a read pinned to a version is refused after the value was replaced",
			Fails: "reads of a shard that is being replaced can mix two versions: do not read arrays that are being written", Lacks: pinLacks,
			most: exactly(most{objects: 1, calls: 4, sent: 2 * kib, received: 3 * kib}), run: getIfVersion,
		},
		{
			Name: "get if not version", Expected: "a conditional read reports that the known value is unchanged",
			Fails: "the cached index of a shard may be used after the shard was replaced", Lacks: "a cached value must be read again to check that it is valid",
			most: exactly(most{objects: 1, calls: 4, sent: 2 * kib, received: 3 * kib}), run: getIfNotVersion,
		},
		{
			Name: "put if absent", Expected: "a put on the condition that the key is absent is refused if it exists",
			Fails: absentIgnored, Lacks: absentLacks,
			most: exactly(most{objects: 1, calls: 3, sent: 2 * kib, received: 2 * kib}), run: putIfAbsent,
		},
		{
			Name: "put if version", Expected: "a put on the condition of a version is refused after the value was replaced, and for an absent key",
			Fails: swapIgnored, Lacks: swapLacks,
			most: exactly(most{objects: 2, calls: 5, sent: 4 * kib, received: 3 * kib}), run: putIfVersion,
		},
		{
			Name: "delete if version", Expected: "a delete on the condition of a version is refused after the value was replaced",
			Fails: "a chunk that another writer has just stored can be deleted: use --single-writer (zarr.SingleWriter)",
			Lacks: "chunks that became the fill value are stored instead of deleted",
			most:  exactly(most{objects: 1, calls: 6, sent: 2 * kib, received: 3 * kib}), run: deleteIfVersion,
		},
		{
			Name: "put if absent, race", Expected: "exactly one of many concurrent writers succeeds, and its value stays",
			Fails: absentIgnored, Lacks: absentLacks,
			most: race(func(n sizes) int { return n.rounds }), run: raceIfAbsent,
		},
		{
			Name: "put if version, race", Expected: "exactly one of many writers that replace the same version succeeds, and its value stays",
			Fails: swapIgnored, Lacks: swapLacks,
			most: race(func(sizes) int { return 1 }), run: raceIfVersion,
		},
	}
}

// known puts a value and returns its version. The outcome is nil, unless the put failed or the
// store does not report versions.
func (b *bench) known(ctx context.Context, key string, seed int) (store.Version, []byte, *outcome) {
	v, value, err := b.put(ctx, key, kib, seed)
	if err != nil {
		out := because("put", err)
		return "", nil, &out
	}
	if v == "" {
		out := unsupported("the store returns no versions")
		return "", nil, &out
	}
	return v, value, nil
}

func getIfVersion(ctx context.Context, b *bench) outcome {
	v, value, bad := b.known(ctx, "pin", 20)
	if bad != nil {
		return *bad
	}
	if out, _ := expect(ctx, b.s, "pin", store.GetOptions{IfVersion: v}, value, kib); out.verdict != Holds {
		return out
	}
	if _, _, bad = b.known(ctx, "pin", 21); bad != nil {
		return *bad
	}
	if _, err := b.other().Get(ctx, "pin", store.GetOptions{IfVersion: v}, nil); !errors.Is(err, fault.Conflict) {
		return instead("a read of the replaced version", err, fault.Conflict)
	}
	return holds("read before the replacement, refused after it")
}

func getIfNotVersion(ctx context.Context, b *bench) outcome {
	v, _, bad := b.known(ctx, "changed", 22)
	if bad != nil {
		return *bad
	}
	o := store.GetOptions{IfNotVersion: v}
	if _, err := b.s.Get(ctx, "changed", o, nil); !errors.Is(err, fault.Unchanged) {
		return instead("a read of a known version", err, fault.Unchanged)
	}
	_, value, bad := b.known(ctx, "changed", 23)
	if bad != nil {
		return *bad
	}
	out, _ := expect(ctx, b.other(), "changed", o, value, kib)
	if out.verdict == Holds {
		out.seen = "unchanged before the replacement, read after it"
	}
	return out
}

func putIfAbsent(ctx context.Context, b *bench) outcome {
	value := pattern(kib, 24)
	if _, err := b.s.Put(ctx, "new", value, store.PutOptions{IfAbsent: true}); err != nil {
		return because("put of a new key", err)
	}
	if _, err := b.other().Put(ctx, "new", pattern(kib, 25), store.PutOptions{IfAbsent: true}); !errors.Is(err, fault.Exists) {
		return instead("a second put", err, fault.Exists)
	}
	out, _ := expect(ctx, b.s, "new", store.GetOptions{}, value, kib)
	if out.verdict == Holds {
		out.seen = "the second put was refused, and the first value stays"
	}
	return out
}

func putIfVersion(ctx context.Context, b *bench) outcome {
	v, _, bad := b.known(ctx, "swap", 26)
	if bad != nil {
		return *bad
	}
	o := store.PutOptions{IfVersion: v}
	value := pattern(kib, 27)
	if _, err := b.s.Put(ctx, "swap", value, o); err != nil {
		return because("put over the current version", err)
	}
	if _, err := b.other().Put(ctx, "swap", pattern(kib, 28), o); !errors.Is(err, fault.Conflict) {
		return instead("a put over a replaced version", err, fault.Conflict)
	}
	if _, err := b.s.Put(ctx, "swap-absent", pattern(kib, 28), o); !errors.Is(err, fault.Conflict) {
		return instead("a put over a version of an absent key", err, fault.Conflict)
	}
	out, _ := expect(ctx, b.s, "swap", store.GetOptions{}, value, kib)
	if out.verdict == Holds {
		out.seen = "the second put was refused, and the first value stays"
	}
	return out
}

func deleteIfVersion(ctx context.Context, b *bench) outcome {
	old, _, bad := b.known(ctx, "removed", 29)
	if bad != nil {
		return *bad
	}
	v, value, bad := b.known(ctx, "removed", 30)
	if bad != nil {
		return *bad
	}
	if err := b.s.Delete(ctx, "removed", store.DeleteOptions{IfVersion: old}); !errors.Is(err, fault.Conflict) {
		return instead("a delete of a replaced version", err, fault.Conflict)
	}
	if out, _ := expect(ctx, b.other(), "removed", store.GetOptions{}, value, kib); out.verdict != Holds {
		out.seen = "after a delete that was refused: " + out.seen
		return out
	}
	if err := b.s.Delete(ctx, "removed", store.DeleteOptions{IfVersion: v}); err != nil {
		return because("delete of the current version", err)
	}
	if _, err := b.other().Get(ctx, "removed", store.GetOptions{}, nil); err == nil {
		return fails("the value still exists")
	}
	return holds("the first delete was refused, the second was done")
}

// race runs concurrent writers that each put a value under key. One writer should succeed, and the
// others should fail with errLost. race returns the writers that succeeded, the version that the
// last one put, and the first error other than errLost.
func (b *bench) race(ctx context.Context, round int, key string, o store.PutOptions, errLost error) (won []int, version store.Version, other error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	begin := make(chan struct{})
	for i := range b.n.writers {
		wg.Go(func() {
			<-begin
			v, err := b.apart[i%len(b.apart)].Put(ctx, key, racer(round, i), o)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won, version = append(won, i), v
			case !errors.Is(err, errLost) && other == nil:
				other = err
			}
		})
	}
	close(begin)
	wg.Wait()
	return won, version, other
}

// racer returns the value of a writer in a round. Each writer has a different value in each round,
// because S3 derives the version from the bytes: equal values have equal versions.
func racer(round, i int) []byte { return fmt.Appendf(nil, "writer %02d of round %02d", i, round) }

// round runs one race. It checks that exactly one writer succeeded and that the value of this
// writer is stored, and returns the version of the value.
func (b *bench) round(ctx context.Context, n int, key string, o store.PutOptions, errLost error) (store.Version, *outcome) {
	won, version, err := b.race(ctx, n, key, o, errLost)
	switch {
	case len(won) > 1:
		out := fails("in round %d more than one of %d writers succeeded", n+1, b.n.writers)
		return "", &out
	case err != nil:
		out := because("put", err)
		return "", &out
	case len(won) == 0:
		out := fails("in round %d none of %d writers succeeded", n+1, b.n.writers)
		return "", &out
	}
	v, err := b.other().Get(ctx, key, store.GetOptions{}, nil)
	if err != nil {
		out := because("get", err)
		return "", &out
	}
	if !bytes.Equal(v.Bytes, racer(n, won[0])) {
		out := fails("in round %d the stored value is not that of the writer that succeeded", n+1)
		return "", &out
	}
	return version, nil
}

func (b *bench) raced() outcome {
	return holds("%d rounds of %d writers in %d clients, one winner each", b.n.rounds, b.n.writers, len(b.apart))
}

func raceIfAbsent(ctx context.Context, b *bench) outcome {
	for n := range b.n.rounds {
		if _, bad := b.round(ctx, n, fmt.Sprintf("race/%d", n), store.PutOptions{IfAbsent: true}, fault.Exists); bad != nil {
			return *bad
		}
	}
	return b.raced()
}

func raceIfVersion(ctx context.Context, b *bench) outcome {
	v, _, bad := b.known(ctx, "race/version", 31)
	for n := 0; bad == nil && n < b.n.rounds; n++ {
		v, bad = b.round(ctx, n, "race/version", store.PutOptions{IfVersion: v}, fault.Conflict)
	}
	if bad != nil {
		return *bad
	}
	return b.raced()
}
