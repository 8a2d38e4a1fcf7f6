package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TakeOver selects the claims of other processes that a change may take over.
type TakeOver struct {
	May  bool          // allows claims of appends and resizes that were not renewed for Age
	Age  time.Duration // 0 or less means any age
	IDs  []string      // allows claims with these IDs, regardless of age
	What string        // allows claims of this kind of change, regardless of age
}

// Held is a document that carries a claim of this process. Check may be called concurrently with
// itself. No other method may run concurrently with any method. Renewals run concurrently; see
// Keep.
type Held struct {
	keeper
	n      *Node
	doc    Stored
	claim  claim.Claim
	record claim.Record
	shape  []int
}

// ErrEnded reports that a claim no longer exists although no other process took it over. Usually
// the process of the claim ended it by a put whose response was lost. ErrEnded is a fault.Conflict.
var ErrEnded = fault.Newf(fault.Conflict, "the claim no longer exists")

// Hold changes a document. was is the document as last read. If the change sets a claim, the
// returned Held holds the document by that claim.
//
// Hold calls the function next for each version of the document that its put may replace. next must
// depend only on that version. If next returns an error, Hold returns that error. If the Text
// carries a claim, the change takes over or drops that claim, and the Record of the Text already
// has the entries for this. All changes that next returns must have the same claim ID.
//
// over selects the claims that Hold may take over. If the document carries any other claim, Hold
// returns fault.Conflict.
//
// If the response to a put is lost, Hold reads the document to determine the outcome, even if ctx
// has ended. If the put was applied, Hold succeeds. After an error the document does not have the
// claim, and no pending put can add the claim. The outcome remains unknown only if the store cannot
// be reached.
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
				return nil, ClaimedBy(h.doc.Key, t.Claim, "%v is in progress", t.Claim)
			}
			if err := h.reload(ctx); err != nil {
				return nil, err
			}
			fresh = true
			continue
		}
		if t.Claim.Done && !over.allows(t.Claim) {
			if err := n.Migrated(ctx, h.doc); err != nil {
				return nil, err
			}
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

// Drop removes the claim from the document if the ID of the claim is one of ids. Otherwise it
// returns fault.NotFound.
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

// allows reports whether t allows taking over c. Only t.IDs and t.What can allow the take-over of a
// migration, because a v3 document that its process put may still arrive. The next migration sets
// t.What and completes the earlier migration.
func (t TakeOver) allows(c claim.Claim) bool {
	if slices.Contains(t.IDs, c.ID) || t.What != "" && c.What == t.What {
		return true
	}
	at, ok := t.from(c)
	return ok && (t.Age <= 0 || !time.Now().Before(at))
}

// from returns the time from which t allows taking over c by its age, unless c is renewed before.
func (t TakeOver) from(c claim.Claim) (time.Time, bool) {
	if !t.May || c.What == claim.Migrate {
		return time.Time{}, false
	}
	return c.Alive().Add(max(0, t.Age)), true
}

// applied reports whether the put of change c, with the text tried, produced the document as last
// read. If it did, applied updates h to hold c.
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

// settle finds out whether change c was applied, although the put of c failed with err. It returns
// nil if c was applied, and err otherwise.
//
// If the document is unchanged, the put may still arrive. settle then replaces the document, so
// that the condition of the late put fails. If c has a claim, the new document records the ID of
// the claim as taken. Otherwise settle puts c again.
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

// reload reads the document again. The next swap replaces the version that it read.
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

// swap applies change c to the document as last read and puts the new text, which it returns as
// tried. lost reports that the put failed because another writer has replaced the document.
func (h *Held) swap(ctx context.Context, c Change) (tried []byte, lost bool, err error) {
	doc, err := with(h.doc, c)
	if err != nil {
		return nil, false, err
	}
	v, err := h.n.Swap(ctx, h.doc, doc, "the shape cannot be changed")
	if err != nil {
		return doc, errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists), err
	}
	h.doc.Bytes, h.doc.Version, h.claim, h.record = doc, v, c.Claim, c.Record
	h.shape, err = shapeIn(h.doc)
	return doc, false, err
}

