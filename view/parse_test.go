package view_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestParse(t *testing.T) {
	for _, r := range []struct {
		text string
		want string // format, chunks, shards, no shards, codecs, decode, queries, variables
		err  error
	}{
		{`{}`, "0 map[] map[] false [] false 0 []", nil},
		{`{"chunks": {"time": 1, "t/lat": 180}, "shards": {"time": 24}, "codecs": ["zstd:3", {"name": "crc32c"}], "format": 3}`, "3 map[t/lat:180 time:1] map[time:24] false [zstd:3 crc32c] false 0 []", nil},
		{`{"shards": "none", "codecs": [], "format": 2, "decode": true, "sel": "time=2026-01,lat=40:50", "vars": ["t2m"]}`, "2 map[] map[] true [] true 2 [t2m]", nil},
		{`{"chunk": {"time": 1}}`, "", fault.Metadata},
		{`{"chunks": {"time": 1.5}}`, "", fault.Metadata},
		{`{"chunks": {"time": 0}}`, "", fault.Selection},
		{`{"shards": "all"}`, "", fault.Metadata},
		{`{"shards": {"time": 1}, "format": 2}`, "", fault.Selection},
		{`{"codecs": ["zstd:x"]}`, "", fault.Metadata},
		{`{"codecs": [3]}`, "", fault.Metadata},
		{`{"codecs": [null]}`, "", fault.Metadata},
		{`{"format": 1}`, "", fault.Selection},
		{`{"sel": "time"}`, "", fault.Selection},
		{`{} {}`, "", fault.Metadata},
		{`[]`, "", fault.Metadata},
		{``, "", fault.Metadata},
	} {
		o, err := view.Parse([]byte(r.text))
		got := fmt.Sprint(o.Format, o.Chunks, o.Shards, o.NoShards, o.Codecs, o.Decode, len(o.Sel), o.Vars)
		if !errors.Is(err, r.err) || r.err == nil && got != r.want {
			t.Errorf("%s: %s, %v; want %s, %v", r.text, got, err, r.want, r.err)
		}
	}
}
