package doctest_test

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/doctest"
)

// pages loads the repository's Markdown files.
func pages(t *testing.T) *doctest.Pages {
	t.Helper()
	p, err := doctest.LoadPages("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if p.Len() < 60 {
		t.Fatalf("%d pages were loaded", p.Len())
	}
	return p
}

// TestLinks checks that each relative link of each page leads to a file, and its fragment to a
// heading.
func TestLinks(t *testing.T) {
	for _, line := range pages(t).Links() {
		t.Error(line)
	}
}

// TestIndex checks that docs/README.md links every page of docs/. It may link the index of a
// directory instead of the directory's pages; those must be reachable.
func TestIndex(t *testing.T) {
	p := pages(t)
	for _, name := range append(p.Unlisted("docs/README.md"), p.Unreachable("docs/README.md")...) {
		t.Errorf("docs/README.md does not lead to %s", name)
	}
}

// TestTestNames checks that the tests that pages name exist, and that the pages that name a test
// for each row of a table name many.
func TestTestNames(t *testing.T) {
	named, bad, err := pages(t).Tests()
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, n := range named {
		all += n
	}
	if all < 400 {
		t.Errorf("pages name only %d tests", all)
	}
	for _, name := range []string{"docs/reference/status.md", "docs/evidence/correctness.md", "docs/reference/rules.md"} {
		if named[name] < 100 {
			t.Errorf("%s names only %d tests", name, named[name])
		}
	}
	for _, line := range bad {
		t.Error(line)
	}
}

// TestGoBlocks checks that the Go code of the tasks is code that tests run. TestPages checks the
// code of README.md and docs/start.md, whose blocks are whole programs and Examples.
func TestGoBlocks(t *testing.T) {
	p := pages(t)
	bad, err := p.Unchecked(p.Below("docs/tasks")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bad {
		t.Error(line)
	}
}

// TestTasksAreShort checks the length of the pages in docs/tasks.
func TestTasksAreShort(t *testing.T) {
	p := pages(t)
	for _, name := range p.Below("docs/tasks") {
		if n := p.Lines(name); n > 60 {
			t.Errorf("%s has %d lines, want at most 60", name, n)
		}
	}
}

// TestDecisions checks that each record of docs/adr has a status, and that the index has the title
// and the status of each.
func TestDecisions(t *testing.T) {
	p := pages(t)
	index := p.Text("docs/adr/README.md")
	record := regexp.MustCompile(`^# (\d{3}) (.+)\n\nStatus: ((?:accepted|superseded by \[\d{3}\]).*\.)\n`)
	for _, name := range p.Below("docs/adr") {
		file := path.Base(name)
		if file == "README.md" {
			continue
		}
		m := record.FindStringSubmatch(p.Text(name))
		if m == nil {
			t.Errorf("%s does not begin with a title and a status", name)
			continue
		}
		if row := fmt.Sprintf("| [%s](%s) | %s | %s |\n", m[1], file, m[2], m[3]); !strings.HasPrefix(file, m[1]) || !strings.Contains(index, row) {
			t.Errorf("docs/adr/README.md has no row %s", row)
		}
	}
}

// TestMarkdownMistakes checks that each kind of mistake on a page is found.
func TestMarkdownMistakes(t *testing.T) {
	p, err := doctest.LoadPages("testdata/markdown")
	if err != nil {
		t.Fatal(err)
	}
	_, tests, err := p.Tests()
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := p.Unchecked(p.Below("docs")...)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(p.Links(), p.Unlisted("docs/README.md"), p.Unreachable("docs/README.md"), tests, blocks)
	want := []string{
		"docs/README.md: the link to docs/gone.md leads to no file",
		"docs/README.md: docs/linked.md has no heading #missing",
		"docs/deep/page.md", // not linked by the index, but reachable
		"docs/lonely.md",    // not linked
		"docs/lonely.md",    // not reachable
		"docs/linked.md: code has no TestOther",
		"docs/linked.md: there is no TestMissing",
		"docs/linked.md: no Example and no program has this code:\nfmt.Println(\"two\")\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\n\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
