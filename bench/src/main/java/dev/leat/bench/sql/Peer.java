package dev.leat.bench.sql;

import java.util.List;
import java.util.Optional;

/** A contender that takes part in a run; two are equal only if they are the same object. */
final class Peer {
    static final Peer LEAT = new Peer("Leat", "leat");
    static final Peer LEAT_KEEPING = new Peer("Leat, finished kept", "leat-keeping");
    static final Peer LEAT_KEEPING_PAYLOADS = new Peer("Leat, kept with payload", "leat-keeping-payloads");
    static final Peer RAW_JDBC = new Peer("plain JDBC", "raw-jdbc");
    static final Peer RAW_SQLITE = new Peer("raw SQLite loop", "raw-sqlite");
    static final Peer DB_SCHEDULER = new Peer("db-scheduler", "db-scheduler");
    static final Peer JOBRUNR = new Peer("JobRunr", "jobrunr");
    static final Peer GRAPHILE_WORKER = new Peer("graphile-worker", "graphile-worker");
    static final Peer PG_BOSS = new Peer("pg-boss", "pg-boss");

    private final String title;
    private final String contender;
    private final Optional<OtherCommit> otherCommit;

    private Peer(String title, String contender) {
        this(title, contender, Optional.empty());
    }

    private Peer(String title, String contender, Optional<OtherCommit> otherCommit) {
        this.title = title;
        this.contender = contender;
        this.otherCommit = otherCommit;
    }

    /** All that this commit can run. */
    static List<Peer> all() {
        return List.of(
                LEAT,
                LEAT_KEEPING,
                LEAT_KEEPING_PAYLOADS,
                RAW_JDBC,
                RAW_SQLITE,
                DB_SCHEDULER,
                JOBRUNR,
                GRAPHILE_WORKER,
                PG_BOSS);
    }

    static Peer leatOf(OtherCommit commit) {
        return new Peer("leat@" + commit.shortSha(), LEAT.contender, Optional.of(commit));
    }

    String title() {
        return title;
    }

    /** What its process calls it. */
    String contender() {
        return contender;
    }

    /** The commit whose classes it runs; empty for those of this commit. */
    Optional<OtherCommit> otherCommit() {
        return otherCommit;
    }

    boolean needsNode() {
        return this == GRAPHILE_WORKER || this == PG_BOSS;
    }
}
