package dev.leat.cli.console;

import java.io.PrintStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows on a terminal how far a long command is; elsewhere it is silent. */
public final class Progress implements AutoCloseable {
    private static final int EVERY_MILLIS = 200;
    /** Fixed, because asking for the width makes the library open the terminal for itself. */
    private static final int WIDTH = 79;

    private static final long UNKNOWN = -1;

    private final Optional<ProgressBar> bar;

    private Progress(Optional<ProgressBar> bar) {
        this.bar = bar;
    }

    /** @param total how much there is to do, if that is known; asked for only if it is shown */
    public static Progress onTerminal(String verb, Supplier<OptionalLong> total) {
        return System.console() == null ? new Progress(Optional.empty()) : on(System.err, verb, total.get());
    }

    public static Progress on(PrintStream out, String verb, OptionalLong total) {
        return new Progress(Optional.of(new ProgressBarBuilder()
                .setTaskName(verb)
                .setInitialMax(total.orElse(UNKNOWN))
                .setUpdateIntervalMillis(EVERY_MILLIS)
                .setStyle(ProgressBarStyle.ASCII)
                .showSpeed()
                .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
                .build()));
    }

    public void show(long done) {
        bar.ifPresent(shown -> shown.stepTo(done));
    }

    @Override
    public void close() {
        bar.ifPresent(ProgressBar::close);
    }
}
