package peers

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// refusal is something that a peer does not do, with a part of what it says.
type refusal struct {
	peer string
	of   func(Row) bool
	says string
}

// refusals are all that the peers do not do; counts in the tests say how often each happens.
var refusals = []refusal{
	{"tensorstore", func(r Row) bool { return r.Format == 3 && hasCodec(r, "zlib") }, "numcodecs.zlib"},
}

func hasCodec(r Row, name string) bool {
	return slices.ContainsFunc(r.Codecs, func(c Codec) bool { return c.Name == name })
}

// tally sorts what the peers said: rows they did, and refusals by peer.
type tally struct {
	done    map[string]int
	refused map[string]int
}

// add counts one answer, and tells whether the peer did the row.
func (c *tally) add(t *testing.T, r Row, s said) bool {
	t.Helper()
	if s.Error == "" && s.Differs == "" {
		c.done[s.Peer]++
		return true
	}
	if s.Differs != "" {
		t.Errorf("%s reads %s: %s", s.Peer, r.Name, s.Differs)
		return false
	}
	for _, f := range refusals {
		if f.peer == s.Peer && f.of(r) && strings.Contains(s.Error, f.says) {
			c.refused[s.Peer+": "+f.says]++
			return false
		}
	}
	t.Errorf("%s, %s: %s", s.Peer, r.Name, s.Error)
	return false
}

func (c *tally) want(t *testing.T, done, refused map[string]int) {
	t.Helper()
	if !maps.Equal(c.done, done) || !maps.Equal(c.refused, refused) {
		t.Errorf("peers did %v and refused %v, want %v and %v", c.done, c.refused, done, refused)
	}
	t.Logf("did %v, refused %v", c.done, c.refused)
}

func newTally() *tally { return &tally{map[string]int{}, map[string]int{}} }
