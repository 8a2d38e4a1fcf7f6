package bucketcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const noAbsence = "Zarr reads a missing chunk as the fill value, but only if it is proven absent: without the permission to list (s3:ListBucket, " +
	"storage.objects.list) a missing chunk is an error. Grant it, or store every chunk (zarr.StoreFill)"

func valueChecks() []Check {
	return []Check{
		{
			Name: "put and get", Expected: "a value is read back byte for byte and with its size",
			Fails: "values in this store are not reliable",
			Lacks: "the bucket cannot be written with these credentials; check reads with an existing object (--key)",
			most:  exactly(most{objects: 1, calls: 2, sent: 4 * kib, received: 4 * kib}), run: putAndGet,
		},
		{
			Name: "read after write", Expected: "a read after a replacement returns the new value, also through another client",
			Fails: "a reader may see an old chunk, or an old index with a new shard: do not use a cache between zargo and the bucket",
			Lacks: "it is not known whether readers see new values",
			most: func(n sizes) most {
				return most{objects: 1, calls: 2 * n.after, sent: int64(n.after) * kib, received: int64(n.after) * kib}
			}, run: readAfterWrite,
		},
		{
			Name: "delete", Expected: "a deleted key is absent immediately, and deleting it again is not an error",
			Fails: "chunks that were overwritten with the fill value may reappear",
			Lacks: "chunks that are all fill value cannot be deleted: write with zarr.StoreFill, which stores them",
			most:  exactly(most{objects: 1, calls: 4, sent: kib, received: kib}), run: deletes,
		},
		{
			Name: "absent key", Expected: "a key that was never written is proven absent", Reads: true,
			Fails: noAbsence, Lacks: noAbsence,
			most: exactly(most{calls: 2, received: 4 * kib}), run: absent,
		},
		{
			Name: "empty value", Expected: "an empty value is stored and differs from an absent value",
			Fails: "empty values are the same as absent values; Zarr arrays have no empty values",
			Lacks: "empty values cannot be stored; Zarr arrays have no empty values",
			most:  exactly(most{objects: 1, calls: 2}), run: empty,
		},
		{
			Name: "versions", Expected: "different values have different versions, and Put and Get return the same version",
			Fails: "a replaced value may have the version of the old one: reads of shards may mix two versions, and two writers can lose updates. " +
				"Use --single-writer (zarr.SingleWriter), and do not read what is being written",
			Lacks: "conditional changes of parts of chunks and of metadata are not supported: use zarr.SingleWriter with one writer at a time",
			most:  exactly(most{objects: 1, calls: 6, sent: 3 * kib, received: 3 * kib}), run: versions,
		},
		{
			Name: "size", Expected: "a read of a part of a value returns the size of the whole value",
			Fails: "indexes at the end of shards are read at the wrong offset",
			Lacks: "it is not known whether sizes are correct",
			most:  exactly(most{objects: 1, calls: 2, sent: 64 * kib, received: kib}), run: sizeOfWhole,
		},
	}
}

// pattern returns n bytes. Neighbouring bytes differ, and so do the bytes of different seeds.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + seed*31)
	}
	return b
}

// put stores the pattern of n bytes with this seed. It returns the version and the pattern.
func (b *bench) put(ctx context.Context, key string, n, seed int) (store.Version, []byte, error) {
	value := pattern(n, seed)
	v, err := b.s.Put(ctx, key, value, store.PutOptions{})
	return v, value, err
}

// expect gets a key and checks that the value has the bytes want and the reported size.
func expect(ctx context.Context, s store.Store, key string, o store.GetOptions, want []byte, size int) (outcome, store.Version) {
	v, err := s.Get(ctx, key, o, nil)
	what := "get"
	if !o.Range.IsWhole() {
		what = "get of " + o.Range.String()
	}
	switch {
	case err != nil:
		return because(what, err), ""
	case len(v.Bytes) != len(want):
		return fails("%s returned %d bytes, want %d", what, len(v.Bytes), len(want)), ""
	case !bytes.Equal(v.Bytes, want):
		return fails("%s returned other bytes than were put", what), ""
	case v.Size != int64(size):
		return fails("%s reports a value of %d bytes, want %d", what, v.Size, size), ""
	}
	return holds("%d bytes", len(want)), v.Version
}

func putAndGet(ctx context.Context, b *bench) outcome {
	_, value, err := b.put(ctx, "value", 4*kib, 1)
	if err != nil {
		return because("put", err)
	}
	out, _ := expect(ctx, b.s, "value", store.GetOptions{}, value, len(value))
	return out
}

func readAfterWrite(ctx context.Context, b *bench) outcome {
	for i := range b.n.after {
		_, value, err := b.put(ctx, "after", kib, i)
		if err != nil {
			return because("put", err)
		}
		if out, _ := expect(ctx, b.other(), "after", store.GetOptions{}, value, kib); out.verdict != Holds {
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
		return fails("the value still exists")
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
			key = b.o.Key + "-" + NewPlace() // absent key next to the object
			if len(key) > store.MaxKey {
				return outcome{Unknown, "the key is too long for another one beside it", nil}
			}
		}
		switch _, err := b.s.Get(ctx, key, store.GetOptions{Max: 4 * kib}, nil); {
		case err == nil:
			return fails("an absent key returned a value")
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
	out, _ := expect(ctx, b.s, "empty", store.GetOptions{}, nil, 0)
	return out
}

func versions(ctx context.Context, b *bench) outcome {
	seen := map[store.Version]bool{}
	for i := range 3 {
		put, value, err := b.put(ctx, "versions", kib, 10+i)
		if err != nil {
			return because("put", err)
		}
		out, got := expect(ctx, b.s, "versions", store.GetOptions{}, value, kib)
		switch {
		case out.verdict != Holds:
			return out
		case put == "" && got == "":
			return unsupported("the store returns no versions")
		case put != got:
			return fails("put and get return different versions of one value")
		case seen[got]:
			return fails("two values of the same length have the same version")
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
	out, _ := expect(ctx, b.other(), "size", store.GetOptions{Range: store.Within(100, 50)}, value[100:150], n)
	if out.verdict == Holds {
		out.seen = fmt.Sprintf("50 bytes of %d", n)
	}
	return out
}
