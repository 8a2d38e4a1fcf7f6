package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TakeOver selects the claims of other processes that a change may take over.
type TakeOver struct {
	May  bool          // allows claims of appends and resizes that are at least Age old
	Age  time.Duration // 0 or less means any age
	IDs  []string      // allows claims with these IDs, regardless of age
	What string        // allows claims of this kind of change, regardless of age
}

// Held is a document that carries a claim of this process. Check may be called concurrently. The
// other methods must not run concurrently with any method.
type Held struct {
	n      *Node
	doc    Stored
	claim  claim.Claim
	record claim.Record
	shape  []int
}

// maxRaces bounds how often a change is retried after a conflict. Each conflict means that another
// writer succeeded.
const maxRaces = 1000

// Settling bounds how long a process continues after its context has ended or a request has failed,
// in order to find out whether its change was applied and to complete it. The caller waits.
const Settling = 10 * time.Second

// Detached returns a context for requests that must be made after ctx has ended. It ends after
// [Settling].
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Settling)
}

// ErrEnded reports that a claim is gone and that no other process took it over. Usually its own
// process ended it by a put whose response was lost. It is a fault.Conflict.
var ErrEnded = fault.Newf(fault.Conflict, "the claim no longer exists")

// Hold changes the document that was read as was. It returns the document as held by the claim that
// the change sets, if any.
//
// Hold calls the function next for each version of the document that its put may replace. next must
// depend only on that version. An error of next ends Hold. If the Text carries a claim, the change
// takes the claim over or drops it. The Record of the Text then has the entries for this. All
// changes that next returns must have the same claim ID.
//
// The TakeOver selects the claims that Hold may take over. If the document carries another claim,
// Hold returns fault.Conflict.
//
// If the response to a put is lost, Hold reads the document to determine the outcome, even if ctx
// has ended. If the put was applied, Hold succeeds. After an error the document does not have the
// claim, and no pending put can write it. Only if the store cannot be reached does the outcome
// remain unknown.
func (n *Node) Hold(ctx context.Context, was Stored, over TakeOver, next func(Text) (Change, error)) (*Held, error) {
	h := &Held{n: n, doc: was}
	fresh := false
	for try := 1; ; try++ {
		t, err := textOf(h.doc)
		if err != nil {
			return nil, err
		}
		if t.Claim.Under() && !over.allows(t.Claim) {
			if fresh {
				return nil, fault.Newf(fault.Conflict, "%v is in progress", t.Claim)
			}
			if err := h.reload(ctx); err != nil {
				return nil, err
			}
			fresh = true
			continue
		}
		change, err := next(t.takenOver())
		if err != nil {
			return nil, err
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		tried, lost, err := h.swap(ctx, change)
		if err == nil {
			return h, nil
		}
		if !lost {
			if err = h.settle(ctx, change, tried, err); err != nil {
				return nil, err
			}
			return h, nil
		}
		if try == maxRaces {
			return nil, err
		}
		if err := h.reload(ctx); err != nil {
			return nil, err
		}
		if h.applied(change, tried) { // the store retried the put after its first response was lost
			return h, nil
		}
		fresh = true
	}
}

// Drop removes the claim from the document if the claim has one of the IDs. Otherwise it returns
// fault.NotFound.
func (n *Node) Drop(ctx context.Context, was Stored, ids ...string) error {
	h := &Held{n: n, doc: was}
	if err := h.reload(ctx); err != nil {
		return err
	}
	_, err := n.Hold(ctx, h.doc, TakeOver{IDs: ids}, func(t Text) (Change, error) {
		if !slices.Contains(ids, t.Claim.ID) {
			return Change{}, fault.Newf(fault.NotFound, "the claim no longer exists")
		}
		return Change{Record: t.Record}, nil
	})
	return err
}

// allows reports whether t allows taking over c. The claim of a migration can be taken over only if
// t.IDs or t.What allows it. The next migration sets What, and completes the earlier one. A v3
// document that the earlier process put may still arrive.
func (t TakeOver) allows(c claim.Claim) bool {
	if slices.Contains(t.IDs, c.ID) || t.What != "" && c.What == t.What {
		return true
	}
	return t.May && c.What != claim.Migrate && (t.Age <= 0 || time.Since(c.Since) >= t.Age)
}

// applied reports whether the document, as last read, is the result of the put of c. tried is the
// text that was put. If so, applied updates h to hold c.
func (h *Held) applied(c Change, tried []byte) bool {
	if c.Claim.Under() {
		is, err := ClaimIn(h.doc)
		if err != nil || is.ID != c.Claim.ID {
			return false
		}
	} else if !bytes.Equal(h.doc.Bytes, tried) {
		return false
	}
	h.claim, h.record = c.Claim, c.Record
	h.shape, _ = shapeIn(h.doc)
	return true
}

// settle finds out whether c was applied by a put that failed with err. It returns nil if c was
// applied, and err otherwise.
//
// If the document is unchanged, the put may still arrive. settle then replaces the document, so
// that the condition of the late put fails. If c does not have a claim, settle puts c itself once
// more. Otherwise it records the ID of c's claim as taken.
func (h *Held) settle(ctx context.Context, c Change, tried []byte, err error) error {
	if !unknown(err) {
		return err
	}
	ctx, cancel := Detached(ctx)
	defer cancel()
	was := h.doc
	for range 3 {
		if e := h.reload(ctx); e != nil {
			return err
		}
		switch {
		case h.applied(c, tried):
			return nil
		case h.doc.Version != was.Version || !bytes.Equal(h.doc.Bytes, was.Bytes):
			return err
		}
		next := c
		if c.Claim.Under() {
			t, e := textOf(h.doc)
			if e != nil {
				return err
			}
			next = Change{Claim: t.Claim, Record: t.Record.Take(c.Claim.ID)}
		}
		switch put, lost, e := h.swap(ctx, next); {
		case e == nil && !c.Claim.Under():
			return nil
		case !lost:
			return err
		default:
			tried = put
		}
	}
	return err
}

// unknown reports whether a put that failed with err may have been applied, or may still be.
func unknown(err error) bool {
	var unsent interface{ Unsent() bool }
	if errors.As(err, &unsent) && unsent.Unsent() || errors.Is(err, errors.ErrUnsupported) {
		return false
	}
	for _, kind := range []fault.Kind{
		fault.NotFound, fault.Exists, fault.Conflict, fault.ReadOnly, fault.Selection,
		fault.Metadata, fault.Path, fault.Refused, fault.Limit,
	} {
		if errors.Is(err, kind) {
			return false
		}
	}
	return true
}

// reload reads the document again as the version to replace.
func (h *Held) reload(ctx context.Context) error {
	v, err := h.n.GetKey(ctx, h.doc.Key)
	if err != nil {
		if errors.Is(err, fault.NotFound) && !h.doc.There() {
			return nil
		}
		if errors.Is(err, fault.NotFound) {
			err = fault.Newf(fault.Conflict, "the document was deleted concurrently: %w", err)
		}
		return err
	}
	h.doc.Bytes, h.doc.Version = v.Bytes, v.Version
	return nil
}

// swap puts the document with change c if it is unchanged since it was last read. tried is the text
// that it put. If another writer has replaced the document, lost is true.
func (h *Held) swap(ctx context.Context, c Change) (tried []byte, lost bool, err error) {
	doc, err := with(h.doc, c)
	if err != nil {
		return nil, false, err
	}
	v, err := h.n.Swap(ctx, h.doc, doc, "the shape cannot be changed safely")
	if err != nil {
		return doc, errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists), err
	}
	h.doc.Bytes, h.doc.Version, h.claim, h.record = doc, v, c.Claim, c.Record
	h.shape, err = shapeIn(h.doc)
	return doc, false, err
}

