package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What docs/sql.md says about the views. */
final class ViewDocs {
    private static final Path PAGE = Path.of("../docs/sql.md");
    private static final Pattern SECTION = Pattern.compile("(?ms)^## Looking at it with SQL$(.*?)(^## |\\z)");
    private static final Pattern QUERY = Pattern.compile("(?ms)^```sql\\R(.*?);\\s*^```");
    private static final Pattern NAMES = Pattern.compile("`(\\w+)`");

    private ViewDocs() {}

    private static String section() throws IOException {
        Matcher section = SECTION.matcher(Files.readString(PAGE));
        assertThat(section.find()).as("section in " + PAGE).isTrue();
        return section.group(1);
    }

    /** The ready-made queries. */
    static List<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        Matcher query = QUERY.matcher(section());
        while (query.find()) {
            queries.add(query.group(1));
        }
        assertThat(queries).as("queries in " + PAGE).hasSizeGreaterThan(3);
        return queries;
    }

    /** The columns of the table below the view's heading, in their order. */
    static List<String> columns(String view) throws IOException {
        List<String> columns = new ArrayList<>();
        boolean here = false;
        for (String line : section().lines().toList()) {
            if (line.startsWith("### ")) {
                here = line.startsWith("### `" + view + "`");
            } else if (here && line.startsWith("| `")) {
                Matcher name = NAMES.matcher(line.substring(0, line.indexOf(" | ")));
                while (name.find()) {
                    columns.add(name.group(1));
                }
            }
        }
        return columns;
    }
}
