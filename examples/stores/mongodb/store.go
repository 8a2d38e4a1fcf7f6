package mongodb

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store in a collection. Use [New] to make one.
type Store struct{ c *mongo.Collection }

// MaxValue is the longest value in bytes: a document of 16 MiB less its key and other fields.
const MaxValue = 16<<20 - 2<<10

// TooLarge is the error of a Put of a value that does not fit in a document. Its kind is
// fault.Limit.
type TooLarge struct{ Size int }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%v: the value has %d bytes, and a document of MongoDB at most %d: use smaller chunks", fault.Limit, e.Size, MaxValue)
}

// Unwrap returns fault.Limit.
func (e *TooLarge) Unwrap() error { return fault.Limit }

// New returns the store in the collection c. The caller disconnects the client of c after Close.
func New(c *mongo.Collection) *Store {
	o := options.Collection().SetReadPreference(readpref.Primary()).SetWriteConcern(writeconcern.Majority())
	return &Store{c.Clone(o)}
}

// String returns the names of the database and of the collection.
func (s *Store) String() string { return "mongodb://" + s.c.Database().Name() + "/" + s.c.Name() }

// Close does nothing.
func (s *Store) Close() error { return nil }

// Provide provides a store.Listings and a store.Tuning.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Listings:
		*t = store.Listings{Ordered: true, Complete: true}
	case *store.Tuning:
		*t = store.Local()
		t.RangeGap, t.RangeMax, t.Why.RangeGap = MaxValue, MaxValue, "each range transfers the whole value"
		t.Reason = "a server in the same network"
	default:
		return false
	}
	return true
}

// do calls f, unless bad or the context is an error, and returns the error with its kind.
func (s *Store) do(ctx context.Context, op, key string, bad error, f func() error) error {
	err := cmp.Or(bad, ctx.Err())
	if err == nil {
		err = f()
	}
	var reply mongo.ServerError
	e := &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(fault.Kind)): // our own error
	case ctx.Err() != nil:
		e.Err = ctx.Err()
	case errors.As(err, &reply) && (reply.HasErrorCode(13) || reply.HasErrorCode(18)): // Unauthorized, AuthenticationFailed
		e.Kind = fault.Refused
	default: // the connection is lost, or there is no primary
		e.Kind = fault.Unavailable
	}
	return e
}

// document is a stored value.
type document struct {
	Key     string        `bson:"_id"`
	Version store.Version `bson:"v"`
	Size    int64         `bson:"n"`
	Bytes   bson.Binary   `bson:"b"`
}

// filter selects the document of a key, if it has the version or version is "".
func filter(key string, version store.Version) bson.M {
	if version == "" {
		return bson.M{"_id": key}
	}
	return bson.M{"_id": key, "v": version}
}

// Get implements [store.Store]. If the value is longer than Max, MongoDB does not send it.
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	err = s.do(ctx, "get", key, cmp.Or(store.CheckKey(key), o.Range.Check()), func() error {
		for err == nil && v.Version == "" {
			v, err = s.get(ctx, key, o, buf)
		}
		return err
	})
	return v, err
}

