"""Write times.txt: stored numbers with their units and calendar, and the times that cftime decodes them to.

Run with cftime 1.6.6. Each line has calendar, units, number and time, separated by tabs. The time is
"error" if cftime refuses the units or the number.
"""

import random
import sys

import cftime

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day", "Standard"]
UNITS = ["days", "day", "d", "hours", "hour", "hr", "h", "minutes", "min", "seconds", "sec", "s", "milliseconds", "msec", "microseconds", "Days", "HOURS"]
DAY = {"d": 1, "h": 24, "m": 1440, "s": 86400}
DATES = [
    "1970-01-01", "1970-01-01 00:00:00", "2000-01-01T12:00:00", "1-1-1", "0001-01-01 00:00:0.0", "1800-1-1 0:0:0", "1582-10-04",
    "1582-10-15", "1600-02-28", "2000-2-29", "1900-01-01 06:30", "1990-01-01 00:00:00.5", "2000-01-01 00:00:00Z", "2000-01-01T00:00:00Z",
    "2000-01-01 00:00:00 UTC", "2000-01-01 00:00 +01:00", "2000-01-01 00:00:00 -05:30", "2000-01-01 00:00:00 -0700",
    "1858-11-17 00:00:00", "2016-02-30", "850-01-01", "9999-12-31 23:59:59", "1582-10-10", "2001-02-29", "2000-13-01", "2000-01-32", "epoch",
]


def per_day(unit):
    u = unit.lower()
    if u.startswith("mil") or u.startswith("ms"):
        return 86400_000
    if u.startswith("mic"):
        return 86400_000_000
    return DAY[u[0]]


def text(t):
    s = f"{'-' if t.year < 0 else ''}{abs(t.year):04d}-{t.month:02d}-{t.day:02d}T{t.hour:02d}:{t.minute:02d}:{t.second:02d}"
    return s + (f".{t.microsecond:06d}".rstrip("0") if t.microsecond else "")


def decode(number, units, calendar):
    try:
        return text(cftime.num2date(number, units, calendar, only_use_cftime_datetimes=True))
    except Exception:
        return "error"


def main():
    r = random.Random(20261126)
    seen = set()
    with open(sys.argv[1], "w") as f:
        while len(seen) < 1500:
            calendar, unit, date = r.choice(CALENDARS), r.choice(UNITS), r.choice(DATES)
            days = r.choice([0, 1, r.randint(-200, 200), r.randint(0, 40_000), r.randint(-700_000, 700_000)])
            number = days * per_day(unit) + r.randint(0, per_day(unit))
            if r.random() < 0.3:
                number += r.choice([0.5, 0.25, 0.125]) if per_day(unit) <= 86400 else 0.0
            row = (calendar, f"{unit} since {date}", number)
            if row in seen:
                continue
            seen.add(row)
            print(*row[:2], repr(number), decode(number, row[1], calendar), sep="\t", file=f)
        for calendar, units, numbers in [
            ("360_day", "months since 2000-01-01", [0, 1, 14, -3]),
            ("noleap", "common_years since 2000-01-01", [0, 1, 14, -3]),
            ("standard", "months since 2000-01-01", [1]),
            ("standard", "years since 2000-01-01", [1]),
            ("standard", "weeks since 2000-01-01", [1]),
            ("utc", "days since 2000-01-01", [1]),
            ("none", "days since 2000-01-01", [1]),
            ("standard", "days", [1]),
            ("standard", "days after 2000-01-01", [1]),
            ("standard", "fortnights since 2000-01-01", [1]),
            ("standard", "days since -5-01-01", [0, 365, 366, 2000, -2000]),
            ("julian", "days since -0005-03-01", [0, 365, 366, 2000, -2000]),
            ("noleap", "days since -5-03-01", [0, 365, 366, 2000, -2000]),
            ("360_day", "hours since 0000-01-01", [0, 1, -1]),
            ("proleptic_gregorian", "days since 0-1-1", [0, 366, -1]),
            ("standard", "days since 0-1-1", [0]),
            ("standard", "days since 0001-01-01", [-1, -365, -366, -367, -1462, 0, 1]),
            ("julian", "days since 0001-01-01", [-1, -365, -366, -367, -1462, 0, 1]),
            ("standard", "days since 12000-01-01", [0, 1]),
            ("standard", "days since 2000-01-01 24:00", [0]),
            ("standard", "days since 2000-01-01 23:59:60", [0]),
        ]:
            for n in numbers:
                print(calendar, units, n, decode(n, units, calendar), sep="\t", file=f)


main()
