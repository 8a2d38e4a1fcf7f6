package main

import (
	"bytes"
	"context"
	"encoding/json"
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

// TestIncomplete checks that the output of an incomplete run says so.
func TestIncomplete(t *testing.T) {
	t.Chdir(t.TempDir())
	do(t, newProgram(), "create g --group")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx      context.Context
		complete bool
	}{{t.Context(), true}, {over, false}} {
		var out, errOut bytes.Buffer
		code := newProgram().run(tt.ctx, []string{"validate", "g", "--json"}, strings.NewReader(""), &out, &errOut)
		var told struct{ Complete *bool }
		if err := json.Unmarshal(out.Bytes(), &told); err != nil || told.Complete == nil || *told.Complete != tt.complete || (code == 0) != tt.complete {
			t.Errorf("complete %v: exit %d, %s (%v)", tt.complete, code, &out, err)
		}
		out.Reset()
		newProgram().run(tt.ctx, []string{"validate", "g"}, strings.NewReader(""), &out, &errOut)
		if strings.HasPrefix(out.String(), "not everything was checked: ") == tt.complete {
			t.Errorf("complete %v: %s", tt.complete, &out)
		}
	}
}
