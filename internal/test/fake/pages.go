package fake

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// Pages checks that the error of each verb contains the text of a page that a proxy sends with
// status 403, without tags and control characters. version is one that the provider may have. The
// verb bodiless, if any, gets a response without a body.
func Pages(t *testing.T, set func(Answer), st store.Store, version store.Version, bodiless string) {
	defer set(nil)
	set(Page(403, "text/html; charset=utf-8", "<html><head><style>p{}</style></head>\n<body><p>Blocked by <b>proxy</b>\x1b[31m</p>"+strings.Repeat("<p>more</p>", 4000)))
	for verb, err := range Verbs(t.Context(), st, version) {
		switch {
		case err == nil:
			t.Errorf("%s: no error", verb)
		case verb == bodiless:
		case !strings.Contains(err.Error(), "Blocked by proxy [31m more more") || strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 600:
			t.Errorf("%s: %v", verb, err)
		}
	}
}
