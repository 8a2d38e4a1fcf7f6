package bucketcheck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func keyChecks() []Check {
	n := len(special())
	return []Check{
		{
			Name: "special characters", Expected: "keys with spaces, symbols and other scripts can be read and are listed unchanged",
			Fails: "groups and arrays whose names have these characters cannot be stored, or are stored under other names",
			Lacks: "names of groups and arrays with these characters are refused",
			most:  exactly(most{objects: n, calls: 2*n + 1, sent: int64(n) * 64, received: int64(n) * 2 * kib}), run: specialKeys,
		},
		{
			Name: "longest key", Expected: fmt.Sprintf("a key of %d bytes, including the prefix of the URL, can be stored", store.MaxKey),
			Fails: "deep hierarchies with long names do not fit", Lacks: "deep hierarchies with long names do not fit",
			most: exactly(most{objects: 1, calls: 2, sent: kib, received: kib}), run: longKey,
		},
	}
}

// special returns names with unusual characters, to be used as the last segments of keys.
func special() []string {
	return []string{
		".zarray", "a b", " lead", "trail ", "a+b", "a&b=c", "what?", "a#b", "100%", "%41", "%2F", "a:b", "'q'", `"qq"`, "[0]", "*", "{a}", "<a>", "a|b",
		"~home", "é", "e\u0301", "日本", "😀", "a..b", "trailing.", "CON",
	}
}

func specialKeys(ctx context.Context, b *bench) outcome {
	var refused []string
	var last outcome
	said := true // all names that failed were refused as unsupported
	held := map[string]bool{}
	for i, name := range special() {
		key := "keys/" + name
		_, value, err := b.put(ctx, key, 40+i, i)
		out := holds("")
		if err != nil {
			out = because("put", err)
			said = said && (errors.Is(err, fault.Path) || errors.Is(err, errors.ErrUnsupported))
		} else {
			held[key] = true
			out, _ = expect(ctx, b.other(), key, store.GetOptions{}, value, len(value))
		}
		if out.verdict != Holds {
			said = said && err != nil
			refused, last = append(refused, fmt.Sprintf("%q", name)), out
		}
	}
	if len(refused) == len(special()) {
		return last
	}
	if len(refused) > 0 && said {
		return unsupported("%d of %d keys work; refused: %s", len(special())-len(refused), len(special()), strings.Join(refused, " "))
	}
	if len(refused) > 0 {
		return fails("%d of %d; not %s: %s", len(special())-len(refused), len(special()), strings.Join(refused, " "), last.seen)
	}
	for e, err := range store.Pages(ctx, b.s, "keys", store.ListOptions{}) {
		if err != nil {
			return holds("%d names, without a listing to compare", len(special())) // a separate check covers listings
		}
		if !held[e.Key] {
			return fails("%q is listed but was not put", strings.TrimPrefix(e.Key, "keys/"))
		}
		delete(held, e.Key)
	}
	for _, name := range special() {
		if held["keys/"+name] {
			return fails("%q is not listed", name)
		}
	}
	return holds("%d names", len(special()))
}

func longKey(ctx context.Context, b *bench) outcome {
	n := store.MaxKey - b.o.Above - len(b.o.Place) - 1
	const segment = 100
	if n < 2*segment {
		return outcome{Unknown, fmt.Sprintf("the URL's own path takes %d bytes", b.o.Above), nil}
	}
	key := strings.Repeat(strings.Repeat("k", segment-1)+"/", n/segment)
	key += strings.Repeat("k", n-len(key))
	if rest, ok := strings.CutSuffix(key, "/"); ok {
		key = rest + "k"
	}
	_, value, err := b.put(ctx, key, 50, 45)
	if errors.Is(err, fault.Path) {
		return unsupported("a key of %d bytes is refused", store.MaxKey)
	}
	if err != nil {
		return because("put", err)
	}
	out, _ := expect(ctx, b.other(), key, store.GetOptions{}, value, len(value))
	return out
}
