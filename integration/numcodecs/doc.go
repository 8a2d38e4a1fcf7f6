// Package numcodecs tests the codecs of zargo against Python's numcodecs, with thousands of random
// arrays and configurations, which are the same in every run. Values encoded by either library must
// decode to the same array in both. numcodecs is built without Blosc's snappy, which is tested
// against TensorStore. One Python process handles all requests of a test over a pipe; see [Judge].
//
// To add a codec, add an [ID] to the table in ids_test.go: the id of the codec, the data types, a
// function that returns a configuration, and the expectations. For a filter, which changes
// elements, set Exact, and also Lossy if decoding does not restore an array. The test of a codec of
// objects calls the [Judge] directly with the data type "|O", whose arrays are JSON lists. Blosc's
// frames have many fields, so all their combinations are tested too.
//
// Two versions of numcodecs are tested. The tests need two environment variables.
// ZARGO_PEERS_PYTHON names a Python with integration/peers/requirements.txt installed, and
// ZARGO_PEERS_PYTHON313 a Python 3.13 with requirements-py313.txt. If a variable is not set, the
// tests are skipped with a message, or fail if CI=true.
package numcodecs
