package gcs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestAccessHints checks that the error of a refused write names the required permissions, and
// contains the URL once.
func TestAccessHints(t *testing.T) {
	noEnvironment(t)
	login(t, "")
	f := NewFake(t)
	f.Answer(fake.Page(401, "application/json", jsonError(401, "required", "Anonymous caller does not have storage.objects.create access")))
	for _, c := range []struct {
		name string
		opt  Option
		says string
	}{
		{"anonymous", Anonymous(), "remove anonymous=true"},
		{"with a token", TokenSource(static("t1")), "Storage Object User"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, f.At(""), c.opt)
			_, err := s.Put(t.Context(), "k", nil, store.PutOptions{})
			if text := fmt.Sprint(err); !errors.Is(err, fault.Refused) || !strings.Contains(text, c.says) || strings.Contains(text, "absent key") ||
				strings.Count(text, "gs://") != 1 || strings.Count(text, f.URL) != 1 {
				t.Errorf("a put: %v", err)
			}
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !strings.Contains(fmt.Sprint(err), "absent key") {
				t.Errorf("a get: %v", err)
			}
		})
	}
}

func TestAnonymousCannotBeBilled(t *testing.T) {
	noEnvironment(t)
	var u *UsageError
	if _, err := Open(t.Context(), "gs://b?user_project=p", Anonymous()); !errors.As(err, &u) || !strings.Contains(err.Error(), "billed") {
		t.Error(err)
	}
}
