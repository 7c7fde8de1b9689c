package dev.leat.cli;

import dev.leat.wire.Hello;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version, the commit that it was built from, and the JDK that runs it. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {text(Hello.ownVersion(), commit(), System.getProperty("java.version"))};
    }

    /** @param commit empty when the build had no git repository, as in a source archive */
    static String text(String version, Properties commit, String jdk) {
        @Nullable String id = commit.getProperty("git.commit.id.abbrev");
        String dirty = Boolean.parseBoolean(commit.getProperty("git.dirty")) ? "-dirty" : "";
        return "leat " + version + " (" + (id == null ? "" : id + dirty + ", ") + "JDK " + jdk + ")";
    }

    private static Properties commit() {
        Properties properties = new Properties();
        try (@Nullable InputStream in = Version.class.getResourceAsStream("commit.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
