// Package numcodecs tests the codecs of zargo against Python's numcodecs, with thousands of random
// arrays and configurations, which are the same in every run. Values encoded by either library must
// decode to the same array in both. numcodecs is built without Blosc's snappy, which is tested
// against TensorStore. One Python process handles all requests of a test over a pipe; see [Judge].
//
// To add a codec, add a row to the table in ids_test.go: its id, the data types, a function that
// returns a configuration, and the expectations ([ID]). A filter changes elements: it is Exact, and
// Lossy if an array is not restored. A codec of objects calls the [Judge] directly with the data
// type "|O", whose arrays are JSON lists. Blosc's frames have many fields, so all their
// combinations are tested too.
//
// Two versions of numcodecs are tested. The tests need a Python with
// integration/peers/requirements.txt installed, named by ZARGO_PEERS_PYTHON, and a Python 3.13 with
// requirements-py313.txt, named by ZARGO_PEERS_PYTHON313. Without them they are skipped with a
// message, or fail if CI=true.
package numcodecs
