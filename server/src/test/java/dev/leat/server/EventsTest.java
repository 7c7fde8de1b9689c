package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakenTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/events}, over real sockets. */
@Timeout(60)
class EventsTest {
    private Leat leat;
    private LeatServer server;
    private final List<Listener> listeners = new ArrayList<>();

    @BeforeEach
    void start() {
        leat = Leat.open("memory:");
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
    }

    @AfterEach
    void stop() throws IOException {
        for (Listener listener : listeners) {
            listener.close();
        }
        server.close();
        leat.close();
    }

    /** Reads an answer line by line, when the test wants to. */
    private static final class Listener implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;
        private final String status;

        Listener(int port, String query) throws IOException {
            socket = new Socket();
            socket.setReceiveBufferSize(16 * 1024); // so that not everything fits there that is not read
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            // HTTP 1.0: the answer is not in chunks, and ends with the connection.
            socket.getOutputStream()
                    .write(("GET /v1/events" + query + " HTTP/1.0\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            status = in.readLine();
            while (!in.readLine().isEmpty()) {
                // headers
            }
        }

        /** The next event, without comments; the lines have spaces between them. Null at the end. */
        String next() throws IOException {
            List<String> lines = new ArrayList<>();
            String line = in.readLine();
            while (line != null && !(line.isEmpty() && !lines.isEmpty())) {
                if (!line.isEmpty() && !line.startsWith(":")) {
                    lines.add(line);
                }
                line = in.readLine();
            }
            return line == null ? null : String.join(" ", lines);
        }

        String nextLine() throws IOException {
            return in.readLine();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Hears of all that happens after this returns. */
    private Listener listen(String query) throws IOException {
        Listener listener = new Listener(server.port(), query);
        listeners.add(listener);
        assertThat(listener.status).contains("200");
        assertThat(listener.nextLine()).isEqualTo(":listening");
        return listener;
    }

    @Test
    void everyChangeIsToldInItsOrder() throws IOException {
        Listener listener = listen("");

        long id = leat.put("q", "x");
        TakenTask task = leat.take("q").orElseThrow();
        leat.ack(task);

        String rest = ",\"queue\":\"q\",\"task\":" + id + ",\"state\":";
        assertThat(listener.next()).isEqualTo("id: 1 event: change data: {\"kind\":\"put\"" + rest + "\"ready\"}");
        assertThat(listener.next()).isEqualTo("id: 2 event: change data: {\"kind\":\"take\"" + rest + "\"taken\"}");
        assertThat(listener.next()).isEqualTo("id: 3 event: change data: {\"kind\":\"ack\"" + rest + "\"done\"}");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
            ?queue=b           | "kind":"put","queue":"b"
            ?queue=none,b      | "kind":"put","queue":"b"
            ?state=taken,done  | "kind":"take","queue":"a"
            ?kind=ack          | "kind":"ack","queue":"a"
            ?kind=ack,take     | "kind":"take","queue":"a"
            ?kind=put&queue=b  | "kind":"put","queue":"b"
            """)
    void onlyWhatWasAskedForIsTold(String query, String first) throws IOException {
        Listener listener = listen(query);

        leat.put("a", "x");
        leat.ack(leat.take("a").orElseThrow());
        leat.put("b", "y");

        assertThat(listener.next()).contains(first);
    }

    @ParameterizedTest
    @CsvSource({"?queue=a+b,queue", "?state=good,state", "?kind=unchanged,kind", "?kind=,kind", "?color=red,color"})
    void whatIsWrongIsNamed(String query, String field) {
        Client.Answer answer = new Client(server.port()).get("/v1/events" + query);

        assertThat(answer.is(400).body().get("field").textValue()).isEqualTo(field);
    }

    /** Whatever is dropped is counted, in the place where it is missing. */
    @Test
    void aSlowListenerMissesChangesAndIsToldHowMany() throws IOException {
        Listener listener = listen("");
        int puts = 200_000;
        List<NewTask> thousand = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            thousand.add(NewTask.to("q").payload(Payload.empty()).build());
        }
        for (int i = 0; i < puts; i += thousand.size()) {
            leat.putAll(thousand);
        }

        long told = 0;
        long missed = 0;
        long last = 0;
        while (told + missed < puts) {
            String event = listener.next();
            if (event.startsWith("event: missed")) {
                missed += Long.parseLong(event.replaceAll("\\D", ""));
            } else {
                told++;
                long number = Long.parseLong(event.replaceFirst("id: (\\d+) .*", "$1"));
                assertThat(number).isEqualTo(told + missed).isGreaterThan(last);
                last = number;
            }
        }
        assertThat(missed).isGreaterThan(puts / 2);
        leat.put("q", "one more");
        assertThat(listener.next()).startsWith("id: " + (puts + 1) + " ");
    }

    @Test
    void aQuietStreamIsKeptAlive() throws IOException {
        server.close();
        ServerOptions impatient = ServerOptions.builder()
                .port(0)
                .longestWait(Duration.ofMillis(100))
                .idleTimeout(Duration.ofMillis(300))
                .build();
        server = LeatServer.start(leat, impatient);
        Listener listener = listen("");

        for (int i = 0; i < 10; i++) { // a second, in which the connection would have been closed
            assertThat(listener.nextLine()).isEmpty();
            assertThat(listener.nextLine()).isEqualTo(":");
        }
    }

    @Test
    void aStopOfTheServerEndsTheStream() throws IOException {
        Listener listener = listen("");
        leat.put("q", "x");

        server.close();

        assertThat(listener.next()).contains("put");
        assertThat(listener.next()).isNull();
    }

    @Test
    void listenersCostNoThreadsAndThereAreNotTooMany() throws IOException {
        listen("");
        int threads = Thread.activeCount();
        for (int i = 1; i < 256; i++) {
            listen("");
        }

        assertThat(Thread.activeCount()).isLessThan(threads + 10);
        assertThat(new Client(server.port()).get("/v1/events").is(503).code()).isEqualTo("busy");

        listeners.get(7).close();

        await().until(() -> {
            try (Listener next = new Listener(server.port(), "")) {
                return next.status.contains("200");
            }
        });
        leat.put("q", "x");
        assertThat(listeners.get(200).next()).contains("put");
    }
}
