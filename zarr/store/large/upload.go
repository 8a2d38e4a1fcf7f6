package large

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// UploadOptions configures an Upload. The zero value starts a new upload without a condition.
type UploadOptions struct {
	Put store.PutOptions // condition that is checked at the commit

	// Began, if not nil, is called with the token of the upload before the first part is sent, if
	// another process can continue the upload. The parts of a failed upload then remain in the
	// store.
	Began func(token string)
	// Resume is the token of an interrupted upload. Parts that have arrived are read from the
	// source and compared by their checksum. Parts that are equal are not sent again. Piece must be
	// the same as before. The default "" starts a new upload.
	Resume string

	// Piece is the length of a part in bytes. 0 means 16 MiB. Parts are longer if the store's
	// limits on their length or number require it.
	Piece    int64
	InFlight int // number of parts in flight; 0 means 16

	// Memory is the budget for the parts in memory. All parts of the upload together are one Task
	// of it. nil means the budget of [concurrency.Default]. If half of the budget holds fewer than
	// InFlight parts, fewer parts are in flight. If the caller already holds a Task, Memory must
	// belong to another tree of budgets than that Task.
	Memory *concurrency.Budget
}

// Upload writes size bytes of src to key in concurrent parts. It waits for memory for the parts in
// flight. It fails with:
//
//   - errors.ErrUnsupported if the store does not support parts; the caller can use Put instead
//   - fault.Exists or fault.Conflict if the condition does not hold; the parts are removed
//   - fault.Conflict if the upload of the token was committed or aborted
//
// After any other error Upload removes the parts, unless Began or Resume is set. In that case the
// parts remain: a later Upload can resume them, and store.Parts.Abort can remove them.
func Upload(ctx context.Context, s store.Store, key string, src io.ReaderAt, size int64, o UploadOptions) (store.Version, error) {
	n := Options{Piece: o.Piece, InFlight: o.InFlight}.withPieces()
	failed := (&Store{Forward: store.Forward{Store: s}}).failed
	if size < 0 || o.Put.IfAbsent && o.Put.IfVersion != "" {
		return "", failed(ctx, "put", key, fault.Newf(fault.Selection, "the size is negative, or both IfAbsent and IfVersion are set"))
	}
	p, err := store.PutParts(ctx, s, key, store.PartsOptions{Resume: o.Resume})
	if err != nil {
		return "", err
	}
	u := &upload{p: p, src: src}
	if size > 0 {
		u.pieces = partsOf(size, n.Piece, p.Limits())
	}
	hold, atOnce, err := o.reserve(ctx, u.pieces, n.InFlight)
	if err != nil {
		if o.Resume == "" {
			err = dropped(ctx, p, err)
		}
		return "", failed(ctx, "put", key, err)
	}
	defer hold.Release()
	u.hold = hold
	stays := o.Resume != "" || o.Began != nil && p.Token() != ""
	if o.Began != nil && p.Token() != "" {
		o.Began(p.Token())
	}
	if o.Resume != "" {
		err = u.resume(ctx)
	}
	if err == nil {
		err = concurrency.EachN(ctx, atOnce, u.count, u.part)
	}
	var v store.Version
	if err == nil {
		if v, err = p.Commit(ctx, o.Put); errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict) {
			stays = false
		}
	}
	if err != nil {
		if !stays {
			err = dropped(ctx, p, err)
		}
		return "", failed(ctx, "put", key, err)
	}
	return v, nil
}

// reserve waits for memory for the parts in flight and returns their number.
func (o UploadOptions) reserve(ctx context.Context, p pieces, inFlight int) (hold *concurrency.Hold, atOnce int, err error) {
	memory := o.Memory
	if memory == nil {
		memory = concurrency.Default().Bytes
	}
	need := concurrency.Need(int(p.each))
	atOnce = max(1, min(inFlight, p.count, int(min(memory.Size()/2/max(need, 1), int64(inFlight)))))
	hold, err = memory.Acquire(ctx, concurrency.Task, need*int64(min(atOnce, p.count)))
	return hold, atOnce, err
}

// upload is the state of one Upload.
type upload struct {
	p   store.Parts
	src io.ReaderAt
	pieces
	hold *concurrency.Hold      // memory of the parts in flight
	sent map[int]store.PartInfo // parts that had already arrived
}

// resume lists the parts that have arrived.
func (u *upload) resume(ctx context.Context) error {
	sent, err := u.p.Sent(ctx)
	if err != nil {
		return err
	}
	u.sent = make(map[int]store.PartInfo, len(sent))
	for _, s := range sent {
		if s.N >= u.count {
			return fault.Newf(fault.Conflict, "part %d has arrived, but the value has only %d parts: the upload was started with parts of another length", s.N, u.count)
		}
		u.sent[s.N] = s
	}
	return nil
}

func (u *upload) part(ctx context.Context, i int) error {
	from, to := u.span(i)
	b := u.hold.Buffer(int(u.each))[:to-from]
	defer u.hold.Put(b)
	if n, err := u.src.ReadAt(b, from); n < len(b) {
		return fmt.Errorf("read the source at offset %d: %w", from+int64(n), err)
	}
	if s, ok := u.sent[i]; ok {
		if same, _ := s.Holds(b); same {
			return nil
		}
	}
	return u.p.Part(ctx, i, b)
}
