package node

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Edits maps top-level members of a document to their new values. A nil value removes the member.
type Edits map[string]json.RawMessage

// Text is the content of a document. A change of the document is derived from it.
type Text struct {
	Stored
	Claim claim.Claim // the claim in the document
	// Record is the record in the document. If Hold passes the Text to its function, Record also
	// has the entries that are needed when Claim is taken over.
	Record claim.Record
	Shape  []int // shape of the array; nil for a group
}

// Change describes the next content of a document. Members that it does not mention keep their
// values.
type Change struct {
	Claim  claim.Claim  // the zero Claim removes the claim
	Record claim.Record // the zero Record removes the record
	Edits  Edits        // changes of the other members
}

// textOf parses a document's claim, shape and record.
func textOf(d Stored) (t Text, err error) {
	t = Text{Stored: d}
	if t.Claim, err = ClaimIn(d); err != nil {
		return t, err
	}
	if t.Shape, err = shapeIn(d); err != nil {
		return t, err
	}
	t.Record, err = recordIn(d, t.Shape)
	return t, err
}

// takenOver returns t with the record that the document must have after t.Claim is taken over or
// dropped.
func (t Text) takenOver() Text {
	if t.Claim.Under() {
		t.Record = t.Record.GivenUp(t.Claim, t.Shape).Take(t.Claim.ID)
	}
	return t
}

// As compares t with was, an earlier version of the same document. It returns fault.Conflict if the
// two differ in a member that determines where elements are stored; see differs.
func (t Text) As(was Stored) error {
	other, err := differs(was, t.Stored)
	if err == nil && other != "" {
		err = fault.Newf(fault.Conflict, "%q was changed concurrently and has another %s; see Refresh", t.Key, other)
	}
	return err
}

// shapeIn returns the shape in the document of an array. It returns nil for a group and for an
// absent document.
func shapeIn(d Stored) (shape []int, err error) {
	if strings.HasSuffix(d.Key, ZAttrs) || !d.There() {
		return nil, nil
	}
	raw, err := meta.Member(d.Key, d.Bytes, "shape")
	if err != nil || raw == nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &shape); err != nil {
		return nil, &fault.MetaError{Key: d.Key, Pointer: "/shape", Err: fault.Newf(fault.Metadata, "%w", err)}
	}
	return shape, nil
}

// ClaimPointer returns the JSON pointer of the claim in the document at key.
func ClaimPointer(key string) string { return pointer(key, claim.Member) }

func pointer(key, member string) string {
	if inAttrs(key) {
		return "/" + attributes + "/" + member
	}
	return "/" + member
}

// ClaimIn returns the claim in a document, or the zero Claim. The place of the claim depends on the
// document:
//
//   - In zarr.json it is an attribute, since other implementations refuse groups with unknown
//     members.
//   - In .zarray it is a member, since the claim and the shape must be in one document.
//   - In .zattrs it is an attribute, for a v2 group.
func ClaimIn(d Stored) (claim.Claim, error) {
	raw, err := member(d, claim.Member)
	if err != nil {
		return claim.Claim{}, err
	}
	c, err := claim.Parse(raw)
	if err != nil {
		return c, &fault.MetaError{Key: d.Key, Pointer: ClaimPointer(d.Key), Err: err}
	}
	return c, nil
}

// RecordIn returns the record in a document of changes that were abandoned or taken over. The
// record is stored next to the claim; see [ClaimIn].
func RecordIn(d Stored) (claim.Record, error) {
	if !bytes.Contains(d.Bytes, []byte(claim.RecordMember)) && !bytes.Contains(d.Bytes, []byte(claim.Member)) {
		return claim.Record{}, nil
	}
	shape, err := shapeIn(d)
	if err != nil {
		return claim.Record{}, err
	}
	return recordIn(d, shape)
}

func recordIn(d Stored, shape []int) (r claim.Record, err error) {
	raw, err := member(d, claim.RecordMember)
	if err != nil {
		return r, err
	}
	rawClaim, err := member(d, claim.Member)
	if err != nil {
		return r, err
	}
	if r, err = claim.ParseRecord(raw, rawClaim, shape); err != nil {
		err = &fault.MetaError{Key: d.Key, Pointer: pointer(d.Key, claim.RecordMember), Err: err}
	}
	return r, err
}

