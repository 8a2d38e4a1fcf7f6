package bucketcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const partsLack = "values are sent in one request: an interruption requires sending the whole value again, and values that exceed the provider's limit for one request cannot be stored"

func verbChecks() []Check {
	parts := func(n sizes, objects, calls int) most {
		return most{objects: objects, calls: calls, sent: n.part + 64*kib, received: n.part + 64*kib}
	}
	return []Check{
		{
			Name: "parts", Expected: "parts sent in any order become the value, which is not visible before",
			Fails: "large values are stored incorrectly: keep shards below the size that is sent in parts", Lacks: partsLack,
			most: func(n sizes) most { return parts(n, 1, 8) }, run: inParts,
		},
		{
			Name: "parts, resumed", Expected: "another client can continue with the received parts",
			Fails: "an interrupted upload cannot be continued and must be sent again", Lacks: "an interrupted upload must be sent again",
			most: func(n sizes) most { return parts(n, 1, 8) }, run: partsResumed,
		},
		{
			Name: "parts, if absent", Expected: "a value in parts on the condition that the key is absent is refused if it exists",
			Fails: "large values are stored without regard to the condition: use --single-writer (zarr.SingleWriter)",
			Lacks: "large values with a condition are sent in one request",
			most:  exactly(most{objects: 1, calls: 8, sent: 64 * kib, received: 64 * kib}), run: partsIfAbsent,
		},
		{
			Name: "parts, aborted", Expected: "aborted parts do not become a value",
			Fails: "aborted parts remain and incur costs: configure a lifecycle rule of the bucket that removes unfinished uploads", Lacks: partsLack,
			most: exactly(most{objects: 1, calls: 6, sent: 64 * kib, received: 64 * kib}), run: partsAborted,
		},
		{
			Name: "copy", Expected: "the service copies a value without sending it here and back",
			Fails: "copies by the service are incorrect: values must be read and written instead", Lacks: "copies are read and written",
			most: exactly(most{objects: 2, calls: 4, sent: kib, received: 4 * kib}), run: copies,
		},
		{
			Name: "checksums", Expected: "a value that arrives with a wrong checksum is refused",
			Fails: "values that are damaged in transit are stored: use codecs with a checksum, such as crc32c",
			Lacks: "it is not known whether values that are damaged in transit are stored; codecs with a checksum, such as crc32c, detect them when they are read",
			most:  exactly(most{objects: 1, calls: 3, sent: 4 * kib, received: 4 * kib}), run: checksums,
		},
	}
}

// begin starts an upload in parts, or resumes the upload with token. An upload that is not finished
// is aborted by clean. The request continues after the end of ctx, because clean needs the name of
// the upload in the response.
func (b *bench) begin(ctx context.Context, s store.Store, key, token string) (store.Parts, *outcome) {
	p, err := store.PutParts(context.WithoutCancel(ctx), s, key, store.PartsOptions{Resume: token})
	if err != nil {
		out := because("begin", err)
		if errors.Is(err, errors.ErrUnsupported) {
			out.seen = "values in parts are not supported"
		}
		return nil, &out
	}
	b.mu.Lock()
	b.uploads[p] = true
	b.mu.Unlock()
	if n := p.Limits().Min; n > b.n.part {
		out := outcome{Unknown, fmt.Sprintf("a part has %d bytes at least", n), nil}
		return nil, &out
	}
	return p, nil
}

// finished records that an upload was committed or aborted.
func (b *bench) finished(p store.Parts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.uploads, p)
}

// first returns a part that is long enough to be followed by another part.
func first(p store.Parts) []byte { return pattern(max(int(p.Limits().Min), kib), 50) }

