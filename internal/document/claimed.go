package document

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Edits are other values of top-level members of a document; nil takes one out.
type Edits map[string]json.RawMessage

// Text is the text of a document by which a change of it is decided.
type Text struct {
	Stored
	Claim  claim.Claim  // in the document
	Record claim.Record // in the document, with what taking over Claim adds to it
	Shape  []int        // of an array
}

// Change is what becomes of a document.
type Change struct {
	Claim  claim.Claim  // the zero Claim: none
	Record claim.Record // the zero Record: none
	Edits  Edits        // of other members
}

// textOf reads a document.
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

// taking is the text with the record as it is once its claim is taken over or dropped.
func (t Text) taking() Text {
	if t.Claim.Under() {
		t.Record = t.Record.GivenUp(t.Claim, t.Shape).Take(t.Claim.ID)
	}
	return t
}

// As makes sure that the text says of the array where its elements are as another one does.
// fault.Conflict: it does not.
func (t Text) As(was Stored) error {
	other, err := differs(was, t.Stored)
	if err == nil && other != "" {
		err = fault.Newf(fault.Conflict, "%q has another %s by now; see Refresh", t.Key, other)
	}
	return err
}

// shapeIn is the shape that the document of an array has; nil in others.
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

// ClaimPointer is the JSON pointer of the claim in a document.
func ClaimPointer(key string) string { return pointer(key, claim.Member) }

func pointer(key, member string) string {
	if inAttrs(key) {
		return "/" + attributes + "/" + member
	}
	return "/" + member
}

// ClaimIn is the claim that a document carries. zarr.json has it among the attributes, since other
// implementations refuse members of groups that they do not know; .zarray as a member of its own,
// in the document that has the shape; .zattrs, which has a v2 group's, as an attribute.
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

// RecordIn is the record of changes that were given up which the document of an array or a group
// carries, where ClaimIn looks for the claim.
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

// member is the text of the value of a member where claims are; nil where there is none.
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

// attributes is the member of zarr.json that holds them.
const attributes = "attributes"

func inAttrs(key string) bool { return strings.HasSuffix(key, ZarrJSON) }

// with is a document as a change makes it.
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

// KeepRecord returns a text of the document at a key with the record of another one.
func KeepRecord(was Stored, key string, doc []byte) ([]byte, error) {
	t, err := textOf(was)
	if err != nil || t.Record.JSON() == nil {
		return doc, err
	}
	return with(Stored{Key: key, Bytes: doc}, Change{Record: t.Record})
}

// KeepClaim is a text of the document at a key, with the claim and the record of another one.
func KeepClaim(was Stored, key string, doc []byte) ([]byte, error) {
	t, err := textOf(was)
	if err != nil || t.Claim.JSON() == nil && t.Record.JSON() == nil {
		return doc, err
	}
	return with(Stored{Key: key, Bytes: doc}, Change{Claim: t.Claim, Record: t.Record})
}

// Unclaimed is a document without claim and record, which are not part of a copy of it.
func Unclaimed(d Stored) ([]byte, error) {
	if !bytes.Contains(d.Bytes, []byte(claim.Member)) && !bytes.Contains(d.Bytes, []byte(claim.RecordMember)) {
		return d.Bytes, nil
	}
	return with(d, Change{})
}

// Unchanging makes sure that no change of the shape is in progress, of the node or of arrays of a
// group. fault.Conflict: one is.
func Unchanging(d Stored) error {
	c, err := ClaimIn(d)
	if err == nil && c.Under() {
		err = fault.Newf(fault.Conflict, "%v is in progress", c)
	}
	return err
}

// differs names a member that differs between two texts of a document, and that others may not
// change while a claim is held: such a member says where elements are.
func differs(was, is Stored) (string, error) {
	if strings.HasSuffix(was.Key, ZAttrs) {
		return "", nil
	}
	return meta.Changed(was.Key, was.Bytes, is.Bytes, attributes, "consolidated_metadata", claim.Member, claim.RecordMember)
}
