// Requests to the server, by paths relative to the page.

// Failure is an error whose text the page shows.
export class Failure extends Error {
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

// address returns the path of an endpoint of a dataset. query is a list of names and values.
export function address(id, endpoint, query = []) {
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `datasets/${encodeURIComponent(id)}/${endpoint}` + (pairs.length ? "?" + pairs.join("&") : "");
}

// isel returns the parameters that select a position along each dimension but those of except.
export function isel(v, at, except = []) {
  return v.dims.flatMap((dim, k) => (except.includes(k) ? [] : [["isel", `${dim}=${at[k]}`]]));
}

// get requests a path and returns what use makes of the response, such as its text.
export async function get(path, signal, use) {
  let response;
  try {
    response = await fetch(path, { signal, cache: "no-cache" });
    if (response.ok) return await use(response);
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Failure(response ? "The response of the server is incomplete." : "The server does not respond.");
  }
  let body = {};
  try {
    body = await response.json();
  } catch { /* a proxy may respond with another form */ }
  throw new Failure(explain(response.status, body), response.status);
}

export const text = (path, signal) => get(path, signal, (r) => r.text());
export const json = (path, signal) => get(path, signal, (r) => r.json());

// explain returns the text of an error, with the need and the limits of a request that is too large.
function explain(status, body) {
  let out = `${typeof body.error === "string" ? body.error : "The request failed"} (status ${status}).`;
  if (body.limit) {
    out += ` It needs up to ${many(body.requests)} requests and ${bytes(body.bytes)}.` +
      ` A request may use ${many(body.limit.requests)} requests and ${bytes(body.limit.bytes)}.`;
  }
  return out[0].toUpperCase() + out.slice(1);
}

const many = (n) => Number(n).toLocaleString("en");

function bytes(n) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return `${Math.round(n * 10) / 10} ${units[i]}`;
}
