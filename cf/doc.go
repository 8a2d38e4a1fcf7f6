// Package cf decodes and encodes the values of variables by the CF conventions 1.13: missing
// values, packed values, and times in the calendars of climate models.
//
//	c, err := cf.New(cf.Variable{Name: "t2m", Type: a.DType(), Fill: a.Fill(), V2: a.Format() == 2, Attrs: a.Attrs()}, cf.Options{})
//	stored, err := zarr.Read[int16](ctx, a)
//	kelvin := make([]float32, len(stored))
//	err = cf.Decode(c, kelvin, stored)
//
// The package performs no I/O. It converts slices of stored values, which package zarr reads.
//
// # Missing values
//
// An element is missing if it equals _FillValue or missing_value, or is NaN. The attributes are
// first converted to the stored data type, so that the JSON number 1e20 equals the float32 1e20. In
// Zarr v2, an element that equals the fill value of the array is missing too, as in xarray;
// [Options] can change this. [Missing] returns a mask and leaves the values as they are, so that
// integers stay exact. [Decode] returns NaN for missing values.
//
// # Packed values
//
// A decoded value is stored × scale_factor + add_offset, computed in float64. The attribute
// _Unsigned changes the sign of stored integers.
//
// # Times
//
// A [Time] has a calendar, a date and nanoseconds. It can be converted to a time.Time if its date
// is the same in the proleptic Gregorian calendar. [TimeUnits] converts between times and stored
// numbers. [TimeUnits.TimeFloat] describes how times of floating-point numbers are rounded.
//
// In Standard and Julian the year before 1 is -1, as in cftime. [ParsePeriod] parses
// the text of a time, and refuses a text with anything after the time.
//
// # Differences from xarray
//
//   - Missing values that JSON does not represent exactly, such as 1e20 for float32, are found.
//   - With _Unsigned, missing_value is compared with the stored values, as _FillValue is.
//   - Times of floating-point numbers are rounded to the precision of the numbers. cftime rounds
//     them to µs, and to s only within 1 µs; xarray computes them in float64 and truncates to ns.
//   - Reference dates that xarray reads and cftime refuses are read in all calendars: dates of eight
//     digits, times of day of four or six digits, and dates without a month or a day. A text that
//     follows the date is an error.
//   - Packed times are unpacked in float64, also where xarray uses float32.
//   - An infinite time is an error. xarray decodes it to the reference time.
//   - An offset from UTC of one digit, such as "+3", is subtracted.
//   - The calendar "tai" and any case of the word "since" are read.
//
// # Errors
//
// Errors have the kind fault.Metadata (malformed attributes), errors.ErrUnsupported (well-formed
// calendars and units that this package does not decode) or fault.Type (values that cannot be
// converted). Their text contains the name of the variable.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use.
package cf
