package gcs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	gcsapi "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// parts is an upload in parts, with one object per part in a directory beside the key. A compose
// request of GCS joins the objects. Unlike GCS's multipart uploads, it supports a condition on the
// key's generation. The token is a random number that is part of the directory's name. The name of
// a part's object contains the number and the label of the part. If several objects have the same
// number, the one with the latest generation is the part.
type parts struct {
	b      *bucket
	key    string
	folder string // with a trailing slash
	token  string
	set    *sentparts.Set[source]
}

const (
	// maxParts is the maximum number of parts. GCS joins them in three rounds, 32 objects at a
	// time.
	maxParts = 10_000
	// maxJoined is GCS's limit of objects in one compose request.
	maxJoined = 32
	// joining is the number of concurrent requests of Commit and Abort.
	joining = 16

	// hidden is the prefix of the names of directories that contain parts. Listings omit these
	// directories, and keys must not contain such a name.
	hidden = ".zargo-tmp-"
	// partSuffix is the suffix of the names of parts. A lifecycle rule on this suffix can remove
	// the parts that killed programs left.
	partSuffix = ".zargo-part"
)

func (b *bucket) putParts(_ context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p := &parts{b: b, key: key, token: o.Resume, set: sentparts.New[source](o.Resume != "", nil)}
	if id, err := hex.DecodeString(o.Resume); err != nil || len(id) != 8 && o.Resume != "" {
		return nil, fault.Newf(fault.Selection, "%q is not the token of an upload in parts", o.Resume)
	}
	if o.Resume == "" {
		var id [8]byte
		_, _ = rand.Read(id[:]) // never fails
		p.token = hex.EncodeToString(id[:])
	}
	slash := strings.LastIndexByte(key, '/') + 1
	last := fnv.New64a()
	last.Write([]byte(key[slash:]))
	p.folder = fmt.Sprintf("%s%s%016x-%s/", key[:slash], hidden, last.Sum64(), p.token)
	if provider.CheckLength(b.prefix, p.object(0, maxParts)) != nil {
		return nil, fmt.Errorf("the key is too long for an upload in parts: %w", errors.ErrUnsupported)
	}
	return sentparts.Parts(p, p.set, false), nil
}

// Limits implements sentparts.Upload. GCS does not have a minimum size of a part.
func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: maxPut, Parts: maxParts}
}

func (p *parts) Token() string { return p.token }

// object returns the key of part n. The key omits a label of at most n+1.
func (p *parts) object(n, label int) string {
	if label <= n+1 {
		return fmt.Sprintf("%s%05d%s", p.folder, n, partSuffix)
	}
	return fmt.Sprintf("%s%05d-%05d%s", p.folder, n, label, partSuffix)
}

// parse is the inverse of object. It returns false for the key of joined parts.
func (p *parts) parse(key string) (n, label int, ok bool) {
	number, of, labelled := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(key, p.folder), partSuffix), "-")
	n, err := strconv.Atoi(number)
	if label = n + 1; labelled && err == nil {
		label, err = strconv.Atoi(of)
	}
	return n, label, err == nil && n >= 0 && n < maxParts && label <= maxParts && key == p.object(n, label)
}

// Send sends one upload.
func (p *parts) Send(ctx context.Context, n int, data []byte) (source, error) {
	key := p.object(n, p.set.Begin(n))
	var v store.Version
	err := p.b.renewed(func() (err error) {
		v, err = p.b.put(ctx, key, data, store.PutOptions{})
		return err
	})
	g, _ := generation(v)
	return source{key, g}, err
}

