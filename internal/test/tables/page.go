package tables

import (
	"fmt"
	"strings"
)

// Page is a page of the documentation with generated sections. The key of a section is the name in
// its markers.
type Page struct {
	File     string // relative to the repository's root
	Sections map[string]func() (string, error)
}

// Pages returns all pages with generated sections.
func Pages() []Page {
	return []Page{
		{"docs/reference/status.md", map[string]func() (string, error){
			"formats": formats, "types": types, "codecs": codecs, "stores": stores,
		}},
		{"docs/evidence/lengths.md", map[string]func() (string, error){"lengths": lengthTable, "longer": lengthList}},
		{"docs/evidence/validation.md", map[string]func() (string, error){"rules": rules}},
		{"docs/reference/options.md", map[string]func() (string, error){
			"zarr": options("zarr"), "limits": fields("zarr", "Limits"), "append": fields("zarr", "AppendOptions"),
			"resize": fields("zarr", "ResizeOptions"), "blocks": fields("zarr", "BlockOptions"),
			"s3": options("s3"), "gcs": options("gcs"), "azure": options("azure"), "http": options("zarr/store/http"),
			"dir": options("zarr/store/dir"), "zip": options("zarr/store/zip"), "retry": options("zarr/store/retry"),
		}},
	}
}

// Fill returns the text of a page with newly generated sections. It does not change text outside
// the markers.
func (p Page) Fill(text string) (string, error) {
	for name, section := range p.Sections {
		begin, end := fmt.Sprintf("<!-- generated: %s -->\n", name), fmt.Sprintf("<!-- end: %s -->\n", name)
		before, rest, ok := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return "", fmt.Errorf("%s has no markers for %q", p.File, name)
		}
		made, err := section()
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", p.File, name, err)
		}
		text = before + begin + "\n" + made + "\n" + end + after
	}
	return text, nil
}

// table formats rows as a Markdown table.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.ReplaceAll(strings.Join(cells, "\x00"), "\x00", " | ") + " |\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// code formats a text as Markdown code. It returns "" for "".
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}
