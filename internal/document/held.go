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

// TakeOver says which claims of others may be taken over.
type TakeOver struct {
	May  bool
	Age  time.Duration // those of appends and resizes that are at least so old, if May
	IDs  []string      // those of these IDs, whatever their age
	What string        // those of changes of this kind, whatever their age
}

// Held is a document with a claim of this process in it. Check may be called concurrently, also
// with itself; the other methods may not.
type Held struct {
	n      *Node
	doc    Stored
	claim  claim.Claim
	record claim.Record
	shape  []int
}

// maxRaces bounds how often a document is changed again. Each conflict means that another writer
// succeeded.
const maxRaces = 1000

// Settling bounds how long a process whose context has ended, or whose request failed, tries to
// find out and to complete what it began. The caller waits for it.
const Settling = 10 * time.Second

// Detached returns a context for what has to be done after ctx has ended, see Settling.
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Settling)
}

// ErrEnded says that a claim is gone and that no other process took it over: as a rule its own
// process ended it, with a put whose response did not arrive. It is a fault.Conflict.
var ErrEnded = fault.Newf(fault.Conflict, "the claim is gone")

// Hold changes a document that was read as by decides, and returns it as held by the claim that the
// change has, if any. by is called with each text of the document that the change may replace, and
// decides by that text alone; its error ends Hold. A claim in that text is then taken over or
// dropped: the Record of the text has what that adds. All changes that by returns have one claim
// ID.
//
// fault.Conflict: another claim is in the document, which over does not allow to take. After an
// error the document does not get the claim, unless the store cannot be reached: a put of which the
// fate is unknown is looked up, and held if it was made, also where ctx has ended.
func (n *Node) Hold(ctx context.Context, was Stored, over TakeOver, by func(Text) (Change, error)) (*Held, error) {
	h := &Held{n: n, doc: was}
	fresh := false
	for try := 1; ; try++ {
		t, err := textOf(h.doc)
		if err != nil {
			return nil, err
		}
		if t.Claim.Under() && !over.of(t.Claim) {
			if fresh {
				return nil, fault.Newf(fault.Conflict, "%v is under way", t.Claim)
			}
			if err := h.again(ctx); err != nil {
				return nil, err
			}
			fresh = true
			continue
		}
		change, err := by(t.taking())
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
		if err := h.again(ctx); err != nil {
			return nil, err
		}
		if h.applied(change, tried) { // the store repeated the put, whose first response was lost
			return h, nil
		}
		fresh = true
	}
}

// Drop takes the claim out of a document that was read, if it has one of the IDs; fault.NotFound: it
// does not, or not any more.
func (n *Node) Drop(ctx context.Context, was Stored, ids ...string) error {
	h := &Held{n: n, doc: was}
	if err := h.again(ctx); err != nil {
		return err
	}
	_, err := n.Hold(ctx, h.doc, TakeOver{IDs: ids}, func(t Text) (Change, error) {
		if !slices.Contains(ids, t.Claim.ID) {
			return Change{}, fault.Newf(fault.NotFound, "the claim is gone")
		}
		return Change{Record: t.Record}, nil
	})
	return err
}

// of reports whether a claim may be taken over. A migration may only be by another one, which
// completes it: the v3 document that it puts may still arrive.
func (t TakeOver) of(c claim.Claim) bool {
	if slices.Contains(t.IDs, c.ID) || t.What != "" && c.What == t.What {
		return true
	}
	return t.May && c.What != claim.Migrate && (t.Age <= 0 || time.Since(c.Since) >= t.Age)
}

// applied reports whether the document, as it was last read, was put with a change, and then takes
// the change for what is held.
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

