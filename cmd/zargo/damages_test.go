package main

import (
	"os"
	"strings"
	"testing"
)

// TestDamages checks the exit code and the line of each kind of damage.
func TestDamages(t *testing.T) {
	read := func(t *testing.T, name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	cut := func(name string, n int) func(t *testing.T) {
		return func(t *testing.T) { write(t, name, read(t, name)[:n]) }
	}
	flip := func(name string, fromEnd int) func(t *testing.T) {
		return func(t *testing.T) {
			b := read(t, name)
			b[len(b)-1-fromEnd] ^= 4
			write(t, name, b)
		}
	}
	swap := func(name, from, to string) func(t *testing.T) {
		return func(t *testing.T) {
			b := string(read(t, name))
			if !strings.Contains(b, from) {
				t.Fatalf("%s has no %s: %s", name, from, b)
			}
			write(t, name, []byte(strings.Replace(b, from, to, 1)))
		}
	}
	shard := []string{"create g/a --shape 8 --chunks 2 --shards 4 --dtype uint8 --fill 9", "put g/a x.npy"}
	sums := []string{"create g/a --shape 8 --chunks 4 --dtype uint8 --fill 9 --codec crc32c", "put g/a x.npy"}
	old := []string{"create g/a --format 2 --shape 8 --chunks 4 --dtype uint8 --fill null --codec gzip:1", "put g/a x.npy"}
	plane := []string{"create g/a --format 2 --shape 2,4 --chunks 2,2 --dtype uint8 --fill 9", "put g/a y.npy"}
	tests := []struct {
		name   string
		before []string
		damage func(t *testing.T)
		code   int
		line   string // fields separated by one space
	}{
		{"torn shard", shard, cut("g/a/c/1", 5), 5, "error corrupt a/c/1 corrupt data: the shard has 5 bytes, fewer than the 36 of its index"},
		{"bad index checksum", shard, flip("g/a/c/1", 0), 5, "error corrupt a/c/1 index of the shard: codec crc32c: corrupt data: checksum of 32 bytes"},
		{"stale consolidated copy", append(sums, "consolidate g"), swap("g/a/zarr.json", `"fill_value": 9`, `"fill_value": 8`), 4,
			`error stale-consolidated zarr.json consolidated metadata differs from the stored metadata: "a" is changed`},
		{"orphan chunk beyond the grid", sums, swap("g/a/zarr.json", "8", "4"), 0, "warning beyond-shape a/c/1 a chunk is outside the array's shape and is never read: chunk [1] of a grid of [1]"},
		{"orphan chunk of another separator", plane, func(t *testing.T) { write(t, "g/a/0/1", []byte("x")) }, 0, "warning other-layout a/0/1 chunks are stored under keys of another layout and are not read"},
		{"missing chunk under null fill", old, func(t *testing.T) {
			succeed(t, os.Remove("g/a/1"))
		}, 0, "warning missing-chunk a/1 a chunk is not stored and the fill value is null; its elements are undefined and are read as the default of the data type"},
		{"truncated chunk", old, cut("g/a/1", 7), 5, "error corrupt a/1 codec numcodecs.gzip: corrupt data: gzip header: unexpected EOF"},
		{"flipped byte under crc32c", sums, flip("g/a/c/1", 5), 5, "error corrupt a/c/1 codec crc32c: corrupt data: checksum of 4 bytes"},
		{"both formats", sums, func(t *testing.T) { write(t, "g/a/.zarray", []byte("{}")) }, 0, "warning two-formats a/.zarray metadata of v2 and of v3 exists at one path; v3 is read"},
		{"wrong separator", plane, swap("g/a/.zarray", `"dimension_separator": "."`, `"dimension_separator": "/"`), 4,
			`error wrong-separator a/.zarray all chunks are stored under keys of another layout than the metadata declares, so every element is read as the fill value: "a/0.0" is one of 2 keys, but the metadata declares keys such as "a/0/0"`},
		{"bad fill", sums, swap("g/a/zarr.json", `"fill_value": 9`, `"fill_value": 900`), 4, "error metadata a/zarr.json/fill_value invalid metadata: fill value 900 is out of the range"},
		{"unknown codec", sums, swap("g/a/zarr.json", "crc32c", "made-up"), 6, `error unsupported a/zarr.json/codecs/1`},
		{"left-over claim", sums, swap("g/a/zarr.json", `"attributes": {`, `"attributes": {"zargo_claim":{"id":"0123456789abcdef0123456789abcdef","what":"append","from":8,"to":9,"since":"2026-11-23T10:00:00Z"}`), 0,
			"note left-over-claim a/zarr.json/attributes/zargo_claim a change of the shape is in progress, or its process was killed: an append of axis 0 from 8 to 9, begun 2026-11-23T10:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			p := newProgram()
			for _, command := range append([]string{"create x --shape 8 --dtype uint8 --fill 3", "cat x -o x.npy --format npy", "create y --shape 2,4 --dtype uint8 --fill 3", "cat y -o y.npy --format npy", "create g --group"}, tt.before...) {
				do(t, p, command)
			}
			if r := zargo(t, p, "validate g --data --strict"); r.code != 0 {
				t.Fatalf("undamaged: exit %d\n%s%s", r.code, r.out, r.err)
			}
			tt.damage(t)
			r := zargo(t, p, "validate g --data")
			line := strings.Join(strings.Fields(strings.SplitN(r.out, "\n", 2)[0]), " ")
			if r.code != tt.code || !strings.HasPrefix(line, tt.line) || strings.Count(r.out, "\n") != 2 {
				t.Errorf("exit %d, want %d\n%s%s", r.code, tt.code, r.out, r.err)
			}
		})
	}
}
