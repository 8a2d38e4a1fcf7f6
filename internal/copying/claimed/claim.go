package claimed

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Claim is the object that records which plan owns a target, and the state of the work. The first
// claim is put on condition that the object is absent, so only one plan can claim the target.
// Later claims are put on condition that the object is unchanged since it was read.
type Claim struct {
	Format int    `json:"zargo_transfer_claim"` // 2; earlier versions stored 1
	Plan   string `json:"plan"`                 // ID of the plan
	Run    string `json:"run"`                  // random, new for each claim of the plan
	State  State  `json:"state"`

	// Empty means that tasks write with conditions, because the target contained no objects when
	// the first task started: every object below the target was put by a task. It is also set while
	// the target is not yet listed.
	Empty bool `json:"empty,omitempty"`

	// Turn counts how often the documents of the target were withdrawn because another node was
	// created at the same time. A process that began to store documents in an earlier turn must not
	// publish the target.
	Turn int `json:"turn,omitempty"`

	// Saved is the plan, if [Holder.Save] has put the claim and both fit in maxSaved. Otherwise the
	// plan is an object.
	Saved json.RawMessage `json:"saved,omitempty"`

	version store.Version
	sole    bool // no other process has changed the claim, so no other has written anything
}

// State is the progress of the work. States follow each other in this order.
type State string

// The states of a claim.
const (
	// Taken means that only the process that put the claim knows whether the target is free. If it
	// is, the tasks of that process may write. Other processes check the target first.
	Taken      State = "taken"
	Copying    State = "copying"    // the target was free: tasks may write
	Publishing State = "publishing" // all other tasks are done: the last one may store documents
	// Withdrawing means that the last task met another node, and its documents are being deleted.
	// The next state is Copying.
	Withdrawing State = "withdrawing"
	Published   State = "published" // all documents are stored: no task writes any more
	Cleaning    State = "cleaning"  // Clean is removing unfinished work: no task may start

	// Unclaimed is the state of a target that has the plan's documents but no claim. Either the
	// plan's work was completed and cleaned, or another node has the same documents. This state
	// is never stored.
	Unclaimed State = "unclaimed"
)

// Open reports whether tasks may write.
func (s State) Open() bool { return s == Taken || s == Copying }

// like reports whether two states permit the same requests.
func (s State) like(t State) bool { return s == t || s.Open() && t.Open() }

const (
	claimFormat = 2
	// maxClaim is the maximum size of a claim in bytes. A claim without a plan has about 150 bytes.
	maxClaim = 64 << 10
	// maxSaved is the maximum size of a claim with a plan in bytes. A process transfers the claim
	// about four times, which takes less time than the requests for another object.
	maxSaved = 32 << 10
	// maxTurns is the number of attempts to change a claim that other processes change
	// concurrently. 20 suffices for four transfers that pass through all states.
	maxTurns = 20
)

// dirName is the directory below the target that contains the claim and the directories of plans.
// v3 reserves node names with the prefix "__", so listings of groups and package validate skip it.
const dirName = "__zargo_transfer"

// Dir returns the directory below a target that contains what the work stores beside it.
func Dir(target string) string { return node.Join(target, dirName) }

// recordOf returns the record that contains the claim of a target.
func recordOf(st store.Store, target string) Record {
	return Record{Store: st, Key: node.Join(Dir(target), "claim"), Max: maxClaim, Turns: maxTurns, End: "\n"}
}

// read returns the claim in a record, or nil if there is none. It returns an error that matches
// fault.Exists if the stored value is not a claim that this version can parse.
func read(ctx context.Context, r Record) (*Claim, error) {
	c := &Claim{}
	version, found, err := r.Read(ctx, c)
	foreign := errors.Is(err, fault.Limit) || errors.Is(err, fault.Metadata)
	switch {
	case !foreign && (err != nil || !found):
		return nil, err
	case foreign || c.Format < 1 || c.Format > claimFormat || c.Plan == "" || c.Run == "":
		return nil, fault.Newf(fault.Exists, "the target has a claim that this program cannot read: %q", r.Key)
	}
	c.version = version
	return c, nil
}

// put stores the claim on the condition in o, and sets c.version to the version of the stored
// object.
func (c *Claim) put(ctx context.Context, r Record, o store.PutOptions) (err error) {
	c.version, err = r.Put(ctx, c, o)
	return err
}

// newClaim returns a claim of a plan with a new random Run. The claim contains the saved plan if
// both fit in maxSaved.
func newClaim(plan string, saved []byte) *Claim {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	c := Claim{Format: claimFormat, Plan: plan, Run: hex.EncodeToString(b[:]), State: Taken, Empty: true}
	full := c
	full.Saved = saved
	if b, err := json.Marshal(full); err == nil && len(b) <= maxSaved {
		return &full
	}
	return &c
}

// Sizes returns the sizes in bytes of the first claim of a plan, without and with the saved plan.
func Sizes(plan string, saved []byte) (without, with int, err error) {
	short, err := json.Marshal(newClaim(plan, nil))
	long, err2 := json.Marshal(newClaim(plan, saved))
	return len(short), len(long), errors.Join(err, err2)
}

// swap replaces the stored claim c by the claim next. It returns ErrChanged if the stored claim is
// no longer c.
//
// In a store without conditional puts, swap reads the claim and compares it with c before it puts
// next.
func (c *Claim) swap(ctx context.Context, r Record, next *Claim) error {
	var err error
	if c.version != "" {
		err = next.put(ctx, r, store.PutOptions{IfVersion: c.version})
	}
	if c.version != "" && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	now, err := read(ctx, r)
	if err != nil {
		return err
	}
	if now == nil || now.Run != c.Run || now.Turn != c.Turn || now.State != c.State {
		return ErrChanged
	}
	next.sole = false
	return next.put(ctx, r, store.PutOptions{})
}

// in returns a copy of the claim with state s.
func (c *Claim) in(s State) *Claim {
	next := *c
	next.State = s
	return &next
}
