package convention

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/rule"
)

// Findings collects findings. It keeps the first 100 and drops the rest.
type Findings struct {
	Strict bool // also collect violations of rules
	List   []rule.Finding
}

// maxFindings bounds the findings of one node. Hostile attributes may have millions of malformed
// members.
const maxFindings = 100

// Collect adds a finding.
func (f *Findings) Collect(x rule.Finding) {
	if len(f.List) < maxFindings {
		f.List = append(f.List, x)
	}
}

// Add adds a finding about a member that was ignored or corrected.
func (f *Findings) Add(pointer, format string, args ...any) {
	f.Collect(rule.Finding{Rule: rule.Convention, Pointer: pointer, Text: fmt.Sprintf(format, args...)})
}

// Note adds a finding about a member that follows the conventions but is not used.
func (f *Findings) Note(pointer, format string, args ...any) {
	f.Collect(rule.Finding{Rule: rule.Convention, Pointer: pointer, Text: fmt.Sprintf(format, args...), Unused: true})
}

// Rule adds a violation of a rule that does not prevent reading. It does nothing unless f is
// strict.
func (f *Findings) Rule(pointer, format string, args ...any) {
	if f.Strict {
		f.Add(pointer, format, args...)
	}
}

// Pointer returns the JSON pointer of a member inside nested objects and arrays.
func Pointer(path ...string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// Index returns the JSON pointer of element i of the value at pointer.
func Index(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// Names returns the names of the members of an object, sorted.
func Names(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// Number converts a JSON number. It reports false for other values and for numbers beyond float64.
func Number(v any) (float64, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case float32:
		f = float64(v)
	case int:
		f = float64(v)
	case int64:
		f = float64(v)
	case uint64:
		f = float64(v)
	case json.Number:
		var err error
		if f, err = v.Float64(); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Numbers converts a member that must be an array of n numbers, or an array of any length if n is
// negative. It returns nil if the member is absent or null. If the member is malformed, it returns
// nil and adds a finding.
func (f *Findings) Numbers(pointer string, v any, n int) []float64 {
	if v == nil {
		return nil
	}
	list, ok := elements(v)
	if !ok {
		f.Add(pointer, "must be an array of numbers, is %s", Kind(v))
		return nil
	}
	if n >= 0 && len(list) != n {
		f.Add(pointer, "must have %d numbers, has %d", n, len(list))
		return nil
	}
	out := make([]float64, len(list))
	for i, v := range list {
		if out[i], ok = Number(v); !ok {
			f.Add(Index(pointer, i), "must be a number, is %s", Kind(v))
			return nil
		}
	}
	return out
}

// Six parses six numbers in a string or an array, such as the attribute GeoTransform. It returns nil
// for other values. text reports that the numbers are in a string, where they may be infinite or NaN.
func Six(v any) (list []float64, text bool) {
	s, text := v.(string)
	if !text {
		var f Findings
		return f.Numbers("", v, 6), false
	}
	words := strings.Fields(s)
	if len(words) != 6 {
		return nil, true
	}
	for _, w := range words {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, true
		}
		list = append(list, x)
	}
	return list, true
}

// elements returns the elements of an array. The array may also be a slice of numbers or strings,
// because callers may construct attributes in Go.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []float64:
		return Boxed(v), true
	case []int:
		return Boxed(v), true
	case []string:
		return Boxed(v), true
	}
	return nil, false
}

// Boxed returns the elements of a slice as an array.
func Boxed[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// Strings converts a member that must be an array of n strings. It returns nil if the member is
// absent or null. If the member is malformed, it returns nil and adds a finding.
func (f *Findings) Strings(pointer string, v any, n int) []string {
	if v == nil {
		return nil
	}
	list, ok := elements(v)
	if !ok || len(list) != n {
		f.Add(pointer, "must be an array of %d strings, is %s", n, Kind(v))
		return nil
	}
	out := make([]string, n)
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			f.Add(Index(pointer, i), "must be a string, is %s", Kind(v))
			return nil
		}
	}
	return out
}

// String converts a member that must be a string. It returns "" if the member is absent or null.
// For any other value it returns "" and adds a finding.
func (f *Findings) String(pointer string, v any) string {
	if v == nil {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.Add(pointer, "must be a string, is %s", Kind(v))
	}
	return s
}

// Object converts a member that must be an object. It returns nil if the member is absent or null.
// For any other value it returns nil and adds a finding.
func (f *Findings) Object(pointer string, v any) map[string]any {
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		f.Add(pointer, "must be an object, is %s", Kind(v))
	}
	return m
}

// Array converts a member that must be an array. It returns nil if the member is absent or null.
// For any other value it returns nil and adds a finding.
func (f *Findings) Array(pointer string, v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	case []map[string]any:
		return Boxed(v)
	}
	f.Add(pointer, "must be an array, is %s", Kind(v))
	return nil
}

// maxShown is the maximum length in bytes of a value in the text of a finding.
const maxShown = 60

// Kind describes a value in the text of a finding. It returns the kind of an object or array, and
// the value itself otherwise.
func Kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return fmt.Sprintf("an array of %d elements", len(v))
	case string:
		if len(v) > maxShown {
			return strconv.QuoteToASCII(v[:maxShown]) + "…"
		}
		return strconv.Quote(v)
	}
	text := fmt.Sprint(v)
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return text
}

// Whole formats an integer without an exponent. It returns "" for other numbers.
func Whole(n float64) string {
	if n != math.Trunc(n) {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
