package zarr_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsNameTests checks that the tests exist which docs name as proof of each row of a table, as
// `folder: TestOne, TestTwo`.
func TestDocsNameTests(t *testing.T) {
	for _, doc := range []string{"docs/reference/status.md", "docs/evidence/correctness.md", "docs/reference/rules.md"} {
		t.Run(doc, func(t *testing.T) { namesTests(t, doc) })
	}
}

func namesTests(t *testing.T, doc string) {
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(doc)))
	if err != nil {
		t.Fatal(err)
	}
	proofs := regexp.MustCompile("`([a-z0-9/]+): ((?:Test|Fuzz|Example)\\w*(?:, \\w+)*)`").FindAllStringSubmatch(string(text), -1)
	if len(proofs) < 10 {
		t.Fatalf("%s names only %d proofs", doc, len(proofs))
	}
	for _, proof := range proofs {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(proof[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var src strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			src.Write(b)
		}
		for name := range strings.SplitSeq(proof[2], ", ") {
			if !strings.Contains(src.String(), "\nfunc "+name+"(") {
				t.Errorf("%s names %s in %s, which has no such test", doc, name, proof[1])
			}
		}
	}
}
