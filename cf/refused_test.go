package cf_test

import (
	"errors"
	"math"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// attributed returns the coding of a variable.
func attributed(t *testing.T, typ dtype.Type, attrs map[string]any) *cf.Coding {
	t.Helper()
	c, err := cf.New(cf.Variable{Name: "v", Type: typ, Attrs: attrs}, cf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEncodeRefused checks that values without a stored form are refused, and not changed.
func TestEncodeRefused(t *testing.T) {
	refused := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, fault.Type) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var short [1]int16
	for _, scale := range []any{0.0, math.NaN()} {
		c := attributed(t, dtype.Int16, map[string]any{"scale_factor": scale, "add_offset": 5.0})
		refused("scale_factor", cf.Encode(c, short[:], []float64{5}))
	}
	var single [1]float32
	c := attributed(t, dtype.Float32, nil)
	refused("float32", cf.Encode(c, single[:], []float64{1e300}))
	for _, f := range []float64{math.MaxFloat32, math.Inf(-1)} {
		if err := cf.Encode(c, single[:], []float64{f}); err != nil || float64(single[0]) != f {
			t.Errorf("%v: %v, %v", f, single, err)
		}
	}
}

// TestEncodePackedTimes checks that times of packed coordinates are not rounded.
func TestEncodePackedTimes(t *testing.T) {
	c := attributed(t, dtype.Int32, map[string]any{"units": "days since 0001-01-01", "calendar": "proleptic_gregorian", "scale_factor": 0.1})
	var got [1]int32
	for hour := range 24 {
		at, err := cf.NewTime(cf.ProlepticGregorian, cf.Date{Year: 2020, Month: 1, Day: 1, Hour: hour})
		if err != nil {
			t.Fatal(err)
		}
		switch err := cf.EncodeTimes(c, got[:], []cf.Time{at}); {
		case hour%12 == 0 && (err != nil || got[0] != 7374240+int32(hour/12)*5):
			t.Errorf("hour %d: %d, %v", hour, got[0], err)
		case hour%12 != 0 && !errors.Is(err, fault.Type):
			t.Errorf("hour %d: %d, %v, want an error", hour, got[0], err)
		}
	}
}
