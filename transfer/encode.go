package transfer

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxPlan is how many bytes a plan may have: the documents of a hundred thousand arrays.
const maxPlan = 256 << 20

// Encode is the plan's JSON form, the same bytes for equal plans.
func (p *Plan) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	_ = e.Encode(p) // strings and numbers, into memory
	return b.Bytes()
}

// Decode reads a plan and checks it, see [Plan.Check].
//
// errors.ErrUnsupported: another version of zargo wrote it. fault.Metadata: it is no plan, or one
// whose tasks would not do what they should.
func Decode(b []byte, opts ...zarr.Option) (*Plan, error) {
	if len(b) > maxPlan {
		return nil, fault.Newf(fault.Limit, "transfer: a plan of %d bytes; the most is %d", len(b), maxPlan)
	}
	var v struct {
		Version *int `json:"zargo_transfer_plan"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fault.Newf(fault.Metadata, "transfer: this is no plan: %v", err)
	}
	if v.Version == nil {
		return nil, fault.Newf(fault.Metadata, "transfer: this is no plan: it has no member zargo_transfer_plan")
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
		return nil, fault.Newf(fault.Metadata, "transfer: plan: more follows it")
	}
	return p, p.Check(opts...)
}
