package bucketcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const noAbsence = "Zarr reads a missing chunk as the fill value, and only a proven absence is one: without the permission to list (s3:ListBucket, " +
	"storage.objects.list) a missing chunk is an error. Grant it, or store every chunk (zarr.StoreFill)"

func valueChecks() []Check {
	return []Check{
		{
			Name: "put and get", Expected: "a value is read back byte for byte, and with its size",
			Fails: "nothing that is stored here can be relied on",
			Lacks: "the bucket cannot be written with these credentials; what it does for reads is seen with an object that is there already (--key)",
			most:  exactly(most{objects: 1, calls: 2, sent: 4 * kib, received: 4 * kib}), run: putAndGet,
		},
		{
			Name: "read after write", Expected: "a read after a replacement gives the new value, also through another client",
			Fails: "a reader may see an old chunk, or an old index with a new shard: have nothing between zargo and the bucket that keeps copies",
			Lacks: "it is not known whether readers see what was written",
			most: func(n sizes) most {
				return most{objects: 1, calls: 2 * n.after, sent: int64(n.after) * kib, received: int64(n.after) * kib}
			}, run: readAfterWrite,
		},
		{
			Name: "delete", Expected: "a deleted key is absent at once, and deleting it again is no error",
			Fails: "chunks that were overwritten with the fill value may come back",
			Lacks: "chunks of nothing but the fill value cannot be removed: write with zarr.StoreFill, which stores them",
			most:  exactly(most{objects: 1, calls: 4, sent: kib, received: kib}), run: deletes,
		},
		{
			Name: "absent key", Expected: "a key that was never written is proven absent", Reads: true,
			Fails: noAbsence, Lacks: noAbsence,
			most: exactly(most{calls: 2, received: 4 * kib}), run: absent,
		},
		{
			Name: "empty value", Expected: "a value of no bytes is stored, and is not an absent one",
			Fails: "values of no bytes and absent ones are the same; Zarr arrays have none",
			Lacks: "values of no bytes cannot be stored; Zarr arrays have none",
			most:  exactly(most{objects: 1, calls: 2}), run: empty,
		},
		{
			Name: "versions", Expected: "values that differ have versions that differ, and Put and Get say the same one",
			Fails: "a value that was replaced may pass for the old one: reads of shards may mix two of them, and two writers can lose updates. " +
				"Use --single-writer (zarr.SingleWriter), and do not read what is being written",
			Lacks: "changes of parts of chunks and of metadata cannot be made by condition: use zarr.SingleWriter with one writer at a time",
			most:  exactly(most{objects: 1, calls: 6, sent: 3 * kib, received: 3 * kib}), run: versions,
		},
		{
			Name: "size", Expected: "a part of a value comes with the size of the whole",
			Fails: "indexes at the end of shards are looked for in the wrong place",
			Lacks: "it is not known whether sizes are right",
			most:  exactly(most{objects: 1, calls: 2, sent: 64 * kib, received: kib}), run: sizeOfWhole,
		},
	}
}

// pattern returns n bytes that differ between near offsets and between seeds.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + seed*31)
	}
	return b
}

// put stores and returns the pattern of n bytes and a seed.
func (b *bench) put(ctx context.Context, key string, n, seed int) (store.Version, []byte, error) {
	value := pattern(n, seed)
	v, err := b.s.Put(ctx, key, value, store.PutOptions{})
	return v, value, err
}

// is gets a key and compares the bytes with want and the size of the value with size. The outcome
// holds if both are equal.
func is(ctx context.Context, s store.Store, key string, o store.GetOptions, want []byte, size int) (outcome, store.Version) {
	v, err := s.Get(ctx, key, o, nil)
	what := "get"
	if !o.Range.IsWhole() {
		what = "get of " + o.Range.String()
	}
	switch {
	case err != nil:
		return because(what, err), ""
	case len(v.Bytes) != len(want):
		return fails("%s gave %d bytes in place of %d", what, len(v.Bytes), len(want)), ""
	case !bytes.Equal(v.Bytes, want):
		return fails("%s gave other bytes than were put", what), ""
	case v.Size != int64(size):
		return fails("%s says that the value has %d bytes; it has %d", what, v.Size, size), ""
	}
	return holds("%d bytes", len(want)), v.Version
}

