package rule

import (
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestRules(t *testing.T) {
	code := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[Rule]bool{}
	for _, r := range All() {
		if !code.MatchString(string(r)) || seen[r] || r.Text() == "" || r.Section() == "" {
			t.Errorf("%q: text %q, section %q, twice %v", r, r.Text(), r.Section(), seen[r])
		}
		seen[r] = true
		if r.Kind() == nil && r != Unreadable {
			t.Errorf("%q has no kind", r)
		}
	}
	if len(seen) == 0 {
		t.Error("no rules")
	}
	if s := Rule("made-up").Severity(); s != Fault {
		t.Errorf("an unknown rule is a %v", s)
	}
}

func TestOf(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want Rule
	}{
		{"strict", fmt.Errorf("x: %w", &fault.MetaError{Key: "k", Err: &Error{Rule: BareToken}}), BareToken},
		{"data", fmt.Errorf("x: %w", &fault.ChunkError{Key: "c/0", Err: &Error{Rule: ElementForm}}), ElementForm},
		{"corrupt", fmt.Errorf("x: %w", fault.Corrupt), Corrupt},
		{"unsupported", errors.ErrUnsupported, Unsupported},
		{"nothing", fault.NotFound, NotThere},
		{"refused", fault.Refused, Unreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Of(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	f := FromError("a", tests[0].err)
	if f.Key != "k" || f.Path != "a" || f.Severity() != Warning || !errors.Is(f.Err, fault.Metadata) {
		t.Errorf("%+v", f)
	}
	if f = FromError("a", tests[1].err); f.Key != "c/0" || !errors.Is(f.Err, fault.Corrupt) {
		t.Errorf("%+v", f)
	}
}

func ExampleOf() {
	err := fmt.Errorf("zarr: %w", &Error{Rule: NoFilters})
	fmt.Println(Of(err), errors.Is(err, fault.Metadata))
	// Output: no-filters true
}
