package dev.leat.cli.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The output of a command: tables for people, or JSON for programs. */
public final class Output {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final String GAP = "  ";

    private final PrintWriter out;
    private final boolean json;

    public Output(PrintWriter out, boolean json) {
        this.out = out;
        this.json = json;
    }

    public boolean isJson() {
        return json;
    }

    public void line(String text) {
        out.println(text);
    }

    public void json(JsonNode value) {
        try {
            out.println(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    public void json(List<? extends JsonNode> values) {
        json(JsonNodeFactory.instance.arrayNode().addAll(values));
    }

    /** Prints rows under a heading, each column as wide as it needs to be; numbers are aligned to the right. */
    public void table(List<String> heading, List<List<String>> rows) {
        List<List<String>> all = new ArrayList<>();
        all.add(heading);
        all.addAll(rows);
        List<Integer> widths = new ArrayList<>();
        List<Boolean> numeric = new ArrayList<>();
        for (int column = 0; column < heading.size(); column++) {
            int at = column;
            widths.add(all.stream().mapToInt(row -> row.get(at).length()).max().orElse(0));
            numeric.add(
                    !rows.isEmpty() && rows.stream().allMatch(row -> row.get(at).matches("[\\d,+]*")));
        }
        for (List<String> row : all) {
            List<String> cells = new ArrayList<>();
            for (int column = 0; column < row.size(); column++) {
                String side = numeric.get(column) ? "" : "-";
                cells.add(String.format("%" + side + Math.max(1, widths.get(column)) + "s", row.get(column)));
            }
            out.println(cells.stream().collect(Collectors.joining(GAP)).stripTrailing());
        }
    }

    public void flush() {
        out.flush();
    }
}
