package serve

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestRefusalText checks that the text of an error about a selection is sent only without the name
// of the store and of a key.
func TestRefusalText(t *testing.T) {
	wrong := fault.Newf(fault.Selection, "the dataset has no variable x")
	for _, tt := range []struct {
		name string
		err  error
		text string
	}{
		{"selection", wrong, wrong.Error()},
		{"in a store", fmt.Errorf("read in s3://secret: %w", wrong), "the selection is invalid"},
		{"of a key", &fault.KeyError{Op: "get", Key: "k", Err: wrong}, "the selection is invalid"},
		{"of another kind", fault.Newf(fault.Type, "text of a source"), "the data type does not fit"},
	} {
		if e := asRefusal(tt.err, "s3://secret"); e.status != 400 || e.text != tt.text {
			t.Errorf("%s: %d %q, want %q", tt.name, e.status, e.text, tt.text)
		}
	}
}
