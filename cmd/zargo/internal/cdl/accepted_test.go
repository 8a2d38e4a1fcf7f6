package cdl

import "testing"

// TestAccepted parses two forms that ncgen accepts: a dataset without a name, and an attribute that
// is declared twice, whose last value counts.
func TestAccepted(t *testing.T) {
	f, err := Parse("netcdf {\nvariables:\n\tint v ;\n\t\tv:a = 1 ;\n\t\tv:b = 2 ;\n\t\tv:a = \"x\" ;\n\t\t:a = 5 ;\n}")
	if err != nil {
		t.Fatal(err)
	}
	v := f.Root.Vars[0]
	if f.Name != "" || len(v.Attrs) != 2 || v.Attrs[0].Name != "a" || v.Attrs[0].Values[0] != "x" || len(f.Root.Attrs) != 1 {
		t.Errorf("%+v", f.Root)
	}
}
