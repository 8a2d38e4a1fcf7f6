package transfer

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxPlan is the maximum size of an encoded plan in bytes. 256 MiB is the size of the documents of
// a hundred thousand arrays.
const maxPlan = 256 << 20

// Encode returns the plan's JSON form. Equal plans have equal encodings.
func (p *Plan) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	_ = e.Encode(p) // cannot fail: strings and numbers, into memory
	return b.Bytes()
}

// Decode parses a plan and checks it with [Plan.Check], whose errors it returns.
//
// Decode returns errors.ErrUnsupported if the plan has another version, fault.Metadata if b is not
// a plan, and fault.Limit if b is longer than 256 MiB.
func Decode(b []byte, opts ...zarr.Option) (*Plan, error) {
	if len(b) > maxPlan {
		return nil, fault.Newf(fault.Limit, "transfer: the plan has %d bytes, more than the maximum of %d", len(b), maxPlan)
	}
	var v struct {
		Version *int `json:"zargo_transfer_plan"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fault.Newf(fault.Metadata, "transfer: not a plan: %v", err)
	}
	if v.Version == nil {
		return nil, fault.Newf(fault.Metadata, "transfer: not a plan: the member zargo_transfer_plan is missing")
	}
	p := &Plan{Version: *v.Version}
	if err := p.checkVersion(); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fault.Newf(fault.Metadata, "transfer: plan: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fault.Newf(fault.Metadata, "transfer: the plan is followed by more data")
	}
	return p, p.Check(opts...)
}
