package dev.leat.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.cli.console.Progress;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.json.JsonFields;
import dev.leat.json.TaskJson;
import dev.leat.storage.StorageSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat put}: one task from the command line, a file or standard input, or many from lines of JSON. */
@Command(
        name = "put",
        description = {
            "Puts a task, or one for each line with --ndjson.",
            "A payload that is a JSON object or array is put as JSON, any other as text; --content-type says otherwise."
        },
        mixinStandardHelpOptions = true)
public final class PutCommand extends StorageCommand {
    private static final int BATCH = 1_000;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue; made if it is missing.")
    private String queue;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            description = "The payload itself, @FILE for what is in a file, or - for standard input (default: none).")
    private @Nullable String payload;

    @Mixin
    private TaskOptions options;

    @Option(
            names = "--ndjson",
            paramLabel = "FILE",
            description =
                    "Puts a task for each line of FILE, or of standard input for -: {\"payload\": …, \"priority\": …,"
                            + " \"delay\": …, \"key\": …, …}. Every " + BATCH + " lines are one commit.")
    private @Nullable String lines;

    @Option(
            names = "--unless-equivalent",
            description =
                    "Puts nothing if a task with the same external key, payload, type, tenant, business group, origin and destination is done or"
                            + " still to be done.")
    private boolean isUnlessEquivalent;

    @Override
    public StorageSettings.IfMissing ifMissing() {
        return StorageSettings.IfMissing.CREATE;
    }

    @Override
    protected int run(Leat leat, Output out) throws IOException {
        if (lines == null) {
            NewTask.Builder task = options.describe(queue, payload);
            print(leat.putAll(List.of((isUnlessEquivalent ? task.unlessEquivalent() : task).build())), out);
            return 0;
        }
        boolean isAnythingElseSaid = payload != null || isUnlessEquivalent || options.isAnythingSaid();
        if (isAnythingElseSaid) {
            throw wrong("With --ndjson everything about the tasks is in the lines");
        }
        return putLines(leat, out, lines);
    }

    /** Committed blocks stay when a later line is wrong; the message names the first line that was not put. */
    private int putLines(Leat leat, Output out, String file) throws IOException {
        long line = 0;
        long put = 0;
        long existing = 0;
        try (BufferedReader reader =
                        new BufferedReader(new InputStreamReader(PayloadArgument.open(file), StandardCharsets.UTF_8));
                Progress progress = Progress.onTerminal("putting", () -> lineCount(file))) {
            List<NewTask> batch = new ArrayList<>();
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line++;
                if (!text.isBlank()) {
                    batch.add(task(text, line, put + existing));
                }
                if (batch.size() == BATCH) {
                    long created = created(putAll(leat, batch, put + existing));
                    put += created;
                    existing += batch.size() - created;
                    batch.clear();
                    progress.show(line);
                }
            }
            long created = batch.isEmpty() ? 0 : created(putAll(leat, batch, put + existing));
            put += created;
            existing += batch.size() - created;
            progress.show(line);
        }
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put("put", put).put("existing", existing));
        } else {
            out.line(
                    String.format("%,d put", put) + (existing == 0 ? "" : String.format(", %,d were there", existing)));
        }
        return 0;
    }

    /** Of a file that can be read twice. */
    private static OptionalLong lineCount(String file) {
        Path path = Path.of(file);
        if (file.equals("-") || !Files.isRegularFile(path)) {
            return OptionalLong.empty();
        }
        try (Stream<String> all = Files.lines(path, StandardCharsets.ISO_8859_1)) { // in which every byte is legal
            return OptionalLong.of(all.count());
        } catch (IOException | UncheckedIOException e) {
            return OptionalLong.empty();
        }
    }

    private NewTask task(String text, long line, long before) {
        try {
            JsonNode described = JsonFields.parse("it", text.getBytes(StandardCharsets.UTF_8));
            return TaskJson.newTask(queue, described);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(
                    "line " + line, "is wrong: " + e.getMessage() + ". The first " + before + " tasks were put", e);
        }
    }

    private static List<PutResult> putAll(Leat leat, List<NewTask> batch, long before) {
        try {
            return leat.putAll(batch);
        } catch (LeatException e) {
            throw new LeatException(
                    e.withoutAdvice().replaceFirst("\\.$", "") + ". The first " + before + " tasks were put.", e);
        }
    }

    private static long created(List<PutResult> results) {
        return results.stream().filter(PutResult::created).count();
    }

    public static void print(List<PutResult> results, Output out) {
        for (PutResult result : results) {
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance
                        .objectNode()
                        .put("id", result.id())
                        .put("created", result.created())
                        .put("state", TaskJson.name(result.state())));
            } else {
                out.line(result.id() + (result.created() ? "" : " (was there, " + TaskJson.name(result.state()) + ")"));
            }
        }
    }
}
