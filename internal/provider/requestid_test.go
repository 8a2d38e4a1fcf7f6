package provider

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestRequestID(t *testing.T) {
	for _, tt := range []struct{ name, header, value, want string }{
		{"S3", "X-Amz-Request-Id", "4442587FB7D0A2F9", "4442587FB7D0A2F9"},
		{"Azure", "X-Ms-Request-Id", "8c0b6e7f-001e-0055", "8c0b6e7f-001e-0055"},
		{"GCS", "X-Guploader-Uploadid", "ABPnzm7-q_x", "ABPnzm7-q_x"},
		{"none", "X-Other", "1", ""},
		{"several words", "X-Amz-Request-Id", "a b", ""},
		{"control characters", "X-Amz-Request-Id", "a\x1b[31m", ""},
		{"endless", "X-Amz-Request-Id", strings.Repeat("a", 1000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			h.Set(tt.header, tt.value)
			if got := RequestID(h); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestAbout checks that the ID is added once, and only to errors of kind fault.Unavailable.
func TestAbout(t *testing.T) {
	h := http.Header{"X-Amz-Request-Id": {"17"}}
	broken := About(fault.Newf(fault.Unavailable, "truncated response"), h)
	if fault.RequestID(broken) != "17" || !strings.Contains(broken.Error(), "[request 17]") || !errors.Is(broken, fault.Unavailable) {
		t.Errorf("%v", broken)
	}
	if again := About(broken, h); again != broken {
		t.Errorf("%v", again)
	}
	for _, err := range []error{nil, fault.Unchanged, fault.NotFound} {
		if got := About(err, h); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
