package store

import (
	"context"
	"iter"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Prefix returns a store with the part of s below prefix. The key "x" of the store is the key
// prefix + "/x" of s, and no key leads out of the prefix. If prefix is "", Prefix returns s. It
// returns fault.Path if prefix fails [CheckKey]. Errors contain the full keys of s. The store has
// the optional verbs of s. Close closes s.
func Prefix(s Store, prefix string) (Store, error) {
	if prefix == "" {
		return s, nil
	}
	if err := CheckKey(prefix); err != nil {
		return nil, &fault.KeyError{Op: "open", Store: Name(s), Key: prefix, Err: err}
	}
	return &prefixed{Forward{s}, prefix + "/"}, nil
}

// prefixed does not embed Forward, because an undeclared verb would bypass the prefix.
type prefixed struct {
	below  Forward
	prefix string // with trailing slash
}

// key returns the key of the store below. It checks the key without the prefix, because CheckKey
// accepts some invalid keys if a prefix precedes them.
func (p *prefixed) key(op, key string) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", &fault.KeyError{Op: op, Store: p.String(), Key: key, Err: err}
	}
	return p.prefix + key, nil
}

func (p *prefixed) Get(ctx context.Context, key string, o GetOptions, buf []byte) (Value, error) {
	full, err := p.key("get", key)
	if err != nil {
		return Value{}, err
	}
	return p.below.Get(ctx, full, o, buf)
}

func (p *prefixed) Put(ctx context.Context, key string, value []byte, o PutOptions) (Version, error) {
	full, err := p.key("put", key)
	if err != nil {
		return "", err
	}
	return p.below.Put(ctx, full, value, o)
}

func (p *prefixed) Delete(ctx context.Context, key string, o DeleteOptions) error {
	full, err := p.key("delete", key)
	if err != nil {
		return err
	}
	return p.below.Delete(ctx, full, o)
}

// full returns the prefix of a listing in the store below.
func (p *prefixed) full(prefix string) (string, error) {
	if prefix == "" {
		return strings.TrimSuffix(p.prefix, "/"), nil
	}
	return p.key("list", prefix)
}

// relative removes the prefix from the key of an entry. It returns an error for an entry without
// the prefix. The store below is then defective, and the key could be mistaken for another key.
func (p *prefixed) relative(e Entry) (Entry, error) {
	key, ok := strings.CutPrefix(e.Key, p.prefix)
	if !ok {
		return Entry{}, &fault.KeyError{Op: "list", Store: p.below.String(), Key: p.prefix,
			Err: fault.Newf(fault.Unavailable, "the listing returned %q, which is not below the prefix", e.Key)}
	}
	e.Key = key
	return e, nil
}

func (p *prefixed) List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		full, err := p.full(prefix)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for e, err := range p.below.List(ctx, full, o) {
			if err == nil {
				e, err = p.relative(e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (p *prefixed) ListPage(ctx context.Context, prefix string, o ListOptions, token string) ([]Entry, string, error) {
	full, err := p.full(prefix)
	if err != nil {
		return nil, "", err
	}
	page, next, err := p.below.ListPage(ctx, full, o, token)
	if err != nil {
		return nil, "", err
	}
	out := make([]Entry, len(page)) // s may own page
	for i, e := range page {
		if out[i], err = p.relative(e); err != nil {
			return nil, "", err
		}
	}
	return out, next, nil
}

func (p *prefixed) DeleteAll(ctx context.Context, keys []string) error {
	full := make([]string, len(keys))
	for i, k := range keys {
		var err error
		if full[i], err = p.key("delete", k); err != nil {
			return err
		}
	}
	return p.below.DeleteAll(ctx, full)
}

func (p *prefixed) PutParts(ctx context.Context, key string, o PartsOptions) (Parts, error) {
	full, err := p.key("put", key)
	if err != nil {
		return nil, err
	}
	return p.below.PutParts(ctx, full, o)
}

func (p *prefixed) Copy(ctx context.Context, from, to string, o CopyOptions) (Version, error) {
	from, err := p.key("copy", from)
	if err != nil {
		return "", err
	}
	if to, err = p.key("copy", to); err != nil {
		return "", err
	}
	return p.below.Copy(ctx, from, to, o)
}

func (p *prefixed) Close() error  { return p.below.Close() }
func (p *prefixed) Unwrap() Store { return p.below.Store }

// String returns the name of the store below followed by the prefix, such as "mem://run-7/". If the
// name is a URL with a query, the query stays at the end.
func (p *prefixed) String() string {
	name, query, found := strings.Cut(p.below.String(), "?")
	if !strings.HasSuffix(name, "/") {
		name += "/"
	}
	name += p.prefix
	if found {
		name += "?" + query
	}
	return name
}
