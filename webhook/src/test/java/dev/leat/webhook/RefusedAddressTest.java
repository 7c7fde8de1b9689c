package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leat.Payload;
import dev.leat.webhook.DeliveryException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody writes into a URL, or answers for a name, to make us call our own machines. */
class RefusedAddressTest {
    private static final Message MESSAGE = new Message("msg_1", Payload.of("hello"));
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private static DeliveryException fail(WebhookSender sender, String url) {
        return catchThrowableOfType(DeliveryException.class, () -> sender.send(Endpoint.of(url), MESSAGE));
    }

    @Test
    void ourOwnMachineIsNotCalled() throws IOException {
        try (WebhookSender sender = WebhookSender.create();
                ScriptedServer server = ScriptedServer.answering(OK)) {
            for (String host : List.of("127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]")) {
                DeliveryException e = fail(sender, server.url(host, "/"));

                assertThat(e.reason()).as(host).isEqualTo(Reason.REFUSED);
                assertThat(e.retry()).isFalse();
                assertThat(e).hasMessageContaining("must be allowed");
            }
            assertThat(server.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://169.254.169.254/latest/meta-data/",
                "http://[fd00:ec2::254]/latest/meta-data/",
                "http://[64:ff9b::a9fe:a9fe]/",
                "http://[2002:7f00:1::]/",
                "http://[::127.0.0.1]/",
                "http://100.100.100.200/",
                "http://10.0.0.1/",
                "http://0.0.0.0/"
            })
    void addressesInUrlsAreRefused(String url) {
        try (WebhookSender sender = WebhookSender.create()) {
            assertThat(fail(sender, url).reason()).isEqualTo(Reason.REFUSED);
        }
    }

    @Test
    void whatIsRefusedDoesNotPauseTheReceiver() {
        try (WebhookSender sender = WebhookSender.create()) {
            for (int i = 0; i < 20; i++) {
                assertThat(fail(sender, "http://10.0.0.1/").reason()).isEqualTo(Reason.REFUSED);
            }
        }
    }

    @Test
    void aNameIsResolvedOnceForCheckAndConnection() throws IOException {
        List<String> asked = new ArrayList<>();
        NameResolver rebinding = host -> {
            asked.add(host);
            return addresses(asked.size() == 1 ? "127.0.0.1" : "127.0.0.2");
        };
        try (WebhookSender sender = allowingOne(rebinding);
                ScriptedServer allowed = ScriptedServer.answering(OK);
                ScriptedServer inside = ScriptedServer.startAt("127.0.0.2", allowed.port(), c -> c.send(OK))) {
            sender.send(Endpoint.of(allowed.url("rebind.test", "/")), MESSAGE);

            assertThat(asked).containsExactly("rebind.test");
            assertThat(allowed.connections()).isEqualTo(1);

            assertThat(fail(sender, allowed.url("rebind.test", "/")).reason()).isEqualTo(Reason.REFUSED);
            assertThat(allowed.connections()).isEqualTo(1);
            assertThat(inside.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1 127.0.0.2", "127.0.0.2 127.0.0.1", "127.0.0.1 127.0.0.1 ::1"})
    void oneBadAddressAmongGoodOnesRefusesAll(String answer) throws IOException {
        try (WebhookSender sender = allowingOne(host -> addresses(answer.split(" ")));
                ScriptedServer server = ScriptedServer.answering(OK)) {
            assertThat(fail(sender, server.url("mixed.test", "/")).reason()).isEqualTo(Reason.REFUSED);
            assertThat(server.connections()).isZero();
        }
    }

    private static WebhookSender allowingOne(NameResolver resolver) {
        return WebhookSender.builder()
                .allowNetwork("127.0.0.1/32")
                .resolver(resolver)
                .build();
    }

    private static List<InetAddress> addresses(String... texts) throws UnknownHostException {
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : texts) {
            addresses.add(InetAddress.getByName(text));
        }
        return addresses;
    }

    @Test
    void theMessageDoesNotTellTheAddress() {
        try (WebhookSender sender = allowingOne(host -> addresses("10.1.2.3"))) {
            assertThat(fail(sender, "http://db.internal.test/"))
                    .hasMessage("POST http://db.internal.test/ is not called: "
                            + "its host is a private address, which must be allowed to be called");
        }
    }

    @Test
    void aHostMayBeAllowedByItsName() throws IOException {
        NameResolver resolver = host -> addresses("127.0.0.1");
        try (WebhookSender sender = WebhookSender.builder()
                        .allowHost("Inside_1.test")
                        .resolver(resolver)
                        .build();
                ScriptedServer server = ScriptedServer.answering(OK)) {
            assertThat(sender.send(Endpoint.of(server.url("inside_1.TEST", "/")), MESSAGE)
                            .status())
                    .isEqualTo(200);
            assertThat(fail(sender, server.url("other.test", "/")).reason()).isEqualTo(Reason.REFUSED);
        }
    }

    @Test
    void allAddressesOfANameAreTriedInTurn() throws IOException {
        try (WebhookSender sender = WebhookSender.builder()
                        .allowNetwork("127.0.0.0/8")
                        .resolver(host -> addresses("127.0.0.3", "127.0.0.1"))
                        .build();
                ScriptedServer server = ScriptedServer.answering(OK)) {
            assertThat(sender.send(Endpoint.of(server.url("two.test", "/")), MESSAGE)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anUnknownNameFailsAndMayBeTriedAgain() {
        NameResolver nobody = host -> {
            throw new UnknownHostException(host);
        };
        try (WebhookSender none = allowingOne(nobody);
                WebhookSender empty = allowingOne(host -> List.of())) {
            assertThat(fail(none, "http://nobody.test/"))
                    .hasMessage("POST http://nobody.test/ failed: its host is not known");
            assertThat(fail(none, "http://nobody.test/").retry()).isTrue();
            assertThat(fail(empty, "http://nobody.test/").reason()).isEqualTo(Reason.NO_ANSWER);
        }
    }

    @Test
    void aLookupThatHangsEndsAtTheTimeout() {
        CountDownLatch never = new CountDownLatch(1);
        NameResolver hanging = host -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new UnknownHostException(host);
            }
            return List.of();
        };
        Endpoint endpoint = Endpoint.builder("http://slow.test/")
                .timeout(Duration.ofMillis(300))
                .build();
        try (WebhookSender sender = allowingOne(hanging)) {
            DeliveryException e = catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, MESSAGE));

            assertThat(e).hasMessageContaining("could not be resolved in time");
        }
    }
}
