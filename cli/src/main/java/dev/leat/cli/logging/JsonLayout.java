package dev.leat.cli.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;

/** Writes each log event as one line of JSON. Safe from any thread. */
final class JsonLayout extends LayoutBase<ILoggingEvent> {
    private final int longest;

    /** @param longest how many characters a message, and a stack trace, may have; the rest is cut off */
    JsonLayout(int longest) {
        this.longest = longest;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString())
                .put("level", level(event))
                .put("logger", event.getLoggerName())
                .put("thread", event.getThreadName())
                .put("message", cut(event.getFormattedMessage()));
        if (event.getThrowableProxy() != null) {
            json.put("error", cut(ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
        if (!event.getMDCPropertyMap().isEmpty()) {
            event.getMDCPropertyMap().forEach(json.putObject("context")::put);
        }
        return json + "\n";
    }

    private String cut(String text) {
        return text.length() > longest ? text.substring(0, longest) + "…" : text;
    }

    static String level(ILoggingEvent event) {
        return event.getLevel().toString().toLowerCase(Locale.ROOT);
    }
}