// Check returns nil if the claim is still held. It returns fault.Conflict if the claim was taken
// over or has ended, if the document was deleted, or if a member that determines where elements are
// stored has changed. Check sends one request, which transfers no bytes if the document is
// unchanged.
func (h *Held) Check(ctx context.Context) error {
	h.mu.RLock()
	was := &Held{n: h.n, doc: h.doc, claim: h.claim, record: h.record, shape: h.shape}
	h.mu.RUnlock()
	t, err := was.look(ctx)
	switch {
	case err != nil:
		return err
	case t.Claim.ID != was.claim.ID:
		return was.gone(t)
	}
	return t.As(was.doc)
}

// look reads the current document without changing h.
func (h *Held) look(ctx context.Context) (Text, error) {
	d := h.doc
	c, s := h.n.Begin(ctx)
	v, err := s.Get(c, d.Key, store.GetOptions{IfNotVersion: d.Version, Max: h.n.Cfg.MaxMetadata}, nil)
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

// gone returns the error for a claim that t no longer carries. The error is ErrEnded unless t
// records that another process took over the claim.
func (h *Held) gone(t Text) error {
	if slices.Contains(t.Record.Taken, h.claim.ID) {
		return fault.Newf(fault.Conflict, "the %s that began %s was taken over", h.claim.What, h.claim.Since.Format(time.RFC3339))
	}
	return ErrEnded
}

// made returns nil if this process ended its claim by change c, and only the response of that put
// was lost. t is the current document, which neither carries the claim nor records that the claim
// was taken over.
//
// If c sets a shape for an append but the array is not longer than before the append, there are two
// possible causes. Another process may have shortened the array after c. In that case t equals the
// held content except for the shape, the record and the claim of the other process. In all other
// cases, a program that does not support claims may have deleted the claim of this process, so made
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

// Commit applies change c. It keeps changes of other members by other writers. If c lacks a claim,
// the process no longer holds the document. If the claim was taken over, Commit returns
// fault.Conflict and does not change the document.
func (h *Held) Commit(ctx context.Context, c Change) error {
	return h.CommitBy(ctx, func(Stored) (Change, error) { return c, nil })
}

// CommitBy is like Commit for a change that depends on the current document. Before each attempt it
// calls next with the document. If next returns an error, CommitBy returns that error. Even if ctx
// ends or a response is lost, CommitBy completes a commit in progress; see [Settling].
func (h *Held) CommitBy(ctx context.Context, next func(Stored) (Change, error)) error {
	defer h.lock()()
	defer func() {
		if !h.claim.Under() {
			h.stop()
		}
	}()
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

// adopt sets the held content to t.
func (h *Held) adopt(t Text) {
	h.doc, h.claim, h.record, h.shape = t.Stored, t.Claim, t.Record, t.Shape
}

// GiveUp removes the claim from the document. wrote means that the change may have put or deleted
// objects. GiveUp then records the affected region.
func (h *Held) GiveUp(ctx context.Context, wrote bool) error {
	h.Stop()
	c := Change{Record: h.record}
	if wrote {
		c.Record = c.Record.GivenUp(h.claim, h.shape)
	}
	return h.Commit(ctx, c)
}

// Doc returns the document as last read or written.
func (h *Held) Doc() Stored {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.doc
}

// Claim returns the claim that holds the document. After a change without a claim, it returns the
// zero Claim.
func (h *Held) Claim() claim.Claim {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.claim
}

// Record returns the record in the document.
func (h *Held) Record() claim.Record {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.record
}

// keeper renews a claim while its process lives.
type keeper struct {
	busy  chan struct{} // full during a change of the document and a renewal; nil without Keep
	mu    sync.RWMutex  // protects the content of a Held, which a renewal replaces
	timer *time.Timer   // protected by busy
	ended bool          // protected by busy
	end   func()        // ends a renewal in flight; nil without Keep
	left  atomic.Bool   // set by Leave
}

// lock waits for the end of a change or a renewal in flight, and returns the function that unlocks.
// It is not a sync.Mutex, because its holder sends requests: synctest treats a wait for a Mutex as
// work.
func (k *keeper) lock() (unlock func()) {
	if k.busy == nil {
		return func() {}
	}
	k.busy <- struct{}{}
	return func() { <-k.busy }
}

// Stop ends the renewals, and waits for the end of a renewal in flight. The claim remains.
func (h *Held) Stop() {
	if h.end != nil {
		h.end()
	}
	defer h.lock()()
	h.stop()
}

func (h *Held) stop() {
	h.ended = true
	if h.timer != nil {
		h.timer.Stop()
	}
}
