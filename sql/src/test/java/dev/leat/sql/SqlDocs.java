package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What docs/sql.md says. */
public final class SqlDocs {
    public static final String PLAIN_SQL = "Plain SQL";
    public static final String VIEWS = "Looking at it with SQL";

    private static final Path PAGE = Path.of("../docs/sql.md");
    private static final Pattern STATEMENT = Pattern.compile("(?ms)^```sql\\R(.*?);?\\s*^```");
    private static final Pattern NAMES = Pattern.compile("`(\\w+)`");

    private SqlDocs() {}

    private static String section(String heading) throws IOException {
        Matcher section =
                Pattern.compile("(?ms)^## " + heading + "$(.*?)(^## |\\z)").matcher(Files.readString(PAGE));
        assertThat(section.find()).as("section " + heading + " in " + PAGE).isTrue();
        return section.group(1);
    }

    /** The ready-made statements of a section. */
    public static List<String> statements(String heading) throws IOException {
        List<String> statements = new ArrayList<>();
        Matcher statement = STATEMENT.matcher(section(heading));
        while (statement.find()) {
            statements.add(statement.group(1));
        }
        assertThat(statements).as("statements in " + heading).hasSizeGreaterThan(3);
        return statements;
    }

    /** The columns of the table below the view's heading, in their order. */
    public static List<String> columns(String view) throws IOException {
        List<String> columns = new ArrayList<>();
        boolean here = false;
        for (String line : section(VIEWS).lines().toList()) {
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
