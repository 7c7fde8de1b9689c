// Runs one contender as a process: a command per line in, "ok …" or "error …" per line out.
// The commands are those of dev.leat.bench.sql.contender.CommonCommands.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Handled, now, payload, percentile } from './handled.mjs';

const { default: Contender } = await import(`./${process.argv[2]}.mjs`);
const contender = new Contender();
let handled = new Handled(0);

const payloads = count => Array.from({ length: count }, payload);
const putBatch = size => (size === 1 ? contender.put(payload()) : contender.putAll(payloads(size)));
const concurrently = (count, work) => Promise.all(Array.from({ length: count }, work));

async function awaitSettled(tasks, seconds) {
  const end = now() + BigInt(seconds) * 1_000_000_000n;
  while (handled.count < tasks || !(await contender.isSettled())) {
    if (now() > end) throw new Error(`only ${handled.count} of ${tasks} tasks after ${seconds} s`);
    await pause(1);
  }
}

async function put(tasks, threads, batch) {
  let left = tasks;
  const start = now();
  await concurrently(threads, async () => {
    while (left > 0) {
      const size = Math.min(batch, left);
      left -= size;
      await putBatch(size);
    }
  });
  return now() - start;
}

async function putFor(millis, threads, batch) {
  let tasks = 0;
  const start = now();
  const end = start + BigInt(millis) * 1_000_000n;
  await concurrently(threads, async () => {
    while (now() < end) {
      await putBatch(batch);
      tasks += batch;
    }
  });
  return Math.round(tasks / (Number(now() - start) / 1e9));
}

async function sustain(millis, window, batch) {
  const samples = [];
  const sample = () => samples.push(`${now()}:${handled.count}`);
  const sampling = setInterval(sample, 100);
  try {
    const before = handled.count;
    const start = now();
    sample();
    const end = start + BigInt(millis) * 1_000_000n;
    let tasks = 0;
    while (now() < end) {
      if (tasks + batch - (handled.count - before) > window) {
        await pause(1);
      } else {
        await putBatch(batch);
        tasks += batch;
      }
    }
    await awaitSettled(before + tasks, 300);
    return `${tasks} ${start} ${now()} ${samples.join(' ')}`;
  } finally {
    clearInterval(sampling);
  }
}

async function pace(millis, beat, batch) {
  const before = handled.count;
  const start = now();
  const beats = Math.floor(millis / beat);
  for (let i = 0; i < beats; i++) {
    const early = Number(start + BigInt(i * beat) * 1_000_000n - now()) / 1e6;
    if (early > 0) await pause(early);
    await putBatch(batch);
  }
  await awaitSettled(before + beats * batch, 300);
  return beats * batch;
}

const commands = {
  open: url => contender.open(url),
  close: () => contender.close(),
  put: (tasks, threads, batch) => put(+tasks, +threads, +batch),
  'put-for': (millis, threads, batch) => putFor(+millis, +threads, +batch),
  one: async () => {
    await contender.put(payload());
    return now();
  },
  work: async (mode, tasksToTime) => {
    handled = new Handled(+tasksToTime);
    const start = now();
    await contender.work(handled);
    return start;
  },
  stop: () => contender.stop(),
  handled: () => handled.count,
  settled: async (tasks, seconds) => {
    await awaitSettled(+tasks, +seconds);
    return now();
  },
  sustain: (millis, window, batch) => sustain(+millis, +window, +batch),
  pace: (millis, beat, batch) => pace(+millis, +beat, +batch),
  waited: () => {
    const times = handled.waited;
    return [50, 95, 99, 100].map(percent => percentile(times, percent)).join(' ');
  },
  starts: () => handled.starts.join(' '),
};

async function answer(line) {
  const [name, ...words] = line.split(' ');
  const command = commands[name];
  if (!command) return `error this contender does not know the command '${name}'`;
  try {
    return `ok ${(await command(...words)) ?? ''}`.trim();
  } catch (error) {
    console.error(error);
    return `error ${String(error).replace(/\s+/g, ' ')}`;
  }
}

// Libraries write to the console; only answers go to standard output.
console.log = console.info = console.debug = console.error;
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await answer(line)}\n`);
}
process.exit(0);