func inParts(ctx context.Context, b *bench) outcome {
	p, bad := b.begin(ctx, b.s, "parts/any", "")
	if bad != nil {
		return *bad
	}
	one, two := first(p), pattern(100, 51)
	if err := errors.Join(p.Part(ctx, 1, two), p.Part(ctx, 0, one)); err != nil {
		return because("part", err)
	}
	if _, err := b.other().Get(ctx, "parts/any", store.GetOptions{Max: kib}, nil); err == nil || errors.Is(err, fault.Limit) {
		return fails("the value exists before the commit")
	}
	if _, err := p.Commit(ctx, store.PutOptions{}); err != nil {
		return because("commit", err)
	}
	b.finished(p)
	out, _ := expect(ctx, b.other(), "parts/any", store.GetOptions{}, append(bytes.Clone(one), two...), len(one)+len(two))
	if out.verdict == Holds {
		out.seen = fmt.Sprintf("parts of %d and %d bytes, the last one first", len(one), len(two))
	}
	return out
}

func partsResumed(ctx context.Context, b *bench) outcome {
	p, bad := b.begin(ctx, b.s, "parts/resumed", "")
	if bad != nil {
		return *bad
	}
	if p.Token() == "" {
		return unsupported("another client cannot continue the upload")
	}
	one, two := first(p), pattern(100, 52)
	if err := p.Part(ctx, 0, one); err != nil {
		return because("part", err)
	}
	q, bad := b.begin(ctx, b.other(), "parts/resumed", p.Token())
	if bad != nil {
		bad.seen = "going on: " + bad.seen
		return *bad
	}
	sent, err := q.Sent(ctx)
	if err != nil {
		return because("list of the received parts", err)
	}
	if len(sent) != 1 || sent[0].N != 0 || sent[0].Size != int64(len(one)) {
		return fails("another client sees %d parts, want the one that was sent", len(sent))
	}
	if err := q.Part(ctx, 1, two); err != nil {
		return because("part", err)
	}
	if _, err := q.Commit(ctx, store.PutOptions{}); err != nil {
		return because("commit", err)
	}
	b.finished(p)
	b.finished(q)
	out, _ := expect(ctx, b.s, "parts/resumed", store.GetOptions{}, append(bytes.Clone(one), two...), len(one)+len(two))
	if out.verdict == Holds {
		out.seen = "one client sent the first part, another the second"
	}
	return out
}

func partsIfAbsent(ctx context.Context, b *bench) outcome {
	_, value, err := b.put(ctx, "parts/there", kib, 53)
	if err != nil {
		return because("put", err)
	}
	p, bad := b.begin(ctx, b.s, "parts/there", "")
	if bad != nil {
		return *bad
	}
	if err := p.Part(ctx, 0, pattern(100, 54)); err != nil {
		return because("part", err)
	}
	if _, err := p.Commit(ctx, store.PutOptions{IfAbsent: true}); !errors.Is(err, fault.Exists) {
		return instead("commit", err, fault.Exists)
	}
	if err := p.Abort(ctx); err != nil {
		return because("abort", err)
	}
	b.finished(p)
	out, _ := expect(ctx, b.other(), "parts/there", store.GetOptions{}, value, kib)
	if out.verdict == Holds {
		out.seen = "refused, and the value stays"
	}
	return out
}

func partsAborted(ctx context.Context, b *bench) outcome {
	p, bad := b.begin(ctx, b.s, "parts/aborted", "")
	if bad != nil {
		return *bad
	}
	if err := p.Part(ctx, 0, pattern(100, 55)); err != nil {
		return because("part", err)
	}
	if err := p.Abort(ctx); err != nil {
		return because("abort", err)
	}
	b.finished(p)
	if _, err := p.Commit(ctx, store.PutOptions{}); !errors.Is(err, fault.Conflict) {
		return instead("commit after the abort", err, fault.Conflict)
	}
	if _, err := b.other().Get(ctx, "parts/aborted", store.GetOptions{Max: kib}, nil); err == nil {
		return fails("the value exists")
	}
	return holds("gone")
}

func copies(ctx context.Context, b *bench) outcome {
	_, value, err := b.put(ctx, "copy/from", kib, 56)
	if err != nil {
		return because("put", err)
	}
	if _, err := store.Copy(ctx, b.s, "copy/from", "copy/to", store.CopyOptions{}); err != nil {
		return because("copy", err)
	}
	out, _ := expect(ctx, b.other(), "copy/to", store.GetOptions{}, value, kib)
	return out
}
