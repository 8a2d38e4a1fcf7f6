package large

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// TestKilledUploadGoesOn kills a process after 60 % of a value has arrived, and checks that another
// process sends exactly the remaining parts.
func TestKilledUploadGoesOn(t *testing.T) {
	t.Run("dir", func(t *testing.T) { goesOn(t, order{Place: t.TempDir()}) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { goesOn(t, order{Provider: p.Name, Place: p.URL(t)}) })
	}
}

func goesOn(t *testing.T, o order) {
	o.Stop = piece * count * 6 / 10
	token := killed(t, o)
	below, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = below.Close() }()
	if _, err := below.Get(t.Context(), key, store.GetOptions{Max: 1}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("the value is there before it is whole: %v", err)
	}
	for e, err := range below.List(t.Context(), "", store.ListOptions{}) {
		t.Errorf("a listing has %+v, %v", e, err)
	}
	var parts, bytesSent atomic.Int64
	st := store.Around(below, store.Hooks{After: func(_ context.Context, c store.Call, _ store.Result) {
		if c.Op == store.OpPart {
			parts.Add(1)
			bytesSent.Add(c.Bytes)
		}
	}})
	value := random(total)
	version, err := large.Upload(t.Context(), st, key, bytes.NewReader(value), total, large.UploadOptions{
		Piece: piece, Resume: token, Put: store.PutOptions{IfAbsent: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if parts.Load() != count-6 || bytesSent.Load() != total-6*piece {
		t.Errorf("%d parts of %d bytes were sent, want %d of %d", parts.Load(), bytesSent.Load(), count-6, total-6*piece)
	}
	ranges := large.New(below, large.Options{SplitAbove: piece, PartAbove: -1, Piece: piece})
	v, err := ranges.Get(t.Context(), key, store.GetOptions{IfVersion: version}, nil)
	if err != nil || !bytes.Equal(v.Bytes, value) {
		t.Errorf("%d bytes came back, %v", len(v.Bytes), err)
	}
	for e, err := range below.List(t.Context(), "", store.ListOptions{}) {
		if err != nil || e.Key != key {
			t.Errorf("a listing has %+v, %v", e, err)
		}
	}
	if o.Provider == "" {
		left, err := os.ReadDir(o.Place + "/a/c")
		if err != nil || len(left) != 1 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
	}
}

// killed lets a child upload up to an offset, kills it, and returns the token.
func killed(t *testing.T, o order) (token string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(raw))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, stopped := bufio.NewScanner(stdout), false
	for !stopped && lines.Scan() {
		if stopped = lines.Text() == "stopped"; !stopped {
			token = strings.TrimSpace(lines.Text())
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	if !stopped || token == "" {
		t.Fatalf("the child ended: %s", stderr.String())
	}
	return token
}
