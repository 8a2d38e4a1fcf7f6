package repairs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/validate"
)

// build builds the program and returns its path.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "zargo")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// run runs the program, which must exit with the code, and returns its output.
func run(t *testing.T, program string, code int, args ...string) string {
	t.Helper()
	var out, why bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	c.Stdout, c.Stderr = &out, &why
	err := c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit %d, want %d\n%s%s", args, got, code, out.String(), why.String())
	}
	return out.String()
}

// TestCommands damages a hierarchy in a bucket with each kind of damage that can be repaired, and
// repairs it by the command from a copy. Then diff must find no difference, hash must detect a
// later change, census must count the stored objects, and rm --dry-run must delete nothing.
func TestCommands(t *testing.T) {
	// There are six damages of damageAll, and consolidated metadata that is stale because of the
	// changed separator of keys.
	const planned = 7
	program := build(t)
	for _, p := range providers() {
		t.Run(p.Name, func(t *testing.T) {
			url, spareURL := p.URL(t), p.URL(t)
			st, spare := bucket.Open(t, url), bucket.Open(t, spareURL)
			site(t, st)
			whole := contents(t, st)
			for key, value := range whole {
				put(t, spare, key, []byte(value))
			}
			damageAll(t, st)
			damaged := contents(t, st)

			run(t, program, 5, "validate", url, "--data")
			all := []string{"validate", url, "--data", "--json", "--repair", "--delete-orphans", "--drop-claims", "1h", "--restore-from", spareURL}
			if states := statesOf(t, run(t, program, 5, append(all, "--dry-run")...)); states[validate.Planned] != planned || len(states) != 1 {
				t.Errorf("dry run: %v", states)
			}
			if !same(contents(t, st), damaged) {
				t.Fatal("a dry run changed something")
			}
			if states := statesOf(t, run(t, program, 0, all...)); states[validate.Repaired] != planned || len(states) != 1 {
				t.Errorf("%v", states)
			}
			run(t, program, 0, "validate", url, "--data", "--strict")
			if !same(contents(t, spare), whole) {
				t.Error("the copy was changed")
			}
			for key, value := range contents(t, st) {
				if strings.Contains(key, "/c/") && value != whole[key] {
					t.Errorf("%s is not what it was", key)
				}
			}

			run(t, program, 0, "diff", url, spareURL)
			sums := filepath.Join(t.TempDir(), "sums")
			run(t, program, 0, "hash", url, "-o", sums)
			run(t, program, 0, "hash", url, "--check", sums)
			before := contents(t, st)
			census(t, program, url, before)
			if out := run(t, program, 0, "rm", url, "--dry-run", "--force"); !strings.Contains(out, "18 objects") || !same(contents(t, st), before) {
				t.Errorf("rm --dry-run: %s", out)
			}

			a, err := zarr.OpenArray(t.Context(), spare, "sums")
			if err == nil {
				err = zarr.Write(t.Context(), a, []byte{200}, zarr.Range(3, 4))
			}
			if err != nil {
				t.Fatal(err)
			}
			if out := run(t, program, 14, "diff", url, spareURL); !strings.Contains(out, "sums: [3]: ") || !strings.Contains(out, "1 of 8 elements differ") {
				t.Errorf("diff: %s", out)
			}
			flip(t, st, "keys/c/0", 0)
			remove(t, st, "keys/c/1")
			put(t, st, "keys/c/8", []byte("ab"))
			if out := run(t, program, 14, "hash", url, "--check", sums); out != "missing  keys/c/1\nchanged  keys/c/0\nextra  keys/c/8\n16 same, 1 missing, 1 changed, 1 extra\n" {
				t.Errorf("hash --check: %s", out)
			}
		})
	}
}

// damageAll causes one damage of each kind.
func damageAll(t *testing.T, st store.Store) {
	t.Helper()
	flip(t, st, "sums/c/1", 1)
	flip(t, st, "long/c/0", 3<<20)
	put(t, st, "plain/zarr.json", []byte("{"))
	put(t, st, "sums/c/9", []byte("ab"))
	set(t, st, "sums/zarr.json", "attributes", claim)
	set(t, st, "keys/zarr.json", "chunk_key_encoding", `{"name":"v2"}`)
}

// statesOf counts the outcomes of the repair steps.
func statesOf(t *testing.T, out string) map[validate.State]int {
	t.Helper()
	var said struct {
		Repairs []struct {
			State validate.State `json:"state"`
			Code  rule.Rule      `json:"code"`
		} `json:"repairs"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	states := map[validate.State]int{}
	for _, s := range said.Repairs {
		states[s.State]++
	}
	return states
}

func same(a, b map[string]string) bool {
	for key, value := range a {
		if was, ok := b[key]; !ok || was != value {
			return false
		}
	}
	return len(a) == len(b)
}

// census compares the counts of each array with a listing.
func census(t *testing.T, program, url string, stored map[string]string) {
	t.Helper()
	var counts []struct {
		Path    string `json:"path"`
		Chunks  int64  `json:"chunks"`
		Present int64  `json:"present"`
		Corrupt int64  `json:"corrupt"`
		Orphans int64  `json:"orphans"`
		Inner   int64  `json:"inner_present"`
		Stored  int64  `json:"stored_bytes"`
	}
	out := run(t, program, 0, "census", url, "--data", "--json")
	if err := json.Unmarshal([]byte(out), &counts); err != nil || len(counts) != 4 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range counts {
		n, bytes, inner := int64(0), int64(0), int64(0)
		for key, value := range stored {
			if strings.HasPrefix(key, c.Path+"/c/") {
				n++
				bytes += int64(len(value))
			}
		}
		if c.Path == "long" {
			inner = 6
		}
		if n == 0 || c.Chunks != n || c.Present != n || c.Stored != bytes || c.Inner != inner || c.Corrupt != 0 || c.Orphans != 0 {
			t.Errorf("census: %+v, stored are %d chunks of %d bytes", c, n, bytes)
		}
	}
}
