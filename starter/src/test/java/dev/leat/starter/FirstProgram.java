package dev.leat.starter;

import dev.leat.Leat;
import java.util.concurrent.CountDownLatch;

/** What a newcomer writes first: a record as the payload, a file for the tasks, a worker. */
final class FirstProgram {
    record Email(String to, String text) {}

    private FirstProgram() {}

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch sent = new CountDownLatch(1);
        try (Leat leat = Leat.open("sqlite:" + args[0])) {
            leat.put("emails", new Email("ada@example.org", "Hello"));
            leat.worker()
                    .handle("emails", Email.class, (email, task) -> {
                        System.out.println("to " + email.to() + ": " + email.text());
                        sent.countDown();
                    })
                    .start();
            sent.await();
        }
    }
}
