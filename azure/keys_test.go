package azure

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestKeys checks that keys that gocloud's driver stores under other names are stored unchanged and
// remain distinct.
func TestKeys(t *testing.T) {
	environment(t)
	for _, prefix := range []string{"", "50%25 # of? \"x\""} {
		t.Run(prefix, func(t *testing.T) {
			f := NewFake(t)
			holdsKeys(t, open(t, strings.ReplaceAll(strings.ReplaceAll(f.At("P"), "P?", escapedPrefix(prefix)+"?"), "//?", "/?")))
			if prefix == "" {
				f.Set("what?", object{value: []byte("plain")})
				if v, err := open(t, f.At("")).Get(t.Context(), "what?", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "plain" {
					t.Fatalf("a blob of that very name reads %q, %v", v.Bytes, err)
				}
			}
		})
	}
}

func escapedPrefix(p string) string {
	return strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F", `"`, "%22", " ", "%20").Replace(p)
}

func holdsKeys(t *testing.T, s store.Store) {
	keys := []string{
		"a", "100%", "%2F", "%41", "A", "%", "what?", "a#b", `"qq"`, "a%3Fb", "a?b", "a+b", "a b", "a%20b", "a&b=c", "é/ü", "日本/東京", "😀",
		"__0x41__", "a/b/c", "a..b", "[0]", "<a>", "'q'", "~home", "a:b", "$x", "c/0/0", ".zarray", "@a", "a;b", "a|b",
	}
	for i, k := range keys {
		if _, err := s.Put(t.Context(), k, []byte{byte(i)}, store.PutOptions{IfAbsent: true}); err != nil {
			t.Fatalf("Put(%q): %v", k, err)
		}
	}
	for i, k := range keys {
		v, err := s.Get(t.Context(), k, store.GetOptions{Range: store.Suffix(1)}, nil)
		if err != nil || len(v.Bytes) != 1 || v.Bytes[0] != byte(i) {
			t.Errorf("Get(%q) = %v, %v; want %d", k, v.Bytes, err, i)
		}
	}
	var got []string
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(keys))
	if !slices.Equal(got, want) {
		t.Errorf("listed %q\nwant %q", got, want)
	}
	for _, k := range keys {
		if err := s.Delete(t.Context(), k, store.DeleteOptions{}); err != nil {
			t.Errorf("Delete(%q): %v", k, err)
		}
	}
}

func TestKeysRefused(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := open(t, f.At("root"))
	for _, c := range []struct{ name, key string }{
		{"a dot at the end", "trailing."},
		{"a dot before a slash", "a./b"},
		{"three dots", "..."},
		{"a back slash", `a\b`},
		{"DEL", "a\x7f"},
		{"a slash at the end", "a/"},
		{"too long with the prefix", strings.Repeat("k", 1022)},
		{"too many segments", strings.Repeat("k/", 254) + "k"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Get(t.Context(), c.key, store.GetOptions{}, nil)
			if !errors.Is(err, fault.Path) {
				t.Errorf("Get: %v", err)
			}
			if _, err = s.Put(t.Context(), c.key, nil, store.PutOptions{}); !errors.Is(err, fault.Path) {
				t.Errorf("Put: %v", err)
			}
		})
	}
	if got := f.Requests(); len(got) != 0 {
		t.Errorf("requests were made: %q", got)
	}
	if _, err := Open(t.Context(), f.At("root./x")); !errors.Is(err, fault.Path) {
		t.Errorf("Open of a prefix with a last dot: %v", err)
	}
}
