package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// masks lets xarray save or load the datasets of masked.py, and returns the result for each of
// them.
func masks(t *testing.T, do string, format int, folders ...string) [][]string {
	t.Helper()
	jobs := make([]job, len(folders))
	for i, f := range folders {
		jobs[i] = job{Do: do, Peer: "xarray/local", Place: f, Format: format}
	}
	said, all := ask(t, jobs), make([][]string, len(folders))
	for i, s := range said {
		if !s.done() {
			t.Fatalf("%s of %s, v%d: %s%s", do, folders[i], format, s.Error, s.Differs)
		}
		all[i] = s.Values
	}
	return all
}

// TestMasked converts datasets to the other format and back. After each conversion, xarray must
// treat the same values as missing.
func TestMasked(t *testing.T) {
	t.Parallel()
	needPython(t)
	program := filepath.Join(t.TempDir(), "zargo")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/zargo-io/zargo/cmd/zargo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := func(args ...string) error {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("zargo %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return err
	}
	open := func(_ context.Context, name string) (store.Store, error) { return dir.New(name), nil }
	copied := func(from, to string, format int) error {
		g, err := zarr.OpenGroup(t.Context(), dir.New(from), "")
		if err != nil {
			return err
		}
		p, err := transfer.NewPlan(t.Context(), g, dir.New(to), transfer.Options{Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to}, Format: format})
		if err == nil {
			err = transfer.Run(t.Context(), p, open, transfer.RunOptions{})
		}
		return err
	}
	ways := map[string]func(from, to string, format int) error{
		"transfer": copied,
		"copy": func(from, to string, format int) error {
			return command("copy", from, to, "--format", fmt.Sprint(format))
		},
		"Migrate": func(from, to string, _ int) error {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				return err
			}
			g, err := zarr.OpenGroup(t.Context(), dir.New(to), "")
			if err == nil {
				_, err = upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{Remove: true})
			}
			return err
		},
		"migrate": func(from, to string, _ int) error {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				return err
			}
			return command("migrate", to, "--remove")
		},
	}
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprintf("from v%d", format), func(t *testing.T) {
			from := filepath.Join(t.TempDir(), "from")
			masks(t, "save-masked", format, from)
			want := masks(t, "look-masked", format, from)[0]
			if len(want) < 15 || !slices.ContainsFunc(want, func(line string) bool { return strings.HasPrefix(line, "i2 float") && strings.Contains(line, "nan") }) {
				t.Fatalf("%q", want)
			}
			for name, way := range ways {
				if strings.EqualFold(name, "migrate") && format == 3 {
					continue
				}
				to := filepath.Join(t.TempDir(), "to")
				if err := way(from, to, 5-format); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				back := filepath.Join(t.TempDir(), "back")
				if err := copied(to, back, format); err != nil {
					t.Errorf("%s, and back: %v", name, err)
					continue
				}
				for how, got := range map[string][]string{name: masks(t, "look-masked", 5-format, to)[0], name + ", and back": masks(t, "look-masked", format, back)[0]} {
					for i, line := range got {
						if line != want[i] {
							t.Errorf("%s: xarray has\n\t%s\nand had\n\t%s", how, line, want[i])
						}
					}
				}
			}
		})
	}
}
