// What the page reports: its status, and the errors of its parts.

const element = (id) => document.getElementById(id);

export const say = (text) => { element("status").textContent = text; };

const errors = new Map(); // by part

// fail shows the error of a part of the page until it succeeds, for which the error is null.
export function fail(part, error) {
  if (error) errors.set(part, error.message ?? error);
  else errors.delete(part);
  element("error").textContent = [...errors.values()].join(" ");
}

// Task is the work for a part of the page. It runs only the last of several that are begun, after a
// pause, and cancels those before. It does not repeat a work with the same key.
export class Task {
  constructor(part, pause) {
    Object.assign(this, { part, pause, key: null, stop: new AbortController() });
  }

  start(key, work) {
    if (key === this.key) return;
    this.cancel();
    this.key = key;
    const { signal } = (this.stop = new AbortController());
    setTimeout(async () => {
      try {
        if (!signal.aborted) await work(signal);
      } catch (e) {
        if (!signal.aborted) fail(this.part, e);
      }
    }, this.pause);
  }

  cancel() {
    this.key = null;
    this.stop.abort();
    fail(this.part, null);
  }
}
