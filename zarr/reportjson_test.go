package zarr_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/zargo-io/zargo/zarr"
)

// TestReportJSON checks that a report is encoded with all of its counts.
func TestReportJSON(t *testing.T) {
	var r zarr.Report
	r.Gets.Add(3)
	r.CodecTime.Add(1 << 62)
	b, err := json.Marshal(struct{ Report *zarr.Report }{&r})
	if err != nil {
		t.Fatal(err)
	}
	var back struct{ Report map[string]int64 }
	succeed(t, json.Unmarshal(b, &back))
	if got := back.Report; got["Gets"] != 3 || got["CodecTime"] != 1<<62 || len(got) != reflect.TypeFor[zarr.Report]().NumField() {
		t.Errorf("%s", b)
	}
}
