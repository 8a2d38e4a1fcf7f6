package compute

// Op is how elements are reduced to one.
type Op uint8

// The values of Op.
const (
	Mean Op = iota
	Sum
	Min
	Max
	Count // of the elements that are not missing
	Std   // population standard deviation (ddof=0 in numpy)
	First // along one axis
	Last
)

var opNames = [...]string{"mean", "sum", "min", "max", "count", "std", "first", "last"}

// String returns the name of the operation, such as "mean".
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "unknown"
}

// ParseOp returns the operation with a name, or false.
func ParseOp(name string) (Op, bool) {
	for i, n := range opNames {
		if n == name {
			return Op(i), true //nolint:gosec // less than 8
		}
	}
	return 0, false
}

// moves reports whether the result is one of the elements.
func (o Op) moves() bool { return o == Min || o == Max || o == First || o == Last }
