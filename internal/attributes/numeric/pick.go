package numeric

import "github.com/zargo-io/zargo/zarr/dtype"

// Pick returns the argument for the Go type of the numbers of a data type, usually an instance of a
// generic function. The numbers of float16 are float32. For data types that are not numeric, Pick
// returns f32 and false.
func Pick[F any](t dtype.Type, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 F) (F, bool) {
	switch t {
	case dtype.Int8:
		return i8, true
	case dtype.Int16:
		return i16, true
	case dtype.Int32:
		return i32, true
	case dtype.Int64:
		return i64, true
	case dtype.Uint8:
		return u8, true
	case dtype.Uint16:
		return u16, true
	case dtype.Uint32:
		return u32, true
	case dtype.Uint64:
		return u64, true
	case dtype.Float16, dtype.Float32:
		return f32, true
	case dtype.Float64:
		return f64, true
	}
	return f32, false
}

// Kind returns 'i', 'u' or 'f' for signed integers, unsigned integers and floats, and 0 for other
// data types.
func Kind(t dtype.Type) byte {
	if k, ok := Pick[byte](t, 'i', 'i', 'i', 'i', 'u', 'u', 'u', 'u', 'f', 'f'); ok {
		return k
	}
	return 0
}
