package lengths

import (
	"strings"
	"testing"
)

// TestRecorded checks that the record is written as it was read.
func TestRecorded(t *testing.T) {
	r, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if r.String() != strings.ReplaceAll(recorded, "\r\n", "\n") {
		t.Error("the record is written in another way: make ratios")
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "length\tgzip\t1", "length\tgzip\tx\ttext\t0\t1\t2", "time\tgzip\t1\tx", "other\t1"} {
		if r, err := Parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, r)
		}
	}
}
