package tables

import "github.com/zargo-io/zargo/zarr/rule"

// rules generates the table of the validation rules, with the exit code of each.
func rules() (string, error) {
	var rows [][]string
	for _, r := range rule.All() {
		kind := "the store's error"
		if k := r.Kind(); k != nil {
			kind = k.Error()
		}
		found := ""
		if r.Decoded() {
			found = "`--data`"
		}
		rows = append(rows, []string{code(string(r)), r.Severity().String(), r.Text(), found, kind, r.Section()})
	}
	return table([]string{"code", "severity", "description", "found with", "kind", "source"}, rows), nil
}
