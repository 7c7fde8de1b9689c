import pg from 'pg';
import { PgBoss } from 'pg-boss';

const QUEUE = 'bench';
const CONNECTIONS = 64;
const BATCH = 2000;

export default class PgBossContender {
  #pool;
  #boss;
  #worker;

  async open(url) {
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    this.#boss = new PgBoss({ connectionString: url, max: CONNECTIONS, useListenNotify: true });
    this.#boss.on('error', error => console.error(`pg-boss: ${error.message}`));
    await this.#boss.start();
    await this.#boss.createQueue(QUEUE, { notify: true });
  }

  put(data) {
    return this.#boss.send(QUEUE, data);
  }

  putAll(all) {
    return this.#boss.insert(
      QUEUE,
      all.map(data => ({ data })),
    );
  }

  async work(handled) {
    const options = { batchSize: BATCH, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
    this.#worker = await this.#boss.work(QUEUE, options, async jobs => {
      for (const job of jobs) handled.task(job.data);
    });
  }

  async isSettled() {
    const { rows } = await this.#pool.query(
      "SELECT NOT EXISTS (SELECT FROM pgboss.job WHERE name = 'bench' AND state < 'completed') AS settled",
    );
    return rows[0].settled;
  }

  async stop() {
    if (this.#worker) await this.#boss.offWork(QUEUE);
    this.#worker = undefined;
  }

  async close() {
    await this.stop();
    await this.#boss?.stop({ graceful: false });
    await this.#pool?.end();
  }
}