// Check returns nil if the claim is still held. It returns fault.Conflict if the claim was taken
// over or has ended, if the document was deleted, or if a member that determines where elements are
// stored has changed. Check makes one request, which transfers no bytes if the document is
// unchanged.
func (h *Held) Check(ctx context.Context) error {
	t, err := h.look(ctx)
	switch {
	case err != nil:
		return err
	case t.Claim.ID != h.claim.ID:
		return h.gone(t)
	}
	return t.As(h.doc)
}

// look reads the current document without changing h.
func (h *Held) look(ctx context.Context) (Text, error) {
	d := h.doc
	c, s := h.n.begin(ctx)
	v, err := s.Get(c, d.Key, store.GetOptions{IfNotVersion: d.Version, Max: h.n.Limit}, nil)
	switch {
	case errors.Is(err, fault.Unchanged):
		return Text{Stored: d, Claim: h.claim, Record: h.record, Shape: h.shape}, nil
	case errors.Is(err, fault.NotFound):
		return Text{}, fault.Newf(fault.Conflict, "the document was deleted concurrently: %w", err)
	case err != nil:
		return Text{}, err
	}
	d.Bytes, d.Version = v.Bytes, v.Version
	return textOf(d)
}

// gone returns the error for a claim that t no longer carries. It is ErrEnded unless t records that
// another process took the claim over.
func (h *Held) gone(t Text) error {
	if slices.Contains(t.Record.Taken, h.claim.ID) {
		return fault.Newf(fault.Conflict, "the %s that began %s was taken over", h.claim.What, h.claim.Since.Format(time.RFC3339))
	}
	return ErrEnded
}

