package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store in Redis. Use [Open] to make one.
type Store struct {
	client *goredis.Client
	name   string // for errors
	space  string // the common beginning of all keys in Redis
}

// Open opens the store of a name on the server that o describes.
func Open(ctx context.Context, o goredis.Options, name string) (*Store, error) {
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	s := &Store{goredis.NewClient(&o), "redis://" + o.Addr + "/" + name, "{" + name + "}:"}
	info, err := s.client.Info(ctx, "memory").Result()
	if err == nil && strings.Contains(info, "maxmemory_policy:allkeys-") {
		err = fault.Newf(fault.Refused, "the server may evict keys: its maxmemory-policy must be noeviction")
	}
	if err != nil {
		_ = s.client.Close()
		return nil, s.failed(ctx, "open", "", err)
	}
	return s, nil
}

// String returns the address of the server and the name of the store.
func (s *Store) String() string { return s.name }

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// Provide provides a store.Listings.
func (s *Store) Provide(target any) bool {
	t, ok := target.(*store.Listings)
	if ok {
		*t = store.Listings{Ordered: true, Complete: true}
	}
	return ok
}

func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	e := &fault.KeyError{Op: op, Store: s.name, Key: key, Err: err}
	switch {
	case errors.As(err, new(fault.Kind)): // our own error
	case ctx.Err() != nil:
		e.Err = ctx.Err()
	case goredis.IsOOMError(err):
		e.Kind = fault.Full
	case goredis.IsReadOnlyError(err):
		e.Kind = fault.ReadOnly
	case goredis.IsAuthError(err), goredis.IsPermissionError(err):
		e.Kind = fault.Refused
	default: // the connection is lost, or the server is loading, busy or unable to persist
		e.Kind = fault.Unavailable
	}
	return e
}

// run runs a script and passes its reply to f, unless bad or the context is an error.
func (s *Store) run(ctx context.Context, op, key string, bad error, script *goredis.Script, args []any, f func(reply any) error) error {
	reply, err := any(nil), cmp.Or(bad, ctx.Err())
	if err == nil {
		if reply, err = script.Run(ctx, s.client, []string{s.space + "v:" + key, s.space + "k"}, args...).Result(); err == nil {
			err = f(reply)
		}
	}
	if err != nil {
		return s.failed(ctx, op, key, err)
	}
	return nil
}

// Get implements [store.Store]. Redis selects the range and compares Max, so that no other bytes
// are sent.
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	off, n := int64(0), int64(-1)
	if last, ok := o.Range.IsSuffix(); ok {
		off = -last
	} else if first, ok := o.Range.IsFrom(); ok {
		off = first
	} else if first, length, ok := o.Range.IsWithin(); ok {
		off, n = first, length
	}
	args := []any{key, string(o.IfVersion), string(o.IfNotVersion), o.Max, off, n}
	err = s.run(ctx, "get", key, cmp.Or(store.CheckKey(key), o.Range.Check()), get, args, func(reply any) error {
		r := reply.([]any)
		version, size := store.Version(r[0].(string)), r[1].(int64)
		b, _ := r[2].(string)
		_, n, err := o.Range.Resolve(size)
		switch {
		case version == "lost" || size < 0:
			return fault.Newf(fault.Corrupt, "the key is listed, but Redis has lost its value or its version")
		case o.IfVersion != "" && version != o.IfVersion:
			return fault.Newf(fault.Conflict, "the value has version %q, not %q", version, o.IfVersion)
		case version == "":
			return fault.NotFound
		case version == o.IfNotVersion:
			return fault.Unchanged
		case err != nil:
			return err
		case o.Max > 0 && n > o.Max:
			return &store.TooLong{Announced: n, Max: o.Max, Version: version}
		case int64(len(b)) != n:
			return fault.Newf(fault.Unavailable, "the reply has %d bytes instead of %d", len(b), n)
		}
		v = store.Value{Bytes: append(buf, b...), Size: size, Version: version}
		return nil
	})
	return v, err
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	bad, version := store.CheckKey(key), rand.Text()
	if o.IfAbsent && o.IfVersion != "" {
		bad = fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
	} else if len(value) > 512<<20-1024 {
		bad = fault.Newf(fault.Limit, "the value has %d bytes, and a string of Redis at most 512 MiB", len(value))
	}
	if err := s.write(ctx, "put", key, bad, o, version, value); err != nil {
		return "", err
	}
	return store.Version(version), nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return s.write(ctx, "delete", key, store.CheckKey(key), store.PutOptions{IfVersion: o.IfVersion}, "deleted")
}

