package bucketcheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	rangesWrong = "chunks of shards are read incorrectly: chunks with a checksum are an error, and others have wrong values"
	tailsLack   = "the index at the end of a shard requires reading the whole shard"
)

func rangeChecks() []Check {
	return []Check{
		{
			Name: "inner ranges", Expected: "a range returns exactly its bytes", Reads: true,
			Fails: rangesWrong, Lacks: "shards are read whole",
			most: exactly(most{objects: 1, calls: 5, sent: 64 * kib, received: 256 * kib}), run: innerRanges,
		},
		{
			Name: "tails", Expected: "the last bytes of a value can be read without knowing its size", Reads: true,
			Fails: rangesWrong, Lacks: tailsLack,
			most: exactly(most{calls: 3, received: 128 * kib}), run: tails,
		},
		{
			Name: "ranges beyond the end", Expected: "a range beyond the end of a value is an error and does not return fewer bytes", Reads: true,
			Fails: "a truncated shard is not detected", Lacks: "it is not known whether a truncated shard is detected",
			most: exactly(most{objects: 1, calls: 6, received: 128 * kib}), run: beyond,
		},
	}
}

const ranged = 64 * kib

// whole returns the key and the value of the object whose ranges the checks read. This is the
// object with Options.Key, if the option is set. Otherwise it is a new object, which whole stores
// if put is true.
func (b *bench) whole(ctx context.Context, put bool) (key string, value []byte, err error) {
	if b.o.Key != "" {
		return b.o.Key, b.key.value, nil
	}
	value = pattern(ranged, 40)
	if put {
		_, err = b.s.Put(ctx, "ranges", value, store.PutOptions{})
	}
	return "ranges", value, err
}

// compare reads ranges of a key and compares the results with the value.
func (b *bench) compare(ctx context.Context, key string, value []byte, ranges ...store.Range) outcome {
	var seen string
	for _, r := range ranges {
		off, n, err := r.Resolve(int64(len(value)))
		if err != nil {
			continue // the object with Options.Key is too short
		}
		out, _ := expect(ctx, b.s, key, store.GetOptions{Range: r}, value[off:off+n], len(value))
		if out.verdict != Holds {
			return out
		}
		seen += ", " + r.String()
	}
	if seen == "" {
		return outcome{Unknown, fmt.Sprintf("the value has %d bytes", len(value)), nil}
	}
	return holds("%s of %d bytes", seen[2:], len(value))
}

func innerRanges(ctx context.Context, b *bench) outcome {
	key, value, err := b.whole(ctx, true)
	if err != nil {
		return because("put", err)
	}
	n := int64(len(value))
	return b.compare(ctx, key, value, store.Within(0, 1), store.Within(n/3, min(n/4, ranged)), store.Within(n-1, 1), store.From(n-min(n/2, ranged)))
}

func tails(ctx context.Context, b *bench) outcome {
	key, value, err := b.whole(ctx, false)
	if err != nil {
		return because("put", err)
	}
	n := int64(len(value))
	if n == 1 {
		return b.compare(ctx, key, value, store.Suffix(1))
	}
	return b.compare(ctx, key, value, store.Suffix(1), store.Suffix(min(n/3, ranged)), store.Suffix(min(n, ranged)))
}

func beyond(ctx context.Context, b *bench) outcome {
	key, value, err := b.whole(ctx, false)
	if err != nil {
		return because("put", err)
	}
	n := int64(len(value))
	type short struct {
		key string
		r   store.Range
	}
	if n == 0 {
		return outcome{Unknown, "the object is empty", nil}
	}
	all := []short{{key, store.Within(n-1, 2)}, {key, store.From(n)}, {key, store.Within(n+10, 5)}}
	if n <= ranged {
		all = append(all, short{key, store.Suffix(n + 1)})
	}
	if b.o.Key == "" {
		if _, err := b.s.Put(ctx, "nothing", nil, store.PutOptions{}); err != nil {
			return because("put", err)
		}
		all = append(all, short{"nothing", store.Within(0, 1)})
	}
	for _, s := range all {
		v, err := b.s.Get(ctx, s.key, store.GetOptions{Range: s.r, Max: 2 * ranged}, nil)
		_, tail := s.r.IsSuffix()
		switch {
		case err == nil:
			return fails("%s of %d bytes returned %d bytes", s.r, v.Size, len(v.Bytes))
		case errors.Is(err, fault.Limit):
			return fails("%s returned more than %d bytes", s.r, 2*ranged)
		case tail && errors.Is(err, errors.ErrUnsupported): // a separate check covers suffixes
		case !errors.Is(err, fault.Corrupt):
			return because("get of "+s.r.String(), err)
		}
	}
	return holds("%d ranges, all refused", len(all))
}
