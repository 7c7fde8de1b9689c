package dev.leat.bench.sql;

/** Who takes part. */
enum Peer {
    LEAT("Leat", "leat"),
    LEAT_KEEPING("Leat, finished kept", "leat-keeping"),
    LEAT_KEEPING_PAYLOADS("Leat, kept with payload", "leat-keeping-payloads"),
    RAW_JDBC("plain JDBC", "raw-jdbc"),
    RAW_SQLITE("raw SQLite loop", "raw-sqlite"),
    DB_SCHEDULER("db-scheduler", "db-scheduler"),
    JOBRUNR("JobRunr", "jobrunr"),
    GRAPHILE_WORKER("graphile-worker", "graphile-worker"),
    PG_BOSS("pg-boss", "pg-boss");

    private final String title;
    private final String contender;

    Peer(String title, String contender) {
        this.title = title;
        this.contender = contender;
    }

    String title() {
        return title;
    }

    /** What its process calls it. */
    String contender() {
        return contender;
    }

    boolean needsNode() {
        return this == GRAPHILE_WORKER || this == PG_BOSS;
    }
}
