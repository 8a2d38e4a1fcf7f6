package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Edits are other values of top-level members of a document; nil takes one out.
type Edits map[string]json.RawMessage

// TakeOver says which claims of others may be taken over: those that are at least so old.
type TakeOver struct {
	May bool
	Age time.Duration
}

// Held is a document with a claim of this process in it. Its methods may be called concurrently, Commit when no other is.
type Held struct {
	n     *Node
	doc   Stored
	claim claim.Claim
	rank  int
}

// maxRaces bounds how often a document is changed again. Each conflict means that another writer succeeded.
const maxRaces = 1000

// ErrGivenUp says that changes which were given up may have left something behind the shape.
var ErrGivenUp = errors.New("changes were given up")

// Hold puts a claim into a document that was read, of an array of the rank, and changes it otherwise as edits say. fault.Conflict: another
// claim is in it, which over does not allow to take; or what the document says of the array is not what was read. What claims that are taken
// over may have written stays recorded. A claim without an ID changes the document at once; one that is all zero does so only where nothing was
// given up, else ErrGivenUp.
func (n *Node) Hold(ctx context.Context, was Stored, rank int, c claim.Claim, edits Edits, over TakeOver) (*Held, error) {
	h := &Held{n: n, doc: was, claim: c, rank: rank}
	fresh := false
	for try := 1; ; try++ {
		old, err := ClaimIn(h.doc)
		if err != nil {
			return nil, err
		}
		if old.Under() && !over.of(old) {
			if fresh {
				return nil, fault.Newf(fault.Conflict, "%v is under way", old)
			}
			if err := h.again(ctx); err != nil {
				return nil, err
			}
			fresh = true
			continue
		}
		left := old.GivenUp(rank).Abandoned
		if left != nil && !c.Under() && c.What == "" {
			return nil, ErrGivenUp
		}
		h.claim.Abandoned = claim.Farther(c.Abandoned, left)
		lost, err := h.swap(ctx, edits, h.claim)
		if err == nil {
			return h, nil
		}
		if !lost || try == maxRaces {
			return nil, err
		}
		if err := h.again(ctx); err != nil {
			return nil, err
		}
		fresh = true
	}
}

// of reports whether a claim may be taken over.
func (t TakeOver) of(c claim.Claim) bool {
	return t.May && (t.Age <= 0 || time.Since(c.Since) >= t.Age)
}

// ClaimPointer is the JSON pointer of the claim in a document.
func ClaimPointer(key string) string {
	if inAttrs(key) {
		return "/" + attributes + "/" + claim.Member
	}
	return "/" + claim.Member
}

// ClaimIn is the claim that a document carries: zarr.json among the attributes, since other implementations refuse members of groups
// that they do not know; .zarray as a member of its own, in the document that has the shape; .zattrs, which has a v2 group's, as an attribute.
func ClaimIn(d Stored) (claim.Claim, error) {
	doc := d.Bytes
	if inAttrs(d.Key) && d.There() {
		var err error
		if doc, err = meta.Member(d.Key, doc, attributes); err != nil {
			return claim.Claim{}, err
		}
	}
	if doc == nil || !bytes.Contains(doc, []byte(claim.Member)) {
		return claim.Claim{}, nil
	}
	raw, err := meta.Member(d.Key, doc, claim.Member)
	if err != nil {
		return claim.Claim{}, err
	}
	c, err := claim.Parse(raw)
	if err != nil {
		return c, &fault.MetaError{Key: d.Key, Pointer: ClaimPointer(d.Key), Err: err}
	}
	return c, nil
}

// attributes is the member of zarr.json that holds them.
const attributes = "attributes"

func inAttrs(key string) bool { return strings.HasSuffix(key, ZarrJSON) }

// withClaim is a document with edits and another claim.
func withClaim(d Stored, edits Edits, c claim.Claim) ([]byte, error) {
	all := maps.Clone(edits)
	if all == nil {
		all = Edits{}
	}
	doc := d.Bytes
	if !d.There() {
		doc = []byte("{}")
	}
	if !inAttrs(d.Key) {
		all[claim.Member] = c.JSON()
		return meta.Edit(d.Key, doc, all)
	}
	attrs, err := meta.Member(d.Key, doc, attributes)
	if err != nil {
		return nil, err
	}
	value := c.JSON()
	switch {
	case attrs == nil && value == nil:
		return meta.Edit(d.Key, doc, all)
	case attrs == nil:
		attrs = []byte("{}")
	}
	if all[attributes], err = meta.Edit(d.Key, attrs, map[string]json.RawMessage{claim.Member: value}); err != nil {
		return nil, err
	}
	return meta.Edit(d.Key, doc, all)
}

