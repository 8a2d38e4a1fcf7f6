package upkeep

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/rule"
)

// TestOneLongKey checks that a long key does not lengthen all other lines, and that shorter keys
// are aligned.
func TestOneLongKey(t *testing.T) {
	long := strings.Repeat("k", maxAligned+1)
	found := []rule.Finding{{Rule: rule.Metadata, Key: "a", Pointer: "/é"}, {Rule: rule.BareToken, Key: long}, {Rule: rule.Metadata, Path: "abcde"}, {Rule: rule.NotThere}}
	var out strings.Builder
	if err := printFindings(&out, found); err != nil {
		t.Fatal(err)
	}
	bad, bare, none := rule.Metadata.Text(), rule.BareToken.Text(), rule.NotThere.Text()
	want := "error    metadata    a/é    " + bad + "\nwarning  bare-token  " + long + "  " + bare + "\nerror    metadata    abcde  " + bad + "\nerror    not-there   .      " + none + "\n"
	if out.String() != want {
		t.Errorf("printed\n%s, want\n%s", out.String(), want)
	}
}
