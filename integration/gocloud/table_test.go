package gocloud

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/internal/test/tables"
	"github.com/zargo-io/zargo/zarr/store"
)

var update = flag.Bool("update", false, "write the tables into docs/providers.md")

const page = "docs/providers.md"

// TestVerbs compares the tables of docs/providers.md with the requests and the allocations of each
// call, for the servers that are available.
func TestVerbs(t *testing.T) {
	made := map[string]func() (string, error){}
	for _, pr := range providers() {
		t.Run(pr.bucket.Name, func(t *testing.T) {
			rows := pr.place(t).rows(t)
			made["verbs of "+pr.bucket.Name] = func() (string, error) { return rows, nil }
		})
	}
	if len(made) == 0 {
		return // each logged the reason why it was skipped
	}
	file := filepath.Join("../..", filepath.FromSlash(page))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have := strings.ReplaceAll(string(b), "\r\n", "\n")
	want, err := tables.Page{File: page, Sections: made}.Fill(have)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	case !same(have, want):
		t.Errorf("%s says something else than was measured; -update writes it anew:\n%s", page, want)
	}
}

// same reports whether two pages are equal, except for allocations. The scheduling of an SDK's
// goroutines changes allocations by one or two, and they differ under the race detector and on
// systems other than linux/amd64.
func same(have, want string) bool {
	allocs := regexp.MustCompile(` ([0-9]+) \|`)
	if allocs.ReplaceAllString(have, " |") != allocs.ReplaceAllString(want, " |") {
		return false
	}
	if race.Enabled || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return true
	}
	a, b := allocs.FindAllStringSubmatch(have, -1), allocs.FindAllStringSubmatch(want, -1)
	return slices.EqualFunc(a, b, func(a, b []string) bool {
		n, err := strconv.Atoi(a[1])
		m, bad := strconv.Atoi(b[1])
		return err == nil && bad == nil && max(n, m)-min(n, m) <= max(2, n/100)
	})
}

// rows returns the table of a provider.
func (p *place) rows(t *testing.T) string {
	t.Helper()
	for _, k := range []string{"list/a", "list/b", "list/c/d"} {
		if _, err := p.zargo.Put(t.Context(), k, []byte("x"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	b.WriteString("| verb | a bare gocloud.dev bucket | allocations | zargo | allocations | sent by |\n|---|---|--:|---|--:|---|\n")
	for _, v := range verbs() {
		bare, own := p.measure(t, v, p.portable), p.measure(t, v, p.zargo)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.name, bare, own, own.sender())
	}
	p.rec.begin()
	if err := p.gocloud.Copy(t.Context(), "copy", "k", nil); err != nil {
		t.Fatal(err)
	}
	lines, _ := p.rec.asked()
	fmt.Fprintf(&b, "| copy | %s | %s |\n", call{requests: lines}, p.copied(t))
	return b.String()
}

// copied returns the requests of a copy by zargo's store and their sender, as three cells of a
// table.
func (p *place) copied(t *testing.T) string {
	t.Helper()
	p.rec.begin()
	_, err := store.Copy(t.Context(), p.zargo, "k", "copy", store.CopyOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return "not supported | |"
	}
	if err != nil {
		t.Fatal(err)
	}
	var c call
	c.requests, c.through = p.rec.asked()
	return fmt.Sprintf("%s | %s", c, c.sender())
}

// call is the measured cost of one form of a method.
type call struct {
	requests, through []string
	allocs            uint64 // 0 if they were not counted
	end               string // unexpected result, or ""
}

// String returns two cells of a table.
func (c call) String() string {
	text := c.end
	if len(c.requests) > 0 {
		text = strings.TrimSuffix("`"+strings.Join(c.requests, "` `")+"`, "+c.end, ", ")
	}
	if c.allocs == 0 {
		return text + " |"
	}
	return fmt.Sprintf("%s | %d", text, c.allocs)
}

// sender returns the senders of the requests.
func (c call) sender() string {
	all := slices.Clone(c.through)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// measure runs a method once on the server and then from memory.
func (p *place) measure(t *testing.T, v verb, s store.Store) call {
	t.Helper()
	ctx := t.Context()
	version, err := p.prepare(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, size)
	p.rec.begin()
	c := call{end: ended(v.do(ctx, s, v.key, version, buf), v.want)}
	c.requests, c.through = p.rec.asked()
	if v.many {
		slices.Sort(c.requests)
		return c
	}
	if len(c.requests) > 0 {
		p.rec.replaying(true)
		c.allocs = leastAllocs(func() { _ = v.do(ctx, s, v.key, version, buf) })
		p.rec.replaying(false)
	}
	return c
}

// leastAllocs returns the minimum number of allocations of a call. Other numbers are larger because
// a garbage collection has emptied pools.
func leastAllocs(f func()) uint64 {
	least := ^uint64(0)
	var before, after runtime.MemStats
	for range 50 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	return least
}
