// Ticks of axes.

// step returns the smallest of 1, 2, 5, 10, … (times a power of ten) that is at least a positive number.
export function step(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9));
}

// positions returns about every round position of n, at most most of them.
export function positions(n, most) {
  const by = Math.max(1, step(n / Math.max(most, 1)));
  return Array.from({ length: Math.ceil(n / by) }, (_, k) => k * by);
}

// values returns round values from low to high.
export function values(low, high, most) {
  const by = step((high - low) / most), out = [];
  for (let k = Math.ceil(low / by); k * by <= high && out.length < 20; k++) out.push(k * by);
  return out;
}

// number returns a number in at most six digits.
export const number = (x) => String(Number(x.toPrecision(6)));

// short returns the label of a coordinate in the length of a tick.
export function short(label) {
  if (label.trim() !== "" && Number.isFinite(Number(label))) return number(Number(label));
  const day = label.replace(/T00:00:00$/, "").replace(/(T\d\d:\d\d):00$/, "$1");
  return day.length > 16 ? day.slice(0, 15) + "…" : day;
}
