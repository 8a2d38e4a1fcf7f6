package convention

import (
	"slices"
	"strconv"
	"strings"
)

// Key is the name of the attribute that declares conventions.
const Key = "zarr_conventions"

// Convention describes a convention that zargo reads. Its URLs are those of the version that zargo
// writes.
type Convention struct {
	UUID, SchemaURL, SpecURL, Name, Description string

	aliases []alias
}

// alias is another schema_url or spec_url that declares the convention.
type alias struct {
	url   string
	draft bool // the URL never existed or was not that of a release
}

const (
	raw  = "https://raw.githubusercontent.com/"
	site = "https://github.com/"
)

// draft returns the URLs in the drafts of a repository. The tag v1 in these URLs was never created,
// but writers copied the URLs.
func draft(repo string) []alias {
	return []alias{{raw + repo + "/refs/tags/v1/schema.json", true}, {site + repo + "/blob/v1/README.md", true}}
}

// commit returns the URLs of a commit, which zarr-cm wrote before version 0.1 was released.
func commit(repo, id string, draft bool) []alias {
	return []alias{{raw + repo + "/" + id + "/schema.json", draft}, {site + repo + "/blob/" + id + "/README.md", draft}}
}

// Multiscales returns the convention multiscales, version 0.1.
func Multiscales() Convention {
	const repo = "zarr-conventions/multiscales"
	return Convention{
		UUID:        "d35379db-88df-4056-af3a-620245f8e347",
		SchemaURL:   raw + repo + "/refs/tags/v0.1/schema.json",
		SpecURL:     site + repo + "/blob/v0.1/README.md",
		Name:        "multiscales",
		Description: "Multiscale layout of zarr datasets",
		aliases:     draft(repo),
	}
}

// Spatial returns the convention spatial, version 0.1.
func Spatial() Convention {
	const repo = "zarr-conventions/spatial"
	return Convention{
		UUID:        "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
		SchemaURL:   raw + repo + "/refs/tags/v0.1/schema.json",
		SpecURL:     site + repo + "/blob/v0.1/README.md",
		Name:        "spatial",
		Description: "Spatial coordinate information",
		aliases: slices.Concat(draft(repo),
			commit(repo, "54d81b7ced0376e63ee10f34db31db7d08dcc28d", false),
			commit(repo, "f5c536b9a3386e4127e3d2426dcefeebe6e5bf1a", true)),
	}
}

// Proj returns the convention proj, version 0.1. Its drafts were in repositories named geo-proj.
func Proj() Convention {
	const repo = "zarr-conventions/proj"
	return Convention{
		UUID:        "f17cb550-5864-4468-aeb7-f3180cfb622f",
		SchemaURL:   raw + repo + "/refs/tags/v0.1/schema.json",
		SpecURL:     site + repo + "/blob/v0.1/README.md",
		Name:        "proj",
		Description: "Coordinate reference system information for geospatial data",
		aliases: slices.Concat(draft(repo), draft("zarr-conventions/geo-proj"), draft("zarr-experimental/geo-proj"),
			commit(repo, "5ca5b2f92e5c7245f957d9128b289ee535f0720d", false),
			commit(repo, "d150edbde61b53e9d17520f6d107c9d3689e5910", true)),
	}
}

// Declaration returns the element of zarr_conventions that declares the convention.
func (c Convention) Declaration() map[string]any {
	return map[string]any{
		"uuid": c.UUID, "schema_url": c.SchemaURL, "spec_url": c.SpecURL, "name": c.Name, "description": c.Description,
	}
}

// knows reports whether url is a schema_url or spec_url of the convention. draft is true for URLs
// that only drafts published.
func (c Convention) knows(url string) (draft, ok bool) {
	if url == c.SchemaURL || url == c.SpecURL {
		return false, true
	}
	for _, a := range c.aliases {
		if a.url == url {
			return a.draft, true
		}
	}
	return false, false
}

// is reports whether d declares the convention.
func (c Convention) is(d map[string]any) bool {
	if uuid, ok := d["uuid"].(string); ok {
		return strings.EqualFold(uuid, c.UUID)
	}
	for _, member := range []string{"schema_url", "spec_url"} {
		if url, ok := d[member].(string); ok {
			_, known := c.knows(url)
			return known
		}
	}
	return false
}

// Declared reports whether the attributes declare the convention. It adds a finding for a
// declaration whose schema_url is not a version that zargo reads.
func (c Convention) Declared(attrs map[string]any, f *Findings) bool {
	list, _ := attrs[Key].([]any)
	for i, v := range list {
		d, _ := v.(map[string]any)
		if !c.is(d) {
			continue
		}
		if url, ok := d["schema_url"].(string); ok {
			at := Pointer(Key, strconv.Itoa(i), "schema_url")
			switch draft, known := c.knows(url); {
			case !known:
				f.Add(at, "%q is an unknown version of the convention %s; it is read as version 0.1", url, c.Name)
			case draft:
				f.Rule(at, "%q belongs to a draft; the schema_url of version 0.1 is %q", url, c.SchemaURL)
			}
		}
		return true
	}
	return false
}

// members contains the names of the members that a declaration may have.
var members = [...]string{"uuid", "schema_url", "spec_url", "name", "description"}

// Check adds a violation for each malformed element of zarr_conventions.
func Check(attrs map[string]any, f *Findings) {
	v, ok := attrs[Key]
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		f.Rule(Pointer(Key), "must be an array, is %s", Kind(v))
		return
	}
	for i, v := range list {
		at := Pointer(Key, strconv.Itoa(i))
		d, ok := v.(map[string]any)
		if !ok {
			f.Rule(at, "must be an object, is %s", Kind(v))
			continue
		}
		if d["uuid"] == nil && d["schema_url"] == nil && d["spec_url"] == nil {
			f.Rule(at, "must have a uuid, a schema_url or a spec_url")
		}
		for _, name := range Names(d) {
			if !slices.Contains(members[:], name) {
				f.Rule(at+Pointer(name), "must be uuid, schema_url, spec_url, name or description")
			} else if _, ok := d[name].(string); !ok {
				f.Rule(at+Pointer(name), "must be a string, is %s", Kind(d[name]))
			}
		}
	}
}
