"""Write floats.txt: floating-point times, the times that they mean, and the times that cftime and xarray decode.

Run with cftime 1.6.6 and xarray 2026.9. Each line has calendar, units, type, number, the time that the number was
computed from ("" for a random number), the time that cftime decodes, and the time that xarray decodes to
datetime64[ns] ("" if it returns objects of cftime), separated by tabs.
"""

import random
import sys
import warnings
from datetime import timedelta

import cftime
import numpy as np
from xarray.coding.times import decode_cf_datetime

warnings.simplefilter("ignore")
CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
UNITS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6}
EPOCHS = ["1900-01-01", "1970-01-01", "1-1-1", "1850-01-01", "2000-01-01 12:00", "1990-01-01 00:00:00.5", "1800-01-01T06:30:00Z", "-4712-01-01 12:00"]
STEPS = [timedelta(days=1), timedelta(hours=1), timedelta(hours=3), timedelta(minutes=1), timedelta(seconds=1), timedelta(milliseconds=100), timedelta(milliseconds=1)]


def text(t):
    s = f"{'-' if t.year < 0 else ''}{abs(t.year):04d}-{t.month:02d}-{t.day:02d}T{t.hour:02d}:{t.minute:02d}:{t.second:02d}"
    return s + (f".{t.microsecond:06d}".rstrip("0") if t.microsecond else "")


def main():
    r = random.Random(20261128)
    with open(sys.argv[1], "w") as f:
        for i in range(1200):
            calendar, unit, epoch, typ = r.choice(CALENDARS), r.choice(list(UNITS)), r.choice(EPOCHS), r.choice(["float64", "float64", "float64", "float32"])
            units = f"{unit} since {epoch}"
            ref = cftime.num2date(0, units, calendar, only_use_cftime_datetimes=True)
            meant = ref + r.choice(STEPS) * r.randint(0, 900_000) + timedelta(days=r.choice([0, 0, 36524, 60000, 730_000, -300]))
            n = np.dtype(typ).type(cftime.date2num(meant, units, calendar))
            if i % 3 == 2:
                n, meant = np.dtype(typ).type(r.uniform(-1e5, 1e5) * 86400 / UNITS[unit]), None
            got = cftime.num2date(n, units, calendar, only_use_cftime_datetimes=True)
            x = decode_cf_datetime(np.array([n, n]), units, calendar)[0]
            x = str(x) if isinstance(x, np.datetime64) else ""
            print(calendar, units, typ, repr(float(n)), text(meant) if meant else "", text(got), x, sep="\t", file=f)


main()
