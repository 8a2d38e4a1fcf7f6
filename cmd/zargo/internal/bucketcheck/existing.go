package bucketcheck

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// existing is the existing object whose key is Options.Key.
type existing struct {
	value   []byte
	version store.Version
}

// largestKey is the maximum size of the object with Options.Key, because Run reads the object into
// memory.
const largestKey = 32 * mib

// readChecks returns the checks that Run performs with Options.Key. They do not write.
func readChecks() []Check {
	checks := []Check{
		{
			Name: "get", Expected: "two reads of the object return the same version",
			Fails: "values in this store are not reliable", Lacks: "the object cannot be read with these credentials",
			most: exactly(most{calls: 2, received: 2 * largestKey}), run: getExisting,
		},
		{
			Name: "get if version", Expected: "a read pinned to the version of the object succeeds", Fails: pinLacks, Lacks: pinLacks,
			most: exactly(most{calls: 1, received: kib}), run: pinExisting,
		},
		{
			Name: "get if not version", Expected: "a conditional read reports that the known value is unchanged",
			Fails: "the cached index of a shard may be used after the shard was replaced", Lacks: "a cached value must be read again to check that it is valid",
			most: exactly(most{calls: 1, received: kib}), run: unchangedExisting,
		},
	}
	for _, c := range Checks() {
		if c.Reads {
			c.most = exactly(most{calls: 8, received: 8 * ranged})
			checks = append(checks, c)
		}
	}
	return append(checks, Check{
		Name: "list", Expected: "a listing shows the object with its size", Fails: listWrong,
		Lacks: "members of groups are known only from consolidated metadata",
		most:  exactly(most{calls: 2, received: 4 * mib}), run: listExisting,
	})
}

func getExisting(ctx context.Context, b *bench) outcome {
	v, err := b.s.Get(ctx, b.o.Key, store.GetOptions{Max: largestKey}, nil)
	if long, ok := errors.AsType[*store.TooLong](err); ok {
		err = fault.Newf(fault.Limit, "%s has %d bytes, want an object of at most %d MiB", b.o.Key, long.Announced, int64(largestKey)/mib)
		return outcome{Unknown, brief(err), err}
	}
	if err != nil {
		return because("get", err)
	}
	b.key = existing{v.Bytes, v.Version}
	out, version := expect(ctx, b.s, b.o.Key, store.GetOptions{}, v.Bytes, len(v.Bytes))
	switch {
	case out.verdict != Holds:
	case version != v.Version:
		return fails("two reads return different versions; the object may have been replaced meanwhile")
	case version == "":
		out.seen += ", no version"
	}
	return out
}

func pinExisting(ctx context.Context, b *bench) outcome {
	if b.key.version == "" {
		return unsupported("the store returns no versions")
	}
	if len(b.key.value) == 0 {
		return outcome{Unknown, "the object is empty", nil}
	}
	o := store.GetOptions{IfVersion: b.key.version, Range: store.Within(0, 1)}
	out, _ := expect(ctx, b.s, b.o.Key, o, b.key.value[:1], len(b.key.value))
	return out
}

func unchangedExisting(ctx context.Context, b *bench) outcome {
	if b.key.version == "" {
		return unsupported("the store returns no versions")
	}
	if len(b.key.value) == 0 {
		return outcome{Unknown, "the object is empty", nil}
	}
	if _, err := b.s.Get(ctx, b.o.Key, store.GetOptions{IfNotVersion: b.key.version, Range: store.Within(0, 1)}, nil); !errors.Is(err, fault.Unchanged) {
		return instead("a read of a known version", err, fault.Unchanged)
	}
	return holds("unchanged")
}

// listExisting checks that a listing with the prefix Options.Key contains the object. Its key is
// the first key of the listing, so one page suffices.
func listExisting(ctx context.Context, b *bench) outcome {
	folder, name := path.Split(b.o.Key)
	folder = path.Clean("/" + folder)[1:]
	for e, err := range store.Pages(ctx, b.s, folder, store.ListOptions{Depth: store.OneLevel, KeyPrefix: name}) {
		switch {
		case err != nil:
			return because("list", err)
		case e.Dir || e.Key != b.o.Key:
		case e.Size >= 0 && e.Size != int64(len(b.key.value)):
			return fails("the listing reports %d bytes for an object of %d bytes", e.Size, len(b.key.value))
		default:
			return holds("%d bytes", e.Size)
		}
	}
	return fails("the object is not listed")
}

// stretch returns the range of n bytes for the i-th read, or the whole object if it has at most n
// bytes.
func (e existing) stretch(i int, n int64) store.Range {
	size := int64(len(e.value))
	if size <= n {
		return store.Range{}
	}
	return store.Within(int64(i)*n%(size-n+1), n)
}

func keyOf(what string, i int) string { return fmt.Sprintf("speed/%s/%04d", what, i) }
