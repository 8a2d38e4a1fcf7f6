package cf

import (
	"maps"
	"strings"
)

// BoundsOf returns the names of the variables that contain the bounds of the cells of a coordinate:
// those in its attributes bounds and climatology (CF conventions, sections 7.1 and 7.4).
func BoundsOf(attrs map[string]any) []string {
	var names []string
	for _, attr := range []string{"bounds", "climatology"} {
		if name, _ := attrs[attr].(string); strings.TrimSpace(name) != "" {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// InheritBounds returns the attributes of a variable that contains bounds, with the attributes that
// it inherits from its coordinate: units, calendar, month_lengths, leap_year and leap_month (CF
// conventions, section 7.1). Its own attributes take precedence. InheritBounds returns attrs itself
// if there is nothing to inherit, and does not modify the maps.
func InheritBounds(attrs, coordinate map[string]any) map[string]any {
	out := attrs
	for _, name := range []string{"units", "calendar", "month_lengths", "leap_year", "leap_month"} {
		value, ok := coordinate[name]
		if _, own := attrs[name]; !ok || own {
			continue
		}
		if len(out) == len(attrs) {
			out = make(map[string]any, len(attrs)+1)
			maps.Copy(out, attrs)
		}
		out[name] = value
	}
	return out
}
