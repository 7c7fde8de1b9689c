package dev.leat.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import dev.leat.worker.Worker;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;

/** The destinations of this process's log. Closing ships the remaining lines to Loki; closing twice is harmless. */
public final class Logs implements AutoCloseable {
    /**
     * They say when a server is out of reach. A short command fails then and says so itself, for which logback.xml keeps these quiet;
     * a long one goes on.
     */
    private static final List<String> QUIET_IN_SHORT_COMMANDS = List.of("dev.leat.client", "dev.leat.internal.waiting");

    private final Map<Logger, Level> levelsBefore = new ConcurrentHashMap<>();
    private volatile Optional<LokiAppender> loki = Optional.empty();

    /** How lines are written to standard error. */
    public enum Format {
        TEXT,
        JSON
    }

    /**
     * From now on.
     *
     * @param command the running command; a label of its lines in Loki
     * @param lokiUrl of Loki, if the log goes there too
     * @param stage the installation, such as DEV; a label of the lines in Loki
     */
    public void start(Format format, String command, Optional<String> lokiUrl, Optional<String> stage) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        QUIET_IN_SHORT_COMMANDS.stream().map(context::getLogger).forEach(logger -> {
            levelsBefore.put(logger, logger.getEffectiveLevel());
            logger.setLevel(root.getLevel());
        });
        if (format == Format.JSON) {
            writeJson(root, context);
        }
        loki = lokiUrl.map(url -> new LokiAppender(LokiPush.to(url, labels(command, stage))));
        loki.ifPresent(appender -> {
            appender.setContext(context);
            appender.start();
            root.addAppender(appender);
        });
    }

    /** Logs at the level debug from now on. */
    public void tellMore() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.DEBUG);
    }

    /** Logs less from now on: for a command whose tasks fail on purpose. */
    public void hideFailedTasks() {
        Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Worker.class);
        levelsBefore.put(logger, logger.getEffectiveLevel());
        logger.setLevel(Level.OFF);
    }

    private static void writeJson(Logger root, LoggerContext context) {
        root.iteratorForAppenders().forEachRemaining(appender -> {
            if (appender instanceof ConsoleAppender<ILoggingEvent> console) {
                LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
                encoder.setContext(context);
                encoder.setLayout(new JsonLayout(Integer.MAX_VALUE));
                encoder.start();
                console.stop();
                console.setEncoder(encoder);
                console.start();
            }
        });
    }

    private static Map<String, String> labels(String command, Optional<String> stage) {
        Map<String, String> labels = new TreeMap<>(Map.of("application", "leat", "command", command, "host", host()));
        stage.ifPresent(name -> labels.put("env", name));
        return Map.copyOf(labels);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    @Override
    public void close() {
        loki.ifPresent(LokiAppender::stop);
        levelsBefore.forEach(Logger::setLevel);
    }
}
