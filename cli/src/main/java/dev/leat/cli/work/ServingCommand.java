package dev.leat.cli.work;

import dev.leat.Leat;
import dev.leat.cli.command.HaltChannel;
import dev.leat.cli.command.LongCommand;
import dev.leat.cli.command.NsjEnvironment;
import org.jspecify.annotations.Nullable;

/** A command that runs the tasks of queues. Where the variables of nsj-queue-lib are in use, it behaves as its workers do. */
abstract class ServingCommand extends LongCommand {
    @Override
    protected final String sessionName() {
        return nsjEnvironment().map(NsjEnvironment::workerName).orElseGet(super::sessionName);
    }

    /** Makes a queue that is to be served; the variables of nsj-queue-lib say how it behaves, where they are in use. */
    final void prepare(Leat leat, String queue) {
        nsjEnvironment()
                .ifPresentOrElse(
                        environment -> leat.queue(queue).declare(environment.queueOptions()),
                        () -> leat.queue(queue).ensure());
    }

    /** From now on, HALT stops the process like Ctrl-C, with exit code 0. Null if the database has no channels. */
    final @Nullable HaltChannel listenForHalt() {
        HaltChannel channel =
                nsjEnvironment().flatMap(NsjEnvironment::haltChannel).orElse(null);
        if (channel != null) {
            channel.listen(() -> {
                remark("Told to halt.");
                System.exit(0);
            });
        }
        return channel;
    }
}