// member returns the JSON text of a member that is stored next to the claim. It returns nil if the
// member is absent.
func member(d Stored, name string) ([]byte, error) {
	doc := d.Bytes
	if !bytes.Contains(doc, []byte(name)) {
		return nil, nil
	}
	if inAttrs(d.Key) {
		var err error
		if doc, err = meta.Member(d.Key, doc, attributes); err != nil || doc == nil {
			return nil, err
		}
	}
	return meta.Member(d.Key, doc, name)
}

// attributes is the name of the member of zarr.json that contains the attributes.
const attributes = "attributes"

func inAttrs(key string) bool { return strings.HasSuffix(key, ZarrJSON) }

// with applies change c to the text of d and returns the new text.
func with(d Stored, c Change) ([]byte, error) {
	own := map[string]json.RawMessage{claim.Member: c.Claim.JSON(), claim.RecordMember: c.Record.JSON()}
	all := maps.Clone(c.Edits)
	if all == nil {
		all = Edits{}
	}
	doc := d.Bytes
	if !d.There() {
		doc = []byte("{}")
	}
	if !inAttrs(d.Key) {
		maps.Copy(all, own)
		return meta.Edit(d.Key, doc, all)
	}
	attrs, err := meta.Member(d.Key, doc, attributes)
	if err != nil {
		return nil, err
	}
	switch {
	case attrs == nil && own[claim.Member] == nil && own[claim.RecordMember] == nil:
		return meta.Edit(d.Key, doc, all)
	case attrs == nil:
		attrs = []byte("{}")
	}
	if all[attributes], err = meta.Edit(d.Key, attrs, own); err != nil {
		return nil, err
	}
	return meta.Edit(d.Key, doc, all)
}

// KeepRecord copies the record from was to doc, the new text of the document at key.
func KeepRecord(was Stored, key string, doc []byte) ([]byte, error) {
	t, err := textOf(was)
	if err != nil || t.Record.JSON() == nil {
		return doc, err
	}
	return with(Stored{Key: key, Bytes: doc}, Change{Record: t.Record})
}

// KeepClaim copies the claim and the record from was to doc, the new text of the document at key.
func KeepClaim(was Stored, key string, doc []byte) ([]byte, error) {
	t, err := textOf(was)
	if err != nil || t.Claim.JSON() == nil && t.Record.JSON() == nil {
		return doc, err
	}
	return with(Stored{Key: key, Bytes: doc}, Change{Claim: t.Claim, Record: t.Record})
}

// Unclaimed returns the text of d without claim and record, for copies of the document.
func Unclaimed(d Stored) ([]byte, error) {
	if !bytes.Contains(d.Bytes, []byte(claim.Member)) && !bytes.Contains(d.Bytes, []byte(claim.RecordMember)) {
		return d.Bytes, nil
	}
	return with(d, Change{})
}

// Unchanging returns fault.Conflict if a document carries a claim, because a change of the array,
// or of the arrays of the group, is then in progress.
func Unchanging(d Stored) error {
	c, err := ClaimIn(d)
	if err == nil && c.Under() {
		err = ClaimedBy(d.Key, c, "%v is in progress", c)
	}
	return err
}

// differs compares two versions of a document. It returns the name of a top-level member that
// differs, or "". It compares only members that determine where elements are stored, which other
// processes must not change while a claim is held. It ignores the attributes, the consolidated
// metadata, the claim, the record, and therefore the whole of .zattrs.
func differs(was, is Stored) (string, error) {
	if strings.HasSuffix(was.Key, ZAttrs) {
		return "", nil
	}
	return meta.Changed(was.Key, was.Bytes, is.Bytes, attributes, "consolidated_metadata", claim.Member, claim.RecordMember)
}

// claimedBy is the error of a change that finds the claim of another process. It is a
// fault.Conflict.
type claimedBy struct {
	error
	key   string // of the document
	claim claim.Claim
}

func (e *claimedBy) Unwrap() error { return e.error }

// ClaimedBy returns a fault.Conflict with a text for a document at key that carries the claim c of
// another process.
func ClaimedBy(key string, c claim.Claim, format string, args ...any) error {
	return &claimedBy{fault.Newf(fault.Conflict, format, args...), key, c}
}
