package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Bucket is the command bucket.
type Bucket struct {
	Check BucketCheck `cmd:"" help:"Check how a bucket behaves: conditions under concurrent writes, ranges, listings, parts, deletes, latency and throughput. Print the recommended settings."`
}

// BucketCheck is the command bucket check.
type BucketCheck struct {
	URL      string `arg:"" name:"url" help:"The bucket, or a directory in it. The check writes below a new prefix there, and deletes its objects."`
	ReadOnly bool   `name:"read-only" help:"Write nothing. Read only the object that --key names."`
	Key      string `help:"For --read-only: an object below the URL, of at most 32 MiB." placeholder:"KEY"`
	Quick    bool   `help:"Make fewer requests: a short listing, fewer concurrent writes, a quarter of the time for speed."`
	NoSpeed  bool   `name:"no-speed" help:"Do not measure latency and throughput."`
	DryRun   bool   `name:"dry-run" help:"Print the maximum cost of the check, and make no request."`
	JSON     bool   `name:"json" help:"Print a JSON object."`
}

// dryRunInfo is the output of --dry-run --json.
type dryRunInfo struct {
	URL  string           `json:"url"`
	Plan bucketcheck.Plan `json:"plan"`
}

// checkInfo is the output of --json.
type checkInfo struct {
	URL string `json:"url"`
	*bucketcheck.Report
}

// Run checks a bucket and prints each row of the table as soon as it is known.
func (c *BucketCheck) Run(ctx context.Context, s *session.Session) error {
	l, o, err := c.options(s)
	if err != nil {
		return err
	}
	if c.DryRun {
		if c.JSON {
			return render.JSON(s.Out, dryRunInfo{l.String(), o.Plan()})
		}
		_, err := fmt.Fprintf(s.Out, "%s: %s\n", render.OneLine(l.String()), o.Plan())
		return err
	}
	t := render.NewCheckTable(s.Out, o)
	if !c.JSON {
		if err := t.Begin(l.String()); err != nil {
			return err
		}
		o.Found = t.Found
	}
	before := missingFolders(l)
	r, err := bucketcheck.Run(ctx, o)
	err = errors.Join(err, removeFolders(before, l, o.Place))
	if r == nil {
		return c.failed(l, err)
	}
	if c.JSON {
		err = errors.Join(render.JSON(s.Out, checkInfo{l.String(), r}), err)
	} else {
		err = errors.Join(t.End(r), err)
	}
	if n := r.Count(bucketcheck.Fails); n > 0 {
		err = errors.Join(err, fault.Newf(exit.ErrNotHeld, "%d of %d", n, len(r.Checks)))
	}
	return c.failed(l, err)
}

// failed adds the URL to an error, and a hint if the bucket cannot be written to.
func (c *BucketCheck) failed(l openurl.Location, err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var left *bucketcheck.LeftError
	if !c.ReadOnly && !errors.As(err, &left) && (errors.Is(err, fault.ReadOnly) || errors.Is(err, fault.Refused)) {
		text += "; --read-only --key KEY checks what can be seen by reading"
	}
	return session.FailedAt(l, "", exit.Reword(text, err))
}

// options returns the options of the check. It opens separate stores for each purpose, without
// hedging, because hedged requests would distort the measured latency.
func (c *BucketCheck) options(s *session.Session) (openurl.Location, bucketcheck.Options, error) {
	var o bucketcheck.Options
	l, err := s.ParseURL(c.URL)
	switch {
	case err != nil:
		return l, o, err
	case c.ReadOnly && c.Key == "":
		return l, o, exit.Usagef("--read-only requires --key KEY, the object to read")
	case !c.ReadOnly && c.Key != "":
		return l, o, exit.Usagef("--key requires --read-only")
	}
	o = bucketcheck.Options{Key: c.Key, Quick: c.Quick, NoSpeed: c.NoSpeed}
	o.Open = func(ctx context.Context, inFlight int) (store.Store, error) {
		return s.OpenPlain(ctx, l, inFlight)
	}
	if !c.ReadOnly {
		o.Place = bucketcheck.NewPlace()
	}
	if l.Scheme != "file" {
		o.Above = len(l.Path)
		if l.Path != "" {
			o.Above++ // counts the slash after the path
		}
	}
	return l, o, nil
}

// missingFolders returns the directories of a file URL's path that do not exist, outermost first.
// The check creates these directories and removes them at the end.
func missingFolders(l openurl.Location) (missing []string) {
	if l.Scheme != "file" {
		return nil
	}
	for dir := filepath.Clean(l.Path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return missing
		}
		missing = append([]string{dir}, missing...)
	}
}

// removeFolders removes the empty directories below the place of the check, and those directories
// in before that are empty.
func removeFolders(before []string, l openurl.Location, place string) error {
	if l.Scheme != "file" || place == "" {
		return nil
	}
	folders := before
	err := filepath.WalkDir(filepath.Join(l.Path, place), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	for _, f := range slices.Backward(folders) {
		if e := os.Remove(f); e != nil {
			break // not empty: it contains reported objects, or those of another program
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
