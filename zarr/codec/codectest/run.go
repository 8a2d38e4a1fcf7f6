package codectest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Run reports all errors of [Check] to t.
func Run(t *testing.T, table *codec.Table, spec codec.Spec, in codec.Repr) {
	t.Helper()
	if err := Check(table, spec, in); err != nil {
		t.Errorf("%v of %v %v:\n%v", spec, in.Type, in.Shape, err)
	}
}

// RunLossy is [Run] for a codec that changes values in the first round trip. Further round trips
// must not change the decoded values.
func RunLossy(t *testing.T, table *codec.Table, spec codec.Spec, in codec.Repr) {
	t.Helper()
	if err := CheckLossy(table, spec, in); err != nil {
		t.Errorf("%v of %v %v:\n%v", spec, in.Type, in.Shape, err)
	}
}

// Check returns all contract violations of a codec, joined. It fails for lossy codecs.
func Check(table *codec.Table, spec codec.Spec, in codec.Repr) error {
	return check(&report{rand: rand.New(rand.NewPCG(1, 2))}, table, spec, in)
}

// CheckLossy is [Check] for a codec that changes values in the first round trip; see [RunLossy].
func CheckLossy(table *codec.Table, spec codec.Spec, in codec.Repr) error {
	return check(&report{rand: rand.New(rand.NewPCG(1, 2)), lossy: true}, table, spec, in)
}

func check(r *report, table *codec.Table, spec codec.Spec, in codec.Repr) error {
	table = table.WithFindings(func(f rule.Finding) error { return &rule.Error{Rule: f.Rule, Text: f.Text} })
	c, err := table.Bind(spec, in)
	if err != nil {
		return err
	}
	r.size = in.Type.Size()
	chains := [][]codec.Spec{{spec}}
	serial := afterwards(in)
	switch c := c.(type) {
	case codec.ArrayArray:
		chains = [][]codec.Spec{{spec, afterwards(c.Out())}}
	case codec.BytesBytes:
		chains = [][]codec.Spec{{serial, spec}}
		r.bytes(c)
	case codec.Either:
		chains = nil
		if c.Array != nil {
			chains = append(chains, []codec.Spec{spec, afterwards(c.Array.Out())})
		}
		if c.Serial != nil {
			chains = append(chains, []codec.Spec{spec})
		}
		if c.Bytes != nil {
			chains = append(chains, []codec.Spec{serial, spec})
		}
	}
	for _, specs := range chains {
		chain, err := table.Chain(specs, in)
		if err != nil {
			return errors.Join(append(r.errs, err)...)
		}
		r.chain(chain)
	}
	return errors.Join(r.errs...)
}

// most is the maximum number of violations in a report.
const most = 20

type report struct {
	rand  *rand.Rand
	size  int // size of an element
	lossy bool
	errs  []error
}

// afterwards returns the codec "bytes" in the form that arrays of the type require.
func afterwards(in codec.Repr) codec.Spec {
	if in.Type.HasOrder() {
		return codec.Bytes(dtype.Little)
	}
	return codec.Bytes(dtype.NoOrder)
}

func (r *report) addf(format string, args ...any) {
	switch {
	case len(r.errs) < most:
		r.errs = append(r.errs, fmt.Errorf(format, args...))
	case len(r.errs) == most:
		r.errs = append(r.errs, errors.New("further violations are not listed"))
	}
}

// guard reports a panic of f as a violation.
func (r *report) guard(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.addf("%s: panic: %v", what, p)
		}
	}()
	f()
}

// kinded reports whether an error about stored bytes has one of the allowed kinds.
func kinded(err error) bool {
	return errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Limit)
}

// wreck calls f with damaged forms of stored. If invalid is set, the form cannot be valid.
func (r *report) wreck(stored []byte, f func(what string, b []byte, invalid bool)) {
	step := max(1, len(stored)/64)
	for n := 0; n < len(stored); n += step {
		f(fmt.Sprintf("truncated to %d of %d bytes", n, len(stored)), stored[:n:n], true)
	}
	if n := len(stored) - 1; n > 0 {
		f("truncated by one byte", stored[:n:n], true)
	}
	f("extended by one byte", append(append([]byte{}, stored...), 0), true)
	f("repeated", append(append([]byte{}, stored...), stored...), false)
	for i := range min(8*len(stored), 256) {
		bit := i
		if i >= 128 {
			bit = r.rand.IntN(8 * len(stored))
		}
		b := append([]byte{}, stored...)
		b[bit/8] ^= 1 << (bit % 8)
		f(fmt.Sprintf("bit %d flipped", bit), b, false)
	}
	for range 16 {
		b := make([]byte, r.rand.IntN(2*len(stored)+2))
		r.fill(b)
		f(fmt.Sprintf("%d random bytes", len(b)), b, false)
	}
}

func (r *report) fill(b []byte) {
	for i := range b {
		b[i] = byte(r.rand.Uint32())
	}
}
