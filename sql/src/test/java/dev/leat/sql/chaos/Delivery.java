package dev.leat.sql.chaos;

import dev.leat.SettleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What the ledger tells of one delivery of a task. */
final class Delivery {
    final Entry taken;
    final List<Entry> starts = new ArrayList<>();
    final List<Entry> ends = new ArrayList<>();
    final List<Entry> settling = new ArrayList<>();
    final List<Entry> settled = new ArrayList<>();

    /** Until when the storage held the lease for sure; before {@code taken.at()} when that is not known at all. */
    long heldUntil;

    Delivery(Entry taken) {
        this.taken = taken;
    }

    long task() {
        return taken.task();
    }

    boolean isAccepted() {
        return settled.stream().anyMatch(answer -> !answer.about().equals(SettleResult.Status.GONE.name()));
    }

    boolean isAcknowledged() {
        return isAccepted() && saysAck();
    }

    private boolean saysAck() {
        return settling.stream().anyMatch(settle -> settle.about().equals("Ack"));
    }

    /** The process died between an ack and its answer. */
    boolean mayBeAcknowledged() {
        return saysAck() && settled.isEmpty();
    }

    OptionalLong firstSettling() {
        return settling.stream().mapToLong(Entry::at).min();
    }

    /** The lease is known to have been held from its take's answer until then. */
    boolean isLive() {
        return heldUntil > taken.at();
    }

    @Override
    public String toString() {
        return "task " + task() + " by " + taken.process() + " from " + taken.at() + " to " + heldUntil + " "
                + settled.stream().map(Entry::about).toList();
    }
}
