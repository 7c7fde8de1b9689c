// What dev.leat.bench.sql.contender.Handled, Payloads and Samples are in Java.

export const now = () => process.hrtime.bigint(); // the clock of Java's System.nanoTime()

const FILLING = 'x'.repeat(60);

// About 100 bytes as JSON, as everybody's payloads.
export const payload = () => ({ stamp: now().toString(), filling: FILLING });

export class Handled {
  count = 0;
  #record;
  #starts = [];
  #waited = [];

  constructor(record) {
    this.#record = record;
  }

  task(data) {
    this.count++;
    if (this.#starts.length < this.#record) {
      const start = now();
      this.#starts.push(start);
      this.#waited.push(start - BigInt(data.stamp));
    }
  }

  get starts() {
    return sorted(this.#starts);
  }

  get waited() {
    return sorted(this.#waited);
  }
}

const sorted = times => [...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

export const percentile = (times, percent) => {
  if (times.length === 0) throw new Error('No task was handled, so there are no percentiles.');
  return times[Math.max(Math.ceil((percent / 100) * times.length), 1) - 1];
};