// List sends one listing request per 1000 parts.
func (p *parts) List(ctx context.Context) (l sentparts.List[source], err error) {
	objects, err := p.objects(ctx)
	if err != nil {
		return l, err
	}
	l.Parts, l.Sums = map[int]sentparts.Part[source]{}, map[int]string{}
	for _, o := range objects {
		key := strings.TrimPrefix(o.Name, p.b.prefix)
		n, label, ok := p.parse(key)
		switch {
		case !ok:
			continue
		case o.Size < 0 || o.Generation <= 0:
			return l, foreign("its listing has a part without a size or a generation")
		}
		l.Label = max(l.Label, label)
		if o.Generation > l.Parts[n].At.generation {
			l.Parts[n] = sentparts.Part[source]{Size: o.Size, Sent: o.Size, At: source{key, o.Generation}}
			l.Sums[n] = fmt.Sprintf("crc32c:%08x", o.CRC32C)
		}
	}
	return l, nil
}

// objects lists all objects in the directory.
func (p *parts) objects(ctx context.Context) (all []*gcsapi.ObjectAttrs, err error) {
	for token := ""; ; {
		var page []*gcsapi.ObjectAttrs
		var next string
		err := p.b.renewed(func() (err error) {
			q := &gcsapi.Query{Prefix: p.b.prefix + p.folder, Projection: gcsapi.ProjectionNoACL}
			page, next, err = p.b.listWith(ctx, q, listPage, token, "Name", "Size", "Generation", "CRC32C")
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if next == "" {
			return all, nil
		}
		if next == token {
			return nil, foreign("its listing has the page token of the request")
		}
		token = next
	}
}

// Join joins the parts except empty ones, 32 per request. The last request writes the result to the
// key, subject to the condition. Join also checks the condition before the first request, because a
// failure of the last one costs more. Afterwards it tries to remove the parts.
func (p *parts) Join(ctx context.Context, all []sentparts.Part[source], o store.PutOptions) (store.Version, error) {
	var sources []source
	for _, part := range all {
		if part.Size > 0 {
			sources = append(sources, part.At)
		}
	}
	err := p.lost(ctx, o)
	if err != nil {
		return "", err
	}
	for round := 0; len(sources) > maxJoined; round++ {
		if sources, err = p.round(ctx, round, sources); err != nil {
			return "", err
		}
	}
	var v store.Version
	err = p.b.renewed(func() (err error) {
		if len(sources) == 0 {
			v, err = p.b.put(ctx, p.key, nil, o)
		} else {
			v, err = p.b.join(ctx, p.key, sources, o)
		}
		return err
	})
	if err != nil {
		return "", p.explain(ctx, err)
	}
	p.clean(ctx)
	return v, nil
}

// clean removes the parts of a committed value. It retries failed removals, because Commit has
// succeeded and its caller does not retry. Parts that remain are hidden from listings until a
// lifecycle rule removes them.
func (p *parts) clean(ctx context.Context) {
	for wait := 100 * time.Millisecond; wait < time.Second; wait *= 2 {
		if p.remove(ctx) == nil || concurrency.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// explain returns fault.Conflict if another process has removed parts, and err otherwise.
// fake-gcs-server responds with 500 instead of 404, so explain lists the parts after a 500.
func (p *parts) explain(ctx context.Context, err error) error {
	var f *provider.Failure
	var api *googleapi.Error
	failed := errors.As(err, &api) && api.Code == http.StatusInternalServerError
	if !errors.As(err, &f) || !errors.Is(err, fault.NotFound) && !(failed && p.lacks(ctx)) {
		return err
	}
	gone := *f
	gone.Kind, gone.Text = fault.Conflict, "the parts were committed, aborted or removed: "+f.Text
	return &gone
}

// lacks reports whether a part is no longer stored in the version that was sent or listed.
func (p *parts) lacks(ctx context.Context) (lacks bool) {
	objects, err := p.objects(ctx)
	if err != nil {
		return false
	}
	stored := map[source]bool{}
	for _, o := range objects {
		stored[source{strings.TrimPrefix(o.Name, p.b.prefix), o.Generation}] = true
	}
	p.set.Each(func(_ int, part sentparts.Part[source]) { lacks = lacks || !stored[part.At] })
	return lacks
}

// lost returns an error if the condition in o does not hold.
func (p *parts) lost(ctx context.Context, o store.PutOptions) error {
	if !o.IfAbsent && o.IfVersion == "" {
		return nil
	}
	err := p.b.renewed(func() error {
		_, err := p.b.get(ctx, p.key, store.GetOptions{IfNotVersion: o.IfVersion, Max: 1}, nil)
		return err
	})
	there := err == nil || errors.Is(err, fault.Limit)
	switch {
	case there && o.IfAbsent:
		return fault.Exists
	case there, errors.Is(err, fault.NotFound) && o.IfVersion != "":
		return fault.Newf(fault.Conflict, "the current version is not %s", o.IfVersion)
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Unchanged):
		return nil
	}
	return &provider.UnsentError{Err: err}
}

// source is an object to join.
type source struct {
	key        string
	generation int64
}

// round joins groups of up to 32 sources into one object each.
func (p *parts) round(ctx context.Context, round int, sources []source) ([]source, error) {
	groups := slices.Collect(slices.Chunk(sources, maxJoined))
	joined := make([]source, len(groups))
	err := concurrency.EachN(ctx, joining, len(groups), func(ctx context.Context, i int) error {
		key := fmt.Sprintf("%sjoined-%d-%05d%s", p.folder, round, i, partSuffix)
		return p.b.renewed(func() error {
			v, err := p.b.join(ctx, key, groups[i], store.PutOptions{})
			g, _ := generation(v)
			joined[i] = source{key, g}
			return err
		})
	})
	if err != nil {
		return nil, &provider.UnsentError{Err: p.explain(ctx, err)}
	}
	return joined, nil
}

// join sends one request that writes the joined sources to key.
func (b *bucket) join(ctx context.Context, key string, sources []source, o store.PutOptions) (store.Version, error) {
	to, err := b.to(key, o)
	if err != nil {
		return "", err
	}
	from := make([]*gcsapi.ObjectHandle, len(sources))
	for i, s := range sources {
		from[i] = b.handle.Object(b.prefix + s.key).Generation(s.generation) // encrypted with the same key
	}
	x := b.exchange()
	x.writes = true
	c := to.ComposerFrom(from...)
	c.ContentType, c.StorageClass, c.KMSKeyName = b.contentType, b.class, b.kmsKey
	attrs, err := c.Run(x.under(provider.SlowAnswer(ctx)))
	if err != nil {
		return "", b.lost(ctx, key, o, b.paced(key, o != store.PutOptions{}, settled(x.explain(err, o.IfAbsent))))
	}
	if attrs == nil || attrs.Generation <= 0 {
		return "", foreign("it has no generation")
	}
	return store.Version(strconv.FormatInt(attrs.Generation, 10)), nil
}

// Drop removes the parts, including the parts of other processes.
func (p *parts) Drop(ctx context.Context) error {
	if p.set.Empty() {
		return nil
	}
	return p.remove(ctx)
}

// remove removes all objects in the directory. It removes part 0 first. If the removal is
// interrupted, the remaining parts have a gap and cannot be mistaken for a value.
func (p *parts) remove(ctx context.Context) error {
	objects, err := p.objects(ctx)
	if err != nil {
		return err
	}
	var first, others []string
	for _, o := range objects {
		key := strings.TrimPrefix(o.Name, p.b.prefix)
		if n, _, ok := p.parse(key); ok && n == 0 {
			first = append(first, key)
		} else {
			others = append(others, key)
		}
	}
	for _, key := range first {
		if err := p.removeOne(ctx, key); err != nil {
			return err
		}
	}
	return concurrency.Each(ctx, joining, slices.Values(others), p.removeOne)
}

func (p *parts) removeOne(ctx context.Context, key string) error {
	err := p.b.renewed(func() error { return p.b.delete(ctx, key, store.DeleteOptions{}) })
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// isHidden reports whether a key is a directory of parts or below such a directory.
func isHidden(key string) bool {
	return strings.HasPrefix(key, hidden) || strings.Contains(key, "/"+hidden)
}
