package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Renewal is the time between two renewals of a claim. Other processes may assume that a claim is
// abandoned if it was not renewed for four times as long, so one or two failed renewals do not
// matter.
const Renewal = 30 * time.Second

// Keep renews the claim every [Renewal], also after ctx has ended, until the claim ends or Stop is
// called. A renewal is a conditional put of the document. If another process has taken over the
// claim, or if the process was suspended and the document has changed, the put fails and changes
// nothing. Keep does nothing with SingleWriter or in a store without versions.
func (h *Held) Keep(ctx context.Context) {
	if h.n.Cfg.SingleWriter || h.doc.Version == "" || !h.claim.Under() {
		return
	}
	ctx, h.end = context.WithCancel(context.WithoutCancel(ctx))
	h.busy = make(chan struct{}, 1)
	defer h.lock()()
	h.timer = time.AfterFunc(Renewal, func() {
		if h.renew(ctx) {
			defer h.lock()()
			if !h.ended {
				h.timer.Reset(Renewal)
			}
		}
	})
}

// Leave makes the next renewal the end of the renewals. It may be called at any time.
func (h *Held) Leave() { h.left.Store(true) }

// renew puts the document with the current time in the claim. It returns false if the claim is no
// longer held.
func (h *Held) renew(ctx context.Context) bool {
	defer h.lock()()
	if h.ended || h.left.Load() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, Settling)
	defer cancel()
	for range 3 {
		c := h.claim
		c.Renewed = time.Now().UTC().Truncate(time.Second)
		doc, err := with(h.doc, Change{Claim: c, Record: h.record})
		if err != nil {
			return false
		}
		v, err := h.n.Swap(ctx, h.doc, doc, "")
		switch {
		case err == nil:
			h.mu.Lock()
			defer h.mu.Unlock()
			h.claim, h.doc.Bytes, h.doc.Version = c, doc, v
			return true
		case !errors.Is(err, fault.Conflict):
			return true // the store may be reachable next time
		}
		t, err := h.look(ctx)
		if err != nil {
			return true
		}
		if t.Claim.ID != h.claim.ID || t.As(h.doc) != nil {
			return false // the next change returns the error
		}
		h.mu.Lock()
		h.adopt(t) // another writer changed the attributes
		h.mu.Unlock()
	}
	return true
}

// Renewed returns the stored version of the document was, whose put failed with a conflict. It
// reports false if another writer has changed more than the time of the last renewal of the claim.
func (n *Node) Renewed(ctx context.Context, was Stored) (Stored, bool) {
	is, err := n.GetKey(ctx, was.Key)
	if err != nil {
		return was, false
	}
	before, err1 := ClaimIn(was)
	after, err2 := ClaimIn(is)
	old, err3 := Unclaimed(was)
	now, err4 := Unclaimed(is)
	same := before.Under() && before.ID == after.ID && bytes.Equal(old, now)
	return is, cmp.Or(err1, err2, err3, err4) == nil && same
}
