"""Compare zargo's pcodec with the reference library, both ways, on random arrays.

    go build -o compare ./testdata/compare
    python testdata/compare.py ./compare 10000

It requires pcodec 1.0 or later and numpy. Each array is encoded by the library with a random
configuration and decoded by zargo, and encoded by zargo and decoded by the library.
"""

import subprocess
import sys

import numpy as np
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, PagingSpec, standalone

TYPES = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64".split()


def numbers(rng, dtype):
    """Return a random array: its length, distribution and type vary."""
    n = int(rng.choice([0, 1, 2, 3, 7, 8, 255, 256, 257, 600, int(rng.integers(1, 5000))]))
    dt = np.dtype(dtype)
    kind = rng.integers(0, 10)
    if kind == 0:
        return np.frombuffer(rng.bytes(n * dt.itemsize), dt).copy()
    bits = int(rng.integers(1, 8 * dt.itemsize))
    if kind == 1:
        x = rng.normal(0, 2.0 ** int(rng.integers(0, 20)), n)
    elif kind == 2:
        x = np.cumsum(rng.normal(0, 3, n))
    elif kind == 3:
        x = np.cumsum(np.cumsum(rng.integers(-3, 4, n)))
    elif kind == 4:
        x = np.full(n, rng.integers(0, 100))
    elif kind == 5:
        x = rng.integers(0, 50, n) * int(rng.integers(2, 1000))
    elif kind == 6:
        x = np.round(rng.normal(0, 100, n), int(rng.integers(0, 3)))
    elif kind == 7:
        x = rng.choice(rng.normal(0, 1000, 5), n)
    elif kind == 8:
        x = np.tile(rng.integers(0, 2**20, 37), n // 37 + 1)[:n] + rng.integers(0, 2, n)
    else:
        x = rng.geometric(0.5**bits, n).astype(float)
    if dt.kind == "f":
        with np.errstate(over="ignore"):
            a = x.astype(dt)
        if dtype != "float16" and rng.integers(0, 4) == 0:
            a = a.view(f"u{dt.itemsize}") & ~np.array((1 << int(rng.integers(1, 20))) - 1, f"u{dt.itemsize}")
            a = a.view(dt)
        for special in (np.nan, np.inf, -np.inf, -0.0):
            if n and rng.integers(0, 8) == 0:
                a[rng.integers(0, n)] = special
        return a
    return np.asarray(x, "float64").astype("int64").astype(dt)


def config(rng, a):
    """Return a random configuration of the library and its description."""
    mode, delta = [("auto", ModeSpec.auto())], [("auto", DeltaSpec.auto()), ("lookback", DeltaSpec.try_lookback())]
    mode += [("classic", ModeSpec.classic()), ("dict", ModeSpec.try_dict())]
    if a.dtype.kind == "f":
        k = int(rng.integers(1, {2: 10, 4: 23, 8: 52}[a.dtype.itemsize] + 1))
        base = float(rng.choice([0.01, 0.1, 1.0, 2.5, 1000.0, 3e-5]))
        mode += [(f"quant {k}", ModeSpec.try_float_quant(k)), (f"mult {base}", ModeSpec.try_float_mult(base))]
    else:
        base = int(rng.choice([2, 7, 100]))
        mode += [(f"mult {base}", ModeSpec.try_int_mult(base))]
    order = int(rng.integers(0, 8))
    delta += [("none", DeltaSpec.no_op()), (f"order {order}", DeltaSpec.try_consecutive(order))]
    if a.dtype.itemsize < 8:
        order = int(rng.integers(1, 33))
        delta += [(f"conv {order}", DeltaSpec.try_conv1(order))]
    m, d = mode[rng.integers(0, len(mode))], delta[rng.integers(0, len(delta))]
    level, page = int(rng.integers(0, 13)), int(rng.choice([100, 1000, 2**18]))
    c = ChunkConfig(compression_level=level, mode_spec=m[1], delta_spec=d[1], paging_spec=PagingSpec.equal_pages_up_to(page), enable_8_bit=True)
    return c, f"level {level} mode {m[0]} delta {d[0]} pages {page}"


class Peer:
    def __init__(self, program):
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, verb, dtype, config, data, size):
        self.p.stdin.write(f"{verb} {dtype} {config} {len(data)} {size}\n".encode() + data)
        self.p.stdin.flush()
        word, _, rest = self.p.stdout.readline().decode().rstrip("\n").partition(" ")
        if word != "ok":
            raise ValueError(rest)
        return self.p.stdout.read(int(rest))


def main(program, count, seed=1):
    peer, failed, refused, decoded, encoded = Peer(program), 0, 0, 0, 0
    ours, theirs, modes = 0, 0, {}
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        dtype = TYPES[i % len(TYPES)]
        a = numbers(rng, dtype)
        c, what = config(rng, a)
        try:
            stored = standalone.simple_compress(a, c)
        except BaseException as e:  # such as dict mode with conv delta; also panics
            refused += 1
            modes[str(e)[:60]] = modes.get(str(e)[:60], 0) + 1
            stored = None
        if stored is not None:
            try:
                if peer("decode", dtype, "{}", stored, a.nbytes) != a.tobytes():
                    raise ValueError("values differ")
                decoded += 1
            except ValueError as e:
                failed += 1
                print(f"decode {i} {dtype} {len(a)} {what}: {e}")
        level = int(rng.integers(0, 13))
        options = f'{{"level":{level},"equal_pages_up_to":{int(rng.choice([100, 1000, 2**18]))}'
        options += ["", ',"delta_spec":"none"', f',"delta_encoding_order":{int(rng.integers(0, 8))}'][rng.integers(0, 3)] + "}"
        b = peer("encode", dtype, options, a.tobytes(), 0)
        out = np.zeros(len(a), dtype)
        try:
            p = standalone.simple_decompress_into(b, out)
            if p.n_processed != len(a) or not p.finished or out.tobytes() != a.tobytes():
                raise ValueError("values differ")
            encoded += 1
        except (RuntimeError, ValueError) as e:
            failed += 1
            print(f"encode {i} {dtype} {len(a)} {options}: {e}")
        if len(a) > 250:
            ours += len(peer("encode", dtype, "{}", a.tobytes(), 0))
            theirs += len(standalone.simple_compress(a, ChunkConfig(enable_8_bit=True)))
    print(f"{count} arrays: {decoded} files of the library decoded, {encoded} files of zargo decoded, {failed} failed")
    print(f"{refused} configurations refused by the library: {modes}")
    print(f"at default settings, arrays of more than 250 numbers: {ours} bytes here, {theirs} in the library")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
