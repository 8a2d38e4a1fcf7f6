package cdl

// File is a netCDF file.
type File struct {
	Name string
	Root Group
}

// Group is a group with its dimensions, variables, attributes and groups, in the order in which
// they are printed.
type Group struct {
	Name   string // "" for the root
	Dims   []Dim
	Vars   []Var
	Attrs  []Attr
	Groups []*Group
}

// Dim is a dimension. The length of an unlimited dimension may be 0.
type Dim struct {
	Name      string
	Len       int
	Unlimited bool
}

// Var is a variable.
type Var struct {
	Name  string
	Type  Type
	Dims  []string
	Attrs []Attr
	Note  string // printed as a comment after the declaration
	// Foreign is the name of a type that has no equivalent in CDL. If it is not empty, the whole
	// variable is printed as comments, and Type is not used.
	Foreign string
}

// Attr is an attribute. Values has int64, uint64, float64 or string values, according to Type.
// A Char attribute has one string.
type Attr struct {
	Name   string
	Type   Type
	Values []any
	Note   string // printed as a comment after the value
}

// Type is a primitive type of netCDF-4.
type Type uint8

// The types of netCDF-4.
const (
	Byte Type = iota
	UByte
	Short
	UShort
	Int
	UInt
	Int64
	UInt64
	Float
	Double
	Char
	String
)

// names returns the names of the types in the order of their values.
func names() []string {
	return []string{"byte", "ubyte", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double", "char", "string"}
}

// String returns the name of the type in CDL.
func (t Type) String() string { return names()[t] }

// suffix returns the suffix of the literals of an attribute.
func (t Type) suffix() string {
	return []string{"b", "UB", "s", "US", "", "U", "LL", "ULL", "f", "", "", ""}[t]
}
