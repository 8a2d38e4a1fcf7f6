package cf_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/cf"
)

// TestBounds checks which attributes bounds inherit.
func TestBounds(t *testing.T) {
	for _, k := range []struct{ own, coordinate, bounds, want string }{
		{`{}`, `{"units": "days since 2000-01-01", "calendar": "noleap", "axis": "T", "bounds": "b"}`, "[b]", `{"calendar":"noleap","units":"days since 2000-01-01"}`},
		{`{"units": "hours since 1900-01-01"}`, `{"units": "days since 2000-01-01", "calendar": "noleap", "climatology": " c "}`, "[c]", `{"calendar":"noleap","units":"hours since 1900-01-01"}`},
		{`{"a": 1}`, `{"units": "degrees_north", "bounds": "b", "climatology": "c"}`, "[b c]", `{"a":1,"units":"degrees_north"}`},
		{`{"a": 1}`, `{"month_lengths": [1], "leap_year": 3, "leap_month": 2, "bounds": 5}`, "[]", `{"a":1,"leap_month":2,"leap_year":3,"month_lengths":[1]}`},
		{`{"units": "K", "calendar": "x"}`, `{"units": "m", "calendar": "y", "bounds": ""}`, "[]", `{"calendar":"x","units":"K"}`},
	} {
		own, coordinate := attrs(t, k.own), attrs(t, k.coordinate)
		before := len(own)
		b, err := json.Marshal(cf.InheritBounds(own, coordinate))
		if names := fmt.Sprint(cf.BoundsOf(coordinate)); err != nil || string(b) != k.want || names != k.bounds || len(own) != before {
			t.Errorf("%s of %s: %s, %s, %v, want %s", k.own, k.coordinate, b, names, err, k.want)
		}
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
