package dev.leat.bench.sql;

import java.io.IOException;

/** Leat in one of two databases that are compared. */
record Side(ContenderProcess contender, Database database) {
    private static final int STEPS = 50;
    private static final int STEP_SIZE = 100;

    /** What is touched by a put, a take and an ack of 100 tasks. */
    record Buffers(double put, double take, double ack) {}

    private interface Step {
        void run() throws IOException;
    }

    /** Puts and drains; answers how many seconds the drain took. */
    double drain(int tasks) throws IOException {
        contender.fill(tasks);
        return tasks / contender.drain(tasks);
    }

    /** By the server's own count of the statements that it runs. */
    Buffers buffersPerStep(Server server) throws Exception {
        String takes = "take " + STEPS + " " + STEP_SIZE;
        contender.fill(STEP_SIZE);
        contender.ask("take 1 " + STEP_SIZE);
        double put = perStep(server, () -> contender.ask("put " + STEPS * STEP_SIZE + " 1 " + STEP_SIZE));
        double take = perStep(server, () -> {
            long taken = contender.number(takes);
            if (taken != STEPS * STEP_SIZE) {
                throw new IOException("only " + taken + " tasks were taken to count buffers");
            }
        });
        double ack = perStep(server, () -> contender.ask("ack " + STEP_SIZE));
        return new Buffers(put, take, ack);
    }

    private double perStep(Server server, Step step) throws Exception {
        server.forgetStatements();
        step.run();
        return (double) database.buffers() / STEPS;
    }
}
