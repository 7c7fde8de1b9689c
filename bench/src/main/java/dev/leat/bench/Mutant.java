package dev.leat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One way to break a promise of core.
 *
 * @param name says what is broken
 * @param breaks the promise, with the number of its rule
 * @param file the source, below core/src/main/java
 * @param oldText what stands there, exactly once
 * @param newText what stands there instead
 */
record Mutant(String name, String breaks, String file, String oldText, String newText) {

    /** Whoever wrote the list, or changed the code under it, has to look at it again. */
    static final class BadList extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadList(String message) {
            super(message);
        }
    }

    /** Reads the list; its head describes the format. */
    static List<Mutant> readAll() throws IOException {
        String text;
        try (InputStream in = Objects.requireNonNull(Mutant.class.getResourceAsStream("/mutants.txt"))) {
            text = new String(in.readAllBytes(), UTF_8);
        }
        List<Mutant> mutants = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String block : text.split("(?m)^== ", -1)) {
            if (!block.startsWith("#")) {
                Mutant mutant = parse(block);
                if (!names.add(mutant.name)) {
                    throw new BadList("Two mutants are called '" + mutant.name + "'.");
                }
                mutants.add(mutant);
            }
        }
        return mutants;
    }

    private static Mutant parse(String block) {
        List<String> lines = block.lines().toList();
        String name = lines.get(0).strip();
        Mutant mutant = new Mutant(
                name,
                String.join(" ", after("breaks: ", lines)),
                String.join(" ", after("file: ", lines)),
                String.join("\n", after("- ", lines)),
                String.join("\n", after("+ ", lines)));
        if (mutant.breaks.isEmpty() || mutant.file.isEmpty() || mutant.oldText.isEmpty()) {
            throw new BadList("Mutant '" + name + "' needs a line each of 'breaks: ', 'file: ' and '- '.");
        }
        return mutant;
    }

    private static List<String> after(String prefix, List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
    }

    String applyTo(String source) {
        int at = source.indexOf(oldText);
        if (at < 0 || source.indexOf(oldText, at + 1) >= 0) {
            throw new BadList("Mutant '" + name + "' is stale: its old text occurs "
                    + (at < 0 ? "nowhere" : "more than once") + " in " + file + ".");
        }
        return source.substring(0, at) + newText + source.substring(at + oldText.length());
    }
}