// get returns the zero Value if the value was replaced between two requests.
func (s *Store) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	var d document
	wanted := filter(key, "")
	if o.Max > 0 && o.Range.IsWhole() {
		wanted["n"] = bson.M{"$not": bson.M{"$gt": o.Max}}
	}
	r := s.c.FindOne(ctx, wanted)
	unwanted := errors.Is(r.Err(), mongo.ErrNoDocuments) && len(wanted) > 1
	if unwanted { // absent, or too long
		r = s.c.FindOne(ctx, filter(key, ""), options.FindOne().SetProjection(bson.M{"b": 0}))
	}
	absent := errors.Is(r.Err(), mongo.ErrNoDocuments)
	bad := r.Decode(&d)
	off, n, short := o.Range.Resolve(d.Size)
	switch {
	case r.Err() != nil && !absent:
		return v, r.Err()
	case o.IfVersion != "" && d.Version != o.IfVersion:
		return v, fault.Newf(fault.Conflict, "the value has version %q, not %q", d.Version, o.IfVersion)
	case absent:
		return v, fault.NotFound
	case bad != nil || d.Version == "" || !unwanted && (d.Bytes.Data == nil || int64(len(d.Bytes.Data)) != d.Size):
		return v, fault.Newf(fault.Corrupt, "the document is not one of this store (%v)", bad)
	case d.Version == o.IfNotVersion:
		return v, fault.Unchanged
	case short != nil:
		return v, short
	case o.Max > 0 && n > o.Max:
		return v, &store.TooLong{Announced: n, Max: o.Max, Version: d.Version}
	case unwanted:
		return v, nil
	}
	return store.Value{Bytes: append(buf, d.Bytes.Data[off:off+n]...), Size: d.Size, Version: d.Version}, nil
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	d, bad := document{key, store.Version(rand.Text()), int64(len(value)), bson.Binary{Data: value}}, store.CheckKey(key)
	if o.IfAbsent && o.IfVersion != "" {
		bad = fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
	} else if len(value) > MaxValue {
		bad = &TooLarge{len(value)}
	}
	err := s.do(ctx, "put", key, bad, func() error {
		for {
			r, err := (*mongo.UpdateResult)(nil), error(nil)
			if o.IfAbsent {
				_, err = s.c.InsertOne(ctx, d)
			} else {
				r, err = s.c.ReplaceOne(ctx, filter(key, o.IfVersion), d, options.Replace().SetUpsert(o.IfVersion == ""))
			}
			switch duplicate := mongo.IsDuplicateKeyError(err); {
			case duplicate && o.IfAbsent:
				return fault.Exists
			case duplicate: // two upserts inserted the key, and the other one was first
			case err == nil && o.IfVersion != "" && r.MatchedCount == 0:
				return fault.Newf(fault.Conflict, "the value does not have version %q", o.IfVersion)
			default:
				return err
			}
		}
	})
	if err != nil {
		return "", err
	}
	return d.Version, nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return s.do(ctx, "delete", key, store.CheckKey(key), func() error {
		r, err := s.c.DeleteOne(ctx, filter(key, o.IfVersion))
		if err == nil && o.IfVersion != "" && r.DeletedCount == 0 {
			err = fault.Newf(fault.Conflict, "the value does not have version %q", o.IfVersion)
		}
		return err
	})
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return store.Pages(ctx, s, prefix, o)
}

// ListPage implements [store.PageLister]. It reads only the index of the keys, so entries have no
// size and no version. The token is the least key of the next page.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	below := strings.TrimPrefix(prefix+"/", "/")
	level := below + o.KeyPrefix
	bounds := bson.M{"$gte": max(token, level, below+o.StartAfter)}
	if prefix != "" {
		bounds["$lt"] = prefix + "0" // '0' follows '/'
	}
	var keys []document
	err = s.do(ctx, "list", prefix, o.Check(prefix), func() error {
		c, err := s.c.Find(ctx, bson.M{"_id": bounds}, options.Find().SetSort(bson.M{"_id": 1}).SetProjection(bson.M{"_id": 1}).SetLimit(1000))
		if err != nil {
			return err
		}
		return c.All(ctx, &keys)
	})
	for _, k := range keys {
		if k.Key < next || !strings.HasPrefix(k.Key, level) { // below the last Dir, or after the level
			continue
		}
		e := store.Entry{Key: k.Key, Size: -1}
		next = k.Key + "\x00"
		if slash := strings.IndexByte(k.Key[len(level):], '/'); o.Depth == store.OneLevel && slash >= 0 {
			e = store.Entry{Key: k.Key[:len(level)+slash], Dir: true}
			next = e.Key + "0"
		}
		if o.Match(prefix, e) {
			page = append(page, e)
		}
	}
	if len(keys) < 1000 || !strings.HasPrefix(keys[999].Key, level) {
		next = ""
	}
	return page, next, err
}