func (s *Store) write(ctx context.Context, op, key string, bad error, o store.PutOptions, args ...any) error {
	all := append([]any{key, string(o.IfVersion), o.IfAbsent}, args...)
	return s.run(ctx, op, key, bad, write, all, func(after any) error {
		if after == args[0] {
			return nil
		} else if o.IfAbsent {
			return fault.Exists
		}
		return fault.Newf(fault.Conflict, "the value has version %q, not %q", after, o.IfVersion)
	})
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return store.Pages(ctx, s, prefix, o)
}

// ListPage implements [store.PageLister]. The token is the first bound of ZRANGE.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	below := strings.TrimPrefix(prefix+"/", "/")
	level := below + o.KeyPrefix
	from, to := cmp.Or(token, "["+max(level, below+o.StartAfter)), "("+level+"\xff" // a byte that no key contains
	args := []any{from, to, len(level), o.Depth == store.OneLevel}
	err = s.run(ctx, "list", prefix, o.Check(prefix), list, args, func(reply any) error {
		for _, key := range reply.([]any) {
			e := store.Entry{Key: key.(string), Size: -1}
			next = "(" + e.Key
			if dir, ok := strings.CutSuffix(e.Key, "/"); ok {
				e, next = store.Entry{Key: dir, Dir: true}, "["+dir+"0"
			}
			if o.Match(prefix, e) {
				page = append(page, e)
			}
		}
		if len(reply.([]any)) < 1000 {
			next = ""
		}
		return nil
	})
	return page, next, err
}

// get returns the version of KEYS[1], the size, and the bytes, or 0 if a condition excludes them.
// The version is "" if the key is absent, and "lost" if the sorted set KEYS[2] has it. ARGV: 1 key,
// 2 IfVersion, 3 IfNotVersion, 4 Max, 5 offset, from the end if negative, 6 length, or -1 for all.
var get = goredis.NewScript(`
local version = redis.call('GETRANGE', KEYS[1], 0, 25)
if version == '' then return {redis.call('ZSCORE', KEYS[2], ARGV[1]) and 'lost' or '', 0, 0} end
local size, max = redis.call('STRLEN', KEYS[1]) - 26, tonumber(ARGV[4])
local off, n = tonumber(ARGV[5]), tonumber(ARGV[6])
if off < 0 then off = size + off end
if n < 0 then n = size - off end
if (ARGV[2] ~= '' and ARGV[2] ~= version) or ARGV[3] == version or off < 0 or n < 0 or n > size - off or (max > 0 and n > max) then
  return {version, size, 0}
end
return {version, size, redis.call('GETRANGE', KEYS[1], off + 26, off + n + 25)}`)

// write sets the value to ARGV[5], or deletes the key if there is no ARGV[5]. It returns ARGV[4], or
// the present version, or "", if a condition is not met. ARGV: 1 key, 2 IfVersion, 3 "1" for
// IfAbsent, 4 version of the new value.
var write = goredis.NewScript(`
local version = redis.call('GETRANGE', KEYS[1], 0, 25)
if (ARGV[3] == '1' and version ~= '') or (ARGV[2] ~= '' and ARGV[2] ~= version) then return version end
if ARGV[5] then
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  redis.call('SET', KEYS[1], ARGV[4] .. ARGV[5])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('DEL', KEYS[1])
end
return ARGV[4]`)

// list returns up to 1000 keys from ARGV[1] to ARGV[2]. If ARGV[4] is "1", it returns a key only up
// to the first slash after ARGV[3] bytes, and each such beginning once.
var list = goredis.NewScript(`
if ARGV[4] ~= '1' then return redis.call('ZRANGE', KEYS[2], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, 1000) end
local out, at, level = {}, ARGV[1], tonumber(ARGV[3])
while #out < 1000 do
  local key = redis.call('ZRANGE', KEYS[2], at, ARGV[2], 'BYLEX', 'LIMIT', 0, 1)[1]
  if not key then break end
  local slash = string.find(key, '/', level + 1, true)
  out[#out + 1] = slash and string.sub(key, 1, slash) or key
  at = slash and '[' .. string.sub(key, 1, slash - 1) .. '0' or '(' .. key -- '0' follows '/'
end
return out`)
