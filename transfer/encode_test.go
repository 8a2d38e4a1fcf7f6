package transfer

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
)

// TestEncode compares the encoding of plans, which their IDs depend on, with that of package json.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	pieces := []string{"a", `"`, "\\", "\n", "<&>", "é", "\u2028", "😀", "\xff", "\xe2\x82", "\x00", strings.Repeat("x", 65_530), strings.Repeat("é", 40_000)}
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	docs := func() map[string]string {
		if r.IntN(5) == 0 {
			return nil
		}
		m := map[string]string{}
		for range r.IntN(5) {
			m["k"+pieces[r.IntN(11)]+pieces[r.IntN(11)]] = text()
		}
		return m
	}
	for i := 0; i < 50; i += race.Stride(10) {
		p := &Plan{Version: Version, Source: Place{"a: \"\"", "b"}, Memory: 1 << 20, Stages: []Stage{{[]Step{{Kind: Finish}}}}}
		p.Documents = Documents{Source: docs(), Target: docs(), Temporary: docs(), Consolidated: r.IntN(2) == 0}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Encode(); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%d bytes, want %d: %.300s", len(got), want.Len(), got)
		}
	}
}

// largest is the length of the longest write.
type largest int

func (n *largest) Write(b []byte) (int, error) {
	*n = max(*n, largest(len(b)))
	return len(b), nil
}

// TestEncodePieces checks that a long document is written in pieces.
func TestEncodePieces(t *testing.T) {
	p := &Plan{Version: Version, Documents: Documents{Source: map[string]string{"zarr.json": strings.Repeat("x", 4<<20)}}}
	var n largest
	if p.encode(&n); n > 1<<20 {
		t.Errorf("wrote %d bytes at a time", n)
	}
}