// settle finds out what became of the put of a change that failed with an error; nil: it was made.
// A change without a claim that was not made is tried again. A put that may still arrive is made to
// fail: it finds another text.
func (h *Held) settle(ctx context.Context, c Change, tried []byte, err error) error {
	if !unknown(err) {
		return err
	}
	ctx, cancel := Detached(ctx)
	defer cancel()
	was := h.doc
	for range 3 {
		if e := h.again(ctx); e != nil {
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

// unknown reports whether a put that failed with an error may have been made, or may still be.
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

// again reads the document anew.
func (h *Held) again(ctx context.Context) error {
	v, err := h.n.GetKey(ctx, h.doc.Key)
	if err != nil {
		if errors.Is(err, fault.NotFound) && !h.doc.There() {
			return nil
		}
		if errors.Is(err, fault.NotFound) {
			err = fault.Newf(fault.Conflict, "the document was deleted since: %w", err)
		}
		return err
	}
	h.doc.Bytes, h.doc.Version = v.Bytes, v.Version
	return nil
}

// swap puts the document as it was last read with a change; lost reports that it was replaced in
// between. tried is what was put.
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

// Check makes sure that the claim is still held. fault.Conflict: it was taken over. It costs one
// request, which transfers nothing as long as the document is unchanged.
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

// look reads the document as it is by now.
func (h *Held) look(ctx context.Context) (Text, error) {
	d := h.doc
	c, s := h.n.begin(ctx)
	v, err := s.Get(c, d.Key, store.GetOptions{IfNotVersion: d.Version, Max: h.n.Limit}, nil)
	switch {
	case errors.Is(err, fault.Unchanged):
		return Text{Stored: d, Claim: h.claim, Record: h.record, Shape: h.shape}, nil
	case errors.Is(err, fault.NotFound):
		return Text{}, fault.Newf(fault.Conflict, "the document was deleted since: %w", err)
	case err != nil:
		return Text{}, err
	}
	d.Bytes, d.Version = v.Bytes, v.Version
	return textOf(d)
}

// gone is the error of a claim that is not in the document any more. ErrEnded where no other
// process took it over.
func (h *Held) gone(t Text) error {
	if slices.Contains(t.Record.Taken, h.claim.ID) {
		return fault.Newf(fault.Conflict, "the %s that began %s was taken over", h.claim.What, h.claim.Since.Format(time.RFC3339))
	}
	return ErrEnded
}

// made reports, of a claim that is gone and was not taken over, whether this process ended it with
// a change whose response was lost. Where an array is no longer than before an append, that is so
// only if another process made it shorter since: then the text is that of the claim but for the
// shape, and for the claim of the other process. Otherwise a program that knows nothing of claims
// may have deleted this one.
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
		err = fmt.Errorf("whether the rows were appended is not known: the claim is gone, and the array has the shape %v", t.Shape)
	}
	return err
}

// Commit changes the document. Without a claim in the change, this process holds it no longer. What
// others changed in the document meanwhile stays. fault.Conflict: the claim was taken over, and
// nothing is changed.
func (h *Held) Commit(ctx context.Context, c Change) error {
	return h.CommitBy(ctx, func(Stored) (Change, error) { return c, nil })
}

// CommitBy is Commit of a change that depends on the document as it is by then. Once it has begun
// it is completed, or found to have been, also when ctx ends or a response is lost, see Settling.
func (h *Held) CommitBy(ctx context.Context, by func(Stored) (Change, error)) error {
	err := h.commit(ctx, by)
	if err == nil || !unknown(err) {
		return err
	}
	over, cancel := Detached(ctx)
	defer cancel()
	switch again := h.commit(over, by); {
	case again == nil, !unknown(again):
		return again
	default:
		return err
	}
}

func (h *Held) commit(ctx context.Context, by func(Stored) (Change, error)) error {
	for try := 1; ; try++ {
		c, err := by(h.doc)
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
			h.adopt(t) // the change was made, and the response was lost
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

// adopt takes what was read for what is held.
func (h *Held) adopt(t Text) {
	h.doc, h.claim, h.record, h.shape = t.Stored, t.Claim, t.Record, t.Shape
}

// GiveUp takes the claim out of the document. wrote says that the change may have put objects or
// deleted some, which then is recorded.
func (h *Held) GiveUp(ctx context.Context, wrote bool) error {
	c := Change{Record: h.record}
	if wrote {
		c.Record = c.Record.GivenUp(h.claim, h.shape)
	}
	return h.Commit(ctx, c)
}

// Doc is the document as it was last written.
func (h *Held) Doc() Stored { return h.doc }

// Claim is what is held; the zero Claim after a change without one.
func (h *Held) Claim() claim.Claim { return h.claim }

// Record is the record in the document.
func (h *Held) Record() claim.Record { return h.record }