func putAndGet(ctx context.Context, b *bench) outcome {
	_, value, err := b.put(ctx, "value", 4*kib, 1)
	if err != nil {
		return because("put", err)
	}
	out, _ := is(ctx, b.s, "value", store.GetOptions{}, value, len(value))
	return out
}

func readAfterWrite(ctx context.Context, b *bench) outcome {
	for i := range b.n.after {
		_, value, err := b.put(ctx, "after", kib, i)
		if err != nil {
			return because("put", err)
		}
		if out, _ := is(ctx, b.other(), "after", store.GetOptions{}, value, kib); out.verdict != Holds {
			out.seen = fmt.Sprintf("after %d replacements: %s", i, out.seen)
			return out
		}
	}
	return holds("%d replacements, each seen at once", b.n.after)
}

func deletes(ctx context.Context, b *bench) outcome {
	if _, _, err := b.put(ctx, "deleted", kib, 2); err != nil {
		return because("put", err)
	}
	if err := b.s.Delete(ctx, "deleted", store.DeleteOptions{}); err != nil {
		return because("delete", err)
	}
	if _, err := b.other().Get(ctx, "deleted", store.GetOptions{}, nil); err == nil {
		return fails("the value is still there")
	} else if !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused) { // a separate check covers absence
		return because("get of the deleted key", err)
	}
	if err := b.s.Delete(ctx, "deleted", store.DeleteOptions{}); err != nil {
		return because("delete of an absent key", err)
	}
	return holds("absent after the delete")
}

func absent(ctx context.Context, b *bench) outcome {
	for _, key := range []string{"never", "never/written/c/0"} {
		if b.o.Key != "" {
			key = b.o.Key + "-" + NewPlace() // an absent key next to the object
			if len(key) > store.MaxKey {
				return outcome{Unknown, "the key is too long for another one beside it", nil}
			}
		}
		switch _, err := b.s.Get(ctx, key, store.GetOptions{Max: 4 * kib}, nil); {
		case err == nil:
			return fails("a value was read where none is")
		case !errors.Is(err, fault.NotFound):
			return because("get", err)
		}
	}
	return holds("not found")
}

func empty(ctx context.Context, b *bench) outcome {
	if _, _, err := b.put(ctx, "empty", 0, 0); err != nil {
		return because("put", err)
	}
	out, _ := is(ctx, b.s, "empty", store.GetOptions{}, nil, 0)
	return out
}

func versions(ctx context.Context, b *bench) outcome {
	seen := map[store.Version]bool{}
	for i := range 3 {
		put, value, err := b.put(ctx, "versions", kib, 10+i)
		if err != nil {
			return because("put", err)
		}
		out, got := is(ctx, b.s, "versions", store.GetOptions{}, value, kib)
		switch {
		case out.verdict != Holds:
			return out
		case put == "" && got == "":
			return unsupported("the store gives no versions")
		case put != got:
			return fails("put and get say different versions of one value")
		case seen[got]:
			return fails("two values of one length have one version")
		}
		seen[got] = true
	}
	return holds("3 values, 3 versions")
}

func sizeOfWhole(ctx context.Context, b *bench) outcome {
	const n = 64 * kib
	_, value, err := b.put(ctx, "size", n, 3)
	if err != nil {
		return because("put", err)
	}
	out, _ := is(ctx, b.other(), "size", store.GetOptions{Range: store.Within(100, 50)}, value[100:150], n)
	if out.verdict == Holds {
		out.seen = fmt.Sprintf("50 bytes of %d", n)
	}
	return out
}
