import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

const TASK = 'bench';
const CONNECTIONS = 64;
const CONCURRENCY = 10;
const LOCAL_QUEUE = 1000;
const COMPLETE_BATCH_DELAY_MILLIS = 0;

const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});

export default class GraphileWorker {
  #url;
  #pool;
  #utils;
  #runner;

  async open(url) {
    this.#url = url;
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    this.#utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: CONNECTIONS, logger });
    await this.#utils.migrate();
  }

  put(data) {
    return this.#utils.addJob(TASK, data);
  }

  putAll(all) {
    return this.#utils.addJobs(all.map(data => ({ identifier: TASK, payload: data })));
  }

  async work(handled) {
    this.#runner = await run({
      logger,
      noHandleSignals: true,
      taskList: { [TASK]: data => handled.task(data) },
      preset: {
        worker: {
          connectionString: this.#url,
          maxPoolSize: CONCURRENCY + 2,
          concurrentJobs: CONCURRENCY,
          localQueue: { size: LOCAL_QUEUE },
          completeJobBatchDelay: COMPLETE_BATCH_DELAY_MILLIS,
        },
      },
    });
  }

  async isSettled() {
    const { rows } = await this.#pool.query('SELECT NOT EXISTS (SELECT FROM graphile_worker._private_jobs) AS settled');
    return rows[0].settled;
  }

  async stop() {
    await this.#runner?.stop();
    this.#runner = undefined;
  }

  async close() {
    await this.stop();
    await this.#utils?.release();
    await this.#pool?.end();
  }
}
