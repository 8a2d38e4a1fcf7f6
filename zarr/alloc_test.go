//go:build linux

package zarr_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestLargeResults checks the contents of large results, which use huge pages if the system
// allows it, and that a result is no longer marked for huge pages after the call.
func TestLargeResults(t *testing.T) {
	side := 256
	if race.Enabled {
		side = 128 // still a large result, in an eighth of the time
	}
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{side, side, side}, Chunks: []int{64, 64, 64}, DType: dtype.Float32})
	want := make([]float32, side*side*side)
	for i := range want {
		want[i] = float32(i)
	}
	succeed(t, zarr.Write(t.Context(), a, want))
	check := func(name string, at func(i int) float64, n int) {
		t.Helper()
		for i := range n {
			if at(i) != float64(want[i]) {
				t.Fatalf("%s: element %d is %v, want %v", name, i, at(i), want[i])
			}
		}
	}
	got := mustRead[float32](t, a)
	check("Read", func(i int) float64 { return float64(got[i]) }, len(got))
	for _, i := range []int{0, len(got) / 2, len(got) - 1} {
		if flags := memoryFlags(t, reflect.ValueOf(&got[i]).Pointer()); strings.Contains(flags, " hg") {
			t.Errorf("element %d lies in memory with the flags %s", i, flags)
		}
	}
	wide, err := zarr.ReadAs[float64](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	check("ReadAs", func(i int) float64 { return wide[i] }, len(wide))
	clear(got)
	succeed(t, zarr.ReadInto(t.Context(), a, got))
	check("ReadInto", func(i int) float64 { return float64(got[i]) }, len(got))
}

// memoryFlags returns the flags that the kernel reports for the memory at an address, or "" if the
// system does not report any.
func memoryFlags(t *testing.T, at uintptr) string {
	t.Helper()
	all, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Logf("flags of memory are not checked: %v", err)
		return ""
	}
	inside := false
	for line := range strings.Lines(string(all)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		} else if inside && strings.HasPrefix(line, "VmFlags:") {
			return line
		}
	}
	return ""
}