// KeepClaim is another text of a document, with the claim that it had.
func KeepClaim(was Stored, doc []byte) ([]byte, error) {
	c, err := ClaimIn(was)
	if err != nil || c.JSON() == nil {
		return doc, err
	}
	return withClaim(Stored{Key: was.Key, Bytes: doc}, nil, c)
}

// Unclaimed is a document without the record of a change under way, which is no part of a copy of it.
func Unclaimed(d Stored) ([]byte, error) {
	if !bytes.Contains(d.Bytes, []byte(claim.Member)) {
		return d.Bytes, nil
	}
	return withClaim(d, nil, claim.Claim{})
}

// differs names a member that differs between two texts of a document, and that others may not change while a claim is held: those say
// where elements lie.
func differs(key string, was, is []byte) (string, error) {
	if strings.HasSuffix(key, ZAttrs) {
		return "", nil
	}
	return meta.Changed(key, was, is, attributes, "consolidated_metadata", claim.Member)
}

// again reads the document anew, and makes sure that it says of the array what it said.
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
	other, err := differs(h.doc.Key, h.doc.Bytes, v.Bytes)
	if err != nil {
		return err
	}
	if other != "" {
		return fault.Newf(fault.Conflict, "%q has another %s by now; see Refresh", h.doc.Key, other)
	}
	h.doc.Bytes, h.doc.Version = v.Bytes, v.Version
	return nil
}

// swap writes the document as it was last read with the edits and a claim; lost reports that it was replaced in between.
func (h *Held) swap(ctx context.Context, edits Edits, c claim.Claim) (lost bool, err error) {
	doc, err := withClaim(h.doc, edits, c)
	if err != nil {
		return false, err
	}
	v, err := h.n.Swap(ctx, h.doc, doc, "the shape cannot be changed safely")
	if err != nil {
		return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists), err
	}
	h.doc.Bytes, h.doc.Version, h.claim = doc, v, c
	return false, nil
}

// Check makes sure that the claim is still held. fault.Conflict: it was taken over. It costs one request, which transfers nothing as long as
// nothing was changed.
func (h *Held) Check(ctx context.Context) error {
	_, err := h.check(ctx)
	return err
}

func (h *Held) check(ctx context.Context) (Stored, error) {
	d := h.doc
	c, s := h.n.begin(ctx)
	v, err := s.Get(c, d.Key, store.GetOptions{IfNotVersion: d.Version, Max: h.n.Limit}, nil)
	if errors.Is(err, fault.Unchanged) {
		return d, nil
	}
	if err != nil {
		if errors.Is(err, fault.NotFound) {
			err = fault.Newf(fault.Conflict, "the document was deleted since: %w", err)
		}
		return d, err
	}
	d.Bytes, d.Version = v.Bytes, v.Version
	is, err := ClaimIn(d)
	if err != nil {
		return d, err
	}
	if is.ID != h.claim.ID {
		return d, fault.Newf(fault.Conflict, "the %s that began %s was taken over, or its record deleted", h.claim.What, h.claim.Since.Format(time.RFC3339))
	}
	if other, err := differs(d.Key, h.doc.Bytes, d.Bytes); err != nil || other != "" {
		if err == nil {
			err = fault.Newf(fault.Conflict, "%q has another %s by now", d.Key, other)
		}
		return d, err
	}
	return d, nil
}

// Commit changes the document as edits say and puts next in the place of the claim: the zero Claim for none. What others changed in it meanwhile
// stays. fault.Conflict: the claim was taken over, and nothing is changed.
func (h *Held) Commit(ctx context.Context, edits Edits, next claim.Claim) error {
	return h.CommitBy(ctx, func(Stored) (Edits, error) { return edits, nil }, next)
}

// CommitBy is Commit of edits that depend on the document as it is by then.
func (h *Held) CommitBy(ctx context.Context, by func(Stored) (Edits, error), next claim.Claim) error {
	for try := 1; ; try++ {
		edits, err := by(h.doc)
		if err != nil {
			return err
		}
		lost, err := h.swap(ctx, edits, next)
		if err == nil || !lost || try == maxRaces {
			return err
		}
		h.n.Conflict()
		if err := concurrency.Sleep(ctx, rand.N(time.Duration(try)*2*time.Millisecond)); err != nil {
			return err
		}
		d, err := h.check(ctx)
		if err != nil {
			return err
		}
		h.doc = d
	}
}

// GiveUp takes the claim out of the document and leaves a record of how far it may have written.
func (h *Held) GiveUp(ctx context.Context) error {
	return h.Commit(ctx, nil, h.claim.GivenUp(h.rank))
}

// Doc is the document as it was last written.
func (h *Held) Doc() Stored { return h.doc }

// Claim is what is held.
func (h *Held) Claim() claim.Claim { return h.claim }
