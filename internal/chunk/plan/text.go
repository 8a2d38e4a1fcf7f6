package plan

import (
	"fmt"
	"strings"
)

// String returns the name of the role, such as "chunk", "shard" or "index".
func (r Role) String() string {
	return [...]string{"chunk", "shard", "index", "inner index", "inner", "recheck", "probe"}[r]
}

// String returns the request in the form of recorded transcripts: "get c/0", "get c/0 last 68",
// "get c/0 5+20".
func (r Request) String() string {
	s := string(r.Op) + " " + r.Key
	if !r.Range.IsWhole() {
		s += " " + r.Range.String()
	}
	if n := r.Times(); n.Most > 1 {
		s += fmt.Sprintf(" × %d–%d", n.Least, n.Most)
	}
	return s
}

// String returns the requests of [Plan.Requests], one per line.
func (p *Plan) String() string {
	var b strings.Builder
	for r := range p.Requests() {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// String returns the requests, one per line.
func (r Reads) String() string {
	var b strings.Builder
	for rd := range r.All() {
		b.WriteString(rd.String() + "\n")
	}
	return b.String()
}