// made returns nil if this process itself ended its claim by change c, and only the response of
// that put was lost. t is the current document. It does not carry the claim, and does not record
// that the claim was taken over.
//
// If c sets a shape for an append but the array is not longer than before the append, there are two
// possible causes. Another process may have shortened the array after c. In that case t equals the
// held content except for the shape, the record and the claim of that process. In all other cases,
// a program that does not support claims may have deleted the claim of this process, so made
// returns an error.
func (h *Held) made(t Text, c Change) error {
	axis := h.claim.Axis
	switch {
	case c.Claim.Under():
		return ErrEnded
	case c.Edits["shape"] == nil || h.claim.What != claim.Append || axis >= len(t.Shape) || t.Shape[axis] > h.claim.From:
		return nil
	}
	shape, err := json.Marshal(t.Shape)
	if err != nil {
		return err
	}
	doc, err := with(h.doc, Change{Edits: Edits{"shape": shape}, Record: t.Record, Claim: t.Claim})
	if err == nil && !bytes.Equal(doc, t.Bytes) {
		err = fmt.Errorf("the rows may or may not have been appended: the claim no longer exists, and the array has shape %v", t.Shape)
	}
	return err
}

// Commit applies change c. If c does not have a claim, the process no longer holds the document.
// Commit keeps the changes that others made to other members. If the claim was taken over, Commit
// returns fault.Conflict and does not change the document.
func (h *Held) Commit(ctx context.Context, c Change) error {
	return h.CommitBy(ctx, func(Stored) (Change, error) { return c, nil })
}

// CommitBy is like Commit for a change that depends on the current document. It calls next with the
// document before each attempt. If next returns an error, CommitBy returns that error. A commit in
// progress is completed even if ctx ends or a response is lost; see [Settling].
func (h *Held) CommitBy(ctx context.Context, next func(Stored) (Change, error)) error {
	err := h.commit(ctx, next)
	if err == nil || !unknown(err) {
		return err
	}
	over, cancel := Detached(ctx)
	defer cancel()
	switch again := h.commit(over, next); {
	case again == nil, !unknown(again):
		return again
	default:
		return err
	}
}

func (h *Held) commit(ctx context.Context, next func(Stored) (Change, error)) error {
	for try := 1; ; try++ {
		c, err := next(h.doc)
		if err != nil {
			return err
		}
		_, lost, err := h.swap(ctx, c)
		if err == nil || !lost || try == maxRaces {
			return err
		}
		t, err := h.look(ctx)
		if err != nil {
			return err
		}
		switch is := t.Claim.JSON(); {
		case c.Claim.Under() && bytes.Equal(is, c.Claim.JSON()) && !bytes.Equal(is, h.claim.JSON()):
			h.adopt(t) // the put was applied, but its response was lost
			return nil
		case t.Claim.ID == h.claim.ID:
			err = t.As(h.doc)
		default:
			if err = h.gone(t); errors.Is(err, ErrEnded) {
				if err = h.made(t, c); err == nil {
					h.adopt(t)
					return nil
				}
			}
		}
		if err != nil {
			return err
		}
		h.n.Conflict()
		h.doc = t.Stored
		if err := concurrency.Sleep(ctx, rand.N(time.Duration(try)*2*time.Millisecond)); err != nil {
			return err
		}
	}
}

// adopt makes t the held content.
func (h *Held) adopt(t Text) {
	h.doc, h.claim, h.record, h.shape = t.Stored, t.Claim, t.Record, t.Shape
}

// GiveUp removes the claim from the document. If wrote is set, the change may have put or deleted
// objects, and GiveUp records where.
func (h *Held) GiveUp(ctx context.Context, wrote bool) error {
	c := Change{Record: h.record}
	if wrote {
		c.Record = c.Record.GivenUp(h.claim, h.shape)
	}
	return h.Commit(ctx, c)
}

// Doc returns the document as last read or written.
func (h *Held) Doc() Stored { return h.doc }

// Claim returns the claim that is held. It is the zero Claim after a change without a claim.
func (h *Held) Claim() claim.Claim { return h.claim }

// Record returns the record in the document.
func (h *Held) Record() claim.Record { return h.record }
