package cdl

// File is a netCDF file.
type File struct {
	Name string
	Root Group
}

// Group is a group. Write prints its members in the order of the slices.
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
	// Foreign is the name of a type without an equivalent in CDL. If it is not empty, Write prints
	// the whole variable as comments and ignores Type.
	Foreign string
}

// Attr is an attribute. The elements of Values are of type int64, uint64, float64 or string,
// according to Type. An attribute of type Char has one string.
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

// names returns the names of the types in the order of the constants.
func names() []string {
	return []string{"byte", "ubyte", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double", "char", "string"}
}

// String returns the name of the type in CDL.
func (t Type) String() string { return names()[t] }

// suffix returns the suffix of numbers of the type in attributes.
func (t Type) suffix() string {
	return []string{"b", "UB", "s", "US", "", "U", "LL", "ULL", "f", "", "", ""}[t]
}
